// worker.js -- the simulation's own thread: takes orders, steps the core, and sends pictures of its state.
//
// Time goes by steps, the same steps that `spate run` takes. Two buffers for particles travel between here and
// the page; without a free one the page is behind, and steps go on without a picture.
import { loadCore, SceneError } from "./core.mjs";

const STATS_EVERY = 250; // ms: statistics walk over all particles
const LONGEST_TURN = 30; // ms of stepping before a picture
const MOST_BEHIND = 0.1; // s of simulated time that is caught up after a slow turn

let core = null;
let playing = false,
  speed = 1;
let owed = 0; // s of simulated time still to do
let last = performance.now();
let dirty = false; // something to show
let watched = []; // fields that the page draws
let buffers = [null, null]; // free ones
let statsAt = 0;
let rate = { steps: 0, busy: 0, since: performance.now() };
let hasSolids = false,
  solidsMove = false,
  solidsSent = false;
let scheduled = false;

// what hands do between steps
let pouring = null; // { at, radius, velocity }
let grabbed = null; // { id, target }
let ball = null; // { id, at, radius }
const moved = new Map(); // id of a solid: its displacement
const bars = new Map(); // id of a drawn wall: its name in the scene

const channel = new MessageChannel();
channel.port1.onmessage = () => {
  scheduled = false;
  turn();
};
function wake() {
  if (scheduled) return;
  scheduled = true;
  channel.port2.postMessage(0);
}

// ---- pictures

function columnsTo(buffer) {
  const columns = core.particles(),
    { particles: count } = core.clock();
  const size = 6 * count * 4;
  if (!buffer || buffer.byteLength < size) buffer = new ArrayBuffer(4 * Math.ceil(0.3 * size) + 64);
  const floats = new Float32Array(buffer);
  columns.forEach((column, k) => {
    if (column) floats.set(column, k * count);
    else floats.fill(0, k * count, (k + 1) * count);
  });
  return buffer;
}

function sendPicture(force, withStats = force) {
  if (buffers.length === 0 && !force) return false;
  const buffer = columnsTo(buffers.pop());
  const picture = { type: "picture", buffer, ...core.clock(), stage: core.nextStage, fields: {} };
  const transfer = [buffer];
  for (const name of watched) {
    const field = core.field(name);
    if (!field) continue;
    picture.fields[name] = field;
    transfer.push(field.data.buffer);
  }
  if (hasSolids && (solidsMove || !solidsSent)) {
    picture.solid = core.field("solid");
    transfer.push(picture.solid.data.buffer);
    solidsSent = true;
  }
  const now = performance.now();
  if (withStats || (!force && now - statsAt > STATS_EVERY)) {
    picture.stats = core.stats();
    picture.rate = { steps: rate.steps, busy: rate.busy, seconds: (now - rate.since) / 1000 };
    rate = { steps: 0, busy: 0, since: now };
    statsAt = now;
  }
  picture.hands = { ball: ball && [...ball.at], radius: ball?.radius };
  postMessage(picture, transfer);
  dirty = false;
  return true;
}

// ---- stepping

/** The farthest that a hand moves a solid in a step: some times the speed of a fall through the tank. */
function reachOfHand() {
  return 2.5 * Math.sqrt(9.81 * core.size[1]) * Math.max(core.clock().dt, 0.002);
}

function moveGrabbed() {
  if (!grabbed) return;
  const now = moved.get(grabbed.id) ?? [0, 0, 0];
  const way = grabbed.target.map((x, d) => x - now[d]),
    length = Math.hypot(...way);
  const share = length > 0 ? Math.min(1, reachOfHand() / length) : 0;
  const next = now.map((x, d) => x + share * way[d]);
  core.moveSolid(grabbed.id, next);
  moved.set(grabbed.id, next);
  if (ball?.id === grabbed.id) ball.at = ball.placed.map((x, d) => x + next[d]);
}

function pourNow() {
  if (pouring) core.pour(pouring.at, pouring.radius, pouring.velocity);
}

function stepOnce() {
  moveGrabbed();
  pourNow();
  core.step();
  rate.steps++;
  dirty = true;
}

function turn() {
  if (!core?.dim) return;
  const now = performance.now();
  if (playing) {
    owed = Math.min(owed + ((now - last) / 1000) * speed, Math.max(MOST_BEHIND * speed, core.clock().dt));
    try {
      while (owed > 0 && performance.now() - now < LONGEST_TURN) {
        const before = performance.now();
        stepOnce();
        owed -= core.clock().dt;
        rate.busy += performance.now() - before;
      }
    } catch (error) {
      playing = false;
      fail(error);
    }
  } else if (pouring) {
    pourNow();
    dirty = true;
  }
  last = now;
  if (dirty) sendPicture(false);
  if (playing || pouring) setTimeout(wake, playing && owed > 0 ? 0 : 4);
}

function fail(error) {
  postMessage({
    type: "failed",
    where: error.where ?? "",
    message: error.what ?? error.message,
    scene: error instanceof SceneError,
  });
}

// ---- orders

