// The nearest position of the eye from which everything is in view at all times, in a rectangle that no text covers.

const TURN = 0.2; // [rad] and
const TRAVEL = 0.02; // [radii of the scene]: largest motion of a part between two measured moments
const POSES = 200000, MOMENTS = 40000; // most that are compared and most that are kept, of all parts together

// How far two poses are apart, in units of what may lie between two measured moments.
function apart(a, b, radius) {
  let turn = 0;
  for (const k of [0, 4, 8]) turn = Math.max(turn, Math.hypot(a[k] - b[k], a[k + 1] - b[k + 1], a[k + 2] - b[k + 2]));
  const shift = Math.hypot(a[12] - b[12], a[13] - b[13], a[14] - b[14]);
  return Math.max(turn / TURN, shift / (TRAVEL * radius));
}

// Moments in which a part is measured: where it has moved on, also between frames when it moves quickly.
function momentsOf(scene, poseIn) {
  const last = scene.time.length - 1;
  const stride = Math.ceil((scene.time.length * scene.parts.length) / POSES);
  const moments = [atFrame(0)];
  let kept = poseIn(atFrame(0)), before = kept;
  for (let first = 0; first < last; first += stride) {
    const second = Math.min(first + stride, last);
    const pose = poseIn(atFrame(second));
    const pieces = Math.ceil(apart(before, pose, scene.radius));
    for (let k = 1; k < pieces; k++) moments.push({ first, second, share: k / pieces });
    if (pieces > 1 || second === last || apart(kept, pose, scene.radius) > 1) {
      moments.push(atFrame(second));
      kept = pose;
    }
    before = pose;
  }
  const every = Math.ceil(moments.length / Math.max(40, MOMENTS / scene.parts.length));
  return moments.filter((_, k) => k % every === 0);
}

// Smallest and largest component along each axis of a layer.
function rangesOf(values) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (values[i] < low[i % 3]) low[i % 3] = values[i];
    if (values[i] > high[i % 3]) high[i % 3] = values[i];
  }
  return { low, high };
}

// The box of a part in its own axes: its points, what carries them at a moment, and its largest deflection.
function boxAt(part, carried, moment, scale) {
  const low = part.origin.map((value, axis) => value - scale * part.spread[axis]);
  const high = part.origin.map((value, axis) => value + 65535 * part.step[axis] + scale * part.spread[axis]);
  const { steps, shape, amplitudes } = part.bending;
  for (const { layer, range } of carried) {
    const weight = steps[layer] * valueAt(amplitudes[shape[layer]], moment);
    for (let axis = 0; axis < 3; axis++) {
      low[axis] += Math.min(weight * range.low[axis], weight * range.high[axis]);
      high[axis] += Math.max(weight * range.low[axis], weight * range.high[axis]);
    }
  }
  return [low, high];
}

const motionOf = (scene, follow, part) => (moment) =>
  follow ? product(carrierOf(scene, follow, moment), poseAt(part, moment)) : poseAt(part, moment);

// Corners of the boxes around a part over the run.
function addCorners(corners, scene, part, { follow, scale }) {
  const { shape, values } = part.bending;
  const carried = [...shape.keys()].filter((layer) => shape[layer] < part.carried)
    .map((layer) => ({ layer, range: rangesOf(values[layer]) }));
  const poseIn = motionOf(scene, follow, part);
  for (const moment of momentsOf(scene, poseIn)) {
    const box = boxAt(part, carried, moment, scale), pose = poseIn(moment);
    for (let corner = 0; corner < 8; corner++) {
      const at = movePoint(pose, [box[corner & 1][0], box[(corner >> 1) & 1][1], box[corner >> 2][2]]);
      corners.push(at[0], at[1], at[2]);
    }
  }
}

