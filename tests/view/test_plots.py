"""Plots: which curves are drawn in which unit over which axis, turns upon turns, spectra, and the files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.dom.minidom import parse

import numpy as np
import pytest

from flexmb.errors import InputError
from flexmb.results.result_file import Result
from flexmb.view.plots import panels_of, plot_result
from flexmb.view.plots.line_colors import DARK, LIGHT
from flexmb.view.plots.panels import Line, Panel, thinned, with_maxima, with_peaks
from flexmb.view.plots.spectrum import amplitudes
from flexmb.view.plots.turns import TURN, folded, turns_over
from flexmb.view.plots.unit_texts import handy_unit, number_text, quantity
from tests.support.command_line import call
from tests.support.made_results import accept_forged_names, crank_result, made_result


@pytest.fixture
def result(tmp_path: Path) -> Result:
    return crank_result(tmp_path / "crank.h5")


def by_title(result: Result, **choice: object) -> dict[str, Panel]:
    return {panel.title: panel for panel in panels_of(result, **choice)}  # type: ignore[arg-type]


def test_the_sheet_has_every_picture_in_its_unit(result: Result) -> None:
    panels = by_title(result)
    balance = next(title for title in panels if title.startswith("Energy balance error"))
    assert list(panels) == [
        "rod_mid", "Spectrum of the deflection", "slider", "Reaction forces", "Reaction moments", "Energy", balance,
        "Solver, fixed step of 100\u00a0\u00b5s",
    ]  # fmt: skip
    assert [panel.y_unit for panel in panels.values()] == ["mm", "mm", "m", "N", "N*m", "J", "\u00b5J", "1"]
    assert [panel.x_unit for panel in panels.values()] == ["deg", "Hz"] + 6 * ["ms"]
    assert panels["slider"].x_label == "time [ms]" and panels["rod_mid"].x_label == "crank_angle [\u00b0]"


def test_deflection_over_the_crank_angle(result: Result) -> None:
    earlier, last = by_title(result)["rod_mid"].lines
    assert (earlier.kind, last.kind) == ("earlier", "main")
    # The last whole turn runs from 1.5 to 2.5 turns, so it is drawn from 180 to 360 and from 0 to 180 degrees.
    assert np.nanmin(last.x) == pytest.approx(0.0, abs=1e-9) and np.nanmax(last.x) == pytest.approx(360.0)
    assert last.time is not None and np.nanmin(last.time) == pytest.approx(0.06)
    assert np.nanmax(np.abs(last.y)) == pytest.approx(2.0, rel=1e-4)
    assert np.nanmax(np.abs(earlier.y)) == pytest.approx(3.0, rel=1e-4)
    known = np.isfinite(last.x)
    assert last.y[known] == pytest.approx(2.0 * np.sin(np.radians(last.x[known])), abs=1e-3)
    assert np.count_nonzero(~known) == 1  # one gap, where the turn begins anew


def test_reactions_are_magnitudes_and_nothing_is_not_drawn(result: Result) -> None:
    panels = by_title(result)
    force = panels["Reaction forces"]
    assert [line.name for line in force.lines] == ["bearing"] and "ball" in force.note
    assert force.lines[0].y[0] == pytest.approx(5.0) and force.lines[0].y.min() >= 0.0
    assert force.peaks[0].text == "5\u00a0N at 0\u00a0ms"


def test_balance_error_has_its_own_axis(result: Result) -> None:
    panel = next(panel for title, panel in by_title(result).items() if title.startswith("Energy balance"))
    assert np.abs(panel.lines[0].y).max() == pytest.approx(1.0, rel=1e-4)
    assert "3.3\u00b710\u207b\u2077 of the peak energy" in panel.title


def test_quaternions_are_drawn_only_when_asked_for(result: Result) -> None:
    titles = by_title(result, pictures=["all"])
    assert not any("ball" in line.name for panel in titles.values() for line in panel.lines)
    assert len(panels_of(result, channels=["ball.position"])[0].lines) == 4


def test_chosen_channels(result: Result) -> None:
    deflection, length = panels_of(result, channels=["rod_mid", "slider"])
    assert (deflection.y_unit, length.y_unit) == ("mm", "m")  # never on one axis
    turns = panels_of(result, channels=["rod_mid"], against="crank_angle")[0]
    assert turns.x_unit == "deg" and len(turns.lines) == 2 and "2.5 turns" in turns.note
    straight = panels_of(result, channels=["rod_mid"], against="crank_angle", unfolded=True)[0]
    assert straight.x_unit == "rad" and straight.lines[0].x[-1] == pytest.approx(5.0 * np.pi)
    over = panels_of(result, against="slider")
    assert [panel.y_unit for panel in over] == ["mm", "rad"] and over[0].x_name == "slider"
    spectrum = panels_of(result, channels=["slider"], pictures=["spectrum"])[0]
    assert spectrum.x_unit == "Hz" and spectrum.peaks[0].x == pytest.approx(25.0, abs=3.0)


def test_wrong_choices_are_said(result: Result) -> None:
    with pytest.raises(InputError, match="no plot 'defection'. Did you mean 'deflection'?"):
        panels_of(result, pictures=["defection"])
    with pytest.raises(InputError, match="one of these"):
        panels_of(result, channels=["slider"], pictures=["energy"])
    with pytest.raises(InputError, match="4 columns"):
        panels_of(result, channels=["slider"], against="ball.position")
    with pytest.raises(InputError) as caught:
        panels_of(result, channels=["slidr", "rod_mit"])
    assert len(caught.value.faults) == 2


def test_a_picture_without_data_is_said(tmp_path: Path) -> None:
    time = np.linspace(0.0, 1.0, 50)
    result = made_result(tmp_path / "a.h5", {"time": ("s", time), "bodies/a/position": ("m", np.ones((50, 3)))})
    with pytest.raises(InputError, match="no data for the plot deflection"):
        panels_of(result, pictures=["deflection"])
    assert [panel.title for panel in panels_of(result)] == ["Bodies"]
    with pytest.raises(InputError, match="too little"):
        panels_of(result, channels=["a.position"], pictures=["spectrum"])


def test_an_angle_that_swings_or_is_sampled_too_coarsely_is_no_crank() -> None:
    time = np.linspace(0.0, 1.0, 400)
    assert turns_over(8.0 * time) and turns_over(-8.0 * time)
    assert not turns_over(6.0 * time)
    assert not turns_over(10.0 * np.sin(9.0 * time))
    assert not turns_over(200.0 * TURN * time)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_turns_are_laid_upon_each_other_in_both_directions(direction: float) -> None:
    time = np.linspace(0.0, 3.0, 301)
    angle = direction * TURN * time
    earlier, last = folded("u", angle, np.cos(angle) + np.floor(time), time, 0)
    assert last.time is not None and earlier.time is not None
    assert (np.nanmin(last.time), np.nanmax(last.time)) == pytest.approx((2.0, 3.0))
    assert (np.nanmin(earlier.time), np.nanmax(earlier.time)) == pytest.approx((0.0, 2.0))
    assert np.isfinite(last.x).all() and (last.x[0], last.x[-1]) == pytest.approx((0.0, 360.0))
    assert np.count_nonzero(np.isnan(earlier.x)) == 1


def test_exactly_one_turn_has_no_earlier_one() -> None:
    angle = np.linspace(0.3, 0.3 + TURN, 101)
    (line,) = folded("u", angle, angle, angle, 0)
    assert line.kind == "main" and np.nanmax(line.x) == pytest.approx(360.0)


def test_spectrum_gives_frequency_and_amplitude() -> None:
    # uneven times: the rows are put on a grid first
    time = np.linspace(0.0, 1.0, 4000) ** 1.05
    frequency, size = amplitudes(time, 7.0 + 3.0 * np.cos(TURN * 50.0 * time) + 0.5 * np.sin(TURN * 120.0 * time))
    assert frequency[np.argmax(size)] == pytest.approx(50.0, abs=0.5)
    assert size.max() == pytest.approx(3.0, rel=0.01)
    assert size[np.argmin(np.abs(frequency - 120.0))] == pytest.approx(0.5, rel=0.05)
    assert size[0] < 1e-6  # the mean is no oscillation


def test_thinning_keeps_peaks_and_gaps() -> None:
    x = np.linspace(0.0, 1.0, 200_000)
    y = np.sin(40.0 * x)
    y[[77_777, 123_456]] = 5.0, -6.0
    y[100_001] = np.nan
    line = thinned(Line("y", x, y, x, 0))
    assert len(line.x) < 10_000
    assert (np.nanmax(line.y), np.nanmin(line.y)) == (5.0, -6.0) and np.isnan(line.y).sum() == 1
    assert line.time is not None and line.x[np.nanargmax(line.y)] == x[77_777]


def test_peaks_are_no_ends_but_maxima_may_be() -> None:
    x = np.linspace(0.0, 1.0, 101)
    panel = Panel("", "time", "s", "N", (Line("a", x, 3.0 * x, x, 0), Line("b", x, np.sin(TURN * x), x, 1)))
    assert [peak.color for peak in with_peaks(panel).peaks] == [1, 1]
    assert [(peak.color, peak.y) for peak in with_maxima(panel).peaks] == [(0, 3.0), (1, 1.0)]
    nothing = Panel("", "time", "s", "N", (Line("a", x, np.full(101, np.nan), x, 0),))
    assert with_peaks(nothing).peaks == with_maxima(nothing).peaks == ()


@pytest.mark.parametrize(
    ("unit", "size", "expected"),
    [
        ("J", 3e-7, (1e-9, "nJ")),
        ("J", 20.0, (1.0, "J")),
        ("s", 0.02, (1e-3, "ms")),
        ("N", 0.5, (1.0, "N")),
        ("N", 5e4, (1e3, "kN")),
        ("m", 1e-9, (1.0, "m")),
        ("J", 0.0, (1.0, "J")),
    ],
)
def test_handy_units(unit: str, size: float, expected: tuple[float, str]) -> None:
    assert handy_unit(unit, size) == expected


def test_numbers_in_words() -> None:
    assert number_text(-0.5) == "\u22120.5" and number_text(1.25e-7, 3) == "1.25\u00b710\u207b\u2077"
    assert number_text(1e-9) == "10\u207b\u2079"
    assert quantity(2.0, "N*m") == "2\u00a0N\u00b7m" and quantity(90.0, "deg") == "90\u00b0"


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_files(result: Result, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"plot.{suffix}"
    plot_result(result, target, pictures=["deflection"])
    begin = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert target.read_bytes().startswith(begin)
    assert [path.name for path in tmp_path.iterdir() if path.suffix not in (".h5", f".{suffix}")] == []


def test_sheets_light_and_dark(result: Result) -> None:
    from flexmb.view.plots.sheet import draw_sheet

    panels = panels_of(result)
    for theme in (LIGHT, DARK):
        figure = draw_sheet(panels, "title", dark=theme is DARK)
        assert len(figure.axes) == len(panels)
        lines = figure.axes[0].get_lines()
        assert lines[0].get_color() == theme.earlier(0) and lines[1].get_color() == theme.color(0)
        assert lines[1].get_linewidth() > lines[0].get_linewidth()  # the last turn is bold
        assert figure.axes[0].get_ylabel() == "deflection [mm]"
        shown = [text.get_text() for text in figure.axes[0].texts]
        assert "2\u00a0mm at 90\u00b0" in shown


def test_names_of_lines_keep_clear_of_the_title_of_a_sheet(result: Result) -> None:
    from flexmb.view.plots.sheet import draw_sheet

    panel = replace(panels_of(result, channels=["slider"])[0], title="")
    panel = replace(panel, lines=[replace(panel.lines[0], name=name) for name in ("theta1", "theta2")])
    figure = draw_sheet([panel], "Double pendulum")
    legend, title = figure.axes[0].get_legend(), figure.texts[0]
    assert legend is not None and title.get_text() == "Double pendulum"
    assert not legend.get_window_extent().overlaps(title.get_window_extent())


def test_command_line(result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "x.svg")
    words = ("-p", "deflection", "-p", "reactions", "--dark", "-o", target)
    assert call(capsys, "plot", str(result.path), *words) == (0, f"{target}\n", "")
    code, out, err = call(capsys, "plot", str(result.path), "-p", "energie", "-o", target)
    assert (code, out) == (2, "") and "Did you mean 'energy'?" in err


def test_texts_from_files_are_no_formulas_and_stay_short(
    tmp_path: Path, recwarn: pytest.WarningsRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flexmb.view.plots.sheet import draw_sheet

    accept_forged_names(monkeypatch)
    time = np.linspace(0.0, 1.0, 20)
    names = ["$\\frac{$", "$x$", "__proto__", 3000 * "L" + ".x", "\u4e2d\u6587"]
    series = {f"sensors/{name}": ("m", time**2 + k) for k, name in enumerate(names)}
    result = made_result(tmp_path / "r.h5", {"time": ("s", time), **series}, name="$\\frac{$\x07\x1b\r\n\ttitle")
    plot_result(result, tmp_path / "x.svg")
    plot_result(result, tmp_path / "x.png")
    assert not recwarn.list
    parse(str(tmp_path / "x.svg"))
    figure = draw_sheet(panels_of(result), result.name)
    assert figure.get_suptitle() == r"\$\frac{\$ title"
    axes = figure.axes[0]
    legend = axes.get_legend()
    assert legend is not None
    labels = [text.get_text().strip("\u200b") for text in legend.get_texts()]
    assert labels[:3] == [r"\$\frac{\$", r"\$x\$", "__proto__"] and len(labels) == 5
    assert labels[3].startswith("LLL") and labels[3].endswith(".x") and len(labels[3]) == 36
    width, height = figure.get_size_inches()
    box = axes.get_position()
    assert box.width * width > 3.0 and box.height * height > 1.0


def test_a_channel_without_columns_and_impossible_names_are_told(tmp_path: Path) -> None:
    series = {"time": ("s", np.arange(3.0)), "coordinates/multipliers": ("N", np.zeros((3, 0)))}
    result = made_result(tmp_path / "r.h5", series)
    with pytest.raises(InputError, match="'coordinates/multipliers' has no columns in this run"):
        panels_of(result, channels=["coordinates/multipliers"])
    with pytest.raises(InputError, match="too long"):
        plot_result(result, tmp_path / f"{300 * 'n'}.png", channels=["time"])


def test_a_body_reduced_for_a_band_shows_its_response(tmp_path: Path) -> None:
    """Two curves for every interface, which lie on each other, and the error below the allowed one."""
    from flexmb.view.plots.body_plots import plot_body, response_panels
    from tests.support.reduced_meshes import reduced

    body = reduced(modes=None, band=(0.0, 3000.0), error=1e-3, field="linear")
    responses, errors = response_panels(body)
    assert [line.name for line in responses.lines] == ["a, full", "a, reduced", "b, full", "b, reduced"]
    for full, less in zip(responses.lines[::2], responses.lines[1::2], strict=True):
        assert np.abs(less.y / full.y - 1.0).max() < 0.02
        assert full.y.max() > 20.0 * full.y[0], "a resonance at a damping ratio of 1 % is far above statics"
    assert errors.lines[0].y.max() <= errors.lines[1].y[0] == 1e-3
    plot_body(body, tmp_path / "x.svg")
    parse(str(tmp_path / "x.svg"))
    damaged = replace(body, report={**body.report, "certificate": {**body.report["certificate"], "errors": [1.0, "x"]}})
    with pytest.raises(InputError, match="is damaged"):
        response_panels(damaged)
    with pytest.raises(InputError, match="has no frequency response"):
        response_panels(reduced())
