"""Settings of an analysis for the solvers: checked, and written into the state of the integrator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from flexmb.arrays import Floats, Integers
from flexmb.errors import Fault, InputError
from flexmb.layout import solver_state as st

if TYPE_CHECKING:
    from flexmb.model.schema.analysis import Analysis

IMPLICIT = ("generalized-alpha", "hht", "shi-mcphee")
EXPLICIT = ("rk4", "rk45")


@dataclass(frozen=True)
class Settings:
    """Settings of an analysis: those of a model with defaults filled in, or given directly."""

    end: float
    """End time [s]."""
    step: float | None = None
    """Step of a fixed-step run, first step of an error-controlled one [s]."""
    method: str = "generalized-alpha"
    rho: float = 0.8
    """Spectral radius at infinity of generalised-alpha."""
    alpha: float = 0.1
    """Parameter of HHT-alpha, 0 to 1/3."""
    tolerance: float | None = None
    """Error of a step as a fraction of the magnitude of the coordinates; if given, it controls the step."""
    newton_tolerance: float | None = None
    """Error that Newton's iteration may leave, as a part of the largest acceleration; none: the default."""
    max_step: float | None = None
    formulation: str = "augmented"
    independent: tuple[str, ...] = ()
    """Independent velocities of the explicit methods ("joint.coordinate"); none: chosen by pivoted QR."""
    start: float = 0.0
    every: float | None = None
    """Output interval [s]; none: every step."""
    projection: bool = True
    """Whether the implicit methods project the velocities after the step."""
    type: str = "dynamic"


def solver_settings(analysis: Analysis | Settings, every: float | None = None) -> Settings:
    """Settings of an analysis, with `every` as output interval if given; raises InputError with all faults at once."""
    settings = analysis if isinstance(analysis, Settings) else _of_model(analysis)
    if every is not None:
        settings = replace(settings, every=every)
    faults = []

    def fault(name: str, text: str, hint: str = "") -> None:
        faults.append(Fault(text, ("analysis", name), hint))

    for name in ("end", "step", "tolerance", "newton_tolerance", "max_step", "every", "start", "rho", "alpha"):
        number = getattr(settings, name)
        if number is not None and not np.isfinite(number):
            fault(name, f"{number} is not a finite number.")
    if settings.type != "static" and (settings.end is None or not settings.end > settings.start):
        fault("end", f"the end {settings.end} s is not after the start {settings.start} s.")
    for name in ("step", "tolerance", "newton_tolerance", "max_step", "every"):
        number = getattr(settings, name)
        if number is not None and not number > 0.0:
            fault(name, f"{number} is not positive.")
    if settings.type == "dynamic":
        if settings.method not in IMPLICIT + EXPLICIT:
            fault("method", f"unknown method '{settings.method}'.", f"Methods: {', '.join(IMPLICIT + EXPLICIT)}.")
        if settings.method == "rk4" and settings.tolerance is not None:
            fault("tolerance", "rk4 has no error estimate.", "Use rk45, or give a step instead of a tolerance.")
        if settings.tolerance is None and settings.step is None:
            fault(
                "step",
                "neither a step nor a tolerance is given.",
                "Give step = ... (fixed) or tolerance = ... (controlled).",
            )
        if settings.formulation == "embedding" and settings.method in IMPLICIT:
            fault("formulation", "the embedding formulation is integrated by rk4 and rk45.", 'Use method = "rk45".')
    if not 0.0 <= settings.rho <= 1.0:
        fault("rho", f"{settings.rho} is outside 0 ... 1.")
    if not 0.0 <= settings.alpha <= 1.0 / 3.0 + 1e-12:
        fault("alpha", f"{settings.alpha} is outside 0 ... 1/3.")
    if faults:
        raise InputError(faults)
    return settings


def _of_model(analysis: Analysis) -> Settings:
    """Settings of the analysis of a model, which always starts at t = 0."""
    return Settings(
        end=analysis.end,
        step=analysis.step,
        method=analysis.method,
        rho=analysis.rho,
        alpha=analysis.alpha,
        tolerance=analysis.tolerance,
        newton_tolerance=analysis.newton_tolerance,
        max_step=analysis.max_step,
        formulation=analysis.formulation,
        independent=tuple(analysis.independent),
        type=analysis.type,
    )


def set_parameters(settings: Settings, S: Floats) -> None:
    """alpha_m, alpha_f, beta and gamma of the implicit method (theory sec. 11)."""
    if settings.method == "generalized-alpha":
        rho = settings.rho
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    else:
        alpha_m, alpha_f = 0.0, settings.alpha
    gamma = 0.5 + alpha_f - alpha_m
    S[st.ALPHA_M], S[st.ALPHA_F], S[st.GAMMA], S[st.BETA] = alpha_m, alpha_f, gamma, 0.25 * (gamma + 0.5) ** 2


def set_schedule(settings: Settings, K: Integers, S: Floats) -> None:
    """Times, step sizes and output grid."""
    span = settings.end - settings.start
    S[st.T_START], S[st.T_END], S[st.T_N], S[st.T_E] = settings.start, settings.end, settings.start, settings.start
    S[st.T_OUT] = -np.inf
    S[st.H_MAX] = min(settings.max_step or span, span)
    S[st.H_MIN] = 1e-11 * span
    K[st.ON_GRID] = settings.every is not None
    S[st.EVERY] = settings.every or span
    K[st.PENDING] = 1
    if settings.tolerance is not None:
        K[st.CONTROLLED] = 1
        S[st.TOLERANCE] = settings.tolerance
        return
    assert settings.step is not None
    step = min(settings.step, span, settings.max_step or span)
    count = span / step
    if abs(count - round(count)) <= 1e-6 * count:
        K[st.N_NOMINAL] = round(count)
        S[st.H_NOMINAL] = span / round(count)
    else:
        K[st.N_NOMINAL] = int(np.ceil(count))
        S[st.H_NOMINAL] = step
