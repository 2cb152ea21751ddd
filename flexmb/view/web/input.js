// Mouse, fingers and keys.

const STILL = 5; // pixels that a click may move

// Whether the viewer is the whole page.
const isAlone = (root) => root.parentElement.classList.contains("flexmb-page");

function connectPointer(canvas, viewer) {
  const fingers = new Map();
  let moved = 0, spread = 0;
  const here = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, here(event));
    if (fingers.size === 1) moved = 0;
    spread = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId), now = here(event);
    if (!before) {
      if (event.pointerType === "mouse") viewer.hover(now);
      return;
    }
    const dx = now[0] - before[0], dy = now[1] - before[1];
    fingers.set(event.pointerId, now);
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < STILL) return;
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()];
      const apart = Math.hypot(a[0] - b[0], a[1] - b[1]);
      viewer.turn((camera, eye) => {
        pan(camera, eye, dx / 2, dy / 2, canvas.clientHeight);
        if (spread > 0 && apart > 0) zoom(camera, spread / apart);
      });
      spread = apart;
    } else if (event.shiftKey || event.buttons & 6) {
      viewer.turn((camera, eye) => pan(camera, eye, dx, dy, canvas.clientHeight));
    } else if (fingers.size === 1) {
      viewer.turn((camera) => orbit(camera, dx, dy));
    }
  });
  const release = (event) => {
    const isClick = fingers.size === 1 && moved < STILL && event.type === "pointerup" && event.button === 0;
    fingers.delete(event.pointerId);
    spread = 0;
    if (isClick) viewer.click(here(event));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => viewer.hover(null));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => viewer.fit());
  canvas.addEventListener("wheel", (event) => {
    // Inside another page or frame the wheel scrolls that page until the picture is clicked.
    const isWhole = isAlone(viewer.root) && window.parent === window;
    if (!isWhole && document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 18 : 1;
    viewer.turn((camera) => zoom(camera, Math.exp(clamp(event.deltaY * lines, -200, 200) * 0.0012)));
  }, { passive: false });
}

function connectStrip(canvas, plot, change) {
  const scrub = (event) =>
    change({ time: plot.timeAt(event.clientX - canvas.getBoundingClientRect().left), playing: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    scrub(event);
  });
  canvas.addEventListener("pointermove", (event) => event.buttons && scrub(event));
}

// On a page of its own the viewer handles every key; inside another page only those directed to it.
function connectKeys(root, viewer, at) {
  const keys = {
    " ": () => viewer.toggle(),
    Home: () => viewer.goToEnd(false),
    End: () => viewer.goToEnd(true),
    "+": () => viewer.change({ scale: viewer.view.scale * 10 ** 0.1 }),
    "=": () => viewer.change({ scale: viewer.view.scale * 10 ** 0.1 }),
    "-": () => viewer.change({ scale: viewer.view.scale / 10 ** 0.1 }),
    g: () => viewer.flip("ghost"), e: () => viewer.flip("edges"), j: () => viewer.flip("symbols"),
    f: () => viewer.flip("grid"), a: () => viewer.flip("arrows"),
    d: () => viewer.toggleDark(), r: () => viewer.reset(), "?": () => at.help.showModal(),
  };
  Object.keys(viewer.scene.views).forEach((name, k) => { keys[k + 1] = () => viewer.change({ view: name }); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || at.help.open) return;
    const target = event.target instanceof Element ? event.target : root;
    if (!isAlone(root) && !root.contains(target)) return;
    if (target.closest("select, summary, input[type=text]")) return;
    const isArrow = event.key === "ArrowLeft" || event.key === "ArrowRight";
    // A button handles the space bar itself, a slider its arrows.
    if (event.key === " " && target.closest("button, input[type=checkbox]")) return;
    if ((isArrow || event.key === "Home" || event.key === "End") && target.matches("input[type=range]")) return;
    const action = isArrow
      ? () => viewer.step((event.key === "ArrowRight" ? 1 : -1) * (event.shiftKey ? 10 : 1))
      : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
