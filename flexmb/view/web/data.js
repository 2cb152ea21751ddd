// Decoding of the packed scene: the inverse of arrays.py and pack.py.

const FROM_NEIGHBOURS = -1;

async function unzipped(text) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser cannot unpack the data of the page. Open it in a current Chrome, Edge, Firefox or Safari");
  }
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The neighbours of each point that have smaller numbers, once for every triangle at the edge between them.
function earlierNeighbours(triangles, count) {
  const first = new Uint32Array(count + 1);
  const edges = (visit) => {
    for (let corner = 0; corner < triangles.length; corner++) {
      const a = triangles[corner], b = triangles[triangleOf(corner) + ((corner + 1) % 3)];
      if (a !== b) visit(Math.max(a, b), Math.min(a, b));
    }
  };
  edges((later) => { first[later + 1]++; });
  for (let point = 0; point < count; point++) first[point + 1] += first[point];
  const next = first.slice(), earlier = new Uint32Array(first[count]);
  edges((later, before) => { earlier[next[later]++] = before; });
  return { first, earlier };
}

// Fields on a mesh are written as differences from the mean of the earlier neighbours.
function addNeighbours(values, rows, count, { first, earlier }) {
  for (let start = 0; start < rows * count; start += count) {
    for (let point = 1; point < count; point++) {
      const from = first[point], to = first[point + 1];
      let sum = from < to ? 0 : values[start + point - 1];
      for (let k = from; k < to; k++) sum += values[start + earlier[k]];
      values[start + point] += Math.floor(sum / Math.max(1, to - from));
    }
  }
}

// Whole numbers, row after row: byte planes, then the sign out of the lowest bit, then sums in place of differences.
function integersOf(bytes, entry, mesh) {
  const { at, rows, length: columns, width, order } = entry;
  const count = rows * columns;
  const values = new Int32Array(count);
  for (let plane = 0; plane < width; plane++) {
    const start = at + plane * count;
    for (let i = 0; i < count; i++) values[i] |= bytes[start + i] << (8 * plane);
  }
  for (let i = 0; i < count; i++) values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
  if (order === FROM_NEIGHBOURS) addNeighbours(values, rows, columns, mesh);
  for (let time = 0; time < order; time++) {
    for (let row = 0; row < rows; row++) {
      for (let i = row * columns + 1; i < (row + 1) * columns; i++) values[i] += values[i - 1];
    }
  }
  return values;
}

// Numbers of time: one array for every column.
function seriesOf(bytes, entry) {
  const levels = integersOf(bytes, entry);
  return entry.steps.map((step, row) =>
    Float64Array.from(levels.subarray(row * entry.length, (row + 1) * entry.length), (level) => level * step));
}

// Row after row to point after point.
function byPoint(values, components, Type) {
  const count = values.length / components;
  const result = new Type(values.length);
  for (let k = 0; k < components; k++) {
    for (let i = 0; i < count; i++) result[components * i + k] = values[k * count + i];
  }
  return result;
}

// Layers of a field: one Int16Array of points times components for each.
function layersOf(bytes, packed, components, mesh) {
  const all = integersOf(bytes, packed.values, mesh);
  const points = packed.values.length;
  const values = packed.steps.map((_, layer) =>
    byPoint(all.subarray(layer * components * points, (layer + 1) * components * points), components, Int16Array));
  return { values, steps: packed.steps, shape: packed.shape, amplitudes: seriesOf(bytes, packed.amplitudes) };
}

const NOTHING = { values: [], steps: [], shape: [], amplitudes: [] };

function partOf(bytes, packed, number) {
  const triangles = byPoint(integersOf(bytes, packed.triangles), 3, Uint32Array);
  const mesh = earlierNeighbours(triangles, packed.points.length);
  return {
    ...packed,
    number,
    levels: byPoint(integersOf(bytes, packed.points, mesh), 3, Uint16Array),
    triangles,
    position: seriesOf(bytes, packed.position),
    quaternion: seriesOf(bytes, packed.quaternion),
    bending: packed.bending ? layersOf(bytes, packed.bending, 3, mesh) : NOTHING,
    carried: packed.carried || 0,
    stress: packed.stress ? layersOf(bytes, packed.stress, 6, mesh) : NOTHING,
    nodes: packed.nodes ? integersOf(bytes, packed.nodes) : null,
  };
}

function curveOf(bytes, packed) {
  const [values] = seriesOf(bytes, packed.values);
  for (const frame of packed.gaps) values[frame] = NaN;
  return displayCurve(packed.name, packed.unit, values);
}

async function readScene() {
  const header = JSON.parse(document.getElementById("flexmb-viewer-header").textContent);
  const bytes = await unzipped(document.getElementById("flexmb-viewer-arrays").textContent);
  const [sinceStart] = seriesOf(bytes, header.time);
  return {
    ...header,
    time: sinceStart.map((value) => header.start + value),
    parts: header.parts.map((part, number) => partOf(bytes, part, number)),
    arrows: header.arrows.map((arrow) => ({
      ...arrow,
      shownUnit: unitText(arrow.unit),
      position: seriesOf(bytes, arrow.position),
      deflection: seriesOf(bytes, arrow.deflection),
      vector: seriesOf(bytes, arrow.vector),
    })),
    curves: header.curves.map((curve) => curveOf(bytes, curve)),
  };
}
