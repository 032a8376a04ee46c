// page.mjs -- the page in Chromium, at desktop and phone size: for each control a test that fails without its handler.
//
//     node tests/web/page.mjs [WORD]      only tests whose name contains WORD; pictures go to build/web-shots
import fs from "node:fs";
import path from "node:path";
import { launch, serve } from "./browser.mjs";
import { check, finish, same, test } from "./check.mjs";
import { nativeRun, SMALL_3D } from "./native.mjs";
import { readScene, root, site } from "./node.mjs";

const shots = path.join(root, "build/web-shots");
fs.mkdirSync(shots, { recursive: true });

// ---- a server and a browser

const { address, stop } = await serve();
const browser = await launch();

const SIZES = {
  desktop: { viewport: { width: 1000, height: 640 } },
  phone: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
};
const TANK = {
  name: "Tank",
  domain: { size: [1.5, 0.75], cells: 48 },
  fill: [{ shape: "box", min: [0, 0], max: [0.6, 0.5] }],
};
const TANK_3D = {
  name: "Tank",
  domain: { size: [1, 1, 1], cells: 16 },
  fill: [{ shape: "box", min: [0, 0, 0], max: [1, 0.5, 1] }],
};

/** A page at rest with the tank, unless `where` says otherwise. */
async function open(size, where = "?threads=1", options = {}) {
  const context = await browser.newContext({
    ...SIZES[size],
    acceptDownloads: true,
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  page.problems = [];
  page.on(
    "console",
    (message) =>
      ["error", "warning"].includes(message.type()) &&
      !/GPU stall|swiftshader/i.test(message.text()) &&
      page.problems.push(message.text()),
  );
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(address + where);
  return page;
}

/** Pages that tests with a small scene use one after another, loaded anew for each. Half of the pixels along each
 * side, for the processor draws them. */
const kept = {};

async function load(size) {
  const where = "?threads=1";
  if (!kept[size]) return (kept[size] = await open(size, where, { deviceScaleFactor: 0.5 }));
  kept[size].problems = [];
  await kept[size].goto("about:blank");
  await kept[size].goto(address + where);
  return kept[size];
}

/** Runs a body with such a page; if it fails, the next one gets another. */
async function withTank(size, scene, body) {
  const page = await tank(size, scene);
  try {
    await body(page, size);
    same(page.problems, [], "console");
  } catch (error) {
    delete kept[size];
    await page.context().close();
    throw error;
  }
}

async function tank(size, scene = TANK) {
  const page = await load(size);
  await page.waitForSelector("body[data-ready]");
  await page.evaluate((value) => spate.change(value), scene);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => spate.flat === false || spate.layout);
  return page;
}

const ask = (page, what, options) =>
  page.evaluate(([w, o]) => spate.simulation.ask(w, o), [what, options ?? {}]);
const stats = async (page) => (await ask(page, "stats")).answer;
const scene = (page) => page.evaluate(() => spate.scene);
const press = (page, id) => page.evaluate((name) => document.getElementById(name).click(), id);
const picture = (page) =>
  page.evaluate(() => ({
    steps: spate.picture.steps,
    time: spate.picture.time,
    particles: spate.picture.particles,
    hands: spate.picture.hands,
  }));

/** Metres in the tank (2D) to a place on the screen. */
const place = (page, at) =>
  page.evaluate(([x, y]) => {
    const { layout, tank, height } = spate,
      box = document.getElementById("view").getBoundingClientRect();
    return [
      box.left + layout.x + (x / tank.cellSize) * layout.zoom,
      box.top + height - layout.y - (y / tank.cellSize) * layout.zoom,
    ];
  }, at);

async function drag(page, from, to, { parts = 6, hold = 0 } = {}) {
  const [x0, y0] = from,
    [x1, y1] = to;
  await page.mouse.move(x0, y0);
  await page.mouse.down();
  for (let k = 1; k <= parts; k++)
    await page.mouse.move(x0 + ((x1 - x0) * k) / parts, y0 + ((y1 - y0) * k) / parts);
  if (hold) await page.waitForTimeout(hold);
  await page.mouse.up();
}

async function slide(page, id, value) {
  await page.evaluate(
    ([name, v]) => {
      const input = document.getElementById(name);
      input.value = v;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    [id, value],
  );
}

async function downloaded(page, act) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}

/** A test at both sizes. */
async function both(name, body, value) {
  for (const size of Object.keys(SIZES))
    await test(`${name}_${size}`, () => withTank(size, value, body));
}

async function alone(name, body, value) {
  await test(name, () => withTank("desktop", value, body));
}

// ---- it starts

for (const size of Object.keys(SIZES))
  await test(`starts_${size}`, async () => {
    const page = await open(size, "?threads=1", { reducedMotion: "no-preference" });
    await page.waitForFunction(() => globalThis.spate?.drawn > 0 && spate.picture.steps > 0);
    await page.screenshot({ path: path.join(shots, `start-${size}.png`) });
    same(page.problems, []);
    same(
      await page.evaluate(() => document.getElementById("title").textContent),
      readScene("dam_break_2d").name,
    );
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(overflow <= 0, `the page is ${overflow} px too wide`);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select")]
        .filter((item) => {
          const box = item.getBoundingClientRect();
          return (
            box.width &&
            item.closest("#top, #tools, #transport") &&
            (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < 0)
          );
        })
        .map((item) => item.id),
    );
    same(cut, [], "controls outside of the page");
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, textarea, [role=img]")]
        .filter(
          (item) => !(item.textContent.trim() || item.getAttribute("aria-label") || item.labels?.length),
        )
        .map((item) => item.outerHTML.slice(0, 80)),
    );
    same(nameless, [], "controls without a name");
    await page.context().close();
  });

