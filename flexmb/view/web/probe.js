// A selected point: its name, its curves and its text.

function pointName(part, point) {
  const mark = Object.keys(part.marks).find((name) => part.marks[name] === point);
  if (mark) return `${part.name}, ${mark}`;
  return part.nodes ? `${part.name}, node ${part.nodes[point]}` : `${part.name}, point ${point}`;
}

function probeOf(scene, part, point) {
  const history = historyOf(scene, part, point, 1);
  const curve = (name, values) => ({ name, unit: "mm", values: Float64Array.from(values, (value) => 1e3 * value) });
  const curves = [
    curve("|u|", history.size),
    ...["x", "y", "z"].map((axis, k) => curve(`u ${axis}`, history.u.map((u) => u[k]))),
  ];
  if (history.stress) {
    curves.push({ name: "von Mises", unit: "MPa", values: Float64Array.from(history.stress, (value) => 1e-6 * value) });
  }
  const largest = history.size.reduce((most, size) => Math.max(most, size), 0);
  const when = scene.time[history.size.indexOf(largest)];
  return { part, point, name: pointName(part, point), curves, largest, when };
}
