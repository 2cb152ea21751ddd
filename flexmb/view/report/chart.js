// A panel as an SVG: lines, labelled peaks, values under the pointer. A click goes to the time of the point there.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 58, right: 14, top: 16, bottom: 40 };
const PANEL_HEIGHT = 262;

function svgElement(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}

function element(name, className, parent, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

class Chart {
  constructor(figure, panel, goTo) {
    this.figure = figure;
    this.panel = panel;
    this.goTo = goTo;
    this.lines = panel.lines.map((line) => ({
      ...line, x: arrayOf(line.x), y: arrayOf(line.y), time: arrayOf(line.time), isShown: true,
    }));
    this.hasTime = this.lines.some((line) => line.time);
    const caption = element("figcaption", "", figure);
    element("span", "title", caption, panel.title);
    if (panel.note) element("span", "note", caption, panel.note);
    this.makeLegend();
    this.stage = element("div", "stage", figure);
    this.tip = element("div", "tip", figure);
    this.tip.hidden = true;
    new ResizeObserver(() => this.draw()).observe(this.stage);
    this.draw();
  }

  makeLegend() {
    const named = this.lines.filter((line) => line.kind !== "earlier");
    if (named.length < 2) return;
    const legend = element("div", "legend", this.figure);
    for (const line of named) {
      const button = element("button", `key line-${line.color % 8} ${line.kind}`, legend, line.name);
      button.setAttribute("aria-pressed", "true");
      button.title = "Show or hide";
      button.addEventListener("click", () => {
        line.isShown = !line.isShown;
        for (const other of this.lines) if (other.color === line.color && other.kind === "earlier") other.isShown = line.isShown;
        button.setAttribute("aria-pressed", String(line.isShown));
        this.draw();
      });
    }
  }

  // Ranges of the axes and how values become pixels.
  measure() {
    const { panel } = this;
    const shown = this.lines.filter((line) => line.isShown);
    const span = (key) => {
      let low = Infinity, high = -Infinity;
      for (const line of shown) for (const value of line[key]) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
      return low <= high ? [low, high] : [0, 1];
    };
    let [left, right] = panel.xRange || span("x");
    let [low, high] = panel.yRange || span("y");
    if (!panel.yRange) {
      const room = 0.12 * (high - low) || 0.05 * Math.abs(high) || 1;
      [low, high] = panel.log ? [low / 1.5, high * 1.5] : [low - room, high + room];
    }
    if (!(right > left)) [left, right] = [left - 0.5, right + 0.5];
    const width = Math.max(220, this.stage.clientWidth), height = Math.round(60 + (PANEL_HEIGHT - 60) * panel.height);
    const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
    const level = panel.log ? Math.log : (value) => value;
    const [floor, roof] = [level(low), level(high)];
    Object.assign(this, { width, height, inner, left, right, low, high });
    this.toX = (x) => MARGIN.left + ((x - left) / (right - left)) * inner.width;
    this.toY = (y) => MARGIN.top + (1 - (level(Math.max(y, panel.log ? 0.01 * low : -Infinity)) - floor) / (roof - floor)) * inner.height;
    this.fromX = (pixel) => left + ((pixel - MARGIN.left) / inner.width) * (right - left);
  }

  draw() {
    this.measure();
    const { width, height } = this;
    const svg = svgElement("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${this.panel.title}, ${this.panel.yLabel}, over ${this.panel.xLabel}`,
    });
    this.drawAxes(svg);
    const clip = `clip-${this.figure.dataset.chart}`;
    svgElement("rect", { x: MARGIN.left, y: MARGIN.top - 4, width: this.inner.width + 1, height: this.inner.height + 8 },
      svgElement("clipPath", { id: clip }, svg));
    const group = svgElement("g", { "clip-path": `url(#${clip})` }, svg);
    for (const line of this.lines) {
      if (line.isShown) svgElement("path", { d: this.pathOf(line), class: `curve line-${line.color % 8} ${line.kind}` }, group);
      if (line.isShown && line.x.length === 1 && !Number.isNaN(line.y[0])) {
        svgElement("circle", { class: `dot line-${line.color % 8}`, cx: this.toX(line.x[0]), cy: this.toY(line.y[0]), r: 3.5 }, group);
      }
    }
    this.cursor = svgElement("line", { class: "cursor", y1: MARGIN.top, y2: height - MARGIN.bottom, x1: -9, x2: -9 }, svg);
    this.hair = svgElement("line", { class: "hair", y1: MARGIN.top, y2: height - MARGIN.bottom, x1: -9, x2: -9 }, svg);
    this.dots = svgElement("g", {}, svg);
    this.connectPointer(svg);
    this.drawPeaks(svg);
    this.stage.replaceChildren(svg);
    if (this.cursorTime !== undefined) this.showTime(this.cursorTime);
  }

  drawAxes(svg) {
    const { panel, inner, height, width } = this;
    const bottom = height - MARGIN.bottom;
    for (const x of ticksOf(this.left, this.right, inner.width / 65, panel.xStep)) {
      const at = this.toX(x);
      svgElement("line", { class: "grid", x1: at, x2: at, y1: MARGIN.top, y2: bottom }, svg);
      svgElement("text", { class: "tick", x: at, y: bottom + 16, "text-anchor": "middle" }, svg, numberText(x));
    }
    const levels = panel.log ? decadesOf(this.low, this.high) : ticksOf(this.low, this.high, inner.height / 38);
    for (const y of levels) {
      const at = this.toY(y);
      svgElement("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }, svg);
      svgElement("text", { class: "tick", x: MARGIN.left - 7, y: at + 4, "text-anchor": "end" }, svg, numberText(y));
    }
    svgElement("path", { class: "frame", d: `M${MARGIN.left} ${MARGIN.top}V${bottom}H${width - MARGIN.right}` }, svg);
    svgElement("text", { class: "label", x: MARGIN.left + inner.width / 2, y: height - 6, "text-anchor": "middle" }, svg, panel.xLabel);
    const middle = MARGIN.top + inner.height / 2;
    svgElement("text", { class: "label", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` }, svg, panel.yLabel);
  }

  pathOf(line) {
    let path = "", isPen = false;
    for (let k = 0; k < line.x.length; k++) {
      if (Number.isNaN(line.y[k]) || Number.isNaN(line.x[k])) { isPen = false; continue; }
      path += `${isPen ? "L" : "M"}${this.toX(line.x[k]).toFixed(1)} ${this.toY(line.y[k]).toFixed(1)}`;
      isPen = true;
    }
    return path;
  }

  // A dot and a text; texts that would cover one another are left out.
  drawPeaks(svg) {
    const taken = [];
    for (const peak of this.panel.peaks) {
      const line = this.lines.find((other) => other.color === peak.color && other.kind !== "earlier");
      if (!line || !line.isShown) continue;
      const x = this.toX(peak.x), y = this.toY(peak.y), canGo = peak.time !== null;
      const group = svgElement("g", { class: `peak line-${peak.color % 8}` }, svg);
      svgElement("circle", { cx: x, cy: y, r: 3.5 }, group);
      const wide = peak.text.length * 6.2, isRight = x + wide + 8 > this.width - MARGIN.right;
      const isBelow = peak.isLow;
      const top = isBelow ? Math.min(y + 15, this.height - MARGIN.bottom - 3) : Math.max(y - 7, 11);
      const box = [isRight ? x - wide - 6 : x + 6, top - 11, wide, 14];
      if (!taken.some((other) => overlaps(box, other))) {
        taken.push(box);
        svgElement("text", { x: isRight ? x - 6 : x + 6, y: top, "text-anchor": isRight ? "end" : "start" }, group, peak.text);
      }
      if (!canGo) continue;
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.setAttribute("data-time", peak.time);
      group.setAttribute("aria-label", `${line.name}: ${peak.text}. Go to this time.`);
      group.classList.add("goes");
      const go = (event) => { event.stopPropagation(); this.goTo(peak.time); };
      group.addEventListener("click", go);
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go(event);
      });
    }
  }

  connectPointer(svg) {
    const pixelOf = (event) => event.clientX - svg.getBoundingClientRect().left;
    svg.addEventListener("pointermove", (event) => this.hover(pixelOf(event)));
    svg.addEventListener("pointerleave", () => this.hover(null));
    if (!this.hasTime) return;
    svg.classList.add("goes");
    svg.addEventListener("click", (event) => {
      const found = this.pointsAt(pixelOf(event)).find((point) => point.line.time);
      if (found) this.goTo(found.line.time[found.k]);
    });
  }

  pointsAt(pixel) {
    const wanted = this.fromX(pixel);
    return this.lines
      .filter((line) => line.isShown && line.kind !== "earlier" && line.x.length)
      .map((line) => ({ line, k: nearest(line.x, wanted) }))
      .filter((point) => point.k >= 0);
  }

  // Values of all lines under the pointer.
  hover(pixel) {
    const isInside = pixel !== null && pixel >= MARGIN.left && pixel <= this.width - MARGIN.right;
    const points = isInside ? this.pointsAt(pixel) : [];
    this.tip.hidden = !points.length;
    this.dots.replaceChildren();
    if (!points.length) {
      this.hair.setAttribute("x1", -9);
      this.hair.setAttribute("x2", -9);
      return;
    }
    const x = points[0].line.x[points[0].k], at = this.toX(x);
    this.hair.setAttribute("x1", at);
    this.hair.setAttribute("x2", at);
    this.tip.replaceChildren();
    element("b", "", this.tip, `${this.panel.xName} ${withUnit(x, this.panel.xUnit)}`);
    for (const { line, k } of points.slice(0, 10)) {
      svgElement("circle", { class: `dot line-${line.color % 8}`, cx: this.toX(line.x[k]), cy: this.toY(line.y[k]), r: 3.5 }, this.dots);
      element("span", `line-${line.color % 8}`, this.tip, `${line.name} ${withUnit(line.y[k], this.panel.yUnit)}`);
    }
    const isLeft = at > this.width / 2;
    this.tip.style.left = isLeft ? "auto" : `${at + 24}px`;
    this.tip.style.right = isLeft ? `${this.width - at + 24}px` : "auto";
  }

  // Current time of the animation.
  showTime(time) {
    this.cursorTime = time;
    if (!this.hasTime) return;
    let x = NaN, least = Infinity;
    for (const line of this.lines) {
      if (!line.time || !line.time.length) continue;
      const k = nearest(line.time, time), distance = Math.abs(line.time[k] - time);
      if (distance < least) { least = distance; x = line.x[k]; }
    }
    const at = Number.isNaN(x) ? -9 : this.toX(x);
    this.cursor.setAttribute("x1", at);
    this.cursor.setAttribute("x2", at);
  }
}

function overlaps(a, b) {
  return a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
}
