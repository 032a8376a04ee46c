// main.js -- the page: holds the scene, the look and the hands together, and draws.
//
// The scene is the value of a JSON text that the command takes too. Whatever changes it (a preset, a slider, the
// editor, a drawn wall, a link) goes through App.change; if the core refuses the new one, the old one goes on.
import { compose, download, Film, plyOf } from "./capture.js";
import { connectControls } from "./controls.js";
import { lacking, simulation, starting } from "./early.js";
import { Editor } from "./editor.js";
import { Hands, TOOLS } from "./hands.js";
import { Hud } from "./hud.js";
import { Learn, STAGES } from "./learn.mjs";
import { drawOverlay } from "./overlay.js";
import { getSetting, packScene, presentNames, unpackScene } from "./scene.mjs";
import { Settings } from "./settings.js";
import { View2D } from "./view2d.js";
import { View3D } from "./view3d.js";

const $ = (id) => document.getElementById(id);
const FIRST = "dam_break_2d";
const RESEED = /^(domain\.(cells|cell_size)|liquid\.(particles_per_axis|jitter|seed|density))$/; // other particles: start again
const LEGENDS = {
  p: ["0", "linear-gradient(90deg, #00008c, #9a4f80, #ffd21a)", "pressure"],
  div_before: ["squeezed", "linear-gradient(90deg, #408cff, #29303d, #ff6b33)", "pulled apart"],
  div_after: [
    "squeezed",
    "linear-gradient(90deg, #408cff, #29303d, #ff6b33)",
    "pulled apart (same scale as before)",
  ],
  ppc: ["few", "linear-gradient(90deg, #d9a626, #269e80, #d91f59)", "many particles"],
  type: ["liquid", "linear-gradient(90deg, #1f73d9 50%, #8c8780 50%)", "solid"],
};

class App {
  constructor() {
    this.simulation = simulation;
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
    const query = new URLSearchParams(location.search);
    // the core loads while the page prepares its graphics and fetches the first scene
    const name = query.get("scene") ?? FIRST;
    this.fetched = { name, answer: fetch(`scenes/${name}.json`) };
    const listing = fetch("scenes/index.json").then((answer) => answer.json());
    const gl = $("view").getContext("webgl2", {
      antialias: false,
      alpha: false,
      powerPreference: "high-performance",
    });
    const lack = lacking || (gl ? "" : "WebGL2");
    if (lack)
      return this.#fail(
        `This browser has no ${lack}. A current Chromium, Firefox or Safari shows this page; the command <code>spate run</code> needs no browser.`,
      );
    this.gl = gl;
    this.#fit(); // now, while the core loads: it waits for the graphics
    this.view2d = new View2D(gl);
    const [core, presets] = await Promise.all([starting, listing]);
    Object.assign(this, { threads: core.threads, presets });
    this.hud = new Hud($("hud"));
    this.hands = new Hands($("view"), this);
    this.learn = new Learn($("stages"), core.stages, core.stageWhats);
    this.settings = new Settings($("settings"), core.schema, (scene, path) =>
      this.change(scene, { keep: !RESEED.test(path) }),
    );
    this.editor = new Editor(this);
    connectControls(this);
    this.#events();
    $("about").textContent =
      `spate in WebAssembly, ${core.threads > 1 ? `${core.threads} threads` : "one thread"}: the same bits as the command.`;
    if (!(await this.#fromAddress())) await this.preset(name);
    if (!this.reduced) this.play(true);
    this.#frame();
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
      this.toast(
        `The scene in this link cannot be used: ${problem.where ? `${problem.where}: ` : ""}${problem.message}`,
        true,
      );
      return false;
    }
  }

  async preset(name) {
    const answer = await (this.fetched?.name === name ? this.fetched.answer : fetch(`scenes/${name}.json`));
    this.fetched = null; // a body is read once
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
    for (const shape of [
      ...(scene.fill ?? []),
      ...(scene.solids ?? []),
      ...(scene.inflows ?? []),
      ...(scene.outflows ?? []),
    ]) {
      const file = shape?.file;
      if (typeof file !== "string" || this.files[file] !== undefined || !/^meshes\/[\w.-]+\.obj$/.test(file))
        continue;
      const answer = await fetch(`scenes/${file}`);
      if (answer.ok) this.files[file] = await answer.text();
    }
  }

