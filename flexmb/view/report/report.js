// The page as a whole: buttons that move the animation, its time in the charts, light and dark theme, copying.

function goTo(time) {
  if (!window.flexmbViewer) return;
  window.flexmbViewer.goTo(time);
  const section = document.getElementById("viewer"), box = section.getBoundingClientRect();
  const isInSight = box.top > -0.35 * box.height && box.bottom < innerHeight + 0.35 * box.height;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!isInSight) section.scrollIntoView({ behavior: isCalm ? "auto" : "smooth", block: "center" });
}

const charts = [...document.querySelectorAll("figure.chart")].map((figure) => (
  new Chart(figure, DATA.charts[Number(figure.dataset.chart)], goTo)));

for (const button of document.querySelectorAll("button.moment")) {
  if (!window.flexmbViewer) button.disabled = true;
  button.addEventListener("click", () => goTo(Number(button.dataset.time)));
}

if (window.flexmbViewer) {
  const follow = (time) => { for (const chart of charts) chart.showTime(time); };
  document.getElementById("flexmb-viewer").addEventListener("flexmb-time", (event) => follow(event.detail.time));
  window.flexmbViewer.ready.then((viewer) => follow(viewer.time), () => {});
}

const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
function setDark(isDark) {
  root.dataset.theme = isDark ? "dark" : "light";
  if (window.flexmbViewer) window.flexmbViewer.ready.then((viewer) => viewer.set({ dark: isDark }), () => {});
}
setDark(prefersDark.matches);
prefersDark.addEventListener("change", (event) => setDark(event.matches));
document.getElementById("theme").addEventListener("click", () => setDark(root.dataset.theme !== "dark"));
// Paper is white.
let themeOfScreen = "light";
addEventListener("beforeprint", () => { themeOfScreen = root.dataset.theme; setDark(false); });
addEventListener("afterprint", () => setDark(themeOfScreen === "dark"));

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      // The browser denies access to the clipboard: select the text, so that the reader can copy it.
      getSelection().selectAllChildren(source);
      button.textContent = "Marked";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

startModes();
