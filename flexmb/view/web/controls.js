// Panel, time bar and legend: they show the state of the viewer and request changes; they keep no state themselves.

const ICONS = { play: "M3.5 1.8v12.4L14 8z", pause: "M3 2h3.6v12H3zM9.4 2H13v12H9.4z" };
const CHECKS = ["ghost", "edges", "symbols", "grid", "arrows", "arrowLog"];
const PANEL_HEIGHT = [150, 112, 92]; // of the strip for each of one, two, three and more units

// Elements by the names they have in the markup.
function elementsOf(root) {
  const found = {};
  for (const element of root.querySelectorAll("[data-id]")) found[element.dataset.id] = element;
  return found;
}

// A list with its choices; hidden without a choice.
function fill(select, choices) {
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  (select.closest("label") || select).hidden = choices.length < 2;
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);

// Points with a name on bodies that bend.
function markedPoints(scene) {
  const bending = scene.parts.filter((part) => part.kind === "flexible");
  return bending.flatMap((part) =>
    Object.values(part.marks).map((point) => ({ part, point, name: pointName(part, point) })));
}

function speedChoices(speed, isReal) {
  const factors = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8].map((factor) => factor * speed);
  const all = factors.some((each) => Math.abs(each - 1) < 1e-6) ? factors : [...factors, 1];
  return all.sort((a, b) => a - b).map((each) => [each, isReal ? speedText(each) : `${plainNumber(each)} ×`]);
}

function fillControls(at, scene) {
  for (const id of ["title", "subtitle"]) at[id].textContent = scene[id];
  at.notes.textContent = scene.notes.join("\n");
  at.notes.hidden = !scene.notes.length;
  if (scene.notes.length) at.helpButton.title = "Keys and notes";
  at.clock.hidden = scene.chapters.length > 0;
  const bodies = scene.parts.filter((part) => part.kind === "flexible" || part.kind === "rigid");
  const colors = scene.colorings.filter((each) => each.largest > 0).map(({ name }) => [name, LABELS[name]]);
  fill(at.color, [...colors, ["part", LABELS.part]]);
  fill(at.view, [["", "free"], ...Object.keys(scene.views).map((name) => [name, capital(name)])]);
  at.viewNames.textContent = Object.keys(scene.views).join(", ");
  fill(at.follow, bodies.length > 1 ? [["", "Ground"], ...bodies.map((part) => [part.name, cut(part.name)])] : []);
  fill(at.point, [["", "click a body"], ...markedPoints(scene).map(({ name }, number) => [number, cut(name)])]);
  fill(at.chapter, scene.chapters.map((chapter, number) => [number, cut(chapter.title, 60)]));
  fill(at.speed, speedChoices(scene.look.speed, !scene.chapters.length));
  if (!(scene.period > 0) || scene.chapters.length) at.loop.querySelector("[value=period]").remove();
  const hasArrows = scene.arrows.length > 0;
  at.arrows.parentElement.hidden = at.arrowLog.parentElement.hidden = at.arrowRow.hidden = !hasArrows;
  at.symbols.parentElement.hidden = !scene.parts.some((part) => part.kind === "symbol");
  if (!colors.length) for (const id of ["ghost", "scale"]) at[id].closest("label").hidden = true;
}

// Every input of the user becomes a call of `change` with the new values.
function connectControls(at, change, actions) {
  at.scale.addEventListener("input", () => change({ scale: 10 ** Number(at.scale.value) }));
  at.arrowSize.addEventListener("input", () => change({ arrowSize: Number(at.arrowSize.value) }));
  at.time.addEventListener("input", () => change({ time: Number(at.time.value), playing: false }));
  for (const id of ["color", "follow", "loop"]) at[id].addEventListener("change", () => change({ [id]: at[id].value }));
  at.view.addEventListener("change", () => at.view.value && change({ view: at.view.value }));
  at.point.addEventListener("change", () => actions.choose(at.point.value));
  at.speed.addEventListener("change", () => change({ speed: Number(at.speed.value) }));
  at.chapter.addEventListener("change", () => change({ chapter: Number(at.chapter.value) }));
  for (const id of CHECKS) at[id].addEventListener("change", () => change({ [id]: at[id].checked }));
  at.play.addEventListener("click", actions.toggle);
  at.dark.addEventListener("click", actions.toggleDark);
  at.helpButton.addEventListener("click", () => at.help.showModal());
  at.forget.addEventListener("click", actions.forget);
}

function showState(at, scene, view) {
  at.scale.value = Math.log10(view.scale);
  at.scaleText.textContent = `× ${plainNumber(view.scale, 3)}`;
  for (const id of ["color", "follow", "loop", "view"]) at[id].value = view[id];
  at.chapter.value = view.chapter;
  at.speed.value = [...at.speed.options].reduce((best, option) =>
    Math.abs(option.value - view.speed) < Math.abs(best.value - view.speed) ? option : best).value;
  at.arrowSize.value = view.arrowSize;
  for (const id of CHECKS) at[id].checked = view[id];
  at.playIcon.setAttribute("d", view.playing ? ICONS.pause : ICONS.play);
  at.dark.setAttribute("aria-pressed", view.dark);
  at.play.setAttribute("aria-label", view.playing ? "Pause" : "Play");
  showLegend(at, scene, view);
}

function showLegend(at, scene, view) {
  const coloring = scene.colorings.find((each) => each.name === view.color);
  at.arrowText.textContent = view.arrows && scene.arrows.length ? arrowText(scene) : "";
  at.scaleLegend.hidden = !coloring || !(coloring.largest > 0);
  if (at.scaleLegend.hidden) return;
  const [factor, unit] = display[view.color];
  const largest = coloring.largest * factor;
  const isSigned = "xyz".includes(view.color);
  at.legendName.textContent = `${LABELS[view.color]}${isSigned ? ", axes of the body" : ""} [${unit}]`;
  at.ramp.style.background = `linear-gradient(90deg, ${coloring.stops.map((stop) => `rgb(${stop})`).join(", ")})`;
  at.low.textContent = isSigned ? plainNumber(-largest, 4) : "0";
  at.middle.textContent = isSigned ? "0" : plainNumber(largest / 2, 4);
  at.high.textContent = plainNumber(largest, 4);
}

function arrowText(scene) {
  const sizes = Object.entries(scene.arrowLargest).filter(([, largest]) => largest > 0);
  return `Longest arrow: ${sizes.map(([name, largest]) => `${plainNumber(largest)} ${unitText(name)}`).join(", ")}`;
}

// The list of curves; `shown` are those that are drawn.
function showCurveList(at, curves, shown, toggle) {
  at.curves.hidden = !curves.length;
  const rows = curves.map((curve) => {
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: shown.includes(curve) });
    box.addEventListener("change", () => toggle(curve, box.checked));
    const row = document.createElement("label");
    const unit = document.createElement("em");
    unit.textContent = curve.unit ? ` [${curve.unit}]` : "";
    row.append(box, ` ${cut(curve.name)}`, unit);
    row.title = curve.name;
    return row;
  });
  at.curveList.replaceChildren(...rows);
}

function showStripHeight(at, panels, available) {
  at.strip.hidden = !panels;
  const each = PANEL_HEIGHT[Math.min(panels, PANEL_HEIGHT.length) - 1] || 0;
  at.strip.style.height = `${Math.round(Math.min(panels * each, 0.36 * available))}px`;
}
