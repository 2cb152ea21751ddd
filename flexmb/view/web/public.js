// window.flexmbViewer: interface for the surrounding page; `ready` is a promise of the same object.

function publicFace(viewer) {
  const { scene, view } = viewer;
  return {
    get time() { return view.time; },
    set time(value) { viewer.change({ time: Number(value) }); },
    get scale() { return view.scale; },
    set scale(value) { viewer.change({ scale: Number(value) }); },
    play: () => viewer.change({ playing: true }),
    pause: () => viewer.change({ playing: false }),
    set: (values) => viewer.change(values),
    state: () => ({ ...view, frames: scene.time.length, parts: scene.parts.map((part) => part.name) }),
    // History of a point by name or number of its part: deflection [m] and drawn position [m] at every frame.
    probe: (part, point) => historyOf(scene, viewer.part(part), point, view.scale),
    // Select the same point in the strip and in the picture, as by a click.
    show: (part, point) => viewer.ask(viewer.part(part), point),
    // Place, deflection and stress of all points at the time shown, as the graphics card computes them.
    drawn: (part) => {
      const { moment, eye } = viewer.now();
      return viewer.picture.recorded(viewer.part(part).number, view, moment, eye);
    },
    // Mean time per frame [s], over some frames of the whole run.
    measure: (count = 30) => {
      const { gl } = viewer.picture;
      const started = performance.now();
      for (let k = 0; k < count; k++) {
        view.time = scene.time[Math.floor((k * scene.time.length) / count)];
        viewer.draw();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      }
      return (performance.now() - started) / 1e3 / count;
    },
  };
}

async function openViewer() {
  const root = document.getElementById("flexmb-viewer");
  const at = elementsOf(root);
  // Small screens need the room for the picture.
  at.panel.open = root.clientWidth > 640 && root.clientHeight > 480;
  try {
    const viewer = new Viewer(root, at, await readScene());
    viewer.openPicture();
    viewer.connect();
    Object.defineProperties(window.flexmbViewer, Object.getOwnPropertyDescriptors(publicFace(viewer)));
    return window.flexmbViewer;
  } catch (error) {
    at.message.hidden = false;
    at.message.textContent = `The animation cannot be shown: ${error.message || error}.`;
    throw error;
  }
}

window.flexmbViewer = {
  // Go to a time [s] and stop there; may be called before everything is unpacked.
  goTo: (time) => window.flexmbViewer.ready.then(
    (viewer) => viewer.set({ time: Number(time), playing: false }), () => {}),
};
window.flexmbViewer.ready = openViewer();
// The reason is shown on the page; nothing catches the error.
window.flexmbViewer.ready.catch(() => {});