function load({ scene, files, keep, id }) {
  try {
    const keptBall = keep ? ball : null;
    const warnings = core.load(scene, { files, keep });
    ball = null;
    grabbed = pouring = null;
    moved.clear();
    bars.clear();
    (scene.solids ?? []).forEach((solid, k) => solid.name?.startsWith("drawn ") && bars.set(k, solid.name));
    hasSolids = (scene.solids ?? []).length > 0;
    solidsMove = (scene.solids ?? []).some((solid) => solid.motion?.length || solid.velocity?.some(Boolean));
    if (keptBall) placeBall(keptBall.at, keptBall.radius);
    solidsSent = false;
    owed = 0;
    statsAt = 0;
    postMessage({
      type: "loaded",
      id,
      warnings,
      kept: keep,
      dim: core.dim,
      cells: core.cells,
      size: core.size,
      cellSize: core.cellSize,
      hasSolids,
      hash: core.hash(),
    });
  } catch (error) {
    postMessage({ type: "refused", id, where: error.where ?? "", message: error.what ?? error.message });
    return;
  }
  sendPicture(true, false); // at once; the statistics come with the next one
  dirty = true;
  wake();
}

function placeBall(at, radius) {
  const id = core.addBall(at, radius);
  if (id < 0) return -1;
  ball = { id, at: [...at], placed: [...at], radius };
  moved.set(id, [0, 0, 0]);
  hasSolids = true;
  solidsMove = true;
  return id;
}

function grab({ at, radius }) {
  let id = core.findSolid(at, 0);
  const isWall = bars.has(id);
  if (id < 0 || isWall) {
    if (ball) core.removeSolid(ball.id);
    ball = null;
    id = placeBall(at, radius);
  }
  if (id < 0) return;
  const base = moved.get(id) ?? [0, 0, 0];
  grabbed = { id, from: [...at], base, target: [...base] };
  solidsMove = hasSolids = true;
  dirty = true;
}

function drag({ at }) {
  if (grabbed) grabbed.target = grabbed.base.map((x, d) => x + at[d] - grabbed.from[d]);
}

function erase({ at, radius }) {
  core.erase(at, radius);
  const id = core.findSolid(at, radius);
  if (bars.has(id) || id === ball?.id) {
    core.removeSolid(id);
    if (bars.has(id)) postMessage({ type: "wall erased", name: bars.get(id) });
    bars.delete(id);
    if (id === ball?.id) ball = null;
    solidsSent = false;
  }
}

function wall({ from, to, radius, name }) {
  const id = core.addBar(from, to, radius);
  if (id >= 0) bars.set(id, name);
  hasSolids = true;
  solidsSent = false;
}

const hands = {
  stir: ({ at, radius, velocity }) => core.stir(at, radius, velocity),
  pour: (order) => (pouring = order.at ? order : null),
  grab,
  drag,
  drop: () => (grabbed = null),
  erase,
  wall,
  gravity: ({ value }) => core.gravity(value),
};

/** One step, or the next stage of one, when the clock stands. */
function single(run) {
  playing = false;
  try {
    run();
    solidsSent = false;
    dirty = true;
    sendPicture(true);
  } catch (error) {
    fail(error);
  }
}

const orders = {
  load,
  play: () => {
    playing = true;
    owed = 0;
    last = performance.now();
    wake();
  },
  pause: () => (playing = false),
  step: () => single(() => (core.nextStage === core.stages[0] ? stepOnce() : core.step())),
  stage: () => single(() => core.stage()),
  speed: ({ value }) => (speed = value),
  watch: ({ fields }) => {
    watched = fields;
    core.watchDivergence(fields.some((name) => name.startsWith("div_")));
    dirty = true;
    if (core.dim) wake();
  },
  hand: (order) => {
    hands[order.hand](order);
    if (order.hand !== "stir" && order.hand !== "gravity") dirty = true;
    wake();
  },
  back: ({ buffer }) => {
    buffers.push(buffer);
    if (dirty) wake();
  },
  ask: ({ what, id, steps }) => {
    try {
      for (let k = 0; k < (steps ?? 0); k++) core.step();
      const answer = what === "ply" ? columnsTo(null) : what === "stats" ? core.stats() : core.hash();
      postMessage({ type: "answer", id, answer, ...core.clock() });
      if (steps) sendPicture(true);
    } catch (error) {
      postMessage({ type: "answer", id, error: error.message });
    }
  },
};

// the page compiles the core's code while this worker starts
let takeCode;
const code = new Promise((resolve) => (takeCode = resolve));

onmessage = async ({ data }) => {
  if (data.type === "code") {
    takeCode(data.code);
    return;
  }
  if (data.type === "start") {
    try {
      core = await loadCore(new URL("core/", data.base), data.threads, code);
      const { schema, stages, stageWhats } = core;
      postMessage({ type: "ready", schema, stages, stageWhats, threads: data.threads });
    } catch (error) {
      postMessage({ type: "broken", message: String(error?.message ?? error) });
    }
    return;
  }
  orders[data.type](data);
};
