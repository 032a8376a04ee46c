// main.js -- the page: holds the scene, the look and the hands together, and draws.
//
// The scene is the value of a JSON text that the command takes too. Whatever changes it (a preset, a slider, the
// editor, a drawn wall, a link) goes through App.change; if the core refuses the new one, the old one goes on.
import { compose, download, Film, plyOf } from "./capture.js";
import { Editor } from "./editor.js";
import { Hands, TOOLS } from "./hands.js";
import { Hud } from "./hud.js";
import { Learn, STAGES } from "./learn.js";
import { drawOverlay } from "./overlay.js";
import { format, getSetting, packScene, unpackScene } from "./scene.mjs";
import { Settings } from "./settings.js";
import { missing, Simulation, threadsHere } from "./simulation.js";
import { FIELD_VIEWS, View2D } from "./view2d.js";
import { View3D } from "./view3d.js";

const $ = (id) => document.getElementById(id);
const FIRST = "dam_break_2d";
const RESEED = /^(domain\.(cells|cell_size)|liquid\.(particles_per_axis|jitter|seed|density))$/; // other particles: start again
const LEGENDS = {
  p: ["0", "linear-gradient(90deg, #00008c, #9a4f80, #ffd21a)", "pressure"],
  div_before: ["squeezed", "linear-gradient(90deg, #408cff, #29303d, #ff6b33)", "pulled apart"],
  div_after: ["squeezed", "linear-gradient(90deg, #408cff, #29303d, #ff6b33)", "pulled apart (same scale as before)"],
  ppc: ["few", "linear-gradient(90deg, #d9a626, #269e80, #d91f59)", "many particles"],
  type: ["liquid", "linear-gradient(90deg, #1f73d9 50%, #8c8780 50%)", "solid"],
};

