// simulation.js -- the worker, as the page sees it: orders go in, pictures and answers come out.
import { compileCore } from "./core.mjs";

/** What is missing for the core to run here; "" if nothing is. */
export function missing() {
  if (typeof WebAssembly !== "object") return "WebAssembly";
  // a function that makes a SIMD value
  const simd = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98,
    11,
  ]);
  if (!WebAssembly.validate(simd)) return "WebAssembly SIMD";
  return "";
}

export function threadsHere(wish) {
  if (!globalThis.crossOriginIsolated || typeof SharedArrayBuffer === "undefined") return 1;
  const cores = navigator.hardwareConcurrency || 1;
  // one core stays free for the page
  return Math.max(1, Math.min(8, wish || cores - 1));
}

export class Simulation extends EventTarget {
  constructor() {
    super();
    this.picture = null;
    this.playing = false;
    this.waiting = new Map();
    this.number = 0;
  }

  /** Resolves when the core is there: { schema, stages, stageWhats, threads }. */
  start(threads) {
    const base = new URL(".", import.meta.url).href;
    const code = compileCore(new URL("core/", base), threads);
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.#take(data);
    return new Promise((resolve, reject) => {
      this.ready = { resolve, reject };
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
      this.worker.postMessage({ type: "start", threads, base });
      code.then((module) => this.worker.postMessage({ type: "code", code: module }), reject);
    });
  }

  #take(data) {
    switch (data.type) {
      case "ready":
        return this.ready.resolve(data);
      case "broken":
        return this.ready.reject(new Error(data.message));
      case "picture":
        if (this.picture)
          this.worker.postMessage({ type: "back", buffer: this.picture.buffer }, [this.picture.buffer]);
        this.picture = data;
        break;
      case "loaded":
      case "answer":
        this.#settle(data, true);
        break;
      case "refused":
        this.#settle(data, false);
        break;
      case "failed":
        this.playing = false;
        break;
    }
    return this.dispatchEvent(new CustomEvent(data.type, { detail: data }));
  }

  #settle(data, good) {
    const promise = this.waiting.get(data.id);
    this.waiting.delete(data.id);
    if (good) promise?.resolve(data);
    else promise?.reject(data);
  }

  #request(order) {
    const id = ++this.number;
    this.worker.postMessage({ ...order, id });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** Rejects with { where, message } if the scene is refused; the old one then goes on. */
  load(scene, files, keep) {
    return this.#request({ type: "load", scene, files, keep });
  }
  ask(what, options = {}) {
    return this.#request({ type: "ask", what, ...options });
  }
  play(on) {
    this.playing = on;
    this.worker.postMessage({ type: on ? "play" : "pause" });
  }
  step() {
    this.playing = false;
    this.worker.postMessage({ type: "step" });
  }
  stage() {
    this.playing = false;
    this.worker.postMessage({ type: "stage" });
  }
  speed(value) {
    this.worker.postMessage({ type: "speed", value });
  }
  watch(fields) {
    this.worker.postMessage({ type: "watch", fields });
  }
  hand(hand, order = {}) {
    this.worker.postMessage({ type: "hand", hand, ...order });
  }
}