  /** Takes another scene; rejects with { where, message } and changes nothing if the core refuses it. */
  async change(given, { keep = false } = {}) {
    const scene = presentNames(given);
    if (scene && typeof scene === "object") await this.#meshes(scene);
    const loaded = await this.simulation.load(scene, this.files, keep);
    const other = !keep || !this.tank || this.tank.dim !== loaded.dim;
    this.scene = scene;
    this.tank = {
      dim: loaded.dim,
      cells: loaded.cells,
      size: loaded.size,
      cellSize: loaded.cellSize,
      perAxis: getSetting(scene, "fluid.particles_per_axis") ?? 2,
      fast: 1.9 * Math.sqrt(9.81 * loaded.size[1]),
    };
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
    this.view = this.flat ? this.view2d : (this.view3d ??= new View3D(this.gl));
    this.view.reset(this.tank);
    if (!this.flat && camera && this.wasFlat === false) this.view.camera = camera;
    if (!this.flat) this.showField("", false);
    this.wasFlat = this.flat;
    this.hud.reset();
    this.setTilt(0, false);
    document.body.classList.toggle("flat", this.flat);
    $("fields").hidden = !this.flat;
    for (const { name, flat, solid } of TOOLS)
      $(`tool-${name}`).hidden = (flat && !this.flat) || (solid && this.flat);
    if ($(`tool-${this.hands.tool}`).hidden) this.setTool("stir");
    $("view").setAttribute(
      "aria-label",
      `${this.scene.name ?? "A scene"}. ${this.flat ? "Drag to stir the water." : "Drag the water to poke it, drag beside it to turn the view."}`,
    );
    this.setTool(this.hands.tool);
  }

  async reset() {
    await this.change(this.scene, { keep: false });
  }

  // ---- what hands drew

  down() {
    const g = this.gravity ?? [0, -1, 0],
      length = Math.hypot(...g) || 1;
    return g.map((x) => x / length);
  }

  #shorter = (at) => at.slice(0, this.tank.dim).map((x) => +x.toPrecision(6));

  drewWall(from, to, radius) {
    const solids = this.scene.solids ?? [];
    const number =
      1 + Math.max(0, ...solids.map((solid) => Number(/^drawn (\d+)$/.exec(solid.name ?? "")?.[1] ?? 0)));
    const name = `drawn ${number}`;
    this.scene = {
      ...this.scene,
      solids: [
        ...solids,
        {
          name,
          shape: "capsule",
          from: this.#shorter(from),
          to: this.#shorter(to),
          radius: +radius.toPrecision(4),
        },
      ],
    };
    this.simulation.hand("wall", { from, to, radius, name });
  }