class App {
  constructor() {
    this.simulation = new Simulation();
    this.look = { mode: "water", field: "", arrows: false, grid: false };
    this.files = {};
    this.picture = null;
    this.tilt = 0;
    this.dirty = true;
    this.drawn = 0;
    this.film = null;
    this.room = null; // pixels around a 2D tank; null: as the controls need it
    this.composed = document.createElement("canvas");
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  get flat() {
    return this.tank?.dim === 2;
  }

  async start() {
    const gl = $("view").getContext("webgl2", { antialias: false, alpha: false, powerPreference: "high-performance" });
    const lack = missing() || (gl ? "" : "WebGL2");
    if (lack) return this.#fail(`This browser has no ${lack}. A current Chromium, Firefox or Safari shows this page; the command <code>spate run</code> needs no browser.`);
    this.gl = gl;
    const query = new URLSearchParams(location.search);
    const [core, presets] = await Promise.all([
      this.simulation.start(threadsHere(Number(query.get("threads")))),
      fetch("scenes/index.json").then((answer) => answer.json()),
    ]);
    Object.assign(this, { threads: core.threads, presets });
    this.hud = new Hud($("hud"));
    this.hands = new Hands($("view"), this);
    this.learn = new Learn($("stages"), core.stages);
    this.settings = new Settings($("settings"), core.schema, (scene, path) => this.change(scene, { keep: !RESEED.test(path) }));
    this.editor = new Editor(this);
    this.#buttons();
    this.#menu();
    this.#keys();
    this.#events();
    $("about").textContent = `spate in WebAssembly, ${core.threads > 1 ? `${core.threads} threads` : "one thread"}: the same bits as the command.`;
    if (!(await this.#fromAddress())) await this.preset(query.get("scene") ?? FIRST);
    if (!this.reduced) this.play(true);
    requestAnimationFrame(() => this.#frame());
    document.body.dataset.ready = "true";
    return undefined;
  }

  #fail(html) {
    $("failure").hidden = false;
    $("failure").innerHTML = html;
  }

  // ---- scenes

  async #fromAddress() {
    const packed = /^#s=(.+)$/.exec(location.hash)?.[1];
    if (!packed) return false;
    try {
      await this.change(await unpackScene(packed), { keep: false });
      return true;
    } catch (problem) {
      this.toast(`The scene in this link cannot be used: ${problem.where ? `${problem.where}: ` : ""}${problem.message}`, true);
      return false;
    }
  }

  async preset(name) {
    const answer = await fetch(`scenes/${name}.json`);
    if (!answer.ok) {
      this.toast(`There is no scene '${name}'`, true);
      return name === FIRST ? undefined : this.preset(FIRST);
    }
    await this.change(this.#lighter(await answer.json()), { keep: false });
    history.replaceState(null, "", name === FIRST ? "./" : `?scene=${name}`);
    return undefined;
  }

  /** 3D presets are made for many cores; here they start with cells half again as large. */
  #lighter(scene) {
    const { size, cells } = scene.domain;
    if (size.length === 2 || !(cells > 40)) return scene;
    const fewer = 4 * Math.round(cells / 6);
    this.toast(`${fewer} cells along the tank; the command runs this scene with ${cells} (Settings, Tank)`);
    return { ...scene, domain: { ...scene.domain, cells: fewer } };
  }

  async #meshes(scene) {
    for (const shape of [...(scene.fill ?? []), ...(scene.solids ?? []), ...(scene.inflows ?? []), ...(scene.outflows ?? [])]) {
      const file = shape?.file;
      if (typeof file !== "string" || this.files[file] !== undefined || !/^meshes\/[\w.-]+\.obj$/.test(file)) continue;
      const answer = await fetch(`scenes/${file}`);
      if (answer.ok) this.files[file] = await answer.text();
    }
  }

  /** Takes another scene; rejects with { where, message } and changes nothing if the core refuses it. */
  async change(scene, { keep = false } = {}) {
    if (scene && typeof scene === "object") await this.#meshes(scene);
    const loaded = await this.simulation.load(scene, this.files, keep);
    const other = !keep || !this.tank || this.tank.dim !== loaded.dim;
    this.scene = scene;
    this.tank = { dim: loaded.dim, cells: loaded.cells, size: loaded.size, cellSize: loaded.cellSize,
      perAxis: getSetting(scene, "liquid.particles_per_axis") ?? 2, fast: 1.9 * Math.sqrt(9.81 * loaded.size[1]) };
    if (other) this.#otherTank();
    else {
      this.view.tank = this.tank;
      if (this.tilt) this.setTilt(this.tilt);
    }
    this.settings.show(scene);
    this.editor.show(scene);
    $("title").textContent = scene.name ?? "untitled";
    for (const warning of loaded.warnings.slice(0, 1)) this.toast(warning, true);
    this.redraw();
  }

  #otherTank() {
    const camera = this.view3d?.camera;
    this.view = this.flat ? (this.view2d ??= new View2D(this.gl)) : (this.view3d ??= new View3D(this.gl));
    this.view.reset(this.tank);
    if (!this.flat && camera && this.wasFlat === false) this.view.camera = camera;
    if (!this.flat) this.#field("", false);
    this.wasFlat = this.flat;
    this.hud.reset();
    this.setTilt(0, false);
    document.body.classList.toggle("flat", this.flat);
    $("fields").hidden = !this.flat;
    for (const { name, flat, solid } of TOOLS) $(`tool-${name}`).hidden = (flat && !this.flat) || (solid && this.flat);
    if ($(`tool-${this.hands.tool}`).hidden) this.setTool("stir");
    $("view").setAttribute("aria-label", `${this.scene.name ?? "A scene"}. ${this.flat ? "Drag to stir the water." : "Drag the water to poke it, drag beside it to turn the view."}`);
    this.setTool(this.hands.tool);
  }

  async reset() {
    await this.change(this.scene, { keep: false });
  }

  // ---- what hands drew

  down() {
    const g = this.gravity ?? [0, -1, 0], length = Math.hypot(...g) || 1;
    return g.map((x) => x / length);
  }

