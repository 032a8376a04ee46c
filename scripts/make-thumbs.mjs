// make-thumbs.mjs -- the pictures of the menu: every preset of the page at a good moment, drawn by the page itself.
//
//     node scripts/make-thumbs.mjs [NAME...]      after make web; writes web/page/thumbs/*.jpg
//
// Wants what the tests of the page want: Chromium, and playwright-core in build/web-tests.
import fs from "node:fs";
import path from "node:path";
import { launch, serve } from "../tests/web/browser.mjs";
import { root } from "../tests/web/node.mjs";

const MOMENTS = {
  hydrostatic_2d: 0.02,
  paddle_2d: 1.6,
  channel_2d: 1.5,
  stream_2d: 0.5,
  drop_2d: 0.32,
  drop: 0.3,
  double_dam_2d: 0.62,
  dam_break_2d: 0.9,
};
const folder = path.join(root, "web/page/thumbs");
fs.mkdirSync(folder, { recursive: true });

const { address, stop } = await serve();
const browser = await launch();
const presets = JSON.parse(fs.readFileSync(path.join(root, "build/web/scenes/index.json"))).map(
  ({ name }) => name,
);
for (const name of process.argv.length > 2 ? process.argv.slice(2) : presets) {
  const page = await browser.newPage({ viewport: { width: 400, height: 225 }, reducedMotion: "reduce" });
  await page.goto(`${address}?threads=1&scene=${name}`);
  await page.waitForSelector("body[data-ready]");
  await page.addStyleTag({
    content:
      "#top, #panel, #tools, #transport, #hud, #hint, #toast, #legend { display: none !important; } #stage { position: fixed; inset: 0; }",
  });
  await page.evaluate(() => {
    spate.room = { left: 8, right: 8, top: 8, bottom: 8 };
    if (!spate.flat) spate.view.zoom(0.72);
  });
  for (;;) {
    const { time } = await page.evaluate(() => spate.simulation.ask("hash", { steps: 4 }));
    if (time >= (MOMENTS[name] ?? 0.5)) break;
  }
  const drawn = await page.evaluate(() => (spate.redraw(), spate.drawn));
  await page.waitForFunction((before) => spate.drawn > before + 1 || (spate.redraw(), false), drawn);
  await page.screenshot({ path: path.join(folder, `${name}.jpg`), type: "jpeg", quality: 82 });
  console.log(name);
  await page.close();
}
await browser.close();
stop();
