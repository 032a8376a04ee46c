// hud.js -- the measurements: numbers with warnings, milliseconds by stage, and a small chart of energy and volume.

const COLOURS = [
  "#8ecae6",
  "#90be6d",
  "#f9c74f",
  "#f8961e",
  "#b8b8ff",
  "#f94144",
  "#43aa8b",
  "#ff9ebb",
  "#4cc9f0",
  "#c9ada7",
  "#e9ff70",
];
const KEPT = 240; // points of the chart

export class Hud {
  constructor(root) {
    this.numbers = root.querySelector("#numbers");
    this.bars = root.querySelector("#bars");
    this.chart = root.querySelector("#chart");
    this.cells = new Map();
    this.reset();
  }

  reset() {
    this.history = [];
    this.volume = null;
    this.frames = { count: 0, since: performance.now() };
  }

  frame() {
    this.frames.count++;
  }

  #put(name, text, { warn = false, minor = false, title = "" } = {}) {
    let cell = this.cells.get(name);
    if (!cell) {
      const row = document.createElement("div"),
        dt = document.createElement("dt"),
        dd = document.createElement("dd");
      dt.textContent = name;
      if (minor) row.className = "minor";
      row.append(dt, dd);
      this.numbers.append(row);
      this.cells.set(name, (cell = dd));
    }
    cell.textContent = text;
    cell.title = warn ? title : "";
    cell.classList.toggle("warn", warn);
  }

  /** `open`: liquid may enter or leave, so its volume is no measure of anything. */
  update({ stats, rate, perCell, open }) {
    const now = performance.now(),
      fps = (1000 * this.frames.count) / Math.max(1, now - this.frames.since);
    this.frames = { count: 0, since: now };
    const steps = Math.max(1, stats.substeps),
      ms = rate.steps ? rate.busy / rate.steps : 0;
    const particles = stats.particles;
    // volume per particle: pouring and erasing change both
    const share = stats.volume_particles > 0 ? stats.volume / stats.volume_particles : 0;
    if (this.volume === null && share > 0) this.volume = share;
    const drift = this.volume && share ? 100 * (share / this.volume - 1) : 0;
    this.#put("frames/s", fps.toFixed(0));
    this.#put("steps/s", (rate.steps / Math.max(rate.seconds, 1e-3)).toFixed(0));
    this.#put("ms per step", ms ? ms.toFixed(1) : "–", { minor: true });
    this.#put("particles", particles.toLocaleString("en"));
    this.#put("per cell", `${stats.ppc_mean.toFixed(1)} (max ${stats.ppc_max})`, {
      warn: stats.ppc_max > 6 * perCell,
      title: "Particles crowd together: volume is being lost.",
    });
    this.#put("iterations", (stats.solver_iterations / steps).toFixed(1), {
      warn: stats.solver_failures > 0,
      title: "The pressure did not converge.",
    });
    this.#put("volume drift", particles ? `${drift >= 0 ? "+" : "−"}${Math.abs(drift).toFixed(1)} %` : "–", {
      warn: !open && Math.abs(drift) > 5,
      title: "The water takes more or less room than at the start.",
    });
    this.#put("CFL", stats.cfl.toFixed(2), { minor: true });
    this.#put("momentum", `${stats.momentum_x.toFixed(0)}, ${stats.momentum_y.toFixed(0)} kg m/s`, {
      minor: true,
    });
    this.#bars(stats, steps);
    this.history.push({
      time: stats.time,
      kinetic: stats.kinetic_energy,
      potential: stats.potential_energy,
      volume: 100 + drift,
    });
    if (this.history.length > KEPT) this.history.shift();
    this.#draw();
  }

  #bars(stats, steps) {
    const stages = Object.keys(stats).filter((name) => name.startsWith("t_"));
    const total = stages.reduce((sum, name) => sum + stats[name], 0) || 1;
    if (this.bars.children.length !== stages.length)
      this.bars.replaceChildren(
        ...stages.map((name, k) => {
          const bar = document.createElement("span");
          bar.style.background = COLOURS[k % COLOURS.length];
          bar.dataset.stage = name.slice(2);
          return bar;
        }),
      );
    stages.forEach((name, k) => {
      const bar = this.bars.children[k],
        share = stats[name] / total;
      bar.style.width = `${100 * share}%`;
      bar.textContent = share > 0.16 ? name.slice(2) : "";
      bar.title = `${name.slice(2)}: ${((1000 * stats[name]) / steps).toFixed(2)} ms`;
    });
  }

  #draw() {
    const ratio = Math.min(2, devicePixelRatio || 1),
      width = this.chart.clientWidth || 220,
      height = 56;
    if (this.chart.width !== width * ratio) {
      this.chart.width = width * ratio;
      this.chart.height = height * ratio;
    }
    const pen = this.chart.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const most = Math.max(1e-9, ...this.history.map((h) => h.kinetic + h.potential));
    const line = (colour, value) => {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.5;
      pen.beginPath();
      this.history.forEach((h, k) =>
        pen.lineTo((k / (KEPT - 1)) * width, height - 12 - value(h) * (height - 15)),
      );
      pen.stroke();
    };
    line("#f9c74f", (h) => h.kinetic / most);
    line("#90be6d", (h) => (h.kinetic + h.potential) / most);
    line("#4cc9f0", (h) => Math.min(1, Math.max(0, h.volume / 200)));
    pen.font = "10px system-ui";
    [
      ["#90be6d", "energy"],
      ["#f9c74f", "kinetic"],
      ["#4cc9f0", "volume (50 % up)"],
    ].reduce((x, [colour, text]) => {
      pen.fillStyle = colour;
      pen.fillText(text, x, height - 1);
      return x + pen.measureText(text).width + 10;
    }, 0);
  }
}
