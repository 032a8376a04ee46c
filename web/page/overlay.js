// overlay.js -- lines over a 2D picture: the tank, inflows and outflows, the grid, velocities, and the hand.

function frame(pen, app, { x, y, zoom }) {
  const [nx, ny] = app.tank.cells,
    sides = app.scene.domain.sides ?? {};
  const left = x,
    right = x + nx * zoom,
    bottom = app.height - y,
    top = bottom - ny * zoom;
  const edges = {
    left: [left, top, left, bottom],
    right: [right, top, right, bottom],
    bottom: [left, bottom, right, bottom],
    top: [left, top, right, top],
  };
  for (const [side, [x0, y0, x1, y1]] of Object.entries(edges)) {
    const kind = sides[side] ?? "wall";
    pen.strokeStyle = kind === "wall" ? "#9fb4c8" : kind === "open" ? "#7f8ea0" : "#e0b050";
    pen.setLineDash(kind === "wall" ? [] : kind === "open" ? [3, 6] : [10, 5]);
    pen.lineWidth = kind === "wall" ? 2 : 1.5;
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  }
  pen.setLineDash([]);
}

function flows(pen, app, { x, y, zoom }) {
  const scale = zoom / app.tank.cellSize;
  for (const [list, colour] of [
    ["inflows", "#5fd38d"],
    ["outflows", "#ff8f6b"],
  ])
    for (const shape of app.scene[list] ?? []) {
      if ((shape.shape ?? "box") !== "box") continue;
      pen.strokeStyle = colour;
      pen.setLineDash([4, 3]);
      pen.strokeRect(
        x + shape.min[0] * scale,
        app.height - y - shape.max[1] * scale,
        (shape.max[0] - shape.min[0]) * scale,
        (shape.max[1] - shape.min[1]) * scale,
      );
      pen.setLineDash([]);
    }
}

function grid(pen, app, { x, y, zoom }) {
  const [nx, ny] = app.tank.cells;
  if (zoom < 3) return;
  pen.strokeStyle = "rgba(190, 215, 240, 0.13)";
  pen.lineWidth = 1;
  pen.beginPath();
  for (let i = 0; i <= nx; i++) {
    pen.moveTo(x + i * zoom, app.height - y);
    pen.lineTo(x + i * zoom, app.height - y - ny * zoom);
  }
  for (let j = 0; j <= ny; j++) {
    pen.moveTo(x, app.height - y - j * zoom);
    pen.lineTo(x + nx * zoom, app.height - y - j * zoom);
  }
  pen.stroke();
}

function arrows(pen, app, { x, y, zoom }) {
  const { u, v } = app.picture.fields;
  if (!u || !v) return;
  const every = Math.max(1, Math.ceil(13 / zoom)),
    [nx, ny] = app.tank.cells,
    long = every * zoom * 0.95;
  const fast = app.tank.fast * 0.8;
  pen.strokeStyle = "rgba(255, 255, 255, 0.85)";
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (let j = every >> 1; j < ny; j += every)
    for (let i = every >> 1; i < nx; i += every) {
      const a = 0.5 * (u.data[i + (nx + 1) * j] + u.data[i + 1 + (nx + 1) * j]);
      const b = 0.5 * (v.data[i + nx * j] + v.data[i + nx * (j + 1)]);
      const speed = Math.hypot(a, b);
      if (speed < 0.004 * fast) continue;
      const length = long * Math.min(1.4, Math.sqrt(speed / fast)),
        cx = (a / speed) * length,
        cy = (-b / speed) * length;
      const px = x + (i + 0.5) * zoom - cx / 2,
        py = app.height - y - (j + 0.5) * zoom - cy / 2;
      pen.moveTo(px, py);
      pen.lineTo(px + cx, py + cy);
      const head = Math.min(4, 0.45 * length) / length;
      pen.lineTo(px + cx - head * (cx + 0.6 * cy), py + cy - head * (cy - 0.6 * cx));
      pen.moveTo(px + cx, py + cy);
      pen.lineTo(px + cx - head * (cx - 0.6 * cy), py + cy - head * (cy + 0.6 * cx));
    }
  pen.stroke();
}

function hand(pen, app, { zoom }) {
  const { hover, tool } = app.hands,
    radius = (app.hands.radius() / app.tank.cellSize) * zoom;
  if (!hover || !radius) return;
  pen.strokeStyle = tool === "erase" ? "rgba(255, 120, 120, 0.8)" : "rgba(255, 255, 255, 0.55)";
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.arc(hover[0], hover[1], Math.max(2, radius), 0, 7);
  pen.stroke();
}

export function drawOverlay(canvas, app) {
  const ratio = app.ratio,
    w = Math.round(app.width * ratio),
    h = Math.round(app.height * ratio);
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, app.width, app.height);
  if (!app.flat || !app.layout) return;
  if (app.look.grid) grid(pen, app, app.layout);
  if (app.look.arrows) arrows(pen, app, app.layout);
  flows(pen, app, app.layout);
  frame(pen, app, app.layout);
  hand(pen, app, app.layout);
}