for (const threads of [1, 2])
  for (const [name, value] of [
    ["dam_break_2d", readScene("dam_break_2d")],
    ["small_3d", SMALL_3D],
  ])
    await test(`same_bits_${name}_${threads}_threads`, async () => {
      const native = nativeRun(value, 100),
        page = await open("desktop", `?threads=${threads}`);
      await page.waitForSelector("body[data-ready]");
      same(await page.evaluate(() => spate.threads), threads);
      await page.evaluate((v) => spate.change(v), value);
      const { answer, frame } = await ask(page, "hash", { steps: native.steps });
      same([frame, answer], [native.frame, native.hash]);
      await page.context().close();
    });

await test("rests_with_reduced_motion", async () => {
  const page = await open("desktop");
  await page.waitForSelector("body[data-ready]");
  await page.waitForTimeout(500);
  same((await picture(page)).steps, 0);
  await page.context().close();
});

for (const [word, take] of [
  ["WebGL2", () => (HTMLCanvasElement.prototype.getContext = () => null)],
  ["WebAssembly SIMD", () => (WebAssembly.validate = () => false)],
  ["WebAssembly", () => delete globalThis.WebAssembly],
])
  await test(`says_what_is_missing_${word.toLowerCase().replace(" ", "_")}`, async () => {
    const context = await browser.newContext(),
      page = await context.newPage();
    await page.addInitScript(take);
    await page.goto(address);
    await page.waitForSelector("#failure:not([hidden])");
    const text = await page.textContent("#failure");
    check(text.startsWith(`This browser has no ${word}.`), text);
    same(await page.evaluate(() => document.body.dataset.ready), undefined);
    await context.close();
  });

await test("says_that_the_core_is_not_there", async () => {
  const context = await browser.newContext(),
    page = await context.newPage();
  await page.route("**/*.wasm", (route) => route.abort());
  await page.goto(address);
  await page.waitForSelector("#failure:not([hidden])");
  check(/^The page could not start: /.test(await page.textContent("#failure")), "no word of it");
  await context.close();
});

// ---- time

await both("play_pause", async (page) => {
  await page.click("#play");
  await page.waitForFunction(() => spate.picture.steps > 3);
  await page.click("#play");
  await page.waitForTimeout(600);
  const before = (await picture(page)).steps;
  await page.waitForTimeout(400);
  same((await picture(page)).steps, before);
});

await both("step_and_reset", async (page) => {
  await page.click("#step");
  await page.waitForFunction(() => spate.picture.steps === 1);
  await page.click("#reset");
  await page.waitForFunction(() => spate.picture.steps === 0);
  same((await picture(page)).time, 0);
});

await alone("speed", async (page) => {
  await page.evaluate(() => {
    globalThis.sent = [];
    const { worker } = spate.simulation,
      post = worker.postMessage.bind(worker);
    worker.postMessage = (message, transfer) => (sent.push(message), post(message, transfer));
  });
  await slide(page, "speed", "-3");
  same(await page.textContent("#speed-value"), "1/8×");
  same(await page.evaluate(() => sent.find(({ type }) => type === "speed")?.value), 0.125);
});

// ---- hands

