// node.mjs -- the core in node: Debian's emscripten writes modules that ask for what only CommonJS has there.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const site = path.resolve(root, process.env.SPATE_SITE ?? "build/web");

globalThis.require = createRequire(import.meta.url);
globalThis.__dirname = path.join(site, "core");
globalThis.__filename = path.join(site, "core", "spate.mjs");

/** A core of its own: each call loads a new module. */
export async function nodeCore(threads = 1) {
  const { Core } = await import(pathToFileURL(path.join(site, "core.mjs")).href);
  const name = threads > 1 ? "spate-threads" : "spate";
  const module = path.join(site, "core", `${name}.mjs`);
  const { default: create } = await import(pathToFileURL(module).href);
  const wasmBinary = fs.readFileSync(path.join(site, "core", `${name}.wasm`));
  return new Core(
    await create({ threads, wasmBinary, locateFile: (file) => path.join(site, "core", file) }),
    threads,
  );
}

export function readScene(name) {
  return JSON.parse(fs.readFileSync(path.join(root, "scenes", `${name}.json`), "utf8"));
}