  #shorter = (at) => at.slice(0, this.tank.dim).map((x) => +x.toPrecision(6));

  drewWall(from, to, radius) {
    const solids = this.scene.solids ?? [];
    const number = 1 + Math.max(0, ...solids.map((solid) => Number(/^drawn (\d+)$/.exec(solid.name ?? "")?.[1] ?? 0)));
    const name = `drawn ${number}`;
    this.scene = { ...this.scene, solids: [...solids, { name, shape: "capsule", from: this.#shorter(from), to: this.#shorter(to), radius: +radius.toPrecision(4) }] };
    this.simulation.hand("wall", { from, to, radius, name });
  }

  /** Water that is poured before time begins belongs to the scene. */
  drewWater(from, to, radius) {
    if (this.picture?.time !== 0) return;
    const shape = from === to ? { shape: "sphere", center: this.#shorter(to) } : { shape: "capsule", from: this.#shorter(from), to: this.#shorter(to) };
    this.scene = { ...this.scene, fill: [...(this.scene.fill ?? []), { ...shape, radius: +radius.toPrecision(4) }] };
  }

  drawingDone() {
    this.settings.show(this.scene);
    this.editor.show(this.scene);
  }

  // ---- time

  play(on) {
    this.simulation.play(on);
    this.learn?.mark("");
    this.#showPlaying();
  }

  #showPlaying() {
    const on = this.simulation.playing;
    $("play").setAttribute("aria-pressed", on);
    $("play").querySelector("use").setAttribute("href", on ? "#i-pause" : "#i-play");
  }

  step() {
    this.simulation.step();
    this.learn.mark("");
    this.#showPlaying();
  }

  stage() {
    this.staged = true;
    this.simulation.stage();
    this.#showPlaying();
  }

  #stageDone(next) {
    const name = this.learn.before(next), stage = STAGES[name];
    this.learn.mark(name);
    if (!$("follow").checked || !this.flat || !stage) return;
    this.#field(stage.field ?? "", Boolean(stage.arrows), true);
  }

  setSpeed(exponent) {
    const value = 2 ** exponent;
    $("speed").value = exponent;
    $("speed-value").textContent = value >= 1 ? `${value}×` : `1/${1 / value}×`.replace(/\.\d+/, "");
    this.simulation.speed(value);
  }

  // ---- look

  setMode(mode) {
    this.look.mode = mode;
    for (const button of $("modes").querySelectorAll("button")) button.setAttribute("aria-pressed", button.dataset.mode === mode);
    if (mode && this.look.field) this.#field("", this.look.arrows);
    this.redraw();
  }

  /** Shows a grid field, arrows, and the cells' lines with either. */
  #field(field, arrows, grid = Boolean(field) || arrows) {
    Object.assign(this.look, { field, arrows, grid });
    for (const button of $("fields").querySelectorAll("[data-field]")) button.setAttribute("aria-pressed", button.dataset.field === field);
    $("show-arrows").checked = arrows;
    $("show-grid").checked = grid;
    const legend = LEGENDS[field];
    $("legend").hidden = !legend;
    if (legend) $("legend").innerHTML = `${legend[0]}<i style="background:${legend[1]}"></i>${legend[2]}`;
    this.#watch();
    this.redraw();
  }

  #watch() {
    const { field, arrows } = this.look, fields = new Set(field ? [field] : []);
    if (field === "div_after") fields.add("div_before");
    if (arrows) fields.add("u").add("v");
    this.simulation.watch([...fields]);
  }

  setTool(name) {
    this.hands.tool = name;
    for (const button of $("tools").children) {
      const on = button.dataset.tool === name;
      button.setAttribute("aria-checked", on);
      button.tabIndex = on ? 0 : -1;
    }
    const { hint } = TOOLS.find((tool) => tool.name === name);
    $("hint").textContent = this.flat === false && name === "stir" ? "Drag the water to push it, beside it to turn the view" : hint;
    $("hint").classList.remove("gone");
  }

