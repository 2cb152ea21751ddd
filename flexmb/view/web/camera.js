// The eye: azimuth and elevation [deg] about a target, in the axes whose third one points upwards.

const FRAMES = 40; // in which the scene is measured
const MARGIN = 1.12;

function cameraFor(scene, view, aspect, follow) {
  const [azimuth, elevation] = scene.views[view] || scene.views.iso;
  const camera = { azimuth, elevation, distance: scene.distance * scene.radius, target: [...scene.center], scene };
  fitCamera(camera, aspect, follow);
  return camera;
}

// Corners of the boxes around all parts, as they bend at first, in some frames.
function cornersOf(scene, follow) {
  const corners = [];
  for (let k = 0; k < FRAMES; k++) {
    const moment = atFrame(Math.round((k * (scene.time.length - 1)) / (FRAMES - 1)));
    const carrier = carrierOf(scene, follow, moment);
    for (const part of scene.parts) {
      const pose = product(carrier, poseAt(part, moment)), bend = scene.look.scale;
      for (let corner = 0; corner < 8; corner++) {
        const isUpper = [0, 1, 2].map((axis) => (corner >> axis) & 1);
        const at = isUpper.map((upper, axis) =>
          part.origin[axis] + upper * 65535 * part.step[axis] + (upper ? bend : -bend) * part.spread[axis]);
        corners.push(movePoint(pose, at));
      }
    }
  }
  return corners;
}

// As near as the scene allows: its middle in the middle of the picture, all of it inside at all times.
function fitCamera(camera, aspect, follow) {
  const { scene } = camera;
  const corners = cornersOf(scene, follow);
  if (!corners.length) return;
  const { right, up, back } = eyeOf(camera, aspect);
  const half = Math.tan((scene.fieldOfView * Math.PI) / 360);
  for (const axis of [right, up]) {
    const along = corners.map((corner) => dot(subtract(corner, camera.target), axis));
    camera.target = add(camera.target, axis, 0.5 * (Math.max(...along) + Math.min(...along)));
  }
  let distance = 0;
  for (const corner of corners) {
    const from = subtract(corner, camera.target);
    const needed = Math.max(Math.abs(dot(from, up)), Math.abs(dot(from, right)) / aspect) / half;
    distance = Math.max(distance, dot(from, back) + MARGIN * needed);
  }
  camera.distance = distance;
}

function eyeOf(camera, aspect) {
  const { scene, distance, target } = camera;
  const azimuth = (camera.azimuth * Math.PI) / 180, elevation = (camera.elevation * Math.PI) / 180;
  const inWorld = (a) => add(add(scaled(scene.axes[0], a[0]), scene.axes[1], a[1]), scene.axes[2], a[2]);
  const flat = Math.cos(elevation);
  const back = inWorld([flat * Math.cos(azimuth), flat * Math.sin(azimuth), Math.sin(elevation)]);
  const right = inWorld([-Math.sin(azimuth), Math.cos(azimuth), 0]);
  const up = cross(back, right);
  const place = add(target, back, distance);
  const near = Math.max(0.02 * distance, distance - 6 * scene.radius), far = distance + 12 * scene.radius;
  const turn = inverseOfRigid(placed(right, up, back, [0, 0, 0]));
  const see = inverseOfRigid(placed(right, up, back, place));
  const matrix = product(perspective(scene.fieldOfView, aspect, near, far), see);
  return { place, right, up, back, turn, matrix };
}

// Pixel of a point (from the upper left corner) and its depth; null behind the eye.
function pixelOf(eye, size, point) {
  const m = eye.matrix;
  const w = m[3] * point[0] + m[7] * point[1] + m[11] * point[2] + m[15];
  if (w <= 0) return null;
  const [x, y] = movePoint(m, point);
  return [(0.5 + (0.5 * x) / w) * size[0], (0.5 - (0.5 * y) / w) * size[1], w];
}

// Unit vector from the eye through a pixel.
function rayThrough(camera, eye, size, pixel) {
  const half = Math.tan((camera.scene.fieldOfView * Math.PI) / 360);
  const x = (2 * pixel[0] / size[0] - 1) * half * (size[0] / size[1]);
  const y = (1 - 2 * pixel[1] / size[1]) * half;
  return unit(add(add(scaled(eye.right, x), eye.up, y), eye.back, -1));
}

function orbit(camera, dx, dy) {
  camera.azimuth -= 0.4 * dx;
  camera.elevation = clamp(camera.elevation + 0.4 * dy, -89.9, 89.9);
}

function pan(camera, eye, dx, dy, height) {
  const metres = (2 * Math.tan((camera.scene.fieldOfView * Math.PI) / 360) * camera.distance) / height;
  camera.target = add(add(camera.target, eye.right, -dx * metres), eye.up, dy * metres);
}

function zoom(camera, factor) {
  const { radius } = camera.scene;
  camera.distance = clamp(camera.distance * factor, 0.02 * radius, 60 * radius);
}
