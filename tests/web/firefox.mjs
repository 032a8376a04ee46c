// firefox.mjs -- the page in Firefox, over WebDriver BiDi: it starts, moves, has the bits of the command, answers to
// the hand, and draws 3D. What each control does is tested in Chromium (page.mjs).
//
//     xvfb-run node tests/web/firefox.mjs [WORD]      only tests whose name contains WORD; pictures go to build/web-shots
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { serve } from "./browser.mjs";
import { check, finish, same, test } from "./check.mjs";
import { nativeRun } from "./native.mjs";
import { readScene, root } from "./node.mjs";

const modules = process.env.SPATE_NODE_MODULES ?? path.join(root, "build/firefox-tests");
const puppeteer = createRequire(path.join(modules, "x.js"))("puppeteer-core");
const shots = path.join(root, "build/web-shots");
fs.mkdirSync(shots, { recursive: true });

const { address, stop } = await serve();
const launch = (headless) =>
  puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    headless,
    extraPrefsFirefox: { "webgl.force-enabled": true }, // by software too
    timeout: 120000,
    protocolTimeout: 300000,
  });
const browser = await launch(false);

async function open(where) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1000, height: 640 });
  page.setDefaultTimeout(120000);
  page.problems = [];
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(address + where);
  await page.waitForSelector("body[data-ready]");
  return page;
}

await test("firefox_starts_and_moves", async () => {
  const page = await open("");
  await page.waitForFunction(() => spate.drawn > 3 && spate.picture.steps > 10);
  await page.screenshot({ path: path.join(shots, "firefox-2d.png") });
  same(page.problems, []);
  await page.close();
});

for (const threads of [1, 2])
  await test(`firefox_same_bits_${threads}_threads`, async () => {
    const value = readScene("dam_break_2d"),
      native = nativeRun(value, 40),
      page = await open(`?threads=${threads}`);
    same(await page.evaluate(() => spate.threads), threads);
    await page.evaluate(async (v) => (spate.play(false), spate.change(v)), value);
    const { answer, frame } = await page.evaluate(
      (steps) => spate.simulation.ask("hash", { steps }),
      native.steps,
    );
    same([frame, answer], [native.frame, native.hash]);
    same(page.problems, []);
    await page.close();
  });

await test("firefox_stir", async () => {
  const page = await open("?threads=1&scene=hydrostatic_2d");
  const energy = () => page.evaluate(async () => (await spate.simulation.ask("stats")).answer.kinetic_energy);
  const before = await energy();
  const [x, y] = await page.evaluate(() => {
    const { layout, tank, height } = spate,
      box = document.getElementById("view").getBoundingClientRect();
    const at = (share, d) => (share * tank.size[d] * layout.zoom) / tank.cellSize;
    return [box.left + layout.x + at(0.5, 0), box.top + height - layout.y - at(0.2, 1)];
  });
  await page.mouse.move(x - 60, y);
  await page.mouse.down();
  for (let k = 0; k < 12; k++) await page.mouse.move(x - 60 + 10 * k, y);
  await page.mouse.up();
  await page.waitForFunction(() => spate.picture.steps > 0);
  const after = await energy();
  check(after > 10 * before && after > 1, `kinetic energy ${before} J, then ${after} J`);
  same(page.problems, []);
  await page.close();
});

await test("firefox_3d", async () => {
  const page = await open("?threads=1&scene=drop");
  await page.waitForFunction(() => spate.flat === false && spate.drawn > 1);
  await page.screenshot({ path: path.join(shots, "firefox-3d.png") });
  same(page.problems, []);
  await page.close();
});

await browser.close();

// the real thing: without a screen this browser has no WebGL at all
await test("firefox_without_webgl", async () => {
  const bare = await launch(true),
    page = await bare.newPage();
  await page.goto(address);
  const has = await page.evaluate(() => Boolean(document.createElement("canvas").getContext("webgl2")));
  await page.waitForSelector(has ? "body[data-ready]" : "#failure:not([hidden])", { timeout: 120000 });
  const words = await page.evaluate(() => document.getElementById("failure").textContent);
  check(has || words.startsWith("This browser has no WebGL2."), words);
  await bare.close();
});

stop();
finish();