await both("stir", async (page) => {
  await drag(page, await place(page, [0.2, 0.3]), await place(page, [0.45, 0.3]));
  check((await stats(page)).momentum_x > 1, "the water stands still");
});

await both("pour", async (page) => {
  await press(page, "tool-pour");
  const before = (await stats(page)).particles,
    at = await place(page, [1.1, 0.5]);
  await drag(page, at, at, { parts: 1, hold: 300 });
  const after = (await stats(page)).particles;
  check(after > before + 10, `${before} to ${after}`);
  check((await scene(page)).fill.length > 1, "water drawn before the start is no part of the scene");
  for (let k = 0; k < 8; k++) await press(page, "step"); // what was poured falls, and leaves its place empty
  await page.waitForFunction(() => spate.picture.steps === 8);
  same((await stats(page)).particles, after, "goes on without a hand");
});

await both("erase", async (page) => {
  await press(page, "tool-erase");
  const before = (await stats(page)).particles;
  await drag(page, await place(page, [0.2, 0.2]), await place(page, [0.4, 0.2]));
  check((await stats(page)).particles < before - 50, "nothing is gone");
});

await both("ball", async (page) => {
  await press(page, "tool-ball");
  const from = await place(page, [0.9, 0.3]),
    to = await place(page, [0.75, 0.3]);
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to);
  for (let k = 0; k < 12; k++) await press(page, "step");
  await page.waitForFunction(() => spate.picture.steps === 12);
  await page.mouse.up();
  const { hands } = await picture(page);
  check(Math.abs(hands.ball[0] - 0.75) < 0.02, `the ball is at ${hands.ball}`);
  same((await stats(page)).in_solid, 0);
});

await both("wall_and_its_end", async (page) => {
  await press(page, "tool-wall");
  await drag(page, await place(page, [0.8, 0.1]), await place(page, [1.1, 0.4]));
  const { solids } = await scene(page);
  check(solids?.length > 1 && solids[0].shape === "capsule", "no wall in the scene");
  check(/capsule/.test(await page.inputValue("#text")), "no wall in the text");
  await page.evaluate(() => spate.change(spate.scene)); // the scene is a good one
  await press(page, "tool-erase");
  await drag(page, await place(page, [0.8, 0.1]), await place(page, [1.1, 0.4]), { parts: 24 });
  await page.waitForFunction(() => spate.scene.solids.length === 0);
});

await alone(
  "drag_a_solid_of_the_scene",
  async (page) => {
    await press(page, "tool-ball");
    await page.mouse.move(...(await place(page, [1.1, 0.3])));
    await page.mouse.down();
    await page.mouse.move(...(await place(page, [1.1, 0.4])));
    for (let k = 0; k < 8; k++) await press(page, "step");
    await page.waitForFunction(() => spate.picture.steps === 8);
    await page.mouse.up();
    same((await picture(page)).hands.ball, null, "a ball was made instead");
  },
  { ...TANK, solids: [{ shape: "sphere", center: [1.1, 0.3], radius: 0.1 }] },
);

// a ball of water in the air: what does not lean falls straight down
await both(
  "tilt",
  async (page) => {
    await slide(page, "tilt", "60");
    for (let k = 0; k < 3; k++) await press(page, "step");
    await page.waitForFunction(() => spate.picture.steps === 3);
    check((await stats(page)).momentum_x > 5, "the water does not lean");
  },
  { ...TANK, fill: [{ shape: "sphere", center: [0.75, 0.4], radius: 0.15 }] },
);

await test("two_fingers", () =>
  withTank("phone", TANK, async (page) => {
    const [a, b] = [await place(page, [0.15, 0.3]), await place(page, [0.45, 0.3])];
    const client = await page.context().newCDPSession(page);
    const touch = (type, dy) =>
      client.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: dy === null ? [] : [a, b].map(([x, y], id) => ({ x, y: y - dy, id })),
      });
    await touch("touchStart", 0);
    for (let dy = 5; dy <= 25; dy += 5) await touch("touchMove", dy);
    same(await page.evaluate(() => spate.hands.pointers.size), 2);
    await touch("touchEnd", null);
    check((await stats(page)).momentum_y > 1, "the fingers do not lift the water");
  }),
);

// ---- settings, editor, share