  touched() {
    $("hint").classList.add("gone");
  }

  setTilt(degrees, send = true) {
    this.tilt = degrees;
    $("tilt").value = degrees;
    $("tilt-value").textContent = `${degrees}°`;
    const g = this.scene?.gravity ?? [0, -9.81, 0], angle = (degrees * Math.PI) / 180, c = Math.cos(angle), s = Math.sin(angle);
    this.gravity = [c * g[0] - s * g[1], s * g[0] + c * g[1], g[2] ?? 0];
    if (send) this.simulation.hand("gravity", { value: this.gravity });
  }

  toast(text, warn = false) {
    $("toast").textContent = text;
    $("toast").className = warn ? "on warn" : "on";
    clearTimeout(this.toasting);
    this.toasting = setTimeout(() => ($("toast").className = ""), warn ? 6000 : 2500);
  }

  redraw() {
    this.dirty = true;
  }

  #frame() {
    requestAnimationFrame(() => this.#frame());
    const box = $("stage").getBoundingClientRect(), ratio = Math.min(2, devicePixelRatio || 1);
    if (box.width !== this.width || box.height !== this.height || ratio !== this.ratio) {
      Object.assign(this, { width: box.width, height: box.height, ratio });
      Object.assign($("view"), { width: Math.round(box.width * ratio), height: Math.round(box.height * ratio) });
      this.dirty = true;
    }
    if (!this.dirty || !this.picture || this.width < 10) return;
    this.dirty = false;
    this.draw();
  }

  draw() {
    const narrow = this.width < 600;
    const hud = $("hud").hidden ? 10 : $("hud").offsetHeight + 20;
    const room = this.room ?? (narrow ? { left: 12, right: 12, top: hud, bottom: 150 } : { left: 84, right: 24, top: hud, bottom: 88 });
    if (this.flat) this.layout = this.view.layout(this.width, this.height, room);
    this.view.draw(this.picture, { width: this.width, height: this.height, ratio: this.ratio, layout: this.layout, ...this.look });
    drawOverlay($("overlay"), this);
    if (this.film) compose(this.composed, $("view"), $("overlay"));
    this.drawn++;
  }

  // ---- the page's controls

