// The viewer itself: its state, the loop that draws it, and window.flexmbViewer for the page around it.

const ratioOf = () => Math.min(window.devicePixelRatio || 1, 2);

const MANY_TRIANGLES = 40000;
const EDGE = 22; // [pixels] that a fitted picture keeps free on all sides

// Whether the processor renders, without a graphics card: smooth edges would then halve the speed of large bodies.
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

class Viewer {
  constructor(root, at, scene) {
    Object.assign(this, { root, at, scene, picture: null, probe: null });
    Object.assign(this, { frame: 0, last: 0, isNeeded: false, isSeen: true });
    scene.arrowLargest = {};
    for (const { unit: each, largest } of scene.arrows) {
      scene.arrowLargest[each] = Math.max(scene.arrowLargest[each] || 0, largest);
    }
    this.writer = timeWriter(scene);
    this.plot = new Plot(at.plot, scene, this.writer);
    this.shown = scene.curves.filter((curve) => curve.unit === scene.curves[0].unit).slice(0, 4);
    const wantsLess = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.start = {
      ...scene.look, time: scene.time[0], playing: scene.look.playing && !wantsLess && scene.time.length > 1,
      edges: true, grid: true, arrowSize: 0.6, arrowLog: false, chapter: 0, loop: "all", dark: this.prefersDark(),
    };
    this.view = { ...this.start };
    fillControls(at, scene);
    this.makeLabels();
  }

  prefersDark() {
    const { theme } = document.documentElement.dataset;
    if (theme === "dark" || theme === "light") return theme === "dark";
    return this.scene.look.dark || matchMedia("(prefers-color-scheme: dark)").matches;
  }

  // Set up everything on the graphics card; again after its context was lost.
  openPicture() {
    const count = this.scene.parts.reduce((sum, part) => sum + part.triangles.length / 3, 0);
    const antialias = count < MANY_TRIANGLES || !isSoftware();
    const options = { antialias, alpha: true, powerPreference: "high-performance" };
    const gl = this.at.picture.getContext("webgl2", options);
    if (!gl) {
      throw new Error("this page needs WebGL 2, which this browser does not offer. Open it in a current Chrome, "
        + "Edge, Firefox or Safari, and enable hardware acceleration");
    }
    this.picture = new Picture(gl, this.scene);
  }

