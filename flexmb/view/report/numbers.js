// Numbers of the page: arrays from base64, ticks, and formats of values.

const DATA = JSON.parse(document.getElementById("report-data").textContent);

function arrayOf(number) {
  if (number === null) return null;
  if (typeof DATA.arrays[number] === "string") {
    const bytes = Uint8Array.from(atob(DATA.arrays[number]), (letter) => letter.charCodeAt(0));
    DATA.arrays[number] = new Float32Array(bytes.buffer);
  }
  return DATA.arrays[number];
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// 2.943, 0.01, 1.2·10⁻⁵
function numberText(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = `10${[...String(Number(exponent))].map((sign) => RAISED[sign]).join("")}`;
  const factor = Number(mantissa);
  return (factor === 1 ? power : factor === -1 ? `−${power}` : `${factor}·${power}`).replace("-", "−");
}

function withUnit(value, unit, digits) {
  if (unit === "1" || !unit) return numberText(value, digits);
  return `${numberText(value, digits)}${unit === "°" ? "" : "\u00a0"}${unit}`;
}

function timeText(seconds) {
  return withUnit(seconds / DATA.clock.factor, DATA.clock.unit, 5);
}

// Round values from low to high, about `count` of them.
function ticksOf(low, high, count, step = 0) {
  if (!step) {
    const rough = (high - low) / Math.max(count, 1);
    const decade = 10 ** Math.floor(Math.log10(rough));
    step = decade * [1, 2, 5, 10].find((factor) => factor * decade >= rough * 0.999);
  }
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k++) ticks.push(k * step);
  return ticks;
}

function decadesOf(low, high) {
  const ticks = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * 1.000001; k++) ticks.push(10 ** k);
  return ticks;
}

// The index of the value nearest to a given one; values may rise and fall and have gaps.
function nearest(values, wanted) {
  let best = -1, least = Infinity;
  for (let k = 0; k < values.length; k++) {
    const distance = Math.abs(values[k] - wanted);
    if (distance < least) { least = distance; best = k; }
  }
  return best;
}
