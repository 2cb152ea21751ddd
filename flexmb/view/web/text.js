// Numbers and units as they are read by people: deflections in mm, stresses in MPa, short times in ms.

const LABELS = {
  displacement: "Deflection |u|", x: "Deflection x", y: "Deflection y", z: "Deflection z",
  stress: "Von Mises stress", part: "Part",
};
const SMALL_LENGTH = 0.1; // [m] up to which lengths are written in mm

const display = { displacement: [1e3, "mm"], x: [1e3, "mm"], y: [1e3, "mm"], z: [1e3, "mm"], stress: [1e-6, "MPa"] };

// Units as people write them; a bare number has none.
const unitText = (unit) => (unit === "1" ? "" : unit.replace(/\*/g, "·").replace(/\^2/g, "²"));

function shortNumber(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(digits - 1).replace("e+", "e").replace(/-/g, "−");
  const text = size >= 10 ** (digits - 1) ? value.toFixed(0) : value.toPrecision(digits);
  return text.replace("-", "−");
}

// A number without zeros that say nothing, for axes and limits.
const plainNumber = (value, digits = 3) => {
  const text = shortNumber(value, digits);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
};

// A curve in the unit in which it is shown.
function displayCurve(name, unit, values) {
  let largest = 0;
  for (const value of values) if (Math.abs(value) > largest) largest = Math.abs(value);
  const [factor, shown] =
    unit === "m" && largest < SMALL_LENGTH ? [1e3, "mm"] : unit === "Pa" && largest > 1e4 ? [1e-6, "MPa"] : [1, unit];
  return { name, unit: unitText(shown), values: values.map((value) => value * factor) };
}

// Times of a scene: all in ms or all in s, with as many digits as a frame needs.
function timeWriter(scene) {
  const count = scene.time.length;
  const span = scene.time[count - 1] - scene.time[0];
  const [factor, unit] = span <= 2 ? [1e3, "ms"] : [1, "s"];
  const step = (span * factor) / Math.max(1, count - 1) || 1;
  const digits = clamp(Math.ceil(0.8 - Math.log10(step)), 0, 6);
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

const lengthText = (value) => (value < 1 ? `${plainNumber(value * 1e3)} mm` : `${plainNumber(value)} m`);
