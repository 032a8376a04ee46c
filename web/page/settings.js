// settings.js -- controls for the settings of a scene, made from the command's own table: path, type, limits, unit,
// help and default all come from there. A control writes into the scene; what equals the default is left out of it.
import { getSetting, withSetting } from "./scene.mjs";

const GROUPS = {
  fluid: "Fluid",
  time: "Time steps",
  pressure: "Pressure",
  volume: "Volume",
  domain: "Tank",
  "": "General",
};
const LEFT_OUT = /^(output\.|name$|frames$|domain\.size$|gravity$)/;

const FIRST = ["fluid.flip_ratio", "fluid.transfer"]; // what people come to compare; the last one comes first

// Sliders over what is useful; the limits of the table stay in force for what is typed.
const RANGES = {
  "domain.cells": [16, 256, 1],
  "domain.cell_size": null,
  "fluid.seed": null,
  "fluid.particles_per_axis": [1, 4, 1],
  "time.cfl": [0.5, 10, 0.1],
  "time.dt": null,
  "time.min_substeps": [1, 16, 1],
  "time.max_substeps": [1, 64, 1],
  "pressure.tolerance": null,
  "pressure.max_iterations": null,
  "pressure.relaxation": [0, 1.99, 0.01],
  fps: [10, 120, 1],
  "fluid.density": null,
};

/** "0.97" from "0.97", true from "true"; undefined from "". */
function fallbackOf(setting) {
  return setting.fallback === "" ? undefined : JSON.parse(setting.fallback);
}

export class Settings {
  /** change(scene, path) is called with the new scene; it may return a promise that rejects with { message }. */
  constructor(root, schema, change) {
    Object.assign(this, { root, change, controls: new Map() });
    const groups = new Map();
    for (const setting of schema) {
      if (setting.path.includes("[]") || ["list", "vector", "rotation", "string"].includes(setting.type))
        continue;
      if (LEFT_OUT.test(setting.path)) continue;
      const group = setting.path.includes(".") ? setting.path.split(".")[0] : "";
      const others = groups.get(group) ?? [];
      groups.set(group, FIRST.includes(setting.path) ? [setting, ...others] : [...others, setting]);
    }
    const order = [...Object.keys(GROUPS), ...groups.keys()];
    for (const group of [...groups.keys()].sort((a, b) => order.indexOf(a) - order.indexOf(b))) {
      const box = document.createElement("details"),
        summary = document.createElement("summary");
      box.open = group === "fluid";
      summary.textContent = GROUPS[group] ?? group;
      box.append(summary, ...groups.get(group).map((setting) => this.#control(setting)));
      root.append(box);
    }
  }

  #control(setting) {
    const box = document.createElement("div"),
      id = `set-${setting.path}`;
    const name = setting.path
      .split(".")
      .slice(setting.path.includes(".") ? 1 : 0)
      .join(" ")
      .replaceAll("_", " ");
    const input = this.#input(setting),
      output = document.createElement("output"),
      error = document.createElement("div");
    input.id = id;
    input.dataset.path = setting.path;
    box.className = "setting";
    error.className = "error";
    error.setAttribute("role", "alert");
    const head = document.createElement("div"),
      label = document.createElement("label"),
      help = document.createElement("p");
    head.className = "name";
    label.htmlFor = id;
    label.textContent = name;
    help.className = "help";
    help.id = `${id}-help`;
    help.textContent = setting.help;
    input.setAttribute("aria-describedby", help.id);
    head.append(label, output);
    box.append(head, input, help, error);
    const control = { setting, box, input, output, error };
    input.addEventListener("input", () => this.#show(control, this.#read(control)));
    input.addEventListener("change", () => this.#write(control));
    this.controls.set(setting.path, control);
    return box;
  }

  #input(setting) {
    if (setting.type === "enum") {
      const select = document.createElement("select");
      select.append(...setting.choices.split("|").map((choice) => new Option(choice, choice)));
      return select;
    }
    const input = document.createElement("input");
    if (setting.type === "bool") {
      input.type = "checkbox";
      return input;
    }
    const given = RANGES[setting.path];
    const bounded =
      given !== null && setting.low !== null && setting.high !== null && setting.high - setting.low <= 1000;
    if (given || bounded) {
      const [low, high, step] = given ?? [
        setting.low,
        setting.high,
        setting.type === "integer" ? 1 : (setting.high - setting.low) / 100,
      ];
      Object.assign(input, { type: "range", min: low, max: high, step });
    } else {
      Object.assign(input, { type: "number", step: setting.type === "integer" ? 1 : "any" });
    }
    return input;
  }

  #read({ setting, input }) {
    if (setting.type === "enum") return input.value;
    if (setting.type === "bool") return input.checked;
    return input.value === "" ? undefined : Number(input.value);
  }

  #show({ setting, output, input, box }, value) {
    const number = typeof value === "number";
    output.textContent = number ? `${+value.toPrecision(4)}${setting.unit ? ` ${setting.unit}` : ""}` : "";
    if (input.type === "range") input.setAttribute("aria-valuetext", output.textContent);
    box.classList.toggle("changed", value !== undefined && value !== fallbackOf(setting));
  }

  async #write(control) {
    const value = this.#read(control),
      { setting } = control;
    const scene = withSetting(this.scene, setting.path, value === fallbackOf(setting) ? undefined : value);
    control.error.textContent = "";
    try {
      await this.change(scene, setting.path);
    } catch (problem) {
      control.error.textContent =
        problem.where && problem.where !== setting.path
          ? `${problem.where}: ${problem.message}`
          : problem.message;
      this.show(this.scene);
    }
  }

  /** Sets all controls to a scene. */
  show(scene) {
    this.scene = scene;
    const flat = scene.domain?.size?.length === 2;
    for (const control of this.controls.values()) {
      const { setting, input, box } = control;
      const value = getSetting(scene, setting.path) ?? fallbackOf(setting);
      box.hidden = flat && /sides\.(back|front)/.test(setting.path);
      if (setting.type === "bool") input.checked = Boolean(value);
      else input.value = value ?? "";
      this.#show(control, value);
    }
  }
}
