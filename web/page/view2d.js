// view2d.js -- a 2D simulation in WebGL2: water or particles, grid fields below them, solids on top.
//
// Smooth water: every particle adds a round bump to a field of half floats; where the sum passes a threshold
// there is water. The bumps also carry speed, which becomes foam. Distances are cells: pictures do not depend on
// the size of the tank.
import {
  ATTRIBUTES,
  FieldTexture,
  HEAD,
  ParticleBuffer,
  Program,
  SCREEN,
  SPEED_COLOUR,
  Target,
} from "./gl.js";

const BUMP = 1.1; // cells, radius of a particle's bump

const PLACE = `
uniform vec2 scale, shift; // cells to clip space
uniform float radius;      // pixels
vec4 place() { return vec4(vec2(px, py) * scale + shift, 0.0, 1.0); }
`;

const BUMP_VERTEX =
  ATTRIBUTES +
  PLACE +
  `
out float speed;
void main() {
  gl_Position = place();
  gl_PointSize = 2.0 * radius;
  speed = length(vec2(vx, vy));
}`;

const BUMP_FRAGMENT =
  HEAD +
  `
in float speed;
out vec4 result;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float rest = max(0.0, 1.0 - dot(at, at)), bump = rest * rest * rest;
  result = vec4(bump, bump * speed, 0.0, 1.0);
}`;

const WATER =
  HEAD +
  SPEED_COLOUR +
  `
in vec2 uv;
out vec4 result;
uniform sampler2D bumps;
uniform vec2 pixel;     // of the field
uniform vec4 tank;      // clip space: low x, low y, high x, high y
uniform float fast;     // m/s that is white
uniform vec2 cell;      // a cell in uv
const float level = 0.55;
// The mean around a place: what is deep inside does not show the gaps between particles.
float around() {
  float sum = 0.0;
  for (int k = 0; k < 8; k++) {
    float a = 0.7854 * float(k);
    sum += texture(bumps, uv + cell * vec2(cos(a), sin(a))).r;
  }
  return sum / 8.0;
}
void main() {
  vec4 here = texture(bumps, uv);
  float f = here.r;
  vec2 slope = vec2(texture(bumps, uv + vec2(pixel.x, 0.0)).r - texture(bumps, uv - vec2(pixel.x, 0.0)).r,
                    texture(bumps, uv + vec2(0.0, pixel.y)).r - texture(bumps, uv - vec2(0.0, pixel.y)).r) * 0.5;
  float steep = length(slope);
  float inside = clamp(0.5 + (f - level) / max(steep, 0.02), 0.0, 1.0);
  if (inside < 1.0 && around() > 2.2) inside = 1.0; // a gap of one cell deep inside is no air
  vec2 clip = 2.0 * uv - 1.0;
  if (clip.x < tank.x || clip.y < tank.y || clip.x > tank.z || clip.y > tank.w) inside = 0.0;
  if (inside <= 0.0) discard;
  float speed = here.g / max(f, 1e-4) / fast;
  float mean = max(f, around()), depth = smoothstep(level, 3.0, mean);
  float height = (clip.y - tank.y) / (tank.w - tank.y);
  vec3 deep = mix(vec3(0.015, 0.13, 0.36), vec3(0.03, 0.33, 0.68), clamp(height * 1.5, 0.0, 1.0));
  vec3 colour = mix(vec3(0.16, 0.62, 0.88), deep, depth);
  colour = mix(colour, speedColour(0.35 + 0.65 * speed), smoothstep(0.15, 1.0, speed) * 0.8);
  vec2 normal = -slope / max(steep, 1e-4);
  float rim = 1.0 - smoothstep(level, 1.9, mean);
  colour += rim * (0.35 * max(0.0, dot(normal, normalize(vec2(-0.4, 1.0)))) + 0.06) * vec3(0.8, 0.95, 1.0);
  result = vec4(colour, inside);
}`;

const DOT_FRAGMENT =
  HEAD +
  SPEED_COLOUR +
  `
in float speed;
out vec4 result;
uniform float fast, radius, alpha;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float edge = clamp((1.0 - length(at)) * radius, 0.0, 1.0);
  result = vec4(speedColour(0.2 + 0.8 * speed / fast), edge * alpha);
}`;

