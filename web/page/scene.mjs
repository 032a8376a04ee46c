// scene.mjs -- scenes as text: where a setting stands in it, writing one out, and putting one into an address.

/** Offsets of every setting in a JSON text by path, and what the command refuses that JSON.parse lets pass. */
export function locate(text) {
  const places = new Map();
  let at = 0,
    problem = null;
  const fail = (offset, message) => {
    problem ??= { offset, message };
    throw problem;
  };
  const space = () => {
    while (at < text.length && " \t\r\n".includes(text[at])) at++;
  };
  const string = () => {
    const start = at++;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    if (at >= text.length) fail(start, "a string that does not end");
    at++;
    try {
      return JSON.parse(text.slice(start, at));
    } catch {
      return fail(start, "a string with an unknown escape or a line break in it");
    }
  };
  const expect = (letter, what) => {
    space();
    if (text[at] !== letter)
      fail(at, at >= text.length ? `the text ends where ${what} should be` : `${what} is missing`);
    at++;
  };
  const members = (path) => {
    const seen = new Set();
    at++;
    space();
    if (text[at] === "}") return void at++;
    for (;;) {
      space();
      const start = at;
      if (text[at] !== '"') fail(at, "a key in double quotes is missing");
      const key = string(),
        below = path ? `${path}.${key}` : key;
      if (seen.has(key)) fail(start, `the key "${key}" stands here twice`);
      seen.add(key);
      places.set(below, start);
      expect(":", "a colon");
      value(below);
      space();
      if (text[at] === "}") return void at++;
      expect(",", "a comma or }");
    }
  };
  const items = (path) => {
    at++;
    space();
    if (text[at] === "]") return void at++;
    for (let k = 0; ; k++) {
      space();
      places.set(`${path}[${k}]`, at);
      value(`${path}[${k}]`);
      space();
      if (text[at] === "]") return void at++;
      expect(",", "a comma or ]");
    }
  };
  const value = (path) => {
    space();
    if (text[at] === "{") return members(path);
    if (text[at] === "[") return items(path);
    if (text[at] === '"') return string();
    const word = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null)/.exec(text.slice(at, at + 64));
    if (!word) return fail(at, "a value is missing");
    at += word[0].length;
    return undefined;
  };
  try {
    value("");
    space();
    if (at < text.length) fail(at, "something stands behind the end of the scene");
  } catch (thrown) {
    if (thrown !== problem) throw thrown;
  }
  return { places, problem };
}

/** The offset of a setting, or of the nearest thing around it that is in the text. */
export function placeOf(places, path) {
  for (let at = path; at; at = at.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[\]]+)$/, "")) {
    if (places.has(at)) return places.get(at);
    if (!/[.[\]]/.test(at)) break;
  }
  return 0;
}

export function lineOf(text, offset) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: before.at(-1).length + 1 };
}

const inline = (value) =>
  JSON.stringify(value, null, 1).replace(/\n\s*/g, " ").replace(/\[ /g, "[").replace(/ \]/g, "]");

/** JSON as the scenes of the command are written: what fits on a line stands on one. */
export function format(value, width = 96, indent = "") {
  const line = inline(value);
  if (value === null || typeof value !== "object" || (indent && line.length + indent.length < width))
    return line;
  const more = indent + "  ",
    list = Array.isArray(value);
  const parts = list
    ? value.map((item) => more + format(item, width, more))
    : Object.entries(value).map(
        ([key, item]) => `${more}${JSON.stringify(key)}: ${format(item, width, more)}`,
      );
  if (parts.length === 0) return list ? "[]" : "{}";
  return `${list ? "[" : "{"}\n${parts.join(",\n")}\n${indent}${list ? "]" : "}"}`;
}

/** The scene with its group "liquid", as it was called before 0.2, under its present name. */
export function presentNames(scene) {
  if (!scene?.liquid || scene.fluid) return scene;
  const { liquid, ...rest } = scene;
  return { ...rest, fluid: liquid };
}

/** The value at a path such as "fluid.flip_ratio"; undefined if the scene does not give it. */
export function getSetting(scene, path) {
  return path.split(".").reduce((value, key) => value?.[key], scene);
}

/** A copy of the scene with one setting changed; undefined takes it out. */
export function withSetting(scene, path, value) {
  const copy = structuredClone(scene),
    keys = path.split("."),
    last = keys.pop();
  let owner = copy;
  for (const key of keys) owner = owner[key] ??= {};
  if (value === undefined) delete owner[last];
  else owner[last] = value;
  if (keys.length === 1 && Object.keys(copy[keys[0]] ?? {}).length === 0) delete copy[keys[0]];
  return copy;
}

// ---- addresses: the scene's text, deflated, in base64 for URLs

async function through(stream, bytes) {
  const body = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await body.arrayBuffer());
}

export async function packScene(scene) {
  const bytes = await through(
    new CompressionStream("deflate-raw"),
    new TextEncoder().encode(JSON.stringify(scene)),
  );
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}

export async function unpackScene(packed) {
  const letters = atob(packed.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
}
