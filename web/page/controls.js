// controls.js -- buttons, tabs, the menu of scenes, and the keyboard: each calls one method of the app.
import { download } from "./capture.js";
import { TOOLS } from "./hands.js";
import { format } from "./scene.mjs";
import { FIELD_VIEWS } from "./view2d.js";

const $ = (id) => document.getElementById(id);

export function connectControls(app) {
  buttons(app);
  menu(app);
  keyboard(app);
}

function buttons(app) {
  $("play").onclick = () => app.play(!app.simulation.playing);
  $("step").onclick = () => app.step();
  $("reset").onclick = () => app.reset();
  $("next-stage").onclick = () => app.stage();
  $("speed").oninput = () => app.setSpeed(Number($("speed").value));
  $("tilt").oninput = () => app.setTilt(Number($("tilt").value));
  $("show-hud").onchange = () => ($("hud").hidden = !$("show-hud").checked);
  $("share").onclick = () => app.share();
  $("shot").onclick = () => app.shot();
  $("film").onclick = () => app.toggleFilm();
  $("ply").onclick = () => app.savePly();
  $("save").onclick = () =>
    download(new Blob([format(app.scene), "\n"], { type: "application/json" }), `${app.fileName()}.json`);
  $("panel-toggle").onclick = () => togglePanel();
  for (const tab of document.querySelectorAll("[role=tab]")) tab.onclick = () => showTab(tab);
  $("tools").append(...TOOLS.map((tool) => toolButton(app, tool)));
  for (const [mode, label] of [
    ["water", "Water"],
    ["particles", "Particles"],
  ])
    $("modes").append(toggle(label, { mode }, () => app.setMode(mode)));
  app.setMode("water");
  for (const [field, { label }] of Object.entries(FIELD_VIEWS))
    $("fields").append(
      toggle(label, { field }, () => app.showField(app.look.field === field ? "" : field, app.look.arrows)),
    );
  for (const [key, label] of [
    ["arrows", "velocity arrows"],
    ["grid", "lines of the grid"],
  ]) {
    const box = document.createElement("label"),
      input = document.createElement("input");
    box.className = "check";
    Object.assign(input, { type: "checkbox", id: `show-${key}` });
    input.onchange = () =>
      app.showField(
        app.look.field,
        key === "arrows" ? input.checked : app.look.arrows,
        key === "grid" ? input.checked : app.look.grid || input.checked,
      );
    box.append(input, label);
    $("fields").append(box);
  }
  if ("DeviceOrientationEvent" in globalThis && matchMedia("(pointer: coarse)").matches) {
    $("tilt-phone").hidden = false;
    $("tilt-phone").onclick = () => followPhone(app);
  }
  if (matchMedia("(max-width: 760px)").matches) togglePanel();
}

function toggle(label, data, press) {
  const button = document.createElement("button");
  button.textContent = label;
  Object.assign(button.dataset, data);
  button.setAttribute("aria-pressed", "false");
  button.onclick = press;
  return button;
}

function toolButton(app, { name, label, icon, key }) {
  const button = document.createElement("button");
  button.id = `tool-${name}`;
  button.dataset.tool = name;
  button.setAttribute("role", "radio");
  button.title = `${label} (${key})`;
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}"/></svg>${label}`;
  button.onclick = () => app.setTool(name);
  return button;
}

async function followPhone(app) {
  const permission = await DeviceOrientationEvent.requestPermission?.().catch(() => "denied");
  if (permission && permission !== "granted") return app.toast("The phone does not tell its tilt", true);
  addEventListener(
    "deviceorientation",
    ({ gamma }) => gamma !== null && app.setTilt(Math.max(-90, Math.min(90, Math.round(gamma)))),
  );
  return app.toast("Gravity follows the phone");
}

export function showTab(tab) {
  for (const other of document.querySelectorAll("[role=tab]")) {
    const on = other === tab;
    other.setAttribute("aria-selected", on);
    other.tabIndex = on ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !on;
  }
}

function togglePanel() {
  const hidden = $("app").classList.toggle("panel-hidden");
  $("panel-toggle").setAttribute("aria-expanded", !hidden);
}

function menu(app) {
  for (const { name, title, flat } of app.presets) {
    const card = document.createElement("button"),
      [head, rest] = title.split(/: (.*)/);
    const picture = Object.assign(new Image(), { src: `thumbs/${name}.jpg`, alt: "", loading: "lazy" });
    picture.onerror = () => picture.remove();
    const words = document.createElement("span"),
      strong = document.createElement("b");
    strong.textContent = head;
    words.append(strong, rest ?? "");
    card.append(picture, words);
    card.dataset.scene = name;
    card.onclick = async () => {
      $("menu").close();
      await app.preset(name).catch((problem) => app.toast(problem.message, true));
    };
    $(flat ? "cards-2d" : "cards-3d").append(card);
  }
  $("scenes").onclick = () => $("menu").showModal();
  $("menu").onclick = (event) => event.target === $("menu") && $("menu").close();
}

function keyboard(app) {
  const keys = {
    " ": () => app.play(!app.simulation.playing),
    ".": () => app.step(),
    ",": () => app.stage(),
    r: () => app.reset(),
    m: () => $("menu").showModal(),
    p: () => app.shot(),
    f: () => app.toggleFilm(),
    k: () => togglePanel(),
    "+": () => app.setSpeed(Math.min(1, Number($("speed").value) + 0.5)),
    "-": () => app.setSpeed(Math.max(-3, Number($("speed").value) - 0.5)),
    ArrowLeft: () => arrow(app, -1, 0),
    ArrowRight: () => arrow(app, 1, 0),
    ArrowUp: () => arrow(app, 0, -1),
    ArrowDown: () => arrow(app, 0, 1),
    ...Object.fromEntries(
      TOOLS.map(({ key, name }) => [key, () => !$(`tool-${name}`).hidden && app.setTool(name)]),
    ),
  };
  addEventListener("keydown", (event) => {
    const at = event.target,
      writing = at.matches?.("textarea, select, input:not([type=checkbox]):not([type=range])");
    if (event.ctrlKey || event.metaKey || event.altKey || writing || $("menu").open) return;
    const isArrow = event.key.startsWith("Arrow");
    if (isArrow && at !== $("view") && at !== document.body) return rove(event);
    if (event.key === " " && at.matches?.("button, input, summary")) return;
    const act = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** Arrow keys on the water: gravity in 2D, the view in 3D. */
function arrow(app, x, y) {
  if (app.flat) {
    if (x) app.setTilt(Math.max(-90, Math.min(90, app.tilt + 5 * x)));
  } else {
    app.view.orbit(20 * x, 20 * y);
    app.redraw();
  }
}

/** Arrow keys inside a group of which one is chosen: tools and tabs. */
function rove(event) {
  const group = event.target.closest?.("[role=radiogroup], [role=tablist]");
  if (!group) return;
  const items = [...group.children].filter((item) => !item.hidden),
    k = items.indexOf(event.target);
  const way = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
  const next = items[(k + way + items.length) % items.length];
  event.preventDefault();
  next.click();
  next.focus();
}