const SOLID =
  HEAD +
  `
in vec2 uv;
out vec4 result;
uniform sampler2D distances; // m, at nodes
uniform vec2 nodes, scale, shift;
uniform float metresPerPixel;
void main() {
  vec2 cell = ((2.0 * uv - 1.0) - shift) / scale;
  if (any(lessThan(cell, vec2(0.0))) || any(greaterThan(cell, nodes - 1.0))) discard;
  float d = texture(distances, (cell + 0.5) / nodes).r / metresPerPixel;
  float cover = clamp(0.5 - d, 0.0, 1.0);
  if (cover <= 0.0) discard;
  float line = smoothstep(-2.5, -1.0, d);
  result = vec4(mix(vec3(0.30, 0.33, 0.38) + 0.05 * uv.y, vec3(0.80, 0.83, 0.86), line), cover);
}`;

// One cell field as colours. kind: 0 pressure, 1 divergence, 2 particles per cell, 3 cell types.
const FIELD =
  HEAD +
  `
in vec2 uv;
out vec4 result;
uniform sampler2D values;
uniform vec2 cells, scale, shift;
uniform float top;  // value of the last colour
uniform int kind;
vec3 heat(float s) {
  return clamp(vec3(1.6 * s - 0.2, 1.3 * s * s, 0.55 + 0.6 * s - 1.1 * s * s), 0.0, 1.0);
}
void main() {
  vec2 cell = ((2.0 * uv - 1.0) - shift) / scale;
  if (any(lessThan(cell, vec2(0.0))) || any(greaterThanEqual(cell, cells))) discard;
  float v = texelFetch(values, ivec2(cell), 0).r;
  if (kind == 0) {
    if (v == 0.0) discard;
    result = vec4(heat(clamp(abs(v) / top, 0.0, 1.0)), 0.92);
  } else if (kind == 1) {
    if (!(v == v)) discard;
    float s = clamp(v / top, -1.0, 1.0);
    vec3 calm = vec3(0.16, 0.19, 0.24);
    result = vec4(s < 0.0 ? mix(calm, vec3(0.25, 0.55, 1.0), -s) : mix(calm, vec3(1.0, 0.42, 0.20), s), 0.95);
  } else if (kind == 2) {
    float n = v * 255.0;
    if (n < 0.5) discard;
    vec3 colour = n < top ? mix(vec3(0.85, 0.65, 0.15), vec3(0.15, 0.62, 0.50), n / top)
                          : mix(vec3(0.15, 0.62, 0.50), vec3(0.85, 0.12, 0.35), clamp((n - top) / (2.0 * top), 0.0, 1.0));
    result = vec4(colour, 0.95);
  } else {
    float n = v * 255.0;
    result = n < 0.5 ? vec4(0.55, 0.65, 0.75, 0.08) : n < 1.5 ? vec4(0.12, 0.45, 0.85, 0.75)
           : n < 2.5 ? vec4(0.55, 0.53, 0.50, 0.85) : vec4(0.25, 0.75, 0.45, 0.75);
  }
}`;

const BACKGROUND =
  HEAD +
  `
in vec2 uv;
out vec4 result;
uniform vec4 tank;
void main() {
  vec2 clip = 2.0 * uv - 1.0;
  vec2 inside = step(tank.xy, clip) * step(clip, tank.zw);
  vec3 room = mix(vec3(0.035, 0.055, 0.085), vec3(0.06, 0.085, 0.12), uv.y);
  vec3 glass = mix(vec3(0.075, 0.105, 0.15), vec3(0.11, 0.15, 0.205), (clip.y - tank.y) / (tank.w - tank.y));
  result = vec4(mix(room, glass, inside.x * inside.y), 1.0);
}`;

export const FIELD_VIEWS = {
  p: { kind: 0, label: "pressure" },
  div_before: { kind: 1, label: "divergence before the solve" },
  div_after: { kind: 1, label: "divergence after the solve" },
  ppc: { kind: 2, label: "particles per cell" },
  type: { kind: 3, label: "cell types" },
};

export class View2D {
  constructor(gl) {
    this.gl = gl;
    this.halfFloats = Boolean(
      gl.getExtension("EXT_color_buffer_float") || gl.getExtension("EXT_color_buffer_half_float"),
    );
    this.bump = new Program(gl, BUMP_VERTEX, BUMP_FRAGMENT);
    this.dot = new Program(gl, BUMP_VERTEX, DOT_FRAGMENT);
    this.water = new Program(gl, SCREEN, WATER);
    this.solid = new Program(gl, SCREEN, SOLID);
    this.field = new Program(gl, SCREEN, FIELD);
    this.background = new Program(gl, SCREEN, BACKGROUND);
    for (const program of [this.background, this.bump, this.water]) program.begin(); // those of the first picture
    this.bumps = new Target(gl, "rgba16f");
    this.particles = new ParticleBuffer(gl);
    this.solids = new FieldTexture(gl, { linear: true });
    this.values = new FieldTexture(gl, { linear: false });
  }