await both("slider", async (page) => {
  await press(page, "step");
  await page.waitForFunction(() => spate.picture.steps === 1);
  const { time } = await picture(page);
  await slide(page, "set-fluid.flip_ratio", "0.5");
  await page.waitForFunction(() => spate.scene.fluid?.flip_ratio === 0.5);
  same(JSON.parse(await page.inputValue("#text")).fluid, { flip_ratio: 0.5 });
  await page.waitForFunction((t) => spate.picture.time === t, time); // the water is where it was
  await slide(page, "set-fluid.flip_ratio", "0.97");
  await page.waitForFunction(() => spate.scene.fluid === undefined);
});

await alone("choice_and_number", async (page) => {
  await page.evaluate(() => {
    const select = document.getElementById("set-fluid.transfer");
    select.value = "apic";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await page.waitForFunction(() => spate.scene.fluid?.transfer === "apic");
  await slide(page, "set-pressure.tolerance", "-1");
  await page.waitForFunction(() =>
    /must be positive/.test(
      document.getElementById("set-pressure.tolerance").closest(".setting").textContent,
    ),
  );
  same((await scene(page)).pressure, undefined);
});

await both("editor", async (page) => {
  if (await page.evaluate(() => document.getElementById("app").classList.contains("panel-hidden")))
    await page.click("#panel-toggle");
  await page.click("#tab-scene");
  const before = (await ask(page, "hash")).answer,
    good = await page.inputValue("#text");
  for (const [text, words] of [
    [
      good.replace('"max": [0.6, 0.5]', '"max": [0.6]'),
      /line \d+, column \d+: fill\[0\]\.max: must have 2 numbers/,
    ],
    [good.replace('"cells"', '"cels"'), /domain\.cels: unknown setting.*did you mean/],
    [good.replace("{", "{ oops"), /line 1, column 3: a key in double quotes/],
  ]) {
    await page.fill("#text", text);
    await page.click("#apply");
    await page.waitForSelector("#problem:not([hidden])");
    check(words.test(await page.textContent("#problem")), await page.textContent("#problem"));
    same((await ask(page, "hash")).answer, before, "the old scene is gone");
  }
  await page.fill("#text", good.replace("0.6, 0.5", "0.4, 0.4"));
  await page.press("#text", "Control+Enter");
  await page.waitForFunction(() => spate.scene.fill[0].max[0] === 0.4);
  check((await ask(page, "hash")).answer !== before, "still the old scene");
});

await alone("share", async (page) => {
  await slide(page, "set-fluid.flip_ratio", "0.25");
  await page.waitForFunction(() => spate.scene.fluid?.flip_ratio === 0.25);
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#s="));
  const link = page.url(),
    other = await page.context().newPage();
  await other.goto(link);
  await other.waitForSelector("body[data-ready]");
  same(await scene(other), await scene(page));
  await other.close();
});

await alone("save_and_open", async (page) => {
  const { name, bytes } = await downloaded(page, () => press(page, "save"));
  same(name, "tank.json");
  same(JSON.parse(bytes), TANK);
  await page.setInputFiles("#open", {
    name: "other.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ ...TANK, name: "Other" })),
  });
  await page.waitForFunction(() => document.getElementById("title").textContent === "Other");
});

await alone("take_away", async (page) => {
  const shot = await downloaded(page, () => page.click("#shot"));
  same([shot.name, shot.bytes.subarray(1, 4).toString()], ["tank.png", "PNG"]);
  check(shot.bytes.length > 3000, "an empty picture");
  const ply = await downloaded(page, () => press(page, "ply"));
  const head = ply.bytes.subarray(0, 300).toString("latin1"),
    count = (await picture(page)).particles;
  check(head.includes(`element vertex ${count}\n`), head);
  const body = ply.bytes.subarray(ply.bytes.indexOf("end_header\n") + 11);
  same(body.length, 24 * count);
  check(body.readFloatLE(0) >= 0 && body.readFloatLE(0) <= 0.6, "positions are no metres");
  await page.click("#film");
  await page.click("#play");
  await page.waitForFunction(() => spate.picture.steps > 5);
  await page.waitForTimeout(1500);
  const film = await downloaded(page, () => page.click("#film"));
  check(
    /^tank\.(webm|mp4)$/.test(film.name) && film.bytes.length > 1000,
    `${film.name} ${film.bytes.length}`,
  );
});

// ---- menu, looks, stages

await both("menu", async (page) => {
  await page.click("#scenes");
  await page.waitForSelector("#menu[open]");
  await page.waitForTimeout(300);
  await page.screenshot({ path: path.join(shots, `menu-${page.viewportSize().width}.png`) });
  await page.click('[data-scene="drop_2d"]');
  await page.waitForFunction(() => /^Drop/.test(document.getElementById("title").textContent));
  check(page.url().includes("scene=drop_2d"), page.url());
  await page.keyboard.press("m");
  await page.waitForSelector("#menu[open]");
  await page.keyboard.press("Escape");
});

for (const { name } of JSON.parse(fs.readFileSync(path.join(site, "scenes/index.json"))))
  await test(`preset_${name}`, async () => {
    const page = await open("desktop", `?threads=1&scene=${name}`);
    await page.waitForSelector("body[data-ready]");
    await ask(page, "hash", { steps: 6 });
    await page.waitForFunction(() => spate.picture.steps === 6);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await page.screenshot({ path: path.join(shots, `preset-${name}.png`) });
    same(page.problems, []);
    await page.context().close();
  });

const pixels = (page) =>
  page.evaluate(() => {
    spate.draw();
    return document.getElementById("view").toDataURL();
  });

for (const [name, value] of [
  ["2d", TANK],
  ["3d", TANK_3D],
])
  await alone(
    `modes_${name}`,
    async (page) => {
      const water = await pixels(page);
      await page.click('[data-mode="particles"]');
      check((await pixels(page)) !== water, "particles look like water");
      await page.click('[data-mode="water"]');
      same((await pixels(page)) === water, true, "not the same water");
    },
    value,
  );

await alone("fields", async (page) => {
  await page.click("#tab-learn");
  await press(page, "step");
  await page.waitForFunction(() => spate.picture.steps === 1);
  const seen = new Set([await pixels(page)]);
  for (const field of ["p", "div_before", "div_after", "ppc", "type"]) {
    await page.click(`[data-field="${field}"]`);
    await page.waitForFunction((name) => spate.picture.fields[name], field);
    await page.waitForSelector("#legend:not([hidden])");
    if (field.startsWith("div")) await press(page, "step");
    await page.waitForTimeout(200);
    seen.add(await pixels(page));
  }
  same(seen.size, 6, "different pictures");
  const lines = () =>
    page.evaluate(() => {
      spate.draw();
      return document.getElementById("overlay").toDataURL();
    });
  const without = await lines();
  await page.check("#show-arrows");
  await page.waitForFunction(() => spate.picture.fields.u && spate.picture.fields.v);
  const arrows = await lines();
  check(arrows !== without, "no arrows");
  await page.uncheck("#show-grid");
  check((await lines()) !== arrows, "the grid stays");
});

await alone("stages", async (page) => {
  await page.click("#tab-learn");
  const names = await page.evaluate(() =>
    [...document.querySelectorAll("#stages li")].map((item) => item.dataset.stage),
  );
  for (const name of names) {
    await page.click("#next-stage");
    await page.waitForSelector(`#stages li[data-stage="${name}"][aria-current="step"]`);
    check(
      (await page.textContent(`#stages li[data-stage="${name}"] p`)).length > 40,
      `${name} is not explained`,
    );
    if (name === "pressure") await page.screenshot({ path: path.join(shots, "stage-pressure.png") });
  }
  const staged = (await ask(page, "hash")).answer;
  await page.click("#reset");
  await page.waitForFunction(() => spate.picture.steps === 0);
  await page.click("#step");
  await page.waitForFunction(() => spate.picture.steps === 1);
  same((await ask(page, "hash")).answer, staged, "stages are no step");
});

await alone("measurements", async (page) => {
  await press(page, "step");
  await page.waitForFunction(() => /per cell/.test(document.getElementById("numbers").textContent));
  const text = await page.textContent("#numbers");
  for (const word of ["frames/s", "steps/s", "particles", "iterations", "volume drift", "momentum"])
    check(text.includes(word), `${word}: ${text}`);
  same(
    await page.evaluate(() => document.querySelectorAll("#bars span").length),
    await page.evaluate(() => spate.learn.stages.length),
  );
  const warnings = await page.evaluate(async () => {
    const { answer } = await spate.simulation.ask("stats");
    const say = (change) => {
      const stats = { ...answer, ...change };
      spate.hud.update({ stats, rate: { steps: 1, busy: 1, seconds: 1 }, perCell: 4, open: false });
      return [...document.querySelectorAll("#numbers .warn")].map((cell) => cell.title.split(" ").at(-1));
    };
    return [say({}), say({ ppc_max: 25 }), say({ solver_failures: 1 }), say({ volume: 0.9 * answer.volume })];
  });
  same(warnings, [[], ["lost."], ["converge."], ["start."]]);
  check(
    await page.evaluate(() => {
      const chart = document.getElementById("chart");
      return chart.getContext("2d").getImageData(0, 0, chart.width, chart.height).data.some(Boolean);
    }),
    "the chart is empty",
  );
  await page.uncheck("#show-hud");
  check(await page.isHidden("#hud"), "still there");
});

await both("panel_and_tabs", async (page, size) => {
  const shown = await page.isVisible("#panel");
  same(shown, size === "desktop");
  await page.click("#panel-toggle");
  same(await page.isVisible("#panel"), !shown);
  if (shown) await page.click("#panel-toggle");
  for (const tab of ["settings", "learn", "scene", "look"]) {
    await page.click(`#tab-${tab}`);
    check(await page.isVisible(`#pane-${tab}`), tab);
    await page.screenshot({ path: path.join(shots, `${tab}-${size}.png`) });
  }
});

await alone("keyboard", async (page) => {
  await page.focus("#view");
  await page.keyboard.press(".");
  await page.waitForFunction(() => spate.picture.steps === 1);
  await page.keyboard.press(",");
  await page.waitForFunction(() => spate.picture.stage === "solids");
  for (const [key, tool] of [
    ["2", "pour"],
    ["5", "erase"],
    ["1", "stir"],
  ]) {
    await page.keyboard.press(key);
    same(await page.evaluate(() => spate.hands.tool), tool);
  }
  await page.keyboard.press("6"); // turning the view is for 3D
  same(await page.evaluate(() => spate.hands.tool), "stir");
  await page.keyboard.press("ArrowRight");
  same(await page.inputValue("#tilt"), "5");
  await page.keyboard.press("-");
  same((await page.textContent("#speed-value")) !== "1×", true);
  await page.keyboard.press("k");
  check(await page.isHidden("#panel"), "k");
  await page.keyboard.press(" ");
  await page.waitForFunction(() => spate.picture.steps > 3);
  await page.keyboard.press(" ");
  same(await page.evaluate(() => spate.simulation.playing), false);
  await page.keyboard.press("r");
  await page.waitForFunction(() => spate.picture.steps === 0);
  await page.focus("#tool-stir");
  await page.keyboard.press("ArrowDown");
  same(await page.evaluate(() => [spate.hands.tool, document.activeElement.id]), ["pour", "tool-pour"]);
});

// ---- 3D

await both(
  "orbit_and_zoom",
  async (page, size) => {
    const yaw = () => page.evaluate(() => spate.view.camera.yaw),
      box = await page.locator("#view").boundingBox();
    const [x, y] = [box.x + 0.85 * box.width, box.y + 0.24 * box.height],
      before = await yaw();
    await drag(page, [x, y], [x - 60, y]);
    check(Math.abs((await yaw()) - before) > 0.2, "does not turn beside the water");
    await press(page, "tool-turn");
    const turned = await yaw(),
      middle = [box.x + box.width / 2, box.y + 0.55 * box.height];
    await drag(page, middle, [middle[0] + 60, middle[1]]);
    check(Math.abs((await yaw()) - turned) > 0.2, "the tool does not turn");
    if (size === "desktop") {
      const distance = await page.evaluate(() => spate.view.camera.distance);
      await page.mouse.wheel(0, -300);
      await page.waitForFunction((d) => spate.view.camera.distance < d, distance);
    }
    check(await page.isHidden("#tool-wall"), "walls are drawn in 2D only");
    await page.screenshot({ path: path.join(shots, `turned-${size}.png`) });
  },
  TANK_3D,
);

for (const [tool, good] of [
  ["stir", (a, b) => b.kinetic_energy > a.kinetic_energy + 0.1],
  ["erase", (a, b) => b.particles < a.particles],
  ["pour", (a, b) => b.particles > a.particles],
])
  await alone(
    `poke_3d_${tool}`,
    async (page) => {
      await press(page, `tool-${tool}`);
      const box = await page.locator("#view").boundingBox(),
        before = await stats(page);
      const at = [box.x + 0.5 * box.width, box.y + (tool === "pour" ? 0.42 : 0.56) * box.height];
      await drag(page, at, [at[0] + 40, at[1]], { hold: 200 });
      const after = await stats(page);
      check(good(before, after), JSON.stringify([before, after].map((s) => [s.particles, s.kinetic_energy])));
    },
    TANK_3D,
  );

await browser.close();
stop();
finish();
