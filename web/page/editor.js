// editor.js -- the scene as text, with what is wrong shown at the setting.
import { showTab } from "./controls.js";
import { format, lineOf, locate, placeOf } from "./scene.mjs";

const $ = (id) => document.getElementById(id);

export class Editor {
  constructor(app) {
    this.app = app;
    this.edited = false;
    $("apply").onclick = () => this.apply();
    $("text").addEventListener("input", () => {
      this.edited = true;
      this.#problem(null);
    });
    $("text").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.apply();
    });
    $("problem").onclick = () => this.#select();
    $("open").onchange = () => this.#open($("open").files[0]);
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      this.#open(event.dataTransfer.files[0]);
    });
  }

  show(scene) {
    $("text").value = format(scene, 44) + "\n";
    this.edited = false;
    this.#problem(null);
  }

  async #open(file) {
    if (!file) return;
    $("text").value = await file.text();
    $("open").value = "";
    showTab($("tab-scene"));
    await this.apply();
  }

  async apply() {
    const text = $("text").value,
      { places, problem } = locate(text);
    if (problem) return this.#problem(problem.message, problem.offset);
    try {
      await this.app.change(JSON.parse(text), { keep: false });
      this.app.toast("Running your scene");
      return undefined;
    } catch (refused) {
      return this.#problem(
        `${refused.where ? `${refused.where}: ` : ""}${refused.message}`,
        placeOf(places, refused.where ?? ""),
      );
    }
  }

  #problem(message, offset = 0) {
    $("problem").hidden = message === null;
    $("text").setAttribute("aria-invalid", message !== null);
    if (message === null) return;
    const { line, column } = lineOf($("text").value, offset);
    this.offset = offset;
    $("problem").textContent = `line ${line}, column ${column}: ${message}`;
    this.#select();
  }

  /** Puts the selection on the line that is wrong, and scrolls there. */
  #select() {
    const area = $("text"),
      end = area.value.indexOf("\n", this.offset);
    area.focus();
    area.setSelectionRange(this.offset, end < 0 ? area.value.length : end);
    const { line } = lineOf(area.value, this.offset);
    area.scrollTop = Math.max(0, (line - 4) * 18.75);
  }
}
