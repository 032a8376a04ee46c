// core.mjs -- the simulator as a JavaScript object: used by the worker of the page, and by the tests in node.
//
// A scene goes in as the value of its JSON text. The walk over it is that of the command's reader
// (src/io/scene_json.c): all keys are checked first, then domain.size decides the dimension, then every setting
// goes to the table in src/scene/schema.c, which refuses what is wrong and says why.

export class SceneError extends Error {
  constructor(where, message) {
    super(where ? `${where}: ${message}` : message);
    this.where = where;
    this.what = message;
  }
}

const NODE = { none: 0, group: 1, item: 2, setting: 3, list: 4 };

function kindText(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return { string: "a string", number: "a number" }[typeof value] ?? String(value);
}

/** Triangles of an OBJ text: vertices (m) and indices; polygons become fans. */
export function parseObj(text) {
  const vertices = [],
    triangles = [];
  for (const line of text.split("\n")) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "v") vertices.push(+words[1], +words[2], +words[3]);
    if (words[0] !== "f") continue;
    const corners = words.slice(1).map((word) => {
      const k = parseInt(word, 10);
      return k < 0 ? vertices.length / 3 + k : k - 1;
    });
    for (let k = 2; k < corners.length; k++) triangles.push(corners[0], corners[k - 1], corners[k]);
  }
  return { vertices: new Float64Array(vertices), triangles: new Uint32Array(triangles) };
}

export class Core {
  /** `module` is what the factory of spate.mjs resolves to. */
  constructor(module, threads = 1) {
    this.module = module;
    this.threads = threads;
    this.names = this.#text(module._web_stats_names()).trim().split("\n");
    this.schema = JSON.parse(this.#text(module._web_schema()));
    this.stages = this.names.filter((name) => name.startsWith("t_")).map((name) => name.slice(2));
    this.stageWhats = this.stages.map((_, k) => this.#text(module._web_stage_what(k)));
  }

  #text(address) {
    return this.module.UTF8ToString(address);
  }

  /** Calls a function whose first argument is text, and turns a status into an exception. */
  #call(name, text, ...rest) {
    const size = this.module.lengthBytesUTF8(text) + 1,
      address = this.module._malloc(size);
    this.module.stringToUTF8(text, address, size);
    const result = this.module[name](address, ...rest);
    this.module._free(address);
    return result;
  }

