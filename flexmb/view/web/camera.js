// The camera: azimuth and elevation [deg] about a target, in axes whose third one points upwards.

// `shift`: where the target lies in the picture, from -1 (left, bottom) to 1; (0, 0) is the middle.
function cameraFor(scene, view, aspect, rooms) {
  const [azimuth, elevation] = scene.views[view.view] || scene.views.iso;
  const distance = scene.distance * scene.radius;
  const camera = { azimuth, elevation, distance, target: [...scene.center], shift: [0, 0], scene };
  fitCamera(camera, aspect, view, rooms);
  return camera;
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
  const matrix = product(perspective(scene.fieldOfView, aspect, near, far, camera.shift), see);
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
  const x = (2 * pixel[0] / size[0] - 1 - camera.shift[0]) * half * (size[0] / size[1]);
  const y = (1 - 2 * pixel[1] / size[1] - camera.shift[1]) * half;
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