  #events() {
    this.simulation.addEventListener("picture", ({ detail }) => {
      this.picture = detail;
      if (this.view) this.view.take(detail);
      this.hud.frame();
      $("clock").textContent = `${detail.time.toFixed(2)} s`;
      if (detail.stats) {
        const sides = Object.values(this.scene?.domain?.sides ?? {});
        const open = sides.includes("open") || this.scene?.inflows?.length > 0 || this.scene?.outflows?.length > 0;
        this.hud.update({ stats: detail.stats, rate: detail.rate, perCell: (this.tank?.perAxis ?? 2) ** (this.tank?.dim ?? 2), open });
      }
      if (this.staged) this.#stageDone(detail.stage);
      this.staged = false;
      this.redraw();
    });
    this.simulation.addEventListener("failed", ({ detail }) => {
      this.#showPlaying();
      this.toast(`The simulation stopped: ${detail.where ? `${detail.where}: ` : ""}${detail.message}`, true);
    });
    this.simulation.addEventListener("wall erased", ({ detail }) => {
      this.scene = { ...this.scene, solids: this.scene.solids.filter((solid) => solid.name !== detail.name) };
      this.drawingDone();
    });
    addEventListener("hashchange", () => this.#fromAddress());
    $("view").addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.play(false);
      this.#fail("The browser took the graphics away. Reload the page to go on.");
    });
  }

  #buttons() {
    $("play").onclick = () => this.play(!this.simulation.playing);
    $("step").onclick = () => this.step();
    $("reset").onclick = () => this.reset();
    $("next-stage").onclick = () => this.stage();
    $("speed").oninput = () => this.setSpeed(Number($("speed").value));
    $("tilt").oninput = () => this.setTilt(Number($("tilt").value));
    $("show-hud").onchange = () => ($("hud").hidden = !$("show-hud").checked);
    $("share").onclick = () => this.share();
    $("shot").onclick = () => this.shot();
    $("film").onclick = () => this.toggleFilm();
    $("ply").onclick = () => this.savePly();
    $("save").onclick = () => download(new Blob([format(this.scene), "\n"], { type: "application/json" }), `${this.fileName()}.json`);
    $("panel-toggle").onclick = () => this.togglePanel();
    for (const tab of document.querySelectorAll("[role=tab]")) tab.onclick = () => this.tab(tab);
    $("tools").append(...TOOLS.map((tool) => this.#toolButton(tool)));
    for (const [mode, label] of [["water", "Water"], ["particles", "Particles"]]) $("modes").append(this.#toggle(label, { mode }, () => this.setMode(mode)));
    this.setMode("water");
    for (const [field, { label }] of Object.entries(FIELD_VIEWS))
      $("fields").append(this.#toggle(label, { field }, () => this.#field(this.look.field === field ? "" : field, this.look.arrows)));
    for (const [key, label] of [["arrows", "velocity arrows"], ["grid", "lines of the grid"]]) {
      const box = document.createElement("label"), input = document.createElement("input");
      box.className = "check";
      Object.assign(input, { type: "checkbox", id: `show-${key}` });
      input.onchange = () => this.#field(this.look.field, key === "arrows" ? input.checked : this.look.arrows, key === "grid" ? input.checked : this.look.grid || input.checked);
      box.append(input, label);
      $("fields").append(box);
    }
    if ("DeviceOrientationEvent" in globalThis && matchMedia("(pointer: coarse)").matches) {
      $("tilt-phone").hidden = false;
      $("tilt-phone").onclick = () => this.#followPhone();
    }
    if (matchMedia("(max-width: 760px)").matches) this.togglePanel();
  }

  #toggle(label, data, press) {
    const button = document.createElement("button");
    button.textContent = label;
    Object.assign(button.dataset, data);
    button.setAttribute("aria-pressed", "false");
    button.onclick = press;
    return button;
  }

  #toolButton({ name, label, icon, key }) {
    const button = document.createElement("button");
    button.id = `tool-${name}`;
    button.dataset.tool = name;
    button.setAttribute("role", "radio");
    button.title = `${label} (${key})`;
    button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}"/></svg>${label}`;
    button.onclick = () => this.setTool(name);
    return button;
  }

  async #followPhone() {
    const permission = await DeviceOrientationEvent.requestPermission?.().catch(() => "denied");
    if (permission && permission !== "granted") return this.toast("The phone does not tell its tilt", true);
    addEventListener("deviceorientation", ({ gamma }) => gamma !== null && this.setTilt(Math.max(-90, Math.min(90, Math.round(gamma)))));
    return this.toast("Gravity follows the phone");
  }

  tab(tab) {
    for (const other of document.querySelectorAll("[role=tab]")) {
      const on = other === tab;
      other.setAttribute("aria-selected", on);
      other.tabIndex = on ? 0 : -1;
      $(other.getAttribute("aria-controls")).hidden = !on;
    }
  }

  togglePanel() {
    const hidden = $("app").classList.toggle("panel-hidden");
    $("panel-toggle").setAttribute("aria-expanded", !hidden);
  }

  #menu() {
    for (const { name, title, flat } of this.presets) {
      const card = document.createElement("button"), [head, rest] = title.split(/: (.*)/);
      const picture = Object.assign(new Image(), { src: `thumbs/${name}.jpg`, alt: "", loading: "lazy" });
      picture.onerror = () => picture.remove();
      const words = document.createElement("span"), strong = document.createElement("b");
      strong.textContent = head;
      words.append(strong, rest ?? "");
      card.append(picture, words);
      card.dataset.scene = name;
      card.onclick = async () => {
        $("menu").close();
        await this.preset(name);
      };
      $(flat ? "cards-2d" : "cards-3d").append(card);
    }
    $("scenes").onclick = () => $("menu").showModal();
    $("menu").onclick = (event) => event.target === $("menu") && $("menu").close();
  }

  #keys() {
    const keys = {
      " ": () => this.play(!this.simulation.playing), ".": () => this.step(), ",": () => this.stage(), r: () => this.reset(),
      m: () => $("menu").showModal(), p: () => this.shot(), f: () => this.toggleFilm(), k: () => this.togglePanel(),
      "+": () => this.setSpeed(Math.min(1, Number($("speed").value) + 0.5)), "-": () => this.setSpeed(Math.max(-3, Number($("speed").value) - 0.5)),
      ArrowLeft: () => this.#arrow(-1, 0), ArrowRight: () => this.#arrow(1, 0), ArrowUp: () => this.#arrow(0, -1), ArrowDown: () => this.#arrow(0, 1),
      ...Object.fromEntries(TOOLS.map(({ key, name }) => [key, () => !$(`tool-${name}`).hidden && this.setTool(name)])),
    };
    addEventListener("keydown", (event) => {
      const at = event.target, writing = at.matches?.("textarea, select, input:not([type=checkbox]):not([type=range])");
      if (event.ctrlKey || event.metaKey || event.altKey || writing || $("menu").open) return;
      const arrow = event.key.startsWith("Arrow");
      if (arrow && at !== $("view") && at !== document.body) return this.#rove(event);
      if (event.key === " " && at.matches?.("button, input, summary")) return;
      const act = keys[event.key] ?? keys[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  /** Arrow keys on the water: gravity in 2D, the view in 3D. */
  #arrow(x, y) {
    if (this.flat) {
      if (x) this.setTilt(Math.max(-90, Math.min(90, this.tilt + 5 * x)));
    } else {
      this.view.orbit(20 * x, 20 * y);
      this.redraw();
    }
  }

  /** Arrow keys inside a group of which one is chosen: tools and tabs. */
  #rove(event) {
    const group = event.target.closest?.("[role=radiogroup], [role=tablist]");
    if (!group) return;
    const items = [...group.children].filter((item) => !item.hidden), k = items.indexOf(event.target);
    const way = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
    const next = items[(k + way + items.length) % items.length];
    event.preventDefault();
    next.click();
    next.focus();
  }

  // ---- to take away

  fileName() {
    return (this.scene.name ?? "scene").split(":")[0].trim().toLowerCase().replace(/[^a-z0-9]+/g, "_") || "scene";
  }

  async share() {
    const link = new URL(`#s=${await packScene(this.scene)}`, new URL("./", location.href)).href;
    history.replaceState(null, "", link);
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    this.toast(copied ? "The link is copied: it holds the whole scene" : "The address of this page now holds the scene");
  }

  shot() {
    this.draw();
    compose(this.composed, $("view"), $("overlay"));
    this.composed.toBlob((blob) => download(blob, `${this.fileName()}.png`), "image/png");
  }

  async toggleFilm() {
    if (!Film.kind()) return this.toast("This browser cannot record films", true);
    if (!this.film) {
      this.draw();
      compose(this.composed, $("view"), $("overlay"));
      this.film = new Film(this.composed);
      $("film").setAttribute("aria-pressed", "true");
      return this.toast("Recording; press again to stop");
    }
    const film = this.film;
    this.film = null;
    $("film").setAttribute("aria-pressed", "false");
    const blob = await film.stop();
    return download(blob, `${this.fileName()}.${blob.type.includes("mp4") ? "mp4" : "webm"}`);
  }

  async savePly() {
    const { answer, particles } = await this.simulation.ask("ply");
    download(plyOf(answer, particles, this.tank.cellSize), `${this.fileName()}.ply`);
  }
}

// for tests, and for the console
globalThis.spate = new App();
globalThis.spate.start().catch((error) => {
  document.getElementById("failure").hidden = false;
  document.getElementById("failure").textContent = `The page could not start: ${error.message}`;
  throw error;
});
