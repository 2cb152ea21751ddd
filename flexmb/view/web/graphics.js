// Programs, textures and buffers on the graphics card. Everything can be rebuilt after the context was lost.

const TEXTURE_WIDTH = 1024;
const RECORDED = [["place", 3], ["deflection", 3], ["stress", 1]]; // outputs of part.vert that can be read back

function programOf(gl, vertex, fragment, recorded = []) {
  const program = gl.createProgram();
  for (const [kind, name] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, SHADERS[name]);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(`the graphics card rejects ${name}: ${gl.getShaderInfoLog(shader)}`);
    }
    gl.attachShader(program, shader);
  }
  if (recorded.length) gl.transformFeedbackVaryings(program, recorded, gl.INTERLEAVED_ATTRIBS);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`the graphics card rejects ${vertex}: ${gl.getProgramInfoLog(program)}`);
  }
  const at = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) || 0;
  for (let i = 0; i < count; i++) {
    const { name } = gl.getActiveUniform(program, i);
    at[name] = gl.getUniformLocation(program, name);
  }
  return { program, at };
}

function bufferOf(gl, target, data) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(target, buffer);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return buffer;
}

function unfiltered(gl, target, filter) {
  gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, filter);
  gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, filter);
  gl.texParameteri(target, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(target, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
}

// Layers of three whole numbers per point.
function layerTexture(gl, layers, count) {
  const rows = Math.ceil(count / TEXTURE_WIDTH) || 1;
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGB16I, TEXTURE_WIDTH, rows, layers.length);
  unfiltered(gl, gl.TEXTURE_2D_ARRAY, gl.NEAREST);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 2);
  const padded = new Int16Array(3 * TEXTURE_WIDTH * rows);
  layers.forEach((values, layer) => {
    padded.set(values);
    gl.texSubImage3D(
      gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, TEXTURE_WIDTH, rows, 1, gl.RGB_INTEGER, gl.SHORT, padded);
  });
  return texture;
}

// The six components of each layer as two layers of three.
function halves(values) {
  const direct = new Int16Array(values.length / 2), shear = new Int16Array(values.length / 2);
  for (let i = 0; i < direct.length; i++) {
    const at = 6 * Math.floor(i / 3) + (i % 3);
    direct[i] = values[at];
    shear[i] = values[at + 3];
  }
  return [direct, shear];
}

function weightTexture(gl, columns) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RG32F, columns, 2);
  unfiltered(gl, gl.TEXTURE_2D, gl.NEAREST);
  return texture;
}

function rampTexture(gl, stops) {
  const pixels = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const k = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) {
      pixels[4 * i + c] = Math.round(stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c]));
    }
    pixels[4 * i + 3] = 255;
  }
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  unfiltered(gl, gl.TEXTURE_2D, gl.LINEAR);
  return texture;
}

// A card holds a limited number of layers: those that move most stay.
function strongest(field, limit) {
  if (field.steps.length <= limit) return field;
  const peak = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const size = field.steps.map((step, k) => step * peak(field.values[k]) * peak(field.amplitudes[field.shape[k]]));
  const kept = [...size.keys()].sort((a, b) => size[b] - size[a]).slice(0, limit).sort((a, b) => a - b);
  const pick = (values) => kept.map((k) => values[k]);
  return { ...field, values: pick(field.values), steps: pick(field.steps), shape: pick(field.shape) };
}

// A part on the card.
function uploaded(gl, part) {
  const limit = gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS) || 256;
  part.bending = strongest(part.bending, limit - 1);
  part.stress = strongest(part.stress, limit / 2);
  const count = part.levels.length / 3;
  const mesh = part.mesh || (part.mesh = drawable(part));
  const vertices = gl.createVertexArray();
  gl.bindVertexArray(vertices);
  bufferOf(gl, gl.ARRAY_BUFFER, mesh.points);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, 0, 0);
  bufferOf(gl, gl.ARRAY_BUFFER, mesh.normals);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
  const surface = bufferOf(gl, gl.ELEMENT_ARRAY_BUFFER, mesh.index);
  const lines = bufferOf(gl, gl.ELEMENT_ARRAY_BUFFER, mesh.lines);
  gl.bindVertexArray(null);
  const places = Int16Array.from(part.levels, (level) => level - 32768);
  const shapes = layerTexture(gl, [places, ...part.bending.values], count);
  const stresses = part.stress.steps.length ? layerTexture(gl, part.stress.values.flatMap(halves), count) : shapes;
  const columns = Math.max(1, part.bending.steps.length, part.stress.steps.length);
  return { part, mesh, vertices, surface, lines, shapes, stresses, weights: weightTexture(gl, columns) };
}

// Where the card itself puts the points of a part that is ready to be drawn, read back from the vertex shader.
function recordedPoints(gl, onCard) {
  const { points, vertexOfPoint } = onCard.mesh;
  const width = RECORDED.reduce((sum, [, size]) => sum + size, 0);
  const record = gl.createBuffer();
  gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, record);
  gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, 4 * width * points.length, gl.STREAM_READ);
  gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, record);
  gl.enable(gl.RASTERIZER_DISCARD);
  gl.beginTransformFeedback(gl.POINTS);
  gl.drawArrays(gl.POINTS, 0, points.length);
  gl.endTransformFeedback();
  gl.disable(gl.RASTERIZER_DISCARD);
  const values = new Float32Array(width * points.length);
  gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, values);
  gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
  gl.deleteBuffer(record);
  const found = {};
  let start = 0;
  for (const [name, size] of RECORDED) {
    const first = start;
    found[name] = Array.from(vertexOfPoint, (vertex) =>
      Array.from(values.subarray(width * vertex + first, width * vertex + first + size)));
    start += size;
  }
  return found;
}