  reset(tank) {
    this.tank = tank; // { cells, cellSize, size, perAxis, fast }
    this.hasSolids = false;
    this.tops = {};
  }

  /** Pixels per cell and the corner of the tank in pixels from the lower left of the canvas. */
  layout(width, height, room) {
    const [nx, ny] = this.tank.cells;
    const wide = width - room.left - room.right,
      high = height - room.top - room.bottom;
    const zoom = Math.min(wide / nx, high / ny);
    return { zoom, x: room.left + (wide - zoom * nx) / 2, y: room.bottom + (high - zoom * ny) / 2 };
  }

  take(picture) {
    this.particles.upload(picture.buffer, picture.particles);
    if (picture.solid) {
      this.solids.upload(picture.solid);
      this.hasSolids = true;
    }
  }

  /** Metres from pixels (CSS, from the top left). */
  metres(x, y, layout, height) {
    const h = this.tank.cellSize;
    return [((x - layout.x) / layout.zoom) * h, ((height - y - layout.y) / layout.zoom) * h, 0];
  }

  draw(picture, { width, height, ratio, layout, mode, field }) {
    const { gl, tank } = this,
      { zoom, x, y } = layout;
    const w = Math.round(width * ratio),
      h = Math.round(height * ratio);
    const scale = [(2 * zoom) / width, (2 * zoom) / height],
      shift = [(2 * x) / width - 1, (2 * y) / height - 1];
    const corners = [...shift, shift[0] + scale[0] * tank.cells[0], shift[1] + scale[1] * tank.cells[1]];
    const smooth = mode === "water" && this.halfFloats && !field;
    gl.disable(gl.DEPTH_TEST);
    if (smooth) this.#drawBumps(w, h, ratio, zoom, scale, shift);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, w, h);
    gl.disable(gl.BLEND);
    this.background.screen({ tank: corners });
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (field && picture.fields[field]) {
      this.values.upload(picture.fields[field]);
      this.field.screen({
        values: this.values.texture,
        cells: tank.cells.slice(0, 2),
        scale,
        shift,
        kind: FIELD_VIEWS[field].kind,
        top: this.#top(field, picture.fields),
      });
    }
    if (smooth) {
      const [bw, bh] = [this.bumps.width, this.bumps.height];
      this.water.screen({
        bumps: this.bumps.texture,
        pixel: [1 / bw, 1 / bh],
        tank: corners,
        fast: tank.fast,
        cell: [scale[0] / 2, scale[1] / 2],
      });
    } else {
      const radius = Math.max(field ? 1 : 1.25, (field ? 0.13 : 0.56 / tank.perAxis) * zoom) * ratio;
      this.dot.use({ scale, shift, radius, fast: tank.fast, alpha: field ? 0.4 : 1 });
      this.particles.draw();
    }
    if (this.hasSolids)
      this.solid.screen({
        distances: this.solids.texture,
        nodes: this.solids.count.slice(0, 2),
        scale,
        shift,
        metresPerPixel: tank.cellSize / zoom / ratio,
      });
  }

  #drawBumps(w, h, ratio, zoom, scale, shift) {
    const { gl } = this;
    // seven pixels for a cell: more are not seen, fewer make the edge rough
    const share = Math.min(2, 7 / (zoom * ratio), 4096 / Math.max(w, h));
    this.bumps.bind(Math.max(1, Math.round(w * share)), Math.max(1, Math.round(h * share)));
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    // two particles per axis are what the threshold is made for
    const radius = ((BUMP * 2) / this.tank.perAxis) * zoom * ratio * share;
    this.bump.use({ scale, shift, radius });
    this.particles.draw();
  }

  /** The value that gets the last colour: rises at once, falls slowly, so that colours do not flicker. */
  #top(field, fields) {
    if (field === "ppc") return this.tank.perAxis ** 2;
    if (field === "type") return 1;
    // divergence after the solve is shown on the scale of the one before it: that is the point
    const source = field === "div_after" ? "div_before" : field;
    let most = 0;
    for (const v of fields[source].data) if (Math.abs(v) > most) most = Math.abs(v);
    const last = this.tops[source] ?? most;
    return (this.tops[source] = Math.max(most, last + (most - last) * 0.1) || 1);
  }
}
