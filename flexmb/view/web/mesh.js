// Data for the graphics card beside points and triangles: normals that break at creases, and the creases as lines.

const CREASE = Math.cos((32 * Math.PI) / 180);

// Normals of the triangles, as long as twice their area, and of length 1.
function triangleNormals(points, triangles) {
  const large = new Float32Array(triangles.length);
  const units = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const size = Math.hypot(x, y, z) || 1;
    large[t] = x; large[t + 1] = y; large[t + 2] = z;
    units[t] = x / size; units[t + 1] = y / size; units[t + 2] = z / size;
  }
  return { large, units };
}

// The corners of triangles that meet in each point: `first[p]` to `first[p + 1]` in `corners`.
function cornersOfPoints(triangles, count) {
  const first = new Uint32Array(count + 1);
  for (const point of triangles) first[point + 1]++;
  for (let p = 0; p < count; p++) first[p + 1] += first[p];
  const next = first.slice();
  const corners = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) corners[next[triangles[corner]]++] = corner;
  return { first, corners };
}

const agree = (units, s, t) =>
  units[s] * units[t] + units[s + 1] * units[t + 1] + units[s + 2] * units[t + 2] >= CREASE;
const triangleOf = (corner) => corner - (corner % 3);

// Vertices: a point appears once for every direction its surface has there. A corner takes the mean normal of the
// triangles around its point that lie within the crease angle of its own; corners with the same normal share a vertex.
function smoothVertices(triangles, normals, around, count) {
  const { large, units } = normals;
  const vertexPoint = [], vertexNormal = [];
  const index = new Uint32Array(triangles.length);
  for (let point = 0; point < count; point++) {
    const own = [];
    for (let i = around.first[point]; i < around.first[point + 1]; i++) {
      const corner = around.corners[i], t = triangleOf(corner);
      let x = 0, y = 0, z = 0;
      for (let j = around.first[point]; j < around.first[point + 1]; j++) {
        const s = triangleOf(around.corners[j]);
        if (agree(units, s, t)) { x += large[s]; y += large[s + 1]; z += large[s + 2]; }
      }
      const size = Math.hypot(x, y, z) || 1;
      const normal = [Math.round((127 * x) / size), Math.round((127 * y) / size), Math.round((127 * z) / size)];
      let vertex = own.find((v) => normal.every((value, k) => vertexNormal[4 * v + k] === value));
      if (vertex === undefined) {
        vertex = vertexPoint.length;
        own.push(vertex);
        vertexPoint.push(point);
        vertexNormal.push(...normal, 0);
      }
      index[corner] = vertex;
    }
  }
  return { points: new Uint32Array(vertexPoint), normals: new Int8Array(vertexNormal), index };
}

// Lines where two triangles meet at an angle, or where there is only one.
function creaseLines(triangles, normals, vertexOfPoint, count) {
  const other = new Map();
  for (let corner = 0; corner < triangles.length; corner++) {
    const t = triangleOf(corner);
    const a = triangles[corner], b = triangles[t + ((corner + 1) % 3)];
    const key = Math.min(a, b) * count + Math.max(a, b);
    const s = other.get(key);
    if (s === undefined) other.set(key, t);
    else if (s !== -1 && agree(normals.units, s, t)) other.delete(key);
    else other.set(key, -1);
  }
  const lines = [];
  for (const key of other.keys()) lines.push(vertexOfPoint[Math.floor(key / count)], vertexOfPoint[key % count]);
  return new Uint32Array(lines);
}

// Undeformed points in metres, point after point.
function pointsOf(part) {
  return Float32Array.from(part.levels, (level, i) => part.origin[i % 3] + part.step[i % 3] * level);
}

function drawable(part) {
  const count = part.levels.length / 3;
  const normals = triangleNormals(pointsOf(part), part.triangles);
  const around = cornersOfPoints(part.triangles, count);
  const vertices = smoothVertices(part.triangles, normals, around, count);
  const vertexOfPoint = new Uint32Array(count);
  vertices.points.forEach((point, vertex) => { vertexOfPoint[point] = vertex; });
  return { ...vertices, vertexOfPoint, lines: creaseLines(part.triangles, normals, vertexOfPoint, count) };
}

// An arrow along z as a part: its only shape lengthens the shaft. A moment has two heads.
function arrowPart(heads) {
  const SIDES = 20, SHAFT = 0.0055, HEAD = 0.016, LONG = 0.05;
  const rings = [[0, 0, 0], [SHAFT, 0, 0]];
  for (let head = heads; head > 0; head--) {
    const base = -LONG * (0.45 + 0.55 * head);
    rings.push([SHAFT, base, 1], [HEAD, base, 1]);
    if (head === 1) rings.push([0, 0, 1]);
    else rings.push([SHAFT, base + LONG * 0.55, 1]);
  }
  const points = [], shape = [], triangles = [];
  rings.forEach(([radius, z, moves], ring) => {
    for (let side = 0; side < SIDES; side++) {
      const angle = (2 * Math.PI * side) / SIDES;
      points.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
      shape.push(0, 0, moves);
      if (!ring) continue;
      const a = SIDES * (ring - 1) + side, b = SIDES * (ring - 1) + ((side + 1) % SIDES);
      triangles.push(a, b, b + SIDES, a, b + SIDES, a + SIDES);
    }
  });
  const low = -0.2, step = 0.4 / 65535;
  return {
    levels: Uint16Array.from(points, (value) => Math.round((value - low) / step)),
    origin: [low, low, low], step: [step, step, step],
    triangles: Uint32Array.from(triangles),
    bending: { values: [Int16Array.from(shape)], steps: [1], shape: [0], amplitudes: [] },
    stress: NOTHING, carried: 0, kind: "arrow",
  };
}