  /** Water that is poured before time begins belongs to the scene. */
  drewWater(from, to, radius) {
    if (this.picture?.time !== 0) return;
    const shape =
      from === to
        ? { shape: "sphere", center: this.#shorter(to) }
        : { shape: "capsule", from: this.#shorter(from), to: this.#shorter(to) };
    this.scene = {
      ...this.scene,
      fill: [...(this.scene.fill ?? []), { ...shape, radius: +radius.toPrecision(4) }],
    };
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
    $("play")
      .querySelector("use")
      .setAttribute("href", on ? "#i-pause" : "#i-play");
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
    const name = this.learn.before(next),
      stage = STAGES[name];
    this.learn.mark(name);
    if (!$("follow").checked || !this.flat || !stage) return;
    this.showField(stage.field ?? "", Boolean(stage.arrows), true);
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
    for (const button of $("modes").querySelectorAll("button"))
      button.setAttribute("aria-pressed", button.dataset.mode === mode);
    if (mode && this.look.field) this.showField("", this.look.arrows);
    this.redraw();
  }

  /** Shows a grid field, arrows, and the cells' lines with either. */
  showField(field, arrows, grid = Boolean(field) || arrows) {
    Object.assign(this.look, { field, arrows, grid });
    for (const button of $("fields").querySelectorAll("[data-field]"))
      button.setAttribute("aria-pressed", button.dataset.field === field);
    $("show-arrows").checked = arrows;
    $("show-grid").checked = grid;
    const legend = LEGENDS[field];
    $("legend").hidden = !legend;
    if (legend) $("legend").innerHTML = `${legend[0]}<i style="background:${legend[1]}"></i>${legend[2]}`;
    this.#watch();
    this.redraw();
  }

  #watch() {
    const { field, arrows } = this.look,
      fields = new Set(field ? [field] : []);
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
    $("hint").textContent =
      this.flat === false && name === "stir" ? "Drag the water to push it, beside it to turn the view" : hint;
    $("hint").classList.remove("gone");
  }

  touched() {
    $("hint").classList.add("gone");
  }

  setTilt(degrees, send = true) {
    this.tilt = degrees;
    $("tilt").value = degrees;
    $("tilt-value").textContent = `${degrees}°`;
    const g = this.scene?.gravity ?? [0, -9.81, 0],
      angle = (degrees * Math.PI) / 180,
      c = Math.cos(angle),
      s = Math.sin(angle);
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
    this.#paint();
  }

  #fit() {
    const box = $("stage").getBoundingClientRect(),
      ratio = Math.min(2, devicePixelRatio || 1);
    if (box.width !== this.width || box.height !== this.height || ratio !== this.ratio) {
      Object.assign(this, { width: box.width, height: box.height, ratio });
      Object.assign($("view"), {
        width: Math.round(box.width * ratio),
        height: Math.round(box.height * ratio),
      });
      this.dirty = true;
    }
  }

  #paint() {
    this.#fit();
    if (!this.dirty || !this.picture || this.width < 10) return;
    this.dirty = false;
    this.draw();
  }

  draw() {
    const narrow = this.width < 600;
    const hud = $("hud").hidden ? 10 : $("hud").offsetHeight + 20;
    const room =
      this.room ??
      (narrow
        ? { left: 12, right: 12, top: hud, bottom: 150 }
        : { left: 84, right: 24, top: hud, bottom: 88 });
    if (this.flat) this.layout = this.view.layout(this.width, this.height, room);
    this.view.draw(this.picture, {
      width: this.width,
      height: this.height,
      ratio: this.ratio,
      layout: this.layout,
      ...this.look,
    });
    drawOverlay($("overlay"), this);
    if (this.film) compose(this.composed, $("view"), $("overlay"));
    this.drawn++;
  }

  // ---- what comes from the worker

  #events() {
    this.simulation.addEventListener("picture", ({ detail }) => {
      this.picture = detail;
      if (this.view) this.view.take(detail);
      this.hud.frame();
      $("clock").textContent = `${detail.time.toFixed(2)} s`;
      if (detail.stats) {
        const sides = Object.values(this.scene?.domain?.sides ?? {});
        const open =
          sides.includes("open") || this.scene?.inflows?.length > 0 || this.scene?.outflows?.length > 0;
        this.hud.update({
          stats: detail.stats,
          rate: detail.rate,
          perCell: (this.tank?.perAxis ?? 2) ** (this.tank?.dim ?? 2),
          open,
        });
      }
      if (this.staged) this.#stageDone(detail.stage);
      this.staged = false;
      this.redraw();
      if (this.drawn === 0) this.#paint(); // the first picture does not wait for its turn
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

  // ---- to take away

  fileName() {
    return (
      (this.scene.name ?? "scene")
        .split(":")[0]
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "_") || "scene"
    );
  }

  async share() {
    const link = new URL(`#s=${await packScene(this.scene)}`, new URL("./", location.href)).href;
    history.replaceState(null, "", link);
    const copied = await navigator.clipboard?.writeText(link).then(
      () => true,
      () => false,
    );
    this.toast(
      copied
        ? "The link is copied: it holds the whole scene"
        : "The address of this page now holds the scene",
    );
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
