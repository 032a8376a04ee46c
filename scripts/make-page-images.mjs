// make-page-images.mjs -- the pictures of the page in README.md and docs/page.md, taken by Chromium.
//
//     node scripts/make-page-images.mjs [FILE...]      after make web; writes docs/images/page.jpg and page_3d.jpg
//
// Wants what the tests of the page want: Chromium, and playwright-core in build/web-tests.
import path from "node:path";
import { launch, serve } from "../tests/web/browser.mjs";
import { root } from "../tests/web/node.mjs";

const PICTURES = [
  { file: "page.jpg", scene: "dam_break_2d", time: 0.62 },
  { file: "page_3d.jpg", scene: "pillars", time: 0.75 },
];
const { address, stop } = await serve();
const browser = await launch();
const wanted = process.argv.slice(2);
for (const { file, scene, time } of PICTURES) {
  if (wanted.length > 0 && !wanted.includes(file)) continue;
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, reducedMotion: "reduce" });
  page.setDefaultTimeout(300000);
  await page.goto(`${address}?threads=1&scene=${scene}`);
  await page.waitForSelector("body[data-ready]");
  while ((await page.evaluate(() => spate.simulation.ask("hash", { steps: 2 }))).time < time);
  await page.waitForTimeout(8000); // notes go away
  const drawn = await page.evaluate(() => (spate.redraw(), spate.drawn));
  await page.waitForFunction((before) => spate.drawn > before + 1 || (spate.redraw(), false), drawn);
  await page.screenshot({ path: path.join(root, "docs/images", file), type: "jpeg", quality: 82 });
  console.log(file);
  await page.close();
}
await browser.close();
stop();
