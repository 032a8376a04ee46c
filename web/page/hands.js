// hands.js -- mouse, pen and fingers on the water.
//
// Every finger works on its own: two can stir at once. In 3D a drag that begins on water works on it, at the depth
// where it was hit; a drag that begins elsewhere turns the view, and two fingers zoom.
import { dot } from "./math3.js";

export const TOOLS = [
  {
    name: "stir",
    label: "Stir",
    key: "1",
    hint: "Drag to stir the water",
    icon: "M4 15c3-3 5-3 8 0s5 3 8 0v3c-3 3-5 3-8 0s-5-3-8 0zM4 8c3-3 5-3 8 0s5 3 8 0v3c-3 3-5 3-8 0s-5-3-8 0z",
  },
  {
    name: "pour",
    label: "Pour",
    key: "2",
    hint: "Hold to pour water in",
    icon: "M12 2c4 5 7 9 7 13a7 7 0 0 1-14 0c0-4 3-8 7-13z",
  },
  {
    name: "ball",
    label: "Ball",
    key: "3",
    hint: "Drag a ball or any solid through the water",
    icon: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm-3 4a4 4 0 0 0-2 4l2-.5A2 2 0 0 1 10.500 8.700z",
  },
  { name: "wall", label: "Wall", key: "4", flat: true, hint: "Draw a wall", icon: "M3 17 15 5l4 4L7 21H3z" },
  {
    name: "erase",
    label: "Erase",
    key: "5",
    hint: "Take away water, walls and the ball",
    icon: "M14 3l7 7-9 9H7l-4-4zM4 20h16v2H4z",
  },
  {
    name: "turn",
    label: "Turn",
    key: "6",
    solid: true,
    hint: "Drag to turn the view, scroll to zoom",
    icon: "M12 4a8 8 0 0 1 8 8h3l-4 5-4-5h3a6 6 0 1 0-2 4.500l1.300 1.500A8 8 0 1 1 12 4z",
  },
];

