// Vectors are arrays of three, matrices arrays of sixteen, column by column as the graphics card expects them.

const add = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
const subtract = (a, b) => add(a, b, -1);
const scaled = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scaled(a, 1 / (length(a) || 1));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function product(a, b) {
  const result = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      result[4 * column + row] = sum;
    }
  }
  return result;
}

// Rigid motion from three axes (columns) and a place.
const placed = (x, y, z, at) => [...x, 0, ...y, 0, ...z, 0, ...at, 1];

const IDENTITY = placed([1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]);

function inverseOfRigid(m) {
  const at = [m[12], m[13], m[14]];
  const x = [m[0], m[4], m[8]], y = [m[1], m[5], m[9]], z = [m[2], m[6], m[10]];
  const back = (row) => -(m[4 * row] * at[0] + m[4 * row + 1] * at[1] + m[4 * row + 2] * at[2]);
  return placed(x, y, z, [back(0), back(1), back(2)]);
}

const movePoint = (m, p) => [0, 1, 2].map((k) => m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k]);
const turnVector = (m, v) => [0, 1, 2].map((k) => m[k] * v[0] + m[4 + k] * v[1] + m[8 + k] * v[2]);

// A pose from a place and a quaternion (w first), which need not have the length 1.
function poseOf(at, q) {
  const size = Math.hypot(...q) || 1;
  const [w, x, y, z] = q.map((value) => value / size);
  return placed(
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    at,
  );
}

// A pose whose z axis has a given direction.
function poseAlong(at, direction) {
  const z = unit(direction);
  const x = unit(cross(Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], z));
  return placed(x, cross(z, x), z, at);
}

// `shift`: where the straight view ahead lies in the picture, from -1 to 1.
function perspective(fieldOfView, aspect, near, far, shift) {
  const f = 1 / Math.tan((fieldOfView * Math.PI) / 360);
  const depth = near - far;
  return [
    f / aspect, 0, 0, 0, 0, f, 0, 0, -shift[0], -shift[1], (far + near) / depth, -1, 0, 0, (2 * far * near) / depth, 0,
  ];
}

function orthographic(half, aspect, depth) {
  return [1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1];
}
