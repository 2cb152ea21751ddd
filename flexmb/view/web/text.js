// Numbers and units for readers: deflections in mm, stresses in MPa, times and sizes with a prefix.

const LABELS = {
  displacement: "Deflection |u|", x: "Deflection x", y: "Deflection y", z: "Deflection z",
  stress: "Von Mises stress", part: "Part",
};
const SMALL_LENGTH = 0.1; // [m] up to which curves of lengths are drawn in mm
const TIME_UNITS = [[1, "s"], [1e3, "ms"], [1e6, "µs"], [1e9, "ns"]];
const LENGTH_UNITS = [[1e-3, "km"], [1, "m"], [1e3, "mm"], [1e6, "µm"], [1e9, "nm"]];

const display = { displacement: [1e3, "mm"], x: [1e3, "mm"], y: [1e3, "mm"], z: [1e3, "mm"], stress: [1e-6, "MPa"] };

// Units for print; a dimensionless number has none.
const unitText = (unit) => (unit === "1" ? "" : unit.replace(/\*/g, "·").replace(/\^2/g, "²"));

function shortNumber(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(digits - 1).replace("e+", "e").replace(/-/g, "−");
  const text = size >= 10 ** (digits - 1) ? value.toFixed(0) : value.toPrecision(digits);
  return text.replace("-", "−");
}

// A number without trailing zeros, for axes and limits.
const plainNumber = (value, digits = 3) => {
  const text = shortNumber(value, digits);
  if (!text.includes(".")) return text;
  return text.includes("e") ? text.replace(/\.?0+e/, "e") : text.replace(/\.?0+$/, "");
};

// A curve in the unit in which it is shown.
function displayCurve(name, unit, values) {
  let largest = 0;
  for (const value of values) if (Math.abs(value) > largest) largest = Math.abs(value);
  const [factor, shown] =
    unit === "m" && largest < SMALL_LENGTH ? [1e3, "mm"] : unit === "Pa" && largest > 1e4 ? [1e-6, "MPa"] : [1, unit];
  return { name, unit: unitText(shown), values: values.map((value) => value * factor) };
}

// Times of a scene: all with the same prefix, with as many digits as a frame needs.
function timeWriter(scene) {
  const first = scene.time[0], last = scene.time[scene.time.length - 1];
  const largest = Math.max(Math.abs(first), Math.abs(last));
  const [factor, unit] = TIME_UNITS.find(([each]) => largest * each > 2) || TIME_UNITS[largest > 0 ? 3 : 1];
  const step = ((last - first) * factor) / Math.max(1, scene.time.length - 1) || 1;
  const digits = clamp(Math.ceil(0.8 - Math.log10(step)), 0, 9);
  return { factor, unit, text: (time) => `${(time * factor).toFixed(digits).replace("-", "−")} ${unit}` };
}

function speedText(speed) {
  if (Math.abs(speed - 1) < 1e-9) return "real time";
  return speed < 1 ? `1/${plainNumber(1 / speed, 3)} real time` : `${plainNumber(speed, 3)} × real time`;
}

// 1, 2 or 5 times a power of ten, the next one not below a value.
function roundStep(value) {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value * (1 - 1e-9));
}

function lengthText(value) {
  const [factor, unit] = LENGTH_UNITS.find(([each]) => value * each >= 1) || LENGTH_UNITS[4];
  return `${plainNumber(value * factor)} ${unit}`;
}

// Names may have any length, lines of the picture may not; names often differ only at the end.
function cut(text, most = 40) {
  const signs = [...text];
  if (signs.length <= most) return text;
  const end = Math.floor(most / 3);
  return `${signs.slice(0, most - 1 - end).join("").trimEnd()}…${signs.slice(-end).join("").trimStart()}`;
}