function addArrowTips(corners, scene, arrow, view) {
  const stride = Math.ceil((scene.time.length * scene.arrows.length) / MOMENTS);
  for (let frame = 0; frame < scene.time.length; frame += stride) {
    const { at, vector, size } = arrowAt(arrow, atFrame(frame), view.scale);
    const reach = scene.radius * arrowLength(size, scene.arrowLargest[arrow.unit], view);
    const tip = movePoint(carrierOf(scene, view.follow, atFrame(frame)), add(at, unit(vector), reach));
    corners.push(tip[0], tip[1], tip[2]);
  }
}

// Points that must be in view, one number after the other; cached, because every change of the window needs them.
function cornersOf(scene, view) {
  const { follow, scale, arrows, arrowSize, arrowLog } = view;
  const key = JSON.stringify([follow, scale, arrows, arrowSize, arrowLog]);
  if (!scene.corners || scene.corners.key !== key) {
    const corners = [];
    for (const part of scene.parts) if (part.levels.length) addCorners(corners, scene, part, view);
    if (arrows) for (const arrow of scene.arrows) addArrowTips(corners, scene, arrow, view);
    scene.corners = { key, values: Float64Array.from(corners) };
  }
  return scene.corners.values;
}

// Where the eye has to be for all corners to lie between planes of the given slopes to both sides of its axes:
// |x - middle| <= slope (distance - z), with x along the axis and z towards the eye.
function nearestFit(corners, start, axes, back, slopes) {
  const low = axes.map(() => Infinity), high = axes.map(() => -Infinity);
  let front = -Infinity;
  for (let i = 0; i < corners.length; i += 3) {
    const from = [corners[i] - start[0], corners[i + 1] - start[1], corners[i + 2] - start[2]];
    const z = dot(from, back);
    front = Math.max(front, z);
    for (let k = 0; k < axes.length; k++) {
      const x = dot(from, axes[k]);
      low[k] = Math.min(low[k], x - slopes[k] * z);
      high[k] = Math.max(high[k], x + slopes[k] * z);
    }
  }
  const needed = slopes.map((slope, k) => (high[k] - low[k]) / (2 * slope));
  return { distance: Math.max(...needed), front, middles: slopes.map((_, k) => 0.5 * (high[k] + low[k])) };
}

// Where the middle has to be for the corners to reach equally far to both sides, as seen from a distance.
function centered(corners, start, axis, back, distance, middle) {
  const from = dot(start, axis), depth = dot(start, back);
  for (let pass = 0; pass < 3; pass++) {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < corners.length; i += 3) {
      const corner = [corners[i], corners[i + 1], corners[i + 2]];
      const slope = (dot(corner, axis) - from - middle) / (distance - dot(corner, back) + depth);
      low = Math.min(low, slope);
      high = Math.max(high, slope);
    }
    middle += 0.5 * (low + high) * distance;
  }
  return middle;
}

// `rooms`: rectangles of the picture without text, as margins in shares of its width and height; the one that lets
// the eye come nearest is taken, and the picture then turns about its middle.
function fitCamera(camera, aspect, view, rooms) {
  const { scene, target } = camera;
  const corners = cornersOf(scene, view);
  if (!corners.length) return;
  const eye = eyeOf(camera, aspect);
  const half = Math.tan((scene.fieldOfView * Math.PI) / 360);
  let middles = [0, 0];
  camera.distance = Infinity;
  for (const { left, right, top, bottom } of rooms) {
    const slopes = [half * aspect * (1 - left - right), half * (1 - top - bottom)];
    const found = nearestFit(corners, target, [eye.right, eye.up], eye.back, slopes);
    // Closer than this the eye would be among the parts.
    const distance = Math.max(found.distance, found.front + 0.1 * scene.radius);
    if (distance >= camera.distance) continue;
    camera.distance = distance;
    camera.shift = [left - right, bottom - top];
    middles = found.middles;
  }
  [eye.right, eye.up].forEach((axis, k) => {
    const middle = centered(corners, target, axis, eye.back, camera.distance, middles[k]);
    camera.target = add(camera.target, axis, middle);
  });
}
