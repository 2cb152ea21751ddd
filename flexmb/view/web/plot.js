// The strip of curves below the picture: a panel for every unit, the same time axis for all, a line at the time shown.

const LEFT = 62, RIGHT = 14, TOP = 20, BOTTOM = 20;
const NAMES = [60, 40, 28, 20, 14, 9]; // longest names that are tried
const INKS = ["#2f7dc4", "#d9730d", "#3c9a5f", "#a0569e", "#a88d12", "#3f9ca3", "#c25668", "#6d7b8a"];

function ticks(low, high, count) {
  const step = roundStep((high - low) / count) || 1;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const result = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const value = k * step;
    const isOdd = Math.abs(value) >= 1e5 || (digits > 4 && k !== 0);
    const text = isOdd ? value.toExponential(1).replace("e+", "e") : value.toFixed(k === 0 ? 0 : digits);
    result.push([value, text.replace(/-/g, "−")]);
  }
  return result.length < 2 ? ticks(low, high, 2 * count) : result;
}

function rangeOf(curves) {
  let low = Infinity, high = -Infinity;
  for (const { values } of curves) {
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(high >= low)) return [0, 1];
  const margin = 0.07 * (high - low) || 0.1 * Math.abs(high) || 1;
  return [low - margin, high + margin];
}

// Curves with the same unit share a panel.
function panelsOf(curves) {
  const panels = new Map();
  curves.forEach((curve, number) => {
    if (!panels.has(curve.unit)) panels.set(curve.unit, { unit: curve.unit, curves: [] });
    panels.get(curve.unit).curves.push({ ...curve, ink: INKS[number % INKS.length] });
  });
  return [...panels.values()].map((panel) => ({ ...panel, range: rangeOf(panel.curves) }));
}

class Plot {
  constructor(canvas, scene, writer) {
    Object.assign(this, { canvas, scene, writer, panels: [] });
    this.pen = canvas.getContext("2d");
    this.from = scene.time[0];
    this.to = scene.time[scene.time.length - 1];
  }

  show(curves) {
    this.panels = panelsOf(curves);
  }

  // The piece of time that is drawn.
  window(from, to) {
    this.from = from;
    this.to = to > from ? to : from + 1;
  }

  timeAt(pixel) {
    const share = (pixel - LEFT) / (this.canvas.clientWidth - LEFT - RIGHT);
    return this.from + clamp(share, 0, 1) * (this.to - this.from);
  }

  xOf(time) {
    return LEFT + ((time - this.from) / (this.to - this.from)) * (this.canvas.clientWidth - LEFT - RIGHT);
  }

  draw(time, moment, ratio) {
    const { canvas, pen } = this;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
    if (!width || !height) return;
    this.colors = getComputedStyle(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "11px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
    pen.lineWidth = 1;
    this.drawTimes(width, height);
    const each = (height - BOTTOM) / Math.max(1, this.panels.length);
    this.panels.forEach((panel, number) => this.drawPanel(panel, each * number, each, time, moment));
    this.drawCursor(time, height);
  }

  color(name) { return this.colors.getPropertyValue(`--${name}`); }

  drawTimes(width, height) {
    const { pen, writer } = this;
    pen.textAlign = "center";
    const most = Math.max(2, Math.min(10, Math.floor((width - LEFT - RIGHT) / 80)));
    for (const [value, text] of ticks(this.from * writer.factor, this.to * writer.factor, most)) {
      const x = this.xOf(value / writer.factor);
      pen.strokeStyle = this.color("line");
      pen.beginPath();
      pen.moveTo(x, 4);
      pen.lineTo(x, height - BOTTOM);
      pen.stroke();
      pen.fillStyle = this.color("muted");
      pen.fillText(`${text} ${writer.unit}`, clamp(x, 30, width - 30), height - 6);
    }
  }

  drawPanel(panel, top, height, time, moment) {
    const { pen } = this;
    const [low, high] = panel.range;
    const upper = top + TOP, lower = top + height - 4;
    const yOf = (value) => lower - ((value - low) / (high - low)) * (lower - upper);
    const width = this.canvas.clientWidth;
    pen.textAlign = "right";
    for (const [value, text] of ticks(low, high, Math.max(3, Math.floor((lower - upper) / 22)))) {
      pen.strokeStyle = this.color("line");
      pen.beginPath();
      pen.moveTo(LEFT, yOf(value));
      pen.lineTo(width - RIGHT, yOf(value));
      pen.stroke();
      pen.fillStyle = this.color("muted");
      pen.fillText(text, LEFT - 6, yOf(value) + 4);
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, upper - 4, width - LEFT - RIGHT, lower - upper + 8);
    pen.clip();
    for (const curve of panel.curves) this.drawCurve(curve, yOf, moment, time);
    pen.restore();
    this.drawNames(panel, top + 13, moment);
  }

  drawCurve({ values, ink }, yOf, moment, time) {
    const { pen, scene } = this;
    pen.strokeStyle = ink;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    let isDown = false;
    for (let i = 0; i < values.length; i++) {
      if (Number.isNaN(values[i])) { isDown = false; continue; }
      if (isDown) pen.lineTo(this.xOf(scene.time[i]), yOf(values[i]));
      else pen.moveTo(this.xOf(scene.time[i]), yOf(values[i]));
      isDown = true;
    }
    pen.stroke();
    const now = valueAt(values, moment);
    if (!Number.isFinite(now)) return;
    pen.fillStyle = ink;
    pen.beginPath();
    pen.arc(this.xOf(time), yOf(now), 3.5, 0, 7);
    pen.fill();
    pen.lineWidth = 1;
  }

  // Name, value at the current time and unit of every curve, in its colour; names are cut to the available room.
  drawNames({ curves, unit }, y, moment) {
    const { pen } = this;
    pen.textAlign = "left";
    // As wide as the longest number, so that the names do not move during playback.
    const number = pen.measureText(`  −0.00000 ${unit}`).width + 32;
    const width = (name, most) => number + pen.measureText(cut(name, most)).width;
    const room = this.canvas.clientWidth - LEFT;
    const most = NAMES.find((each) => curves.reduce((sum, { name }) => sum + width(name, each), 0) < room) || 6;
    let x = LEFT;
    for (const { name, values, ink } of curves) {
      pen.fillStyle = ink;
      pen.fillRect(x, y - 7, 9, 3);
      pen.fillStyle = this.color("text");
      pen.fillText(`${cut(name, most)}  ${shortNumber(valueAt(values, moment))} ${unit}`, x + 14, y);
      x += width(name, most);
    }
  }

  drawCursor(time, height) {
    const { pen } = this;
    const x = this.xOf(time);
    pen.strokeStyle = this.color("accent");
    pen.beginPath();
    pen.moveTo(x, 4);
    pen.lineTo(x, height - BOTTOM);
    pen.stroke();
  }
}
