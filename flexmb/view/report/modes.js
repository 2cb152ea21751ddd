// Mode shapes as small animated surfaces: triangles painted from back to front, coloured by displacement.

const PERIOD = 1.6; // seconds
const TURN = -0.55, TILT = 0.42; // radians: view of the body
const RAMP = [[68, 1, 84], [59, 81, 139], [33, 144, 141], [92, 200, 99], [253, 231, 37]];

// `lift`: how much of it is white, so that dark violet is seen on a dark page.
function rampColor(share, light, lift) {
  const at = Math.min(share, 0.9999) * (RAMP.length - 1), k = Math.floor(at), rest = at - k;
  const parts = RAMP[k].map((value, i) => {
    const pure = value + (RAMP[k + 1][i] - value) * rest;
    return Math.round((pure + (255 - pure) * lift) * light);
  });
  return `rgb(${parts.join(",")})`;
}

class ModeCanvas {
  constructor(canvas, drawing, number) {
    this.canvas = canvas;
    this.points = arrayOf(drawing.points);
    this.triangles = arrayOf(drawing.triangles);
    this.shape = arrayOf(drawing.shapes[number]);
    this.n = this.points.length / 3;
    this.screen = new Float32Array(3 * this.n);
    this.sizes = new Float32Array(this.n);
    for (let k = 0; k < this.n; k++) {
      this.sizes[k] = Math.hypot(this.shape[3 * k], this.shape[3 * k + 1], this.shape[3 * k + 2]);
    }
    this.largest = Math.max(...this.sizes) || 1;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.width = canvas.width;
    this.height = canvas.height;
    canvas.style.aspectRatio = `${this.width} / ${this.height}`;
    canvas.width *= ratio;
    canvas.height *= ratio;
    this.context = canvas.getContext("2d");
    this.context.scale(ratio, ratio);
    this.fit();
  }

  // Axes of the body to those of the picture: longest across, slightly turned and seen from above.
  project(x, y, z) {
    const c = Math.cos(TURN), s = Math.sin(TURN), ct = Math.cos(TILT), st = Math.sin(TILT);
    const across = c * x - s * y, deep = s * x + c * y;
    return [across, -(ct * z + st * deep), ct * deep - st * z];
  }

  fit() {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (const amplitude of [-1, 1]) {
      this.move(amplitude, 1, [0, 0]);
      for (let k = 0; k < this.n; k++) for (let i = 0; i < 2; i++) {
        low[i] = Math.min(low[i], this.screen[3 * k + i]);
        high[i] = Math.max(high[i], this.screen[3 * k + i]);
      }
    }
    const room = 10;
    this.scale = Math.min((this.width - 2 * room) / (high[0] - low[0] || 1), (this.height - 2 * room) / (high[1] - low[1] || 1));
    this.middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
    this.move(0, this.scale, this.middle);
    this.still = new Path2D();
    for (let t = 0; t < this.triangles.length; t += 3) this.trace(this.still, t);
  }

  move(amplitude, scale, middle) {
    const { points, shape, screen } = this;
    for (let k = 0; k < 3 * this.n; k += 3) {
      const [x, y, depth] = this.project(
        points[k] + amplitude * shape[k], points[k + 1] + amplitude * shape[k + 1], points[k + 2] + amplitude * shape[k + 2]);
      screen[k] = (x - middle[0]) * scale;
      screen[k + 1] = (y - middle[1]) * scale;
      screen[k + 2] = depth * scale;
    }
  }

  draw(amplitude) {
    const { context, triangles, screen, sizes } = this;
    const lift = document.documentElement.dataset.theme === "dark" ? 0.25 : 0;
    context.clearRect(0, 0, this.width, this.height);
    context.save();
    context.translate(this.width / 2, this.height / 2);
    context.strokeStyle = "rgba(128, 138, 148, 0.35)";
    context.lineWidth = 0.6;
    context.stroke(this.still);
    this.move(amplitude, this.scale, this.middle);
    for (const t of this.order()) {
      const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]];
      const share = (Math.abs(amplitude) * (sizes[a] + sizes[b] + sizes[c])) / (3 * this.largest);
      context.fillStyle = context.strokeStyle = rampColor(share, this.light(a, b, c, screen), lift);
      context.lineWidth = 0.8; // closes the seams between neighbours
      context.beginPath();
      this.trace(context, t);
      context.fill();
      context.stroke();
    }
    context.restore();
  }

  order() {
    const { triangles, screen } = this;
    const found = [];
    for (let t = 0; t < triangles.length; t += 3) {
      found.push([t, screen[3 * triangles[t] + 2] + screen[3 * triangles[t + 1] + 2] + screen[3 * triangles[t + 2] + 2]]);
    }
    return found.sort((a, b) => b[1] - a[1]).map((entry) => entry[0]);
  }

  light(a, b, c, at) {
    const u = [0, 1, 2].map((i) => at[3 * b + i] - at[3 * a + i]), v = [0, 1, 2].map((i) => at[3 * c + i] - at[3 * a + i]);
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...normal) || 1;
    return 0.72 + 0.28 * Math.abs((0.3 * normal[0] - 0.6 * normal[1] + 0.74 * normal[2]) / size);
  }

  trace(path, t) {
    const { triangles, screen } = this;
    path.moveTo(screen[3 * triangles[t]], screen[3 * triangles[t] + 1]);
    path.lineTo(screen[3 * triangles[t + 1]], screen[3 * triangles[t + 1] + 1]);
    path.lineTo(screen[3 * triangles[t + 2]], screen[3 * triangles[t + 2] + 1]);
    path.closePath();
  }
}

// Modes are animated while visible, unless the reader prefers reduced motion: then they are shown at their largest.
function startModes() {
  const modes = [...document.querySelectorAll("canvas.mode")].map((canvas) => (
    new ModeCanvas(canvas, DATA.modes[Number(canvas.dataset.body)], Number(canvas.dataset.mode))));
  for (const mode of modes) mode.draw(1);
  if (!modes.length || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const inSight = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const mode = modes.find((other) => other.canvas === entry.target);
      if (entry.isIntersecting) inSight.add(mode);
      else inSight.delete(mode);
    }
    if (inSight.size) requestAnimationFrame(swing);
  });
  for (const mode of modes) watcher.observe(mode.canvas);
  let next = 0;
  function swing(now) {
    if (!inSight.size) return;
    if (now >= next) {
      for (const mode of inSight) mode.draw(Math.sin((2 * Math.PI * now) / 1000 / PERIOD));
      // A slow machine gets fewer frames, so that the page stays responsive.
      next = now + Math.max(40, 5 * (performance.now() - now));
    }
    cancelAnimationFrame(swing.next);
    swing.next = requestAnimationFrame(swing);
  }
  addEventListener("beforeprint", () => { for (const mode of modes) mode.draw(1); });
}
