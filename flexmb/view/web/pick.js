// Picking: the first triangle that a ray meets, or the nearest point or arrow on the screen.

const NEAR = 14; // pixels

// Distance along a ray to a triangle; Infinity when it misses (Moeller and Trumbore).
function distanceToTriangle(from, ray, p, a, b, c) {
  const e1x = p[b] - p[a], e1y = p[b + 1] - p[a + 1], e1z = p[b + 2] - p[a + 2];
  const e2x = p[c] - p[a], e2y = p[c + 1] - p[a + 1], e2z = p[c + 2] - p[a + 2];
  const hx = ray[1] * e2z - ray[2] * e2y, hy = ray[2] * e2x - ray[0] * e2z, hz = ray[0] * e2y - ray[1] * e2x;
  const determinant = e1x * hx + e1y * hy + e1z * hz;
  if (determinant === 0) return Infinity;
  const sx = from[0] - p[a], sy = from[1] - p[a + 1], sz = from[2] - p[a + 2];
  const u = (sx * hx + sy * hy + sz * hz) / determinant;
  if (u < 0 || u > 1) return Infinity;
  const qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
  const v = (ray[0] * qx + ray[1] * qy + ray[2] * qz) / determinant;
  if (v < 0 || u + v > 1) return Infinity;
  const distance = (e2x * qx + e2y * qy + e2z * qz) / determinant;
  return distance > 0 ? distance : Infinity;
}

const pointAt = (points, i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];

// The corner of a triangle that is nearest to a place.
function nearestCorner(points, corners, place) {
  const far = corners.map((corner) => length(subtract(pointAt(points, corner), place)));
  return corners[far.indexOf(Math.min(...far))];
}

// Part and point that a ray meets first; parts that are not flexible hide what is behind them.
function pointOnRay(scene, view, moment, carrier, from, ray) {
  let best = { distance: Infinity };
  for (const part of scene.parts) {
    if (part.kind === "symbol" && !view.symbols) continue;
    const back = inverseOfRigid(product(carrier, poseAt(part, moment)));
    const start = movePoint(back, from), along = turnVector(back, ray);
    const points = bentPoints(part, moment, view.scale);
    const { triangles } = part;
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
      const distance = distanceToTriangle(start, along, points, a, b, c);
      if (distance < best.distance) best = { distance, part, points, t, place: add(start, along, distance) };
    }
  }
  if (!best.part) return null;
  const corners = Array.from(best.part.triangles.subarray(best.t, best.t + 3));
  return { part: best.part, point: nearestCorner(best.points, corners, best.place) };
}

// The point of a flexible part that is drawn nearest to a pixel; thin parts are hard to hit with a finger.
function pointNearPixel(scene, view, moment, carrier, eye, size, pixel) {
  let best = null, nearest = NEAR;
  for (const part of scene.parts) {
    if (part.kind !== "flexible") continue;
    const pose = product(carrier, poseAt(part, moment));
    const points = bentPoints(part, moment, view.scale);
    for (let i = 0; i < points.length / 3; i++) {
      const at = pixelOf(eye, size, movePoint(pose, pointAt(points, i)));
      const away = at ? Math.hypot(at[0] - pixel[0], at[1] - pixel[1]) : Infinity;
      if (away < nearest) { nearest = away; best = { part, point: i }; }
    }
  }
  return best;
}

// The arrow whose shaft is drawn nearest to a pixel.
function arrowNearPixel(scene, view, moment, carrier, eye, size, pixel) {
  let best = null, nearest = NEAR;
  for (const arrow of scene.arrows) {
    const shown = arrowAt(arrow, moment, view.scale);
    const reach = scene.radius * arrowLength(shown.size, scene.arrowLargest[arrow.unit], view);
    if (!(reach > 0)) continue;
    const from = movePoint(carrier, shown.at);
    const a = pixelOf(eye, size, from);
    const b = pixelOf(eye, size, add(from, unit(turnVector(carrier, shown.vector)), reach));
    if (!a || !b) continue;
    const dx = b[0] - a[0], dy = b[1] - a[1];
    const share = clamp(((pixel[0] - a[0]) * dx + (pixel[1] - a[1]) * dy) / (dx * dx + dy * dy || 1), 0, 1);
    const away = Math.hypot(a[0] + share * dx - pixel[0], a[1] + share * dy - pixel[1]);
    if (away < nearest) { nearest = away; best = { arrow, size: shown.size }; }
  }
  return best;
}
