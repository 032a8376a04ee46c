// browser.mjs -- a server with the page, and Chromium without a screen: for page.mjs and scripts/make-thumbs.mjs.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { root, site } from "./node.mjs";

/** Serves build/web until stop(): { address, stop }. */
export async function serve() {
  const server = spawn(
    process.env.SPATE ?? path.join(root, "build/release/spate"),
    ["serve", site, "--port", "0"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(data.toString().trim()));
    server.once("exit", () => reject(new Error("spate serve ended")));
  });
  return { address, stop: () => server.kill() };
}

/** Chromium, drawing on the processor. */
export function launch() {
  const folder = process.env.SPATE_NODE_MODULES ?? path.join(root, "build/web-tests");
  const { chromium } = createRequire(path.join(folder, "x.js"))("playwright-core");
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist",
    ],
  });
}