  // Everything that can fail comes before the first handler.
  connect() {
    const { at } = this;
    this.showCurves();
    this.change({ view: this.view.view });
    connectControls(at, (values) => this.change(values), {
      toggle: () => this.toggle(), toggleDark: () => this.toggleDark(), forget: () => this.forget(),
      choose: (number) => this.choose(markedPoints(this.scene)[number]),
    });
    connectPointer(at.picture, this);
    connectStrip(at.plot, this.plot, (values) => this.change(values));
    connectKeys(this.root, this, at);
    at.picture.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.picture = null;
      this.say("The graphics context was lost; the picture returns when the browser restores it.");
    });
    at.picture.addEventListener("webglcontextrestored", () => {
      this.openPicture();
      this.say("");
      this.need();
    });
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", () => this.change({ dark: scheme.matches }));
    const sizes = new ResizeObserver(() => this.resize());
    for (const element of [this.root, at.picture]) sizes.observe(element);
    new IntersectionObserver(([entry]) => { this.isSeen = entry.isIntersecting; this.need(); }).observe(this.root);
    at.panel.addEventListener("toggle", () => this.resize());
  }

  say(text) {
    this.at.message.textContent = text;
    this.at.message.hidden = !text;
  }

  // The only place where the state changes.
  change(values) {
    const { scene, view } = this;
    Object.assign(view, values);
    view.scale = clamp(Number(view.scale) || 1, 1, 1000);
    if (!scene.parts.some((part) => part.name === view.follow)) view.follow = "";
    const [first = { name: "part" }, ...others] = scene.colorings.filter((each) => each.largest > 0);
    if (![first, ...others].some((each) => each.name === view.color) && view.color !== "part") view.color = first.name;
    if (values.chapter !== undefined) view.time = this.piece().from;
    else if (scene.chapters.length && !this.isInside(view.time)) view.chapter = this.chapterAt(view.time);
    view.time = clamp(view.time, scene.time[0], scene.time[scene.time.length - 1]);
    if (values.view) {
      this.seen = { ...view };
      this.camera = cameraFor(scene, this.seen, this.aspect(), this.rooms());
    } else if (values.follow !== undefined) {
      this.seen = { ...view };
      fitCamera(this.camera, this.aspect(), this.seen, this.rooms());
    }
    if (values.playing && !this.frame) this.last = performance.now();
    this.root.dataset.theme = view.dark ? "dark" : "light";
    this.plot.window(this.piece().from, this.piece().to);
    showState(this.at, scene, view);
    this.need();
  }

  chapterAt(time) {
    const later = this.scene.chapters.findIndex((chapter) => chapter.start > time + 1e-12);
    return later < 0 ? this.scene.chapters.length - 1 : Math.max(0, later - 1);
  }

  // A chapter ends where the next one begins: that moment belongs to the one that is shown.
  isInside(time) { return time >= this.piece().from && time <= this.piece().to; }

  // The piece of time that is played: a chapter, the last period or everything.
  piece() {
    const { time, chapters, period } = this.scene;
    const end = time[time.length - 1];
    if (chapters.length) {
      const next = chapters[this.view.chapter + 1];
      return { from: chapters[this.view.chapter].start, to: next ? next.start : end };
    }
    if (this.view.loop === "period" && period > 0) return { from: Math.max(time[0], end - period), to: end };
    return { from: time[0], to: end };
  }

  toggle() {
    const { to, from } = this.piece();
    const isAtEnd = this.view.time >= to && this.view.loop === "once";
    this.change({ playing: !this.view.playing, ...(isAtEnd ? { time: from } : {}) });
  }

  toggleDark() { this.change({ dark: !this.view.dark }); }

  flip(name) { this.change({ [name]: !this.view[name] }); }

  step(count) {
    const { time } = this.scene;
    const { first, share } = momentAt(this.scene, this.view.time);
    const from = count < 0 && share > 0 ? first + 1 : first;
    this.change({ time: time[clamp(from + count, 0, time.length - 1)], playing: false });
  }

  goToEnd(isLast) { this.change({ time: isLast ? this.piece().to : this.piece().from, playing: false }); }

  reset() {
    this.forget();
    this.change({ ...this.start, dark: this.view.dark });
  }

  fit() { this.change({ view: this.view.view || this.start.view }); }

  // The camera was moved by hand: it is no longer a named view.
  turn(move) {
    move(this.camera, this.eye || eyeOf(this.camera, this.aspect()));
    this.view.view = this.at.view.value = "";
    this.need();
  }

  resize() {
    this.layOut();
    // A named view shows everything at any size; one that was chosen by hand stays.
    if (this.view.view) this.camera = cameraFor(this.scene, this.seen, this.aspect(), this.rooms());
    this.need();
  }

  // Rectangles of the picture that no text covers, as margins in shares of its size: to the left of the panel, and
  // either below the caption and above the legend or to the right of both.
  rooms() {
    const { picture, panel, caption, stamp, legend } = this.at;
    const width = Math.max(1, picture.clientWidth), height = Math.max(1, picture.clientHeight);
    const beside = panel.open && panel.offsetWidth < 0.4 * width ? panel.offsetWidth + 12 : 0;
    const left = EDGE / width, right = (EDGE + beside) / width, top = EDGE / height, bottom = EDGE / height;
    const above = (caption.offsetTop + stamp.offsetTop + stamp.offsetHeight) / height;
    const below = legend.offsetHeight / height;
    const rooms = [{ left, right, top: top + Math.min(above, 0.3), bottom: bottom + Math.min(below, 0.2) }];
    const aside = Math.max(caption.offsetWidth, legend.offsetWidth) / width;
    if (left + aside + right < 0.6) rooms.push({ left: left + aside, right, top, bottom });
    return rooms;
  }

  aspect() { return this.at.picture.clientWidth / Math.max(1, this.at.picture.clientHeight); }

  carrier(moment) {
    return carrierOf(this.scene, this.view.follow, moment);
  }

  now() {
    const moment = momentAt(this.scene, this.view.time);
    return { moment, carrier: this.carrier(moment), eye: eyeOf(this.camera, this.aspect()) };
  }

  click(pixel) {
    const { moment, carrier, eye } = this.now();
    const size = [this.at.picture.clientWidth, this.at.picture.clientHeight];
    this.hover(pixel);
    if (!this.at.tip.hidden) return;
    const ray = rayThrough(this.camera, eye, size, pixel);
    const hit = pointOnRay(this.scene, this.view, moment, carrier, eye.place, ray)
      || pointNearPixel(this.scene, this.view, moment, carrier, eye, size, pixel);
    if (hit && hit.part.kind === "flexible") this.ask(hit.part, hit.point);
  }

  ask(part, point) {
    this.shown = this.shown.filter((curve) => this.scene.curves.includes(curve));
    this.probe = probeOf(this.scene, part, point);
    const isOfInterest = (curve) => curve.unit === "mm" || this.view.color === "stress";
    this.shown = [...this.probe.curves.filter(isOfInterest), ...this.shown];
    this.showCurves();
  }

  choose(marked) {
    if (marked) this.ask(marked.part, marked.point);
    else this.forget();
  }

  forget() {
    this.probe = null;
    this.shown = this.shown.filter((curve) => this.scene.curves.includes(curve));
    this.showCurves();
  }

  hover(pixel) {
    const { at, scene, view } = this;
    let found = null;
    if (pixel && view.arrows) {
      const { moment, carrier, eye } = this.now();
      const size = [at.picture.clientWidth, at.picture.clientHeight];
      found = arrowNearPixel(scene, view, moment, carrier, eye, size, pixel);
    }
    at.tip.hidden = !found;
    if (!found) return;
    const { name, kind, shownUnit } = found.arrow;
    at.tip.textContent = `${cut(name)}, ${kind}: ${shortNumber(found.size)} ${shownUnit}`;
    at.tip.style.transform = `translate(${Math.round(pixel[0] + 14)}px, ${Math.round(pixel[1] + 10)}px)`;
  }

  showCurves() {
    const all = [...(this.probe ? this.probe.curves : []), ...this.scene.curves];
    this.shown = all.filter((curve) => this.shown.includes(curve));
    showCurveList(this.at, all, this.shown, (curve, isOn) => {
      this.shown = isOn ? [...this.shown, curve] : this.shown.filter((each) => each !== curve);
      this.showCurves();
    });
    this.plot.show(this.shown);
    this.at.probe.hidden = !this.probe;
    const isAsked = ({ part, point }) => this.probe && this.probe.part === part && this.probe.point === point;
    const number = markedPoints(this.scene).findIndex(isAsked);
    this.at.point.value = number < 0 ? "" : number;
    this.layOut();
    this.need();
  }

  layOut() { showStripHeight(this.at, this.plot.panels.length, this.root.clientHeight); }

  makeLabels() {
    const make = (className, text) => {
      const label = Object.assign(document.createElement("span"), { className, textContent: text });
      this.at.labels.append(label);
      return label;
    };
    this.axisLabels = ["x", "y", "z"].map((axis, k) => {
      const label = make("", axis);
      label.style.color = `rgb(${AXES[k].map((value) => Math.round(255 * value)).join(", ")})`;
      return label;
    });
    this.dot = make("dot", "");
    this.pointLabel = make("point", "");
  }

  need() {
    this.isNeeded = true;
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.frame = 0;
    const { view } = this;
    if (view.playing) this.advance(Math.min((now - this.last) / 1e3, 0.25) * view.speed);
    this.last = now;
    if (this.isSeen && (this.isNeeded || view.playing)) this.drawOrSay();
    if (view.playing) this.need();
  }

  drawOrSay() {
    try {
      this.draw();
    } catch (error) {
      this.picture = null;
      this.view.playing = false;
      this.say(`The animation cannot be shown: ${error.message || error}.`);
    }
  }

  advance(seconds) {
    const { view } = this;
    const { from, to } = this.piece();
    view.time += Math.max(0, seconds);
    if (view.time < from) view.time = from;
    if (view.time <= to) return;
    if (view.loop === "once" || to <= from) this.change({ time: to, playing: false });
    else view.time = from + ((view.time - from) % (to - from));
  }

  draw() {
    this.isNeeded = false;
    const { at, view } = this;
    const canvas = at.picture, ratio = ratioOf();
    const size = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!this.picture || !this.camera || !size[0] || !size[1]) return;
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const { moment, carrier, eye } = this.now();
    this.eye = eye;
    this.picture.draw(view, moment, eye, carrier, size, ratio);
    if (this.plot.panels.length) this.plot.draw(view.time, moment, ratio);
    this.placeLabels(moment, carrier, eye);
    this.writeTexts(moment);
    this.root.dispatchEvent(new CustomEvent("flexmb-time", { bubbles: true, detail: { time: view.time } }));
  }

  placeLabels(moment, carrier, eye) {
    const width = this.at.picture.clientWidth, height = this.at.picture.clientHeight;
    const put = (label, x, y) => { label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`; };
    this.axisLabels.forEach((label, k) => {
      const axis = turnVector(carrier, [0, 1, 2].map((j) => (j === k ? 1 : 0)));
      const half = TRIAD / 2, reach = (1.25 / 1.7) * half;
      put(label, width - half + reach * dot(axis, eye.right) - 3, height - half - reach * dot(axis, eye.up) - 8);
    });
    const { probe } = this;
    this.dot.hidden = this.pointLabel.hidden = true;
    if (!probe) return;
    const bent = bentPoint(probe.part, probe.point, bendingWeights(probe.part, moment, this.view.scale));
    const pixel = pixelOf(eye, [width, height], movePoint(product(carrier, poseAt(probe.part, moment)), bent.place));
    if (!pixel) return;
    this.dot.hidden = this.pointLabel.hidden = false;
    put(this.dot, pixel[0], pixel[1]);
    put(this.pointLabel, pixel[0] + 10, pixel[1] - 24);
    this.pointLabel.textContent = `${shortNumber(1e3 * length(bent.u))} mm`;
  }

  writeTexts(moment) {
    const { at, view, probe, writer } = this;
    const hasBending = this.scene.colorings.some((each) => each.largest > 0);
    // The time of a mode shape has no meaning: its name is in the list of chapters.
    const chapter = this.scene.chapters[view.chapter];
    const stamp = [chapter ? cut(chapter.title, 80) : `t = ${writer.text(view.time)}`];
    if (hasBending) stamp.push(`deflection × ${plainNumber(view.scale, 3)}`);
    if (view.grid) stamp.push(`grid ${lengthText(this.picture.spacing)}`);
    at.stamp.textContent = stamp.join("  ·  ");
    at.clock.textContent = writer.text(view.time);
    const { from, to } = this.piece();
    at.time.min = from;
    at.time.max = to;
    at.time.value = view.time;
    at.time.setAttribute("aria-valuetext", writer.text(view.time));
    if (!probe) return;
    at.probeName.textContent = cut(probe.name, 60);
    const now = valueAt(probe.curves[0].values, moment);
    const peak = `largest ${shortNumber(1e3 * probe.largest)} mm at ${writer.text(probe.when)}`;
    at.probeText.textContent = `|u| ${shortNumber(now)} mm now\n${peak}`;
  }

  part(which) {
    const { parts } = this.scene;
    const part = typeof which === "number" ? parts[which] : parts.find((each) => each.name === which);
    if (!part) throw new Error(`There is no part '${which}'.`);
    return part;
  }
}
