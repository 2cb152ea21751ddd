// Positions at a time: the same formula as Part.positions in Python, linear between frames.

// The two frames around a time and the share of the second one.
function momentAt(scene, time) {
  const times = scene.time;
  let low = 0, high = times.length - 1;
  if (time <= times[0] || high === 0) return { first: 0, second: 0, share: 0 };
  if (time >= times[high]) return { first: high, second: high, share: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return { first: low, second: high, share: (time - times[low]) / (times[high] - times[low]) };
}

const atFrame = (frame) => ({ first: frame, second: frame, share: 0 });
const valueAt = (column, moment) => column[moment.first] * (1 - moment.share) + column[moment.second] * moment.share;
const valuesAt = (columns, moment) => columns.map((column) => valueAt(column, moment));
const poseAt = (part, moment) => poseOf(valuesAt(part.position, moment), valuesAt(part.quaternion, moment));

// Motion of the picture when the camera follows a body: the body stays where it was at the first frame.
function carrierOf(scene, follow, moment) {
  const body = scene.parts.find((part) => part.name === follow);
  return body ? product(poseAt(body, atFrame(0)), inverseOfRigid(poseAt(body, moment))) : IDENTITY;
}

// Two factors for every layer: of the drawn displacement and of the deflection u that colours it.
function bendingWeights(part, moment, scale, weights = new Float32Array(2 * part.bending.steps.length)) {
  const { steps, shape, amplitudes } = part.bending;
  for (let layer = 0; layer < steps.length; layer++) {
    const size = steps[layer] * valueAt(amplitudes[shape[layer]], moment);
    const isCarried = shape[layer] < part.carried;
    weights[2 * layer] = isCarried ? size : scale * size;
    weights[2 * layer + 1] = isCarried ? 0 : size;
  }
  return weights;
}

function stressWeights(part, moment) {
  const { steps, shape, amplitudes } = part.stress;
  return steps.map((step, layer) => step * valueAt(amplitudes[shape[layer]], moment));
}

// Drawn position of one point (in the axes of the part) and its deflection.
function bentPoint(part, point, weights) {
  const place = [0, 1, 2].map((k) => part.origin[k] + part.step[k] * part.levels[3 * point + k]);
  const u = [0, 0, 0];
  part.bending.values.forEach((values, layer) => {
    for (let k = 0; k < 3; k++) {
      place[k] += weights[2 * layer] * values[3 * point + k];
      u[k] += weights[2 * layer + 1] * values[3 * point + k];
    }
  });
  return { place, u };
}

// Drawn positions of all points in the axes of the part.
function bentPoints(part, moment, scale) {
  const points = pointsOf(part);
  const weights = bendingWeights(part, moment, scale);
  part.bending.values.forEach((values, layer) => {
    const weight = weights[2 * layer];
    if (weight) for (let i = 0; i < points.length; i++) points[i] += weight * values[i];
  });
  return points;
}

function vonMisesAt(part, point, moment) {
  const sigma = [0, 0, 0, 0, 0, 0];
  stressWeights(part, moment).forEach((weight, layer) => {
    for (let k = 0; k < 6; k++) sigma[k] += weight * part.stress.values[layer][6 * point + k];
  });
  const [xx, yy, zz, xy, yz, zx] = sigma;
  const normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2);
  return Math.sqrt(normal + 3 * (xy ** 2 + yz ** 2 + zx ** 2));
}

// History of a point: deflection in the axes of the part and drawn position in those of the world, at every frame [m].
function historyOf(scene, part, point, scale) {
  const u = [], position = [];
  const weights = bendingWeights(part, atFrame(0), scale);
  for (let frame = 0; frame < scene.time.length; frame++) {
    const moment = atFrame(frame);
    const bent = bentPoint(part, point, bendingWeights(part, moment, scale, weights));
    u.push(bent.u);
    position.push(movePoint(poseAt(part, moment), bent.place));
  }
  const history = { part: part.name, point, time: Array.from(scene.time), u, size: u.map(length), position };
  if (part.stress.steps.length) history.stress = scene.time.map((_, frame) => vonMisesAt(part, point, atFrame(frame)));
  return history;
}

// Start and value of an arrow.
function arrowAt(arrow, moment, scale) {
  const vector = valuesAt(arrow.vector, moment);
  const at = add(valuesAt(arrow.position, moment), valuesAt(arrow.deflection, moment), scale - 1);
  return { at, vector, size: length(vector) };
}

// Length of an arrow as a share of the radius of the scene: in proportion, or 0 to 1 over three powers of ten.
function arrowLength(size, largest, view) {
  if (!(largest > 0) || !(size > 0)) return 0;
  const share = size / largest;
  return view.arrowSize * (view.arrowLog ? Math.max(0, 1 + Math.log10(share) / 3) : share);
}
