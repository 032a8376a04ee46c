// native.mjs -- the same scene run by the command: its hash at the first frame with at least so many steps.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "./node.mjs";

const command = process.env.SPATE ?? path.join(root, "build/release/spate");

export const SMALL_3D = {
  name: "small 3D dam",
  domain: { size: [2, 1, 1], cells: 24 },
  frames: 400,
  fill: [{ shape: "box", min: [0, 0, 0], max: [0.8, 0.8, 1] }],
  solids: [{ shape: "sphere", center: [1.3, 0.1, 0.5], radius: 0.2 }],
};

/** { steps, frame, hash } */
export function nativeRun(scene, atLeast) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "spate-web-"));
  try {
    const file = path.join(folder, "scene.json");
    for (let frames = 20; ; frames *= 2) {
      fs.writeFileSync(
        file,
        JSON.stringify({ ...scene, frames, output: { particles: "none", preview: false } }),
      );
      const text = execFileSync(
        command,
        ["run", file, "-o", path.join(folder, "out"), "--overwrite", "--threads", "1", "--json"],
        { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 },
      ).toString();
      let steps = 0;
      for (const line of text.trim().split("\n")) {
        const { frame, substeps, hash } = JSON.parse(line);
        steps += substeps;
        if (steps >= atLeast) return { steps, frame, hash };
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** What the command says of a scene that it refuses, without the name of the file. */
export function nativeError(text) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "spate-web-"));
  try {
    const file = path.join(folder, "scene.json");
    fs.writeFileSync(file, text);
    const { stderr } = spawnSync(command, ["check", file]);
    const begin = `spate: ${file}: `; // the command goes on to the next mistake
    const lines = stderr.toString().split("\n");
    return lines.find((line) => line.startsWith(begin)).replace(begin, "");
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