  #check(status) {
    if (status !== 0)
      throw new SceneError(
        this.#text(this.module._web_error_where()),
        this.#text(this.module._web_error_message()),
      );
  }

  #withArray(array, use) {
    const address = this.module._malloc(array.byteLength + 8);
    new array.constructor(this.module.HEAPU8.buffer, address, array.length).set(array);
    const result = use(address);
    this.module._free(address);
    return result;
  }

  // ---- scenes

  #node(path) {
    return this.#call("_web_draft_node", path);
  }

  #checkKeys(path, value) {
    if (Array.isArray(value)) {
      value.forEach((item, k) => kindText(item) === "an object" && this.#checkKeys(`${path}[${k}]`, item));
      return;
    }
    for (const [key, below] of Object.entries(value)) {
      const at = path ? `${path}.${key}` : key;
      if (!key || /[.[\]]/.test(key))
        throw new SceneError(
          at,
          "unknown setting; a key is one name, and the settings of a group stand in an object",
        );
      const node = this.#node(at);
      if (node === NODE.none) this.#check(this.#call("_web_draft_unknown", at));
      const kind = kindText(below);
      if ((kind === "an object" && node === NODE.group) || (kind === "a list" && node === NODE.list))
        this.#checkKeys(at, below);
    }
  }

  #wrongType(path, got) {
    const size = this.module.lengthBytesUTF8(got) + 1,
      address = this.module._malloc(size);
    this.module.stringToUTF8(got, address, size);
    const status = this.#call("_web_draft_wrong_type", path, address);
    this.module._free(address);
    this.#check(status);
  }

  #set(path, value) {
    const node = this.#node(path),
      kind = kindText(value);
    if (node === NODE.group || node === NODE.item) {
      if (kind !== "an object") this.#wrongType(path, kind);
      for (const [key, below] of Object.entries(value)) this.#set(path ? `${path}.${key}` : key, below);
    } else if (node === NODE.list && kind === "a list") {
      this.#check(this.#call("_web_draft_clear", path));
      value.forEach((item, k) => {
        this.#check(this.#call("_web_draft_append", path));
        this.#set(`${path}[${k}]`, item);
      });
    } else if (kind === "a number") {
      this.#check(this.#call("_web_draft_number", path, value));
    } else if (kind === "a string") {
      this.#check(
        this.#withArray(new TextEncoder().encode(value + "\0"), (address) =>
          this.#call("_web_draft_string", path, address),
        ),
      );
    } else if (typeof value === "boolean") {
      this.#check(this.#call("_web_draft_bool", path, value ? 1 : 0));
    } else if (kind === "a list") {
      const odd = value.find((item) => typeof item !== "number");
      if (odd !== undefined) this.#wrongType(path, `a list that holds ${kindText(odd)}`);
      this.#check(
        this.#withArray(new Float64Array(value), (address) =>
          this.#call("_web_draft_vector", path, address, value.length),
        ),
      );
    } else {
      this.#wrongType(path, kind);
    }
  }

  /** Meshes that shapes name; `files` maps the name in the scene to the text of an OBJ file. */
  #setMeshes(scene, files) {
    for (const list of ["fill", "solids", "inflows", "outflows"])
      (scene[list] ?? []).forEach((shape, k) => {
        if (shape.shape !== "mesh" || !shape.file) return;
        const where = `${list}[${k}]`,
          text = files[shape.file];
        if (text === undefined)
          throw new SceneError(
            `${where}.file`,
            `'${shape.file}' is not among the meshes of this page; run the scene with the command`,
          );
        const mesh = parseObj(text);
        this.#check(
          this.#withArray(mesh.vertices, (v) =>
            this.#withArray(mesh.triangles, (t) =>
              this.#call("_web_draft_mesh", where, v, mesh.vertices.length / 3, t, mesh.triangles.length / 3),
            ),
          ),
        );
      });
  }

  /** Makes the simulation of a scene; on an error (a SceneError) the old one stays. */
  load(scene, { files = {}, keep = false } = {}) {
    this.#check(this.module._web_draft_begin());
    if (kindText(scene) !== "an object") this.#wrongType("", kindText(scene));
    this.#checkKeys("", scene);
    if (scene.domain?.size === undefined)
      throw new SceneError(
        "domain.size",
        "is required: [width, height] in metres for 2D, [width, height, depth] for 3D",
      );
    this.#set("domain.size", scene.domain.size);
    this.#set("", scene);
    this.#setMeshes(scene, files);
    this.#check(this.module._web_create(this.threads, keep ? 1 : 0));
    this.dim = this.module._web_dim();
    this.cellSize = this.module._web_cell_size();
    const type = this.field("type");
    this.cells = type.count;
    this.size = type.count.map((n, axis) => this.module._web_size(axis));
    return this.#text(this.module._web_warnings()).split("\n").filter(Boolean);
  }

  // ---- stepping

  step() {
    this.#check(this.module._web_step());
  }

  /** Runs the next stage of a step and returns its name. */
  stage() {
    const name = this.nextStage;
    this.#check(this.module._web_stage());
    return name;
  }

  get nextStage() {
    return this.stages[this.module._web_next_stage()];
  }

  watchDivergence(on) {
    this.module._web_watch_divergence(on ? 1 : 0);
  }

  // ---- looking

  clock() {
    const [time, frame, steps, particles, dt] = new Float64Array(
      this.module.HEAPU8.buffer,
      this.module._web_clock(),
      5,
    );
    return { time, frame, steps, particles, dt };
  }

  hash() {
    return this.#text(this.module._web_hash());
  }

  stats() {
    const address = this.module._web_stats();
    const values = new Float64Array(this.module.HEAPU8.buffer, address, this.names.length);
    return Object.fromEntries(this.names.map((name, k) => [name, values[k]]));
  }

  /** Columns x y z vx vy vz (z null in 2D): views of the module's memory, good until the next call. */
  particles(set = "fluid") {
    return this.#columns(set, 6);
  }

  /** The sets of particles, "fluid" first: [{ name, classes: [names], columns: [{ name, components, integer }] }]. */
  particleSets() {
    return JSON.parse(this.#text(this.module._web_particle_sets()));
  }

  /** All columns of a set, views as above: { count, x, v, id, columns: { name: [one per component] } }; null: no such set. */
  particleSet(name) {
    const set = this.particleSets().find((one) => one.name === name);
    if (!set) return null;
    const kinds = set.columns.flatMap((column) => Array(column.components).fill(column.integer));
    const [count] = new Uint32Array(this.module.HEAPU8.buffer, this.#call("_web_particles", name), 1);
    const found = this.#columns(name, 7 + kinds.length, (k) => k === 6 || kinds[k - 7]);
    const columns = {};
    let next = 7;
    for (const column of set.columns)
      columns[column.name] = found.slice(next, (next += column.components));
    return { count, x: found.slice(0, 3), v: found.slice(3, 6), id: found[6], columns };
  }

  #columns(set, columns, integer = () => false) {
    const found = this.#call("_web_particles", set);
    const [count, ...addresses] = new Uint32Array(this.module.HEAPU8.buffer, found, 1 + columns);
    return addresses.map((address, k) => {
      const Type = integer(k) ? Uint32Array : Float32Array;
      return address ? new Type(this.module.HEAPU8.buffer, address, count) : null;
    });
  }

  /** A grid field, copied without the padding of its rows: { data, count: [x, y, z] }; null: no such field. */
  field(name) {
    const at = name === "ppc" ? this.module._web_ppc() : this.#call("_web_field", name);
    if (!at) return null;
    const [address, bytes, nx, ny, nz, , sy, sz] = new Int32Array(this.module.HEAPU8.buffer, at, 8);
    const Type = bytes === 1 ? Uint8Array : Float32Array,
      data = new Type(nx * ny * nz);
    for (let k = 0; k < nz; k++)
      for (let j = 0; j < ny; j++)
        data.set(
          new Type(this.module.HEAPU8.buffer, address + bytes * (j * sy + k * sz), nx),
          nx * (j + ny * k),
        );
    return { data, count: [nx, ny, nz] };
  }

  // ---- hands; positions in metres, z = 0 in 2D

  stir(at, radius, velocity) {
    this.module._web_stir(...at, radius, ...velocity);
  }
  pour(at, radius, velocity) {
    return this.module._web_pour(...at, radius, ...velocity);
  }
  erase(at, radius) {
    return this.module._web_erase(...at, radius);
  }
  addBall(at, radius) {
    return this.module._web_add_ball(...at, radius);
  }
  addBar(from, to, radius) {
    return this.module._web_add_bar(from[0], from[1], to[0], to[1], radius);
  }
  moveSolid(id, displacement) {
    this.#check(this.module._web_move_solid(id, ...displacement));
  }
  removeSolid(id) {
    this.module._web_remove_solid(id);
  }
  findSolid(at, reach) {
    return this.module._web_find_solid(...at, reach);
  }
  gravity(g) {
    this.module._web_gravity(...g);
  }
}

/** The name of the core's files for that many threads. */
const nameOf = (threads) => (threads > 1 ? "spate-threads" : "spate");

/** Compiles the core's code: a WebAssembly.Module for loadCore. */
export async function compileCore(base, threads) {
  const answer = await fetch(new URL(`${nameOf(threads)}.wasm`, base));
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${answer.statusText}`);
  // a server that does not know the type of the file cannot be read as a stream
  return answer.headers.get("Content-Type") === "application/wasm"
    ? WebAssembly.compileStreaming(answer)
    : WebAssembly.compile(await answer.arrayBuffer());
}

/** Loads the core: with threads if more than one is asked for; from `code`, a promise of its code, if it is given. */
export async function loadCore(base, threads = 1, code = null) {
  const { default: create } = await import(new URL(`${nameOf(threads)}.mjs`, base).href);
  const options = { threads };
  let broken = new Promise(() => {});
  if (code)
    broken = new Promise((_, reject) => {
      options.instantiateWasm = (imports, done) => {
        code
          .then(async (module) => done(await WebAssembly.instantiate(module, imports), module))
          .catch(reject);
        return {};
      };
    });
  return new Core(await Promise.race([create(options), broken]), threads);
}