export class Hands {
  /** `app` gives view, tank, picture, size, simulation, and takes drawn walls and water. */
  constructor(canvas, app) {
    Object.assign(this, { canvas, app, tool: "stir", pointers: new Map(), hover: null });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (event) => this.#up(event));
    canvas.addEventListener("pointerleave", () => this.#setHover(null));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!this.app.flat) {
          event.preventDefault();
          this.app.view.zoom(Math.exp(event.deltaY * 0.001));
          this.app.redraw();
        }
      },
      { passive: false },
    );
  }

  /** Radius (m) of what a tool touches. */
  radius(tool = this.tool) {
    const { size, cellSize } = this.app.tank,
      least = Math.min(...size.slice(0, this.app.flat ? 2 : 3));
    return (
      {
        stir: Math.max(4 * cellSize, 0.1 * least),
        pour: Math.max(2.5 * cellSize, 0.045 * least),
        ball: 0.1 * least,
        wall: Math.max(0.8 * cellSize, 0.012 * least),
        erase: Math.max(3 * cellSize, 0.05 * least),
      }[tool] ?? 0
    );
  }

  #setHover(at) {
    this.hover = at;
    this.app.redraw();
  }

  #local(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** Where a pointer is in the tank (m): 2D by the pixel, 3D on a plane across the view through `anchor`. */
  #metres([x, y], anchor) {
    const { app } = this;
    if (app.flat) return app.view.metres(x, y, app.layout, app.height);
    const ray = app.view.ray(x, y, app.width, app.height);
    const t =
      dot(
        anchor.map((a, d) => a - ray.from[d]),
        anchor.normal,
      ) / dot(ray.direction, anchor.normal);
    return ray.from.map((c, d) => c + t * ray.direction[d]);
  }

  /** The nearest particle along a line of sight, within two cells of it; null if there is none. */
  #hit(ray) {
    const { picture, tank } = this.app;
    const floats = new Float32Array(picture.buffer),
      n = picture.particles,
      h = tank.cellSize;
    const [ox, oy, oz] = ray.from.map((c) => c / h),
      [dx, dy, dz] = ray.direction;
    let best = Infinity;
    for (let k = 0; k < n; k++) {
      const x = floats[k] - ox,
        y = floats[n + k] - oy,
        z = floats[2 * n + k] - oz,
        t = x * dx + y * dy + z * dz;
      if (t < best && x * x + y * y + z * z - t * t < 2.2) best = t;
    }
    return best < Infinity ? ray.from.map((c, d) => c + best * h * ray.direction[d]) : null;
  }

  /** Where the line of sight meets the middle of the tank: for pouring where no water is. */
  #middle(ray) {
    const { size } = this.app.tank,
      centre = size.map((s) => s / 2);
    const normal = [ray.direction[0], 0, ray.direction[2]];
    const t =
      dot(
        centre.map((c, d) => c - ray.from[d]),
        normal,
      ) / (dot(ray.direction, normal) || 1);
    return ray.from.map((c, d) => c + t * ray.direction[d]);
  }

  #anchor(at) {
    const { app, tool } = this;
    if (app.flat) return [0, 0, 0];
    if (tool === "turn") return null;
    const ray = app.view.ray(...at, app.width, app.height),
      { size } = app.tank;
    // a particle beside the line of sight may be met before the line enters the tank
    let place = this.#hit(ray)?.map((x, d) => Math.min(size[d], Math.max(0, x)));
    if (!place && (tool === "pour" || tool === "ball")) place = this.#middle(ray);
    if (!place || place.some((x, d) => x < 0 || x > size[d])) return null;
    return Object.assign(place, { normal: ray.direction });
  }

  #down(event) {
    if (!this.app.tank) return;
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.#local(event),
      turning = event.button === 2 || event.button === 1;
    const anchor = turning ? null : this.#anchor(at);
    const pointer = { at, time: event.timeStamp, anchor, tool: anchor ? this.tool : "turn" };
    this.pointers.set(event.pointerId, pointer);
    this.app.touched();
    if (!anchor) return;
    pointer.metres = this.#metres(at, anchor);
    this.#begin(pointer);
  }

  #begin(pointer) {
    const { simulation } = this.app,
      at = pointer.metres,
      radius = this.radius(pointer.tool);
    if (pointer.tool === "pour") this.#pour(pointer);
    if (pointer.tool === "ball") simulation.hand("grab", { at, radius });
    if (pointer.tool === "erase") simulation.hand("erase", { at, radius });
    if (pointer.tool === "wall") pointer.from = at;
  }

  #pour(pointer) {
    const { app } = this,
      radius = this.radius("pour"),
      at = pointer.metres;
    const speed = 0.35 * Math.sqrt(9.81 * app.tank.size[1]);
    app.simulation.hand("pour", { at, radius, velocity: app.down().map((x) => x * speed) });
    if (!pointer.poured || Math.hypot(...at.map((x, d) => x - pointer.poured[d])) > 0.8 * radius) {
      app.drewWater(pointer.poured ?? at, at, radius);
      pointer.poured = at;
    }
  }

  #move(event) {
    const at = this.#local(event),
      pointer = this.pointers.get(event.pointerId);
    this.#setHover(at);
    if (!pointer) return;
    const before = pointer.at;
    pointer.at = at;
    if (pointer.tool === "turn") {
      this.#turn(event.pointerId, before, at);
      return;
    }
    const last = pointer.metres,
      now = this.#metres(at, pointer.anchor),
      way = now.map((x, d) => x - last[d]);
    pointer.metres = now;
    this.#work(pointer, now, way);
  }

  #work(pointer, at, way) {
    const { app } = this,
      radius = this.radius(pointer.tool);
    if (pointer.tool === "stir") {
      // velocity that a stroke as long as the tank is high would give in the time of a fall through it
      const gain = 4 * Math.sqrt(9.81 / app.tank.size[1]),
        most = 3 * Math.sqrt(9.81 * app.tank.size[1]);
      const speed = gain * Math.hypot(...way),
        share = speed > most ? most / speed : 1;
      app.simulation.hand("stir", { at, radius, velocity: way.map((x) => x * gain * share) });
    }
    if (pointer.tool === "pour") this.#pour(pointer);
    if (pointer.tool === "ball") app.simulation.hand("drag", { at });
    if (pointer.tool === "erase") app.simulation.hand("erase", { at, radius });
    if (
      pointer.tool === "wall" &&
      Math.hypot(at[0] - pointer.from[0], at[1] - pointer.from[1]) > 2 * radius
    ) {
      app.drewWall(pointer.from, at, radius);
      pointer.from = at;
    }
  }

  #turn(id, before, at) {
    const { view, flat } = this.app;
    if (flat) return;
    const turners = [...this.pointers].filter(([, pointer]) => pointer.tool === "turn");
    const other = turners.find(([key]) => key !== id)?.[1].at;
    if (other)
      view.zoom(
        Math.hypot(before[0] - other[0], before[1] - other[1]) /
          Math.max(1, Math.hypot(at[0] - other[0], at[1] - other[1])),
      );
    else view.orbit(at[0] - before[0], at[1] - before[1]);
    this.app.redraw();
  }

  #up(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    if (pointer.tool === "pour") this.app.simulation.hand("pour", { at: null });
    if (pointer.tool === "ball") this.app.simulation.hand("drop");
    if (pointer.tool === "wall" && pointer.metres.some((x, d) => x !== pointer.from[d]))
      this.app.drewWall(pointer.from, pointer.metres, this.radius("wall"));
    if (pointer.tool === "wall" || pointer.tool === "pour") this.app.drawingDone();
  }
}
