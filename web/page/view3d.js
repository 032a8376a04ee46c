// view3d.js -- a 3D simulation in WebGL2: water as a surface found in screen space, or plain spheres.
//
// Particles are drawn as spheres into a depth picture, which is smoothed by a narrow-range filter (Truong and Yuksel
// 2018: samples far in front are left out, samples far behind count as just behind, so that edges stay edges). From
// the smooth depth come normals; a second picture adds up how much water lies behind each pixel. The water then
// reflects the sky and refracts what was drawn behind it: floor, shadow, and solids by sphere tracing in the signed
// distance of the grid. Lengths are cells.
import { ATTRIBUTES, FieldTexture, HEAD, ParticleBuffer, Program, SCREEN, SPEED_COLOUR, Target } from "./gl.js";
import { lookAt, normalize, perspective, subtract } from "./math3.js";

const LIGHT = normalize([0.45, 1, 0.35]);
const SPHERE = 0.6; // cells, radius of a particle of two per axis, in the surface
const FIELD_OF_VIEW = (38 * Math.PI) / 180;

const SPHERE_VERTEX = ATTRIBUTES + `
uniform mat4 view, projection;
uniform float radius, height;
out vec3 eye;
out float speed;
void main() {
  vec4 at = view * vec4(px, py, pz, 1.0);
  eye = at.xyz;
  speed = length(vec3(vx, vy, vz));
  gl_Position = projection * at;
  gl_PointSize = max(1.5, radius * projection[1][1] * height / max(0.1, -at.z));
}`;

const ON_SPHERE = `
in vec3 eye;
in float speed;
uniform mat4 projection;
uniform float radius;
vec3 normalHere() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float square = dot(at, at);
  if (square > 1.0) discard;
  return vec3(at.x, -at.y, sqrt(1.0 - square));
}
vec3 pointHere(vec3 normal) {
  vec3 at = eye + normal * radius;
  vec4 clip = projection * vec4(at, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
  return at;
}`;

const DEPTH = HEAD + ON_SPHERE + `
out vec4 result;
void main() { result = vec4(-pointHere(normalHere()).z, 0.0, 0.0, 1.0); }`;

const THICKNESS = HEAD + ON_SPHERE + `
out vec4 result;
uniform float volume; // cells, of a particle
void main() {
  float profile = 1.5 * normalHere().z * volume / (3.1416 * radius * radius);
  result = vec4(profile, profile * speed, 0.0, 1.0);
}`;

const BALL = HEAD + SPEED_COLOUR + ON_SPHERE + `
out vec4 result;
uniform vec3 light; // in the camera's axes
uniform float fast;
void main() {
  vec3 normal = normalHere();
  pointHere(normal);
  float day = 0.35 + 0.65 * max(0.0, dot(normal, light));
  result = vec4(speedColour(0.2 + 0.8 * speed / fast) * day + pow(max(0.0, normal.z), 40.0) * 0.12, 1.0);
}`;

const SMOOTH = HEAD + `
in vec2 uv;
out vec4 result;
uniform sampler2D depth;
uniform vec2 direction; // one pixel
uniform float reach, radius, height; // cells, cells, pixels per unit of tangent
void main() {
  float z = texture(depth, uv).r;
  if (z <= 0.0) { result = vec4(0.0); return; }
  float pixels = clamp(reach * height / z, 1.0, 28.0), range = 3.5 * radius;
  int count = int(pixels);
  float sum = z, weights = 1.0;
  for (int side = -1; side <= 1; side += 2) {
    for (int k = 1; k <= count; k++) {
      float other = texture(depth, uv + float(side * k) * direction).r;
      if (other <= 0.0 || other < z - range) continue;
      if (other > z + range) other = z + radius;
      float share = float(k) / pixels, weight = exp(-2.5 * share * share);
      sum += weight * other;
      weights += weight;
    }
  }
  result = vec4(sum / weights, 0.0, 0.0, 1.0);
}`;

const SHADOW_VERTEX = ATTRIBUTES + `
uniform vec3 light;
uniform vec4 floorBox; // low x, low z, size x, size z
uniform float points;
void main() {
  vec2 at = vec2(px, pz) - light.xz * py / light.y;
  gl_Position = vec4(2.0 * (at - floorBox.xy) / floorBox.zw - 1.0, 0.0, 1.0);
  gl_PointSize = points;
}`;

const SHADOW = HEAD + `
out vec4 result;
uniform float amount;
void main() {
  vec2 at = 2.0 * gl_PointCoord - 1.0;
  float rest = max(0.0, 1.0 - dot(at, at));
  result = vec4(amount * rest, 0.0, 0.0, 1.0);
}`;

const ROOM = `
uniform vec3 light;
vec3 sky(vec3 d) {
  float up = clamp(d.y, -0.2, 1.0);
  vec3 colour = mix(vec3(0.66, 0.76, 0.86), vec3(0.16, 0.36, 0.66), smoothstep(0.0, 0.7, up));
  colour = mix(colour, vec3(0.46, 0.52, 0.59), smoothstep(0.02, -0.2, d.y));
  float sun = max(0.0, dot(d, light));
  return colour + vec3(1.0, 0.93, 0.80) * (0.35 * pow(sun, 24.0) + 3.0 * pow(sun, 900.0));
}`;

const BACKGROUND = HEAD + ROOM + `
in vec2 uv;
out vec4 result; // colour, distance
uniform vec3 camera, right, up, forward, cells;
uniform vec2 tangent;
uniform sampler2D shadow;
uniform sampler3D distances; // m
uniform float cellSize;
uniform bool hasSolids;
uniform vec4 floorBox;
float distanceAt(vec3 at) {
  return texture(distances, (at + 0.5) / (cells + 1.0)).r / cellSize;
}
// Sphere tracing inside the tank: the way to a solid, or -1.
float march(vec3 from, vec3 d, float most) {
  vec3 a = (vec3(0.0) - from) / d, b = (cells - from) / d, low = min(a, b), high = max(a, b);
  float t = max(0.0, max(low.x, max(low.y, low.z))), end = min(most, min(high.x, min(high.y, high.z)));
  for (int k = 0; k < 90 && t < end; k++) {
    float gap = distanceAt(from + t * d);
    if (gap < 0.02) return t;
    t += max(gap * 0.9, 0.03);
  }
  return -1.0;
}
float shadowAt(vec2 at) {
  vec2 place = (at - floorBox.xy) / floorBox.zw;
  return exp(-0.16 * texture(shadow, place).r * step(abs(place.x - 0.5), 0.5) * step(abs(place.y - 0.5), 0.5));
}
void main() {
  vec2 clip = 2.0 * uv - 1.0;
  vec3 d = normalize(forward + clip.x * tangent.x * right + clip.y * tangent.y * up);
  vec3 colour = sky(d);
  float far = 1e4, size = max(cells.x, max(cells.y, cells.z));
  if (d.y < -1e-3) {
    float t = -camera.y / d.y;
    vec3 at = camera + t * d;
    vec2 from = at.xz - 0.5 * cells.xz;
    float out_ = length(from) / size;
    vec2 tile = at.xz / (size / 8.0);
    float board = mod(floor(tile.x) + floor(tile.y), 2.0);
    vec2 soft = fwidth(tile);
    float blur = clamp(max(soft.x, soft.y), 0.0, 1.0);
    vec3 ground = mix(vec3(0.47, 0.51, 0.56), vec3(0.54, 0.58, 0.62), mix(board, 0.5, blur));
    float water = shadowAt(at.xz);
    float dark = 1.0;
    if (hasSolids && march(at + 0.05 * light, light, 1e4) >= 0.0) dark = 0.45;
    ground *= dark * mix(vec3(0.28, 0.46, 0.62), vec3(1.0), water);
    colour = mix(ground, colour, smoothstep(0.9, 2.6, out_));
    far = t;
  }
  if (hasSolids) {
    float t = march(camera, d, far);
    if (t >= 0.0) {
      vec3 at = camera + t * d, e = vec3(0.5, 0.0, 0.0);
      vec3 normal = normalize(vec3(distanceAt(at + e.xyy) - distanceAt(at - e.xyy), distanceAt(at + e.yxy) - distanceAt(at - e.yxy),
                                   distanceAt(at + e.yyx) - distanceAt(at - e.yyx)) + 1e-5);
      float day = max(0.0, dot(normal, light));
      colour = vec3(0.72, 0.66, 0.58) * (0.30 + 0.22 * normal.y + 0.75 * day) + 0.05 * sky(reflect(d, normal));
      far = t;
    }
  }
  result = vec4(colour, far);
}`;

const COMPOSE = HEAD + ROOM + `
in vec2 uv;
out vec4 result;
uniform sampler2D depth, thickness, background;
uniform vec3 right, up, forward;
uniform vec2 tangent, pixel;
uniform float size, fast;
uniform bool water;
vec3 eyeAt(vec2 at, float z) { return vec3((2.0 * at - 1.0) * tangent * z, -z); }
vec3 nearer(vec3 here, vec2 step_) {
  float a = texture(depth, uv + step_).r, b = texture(depth, uv - step_).r;
  vec3 ahead = eyeAt(uv + step_, a) - here, back = here - eyeAt(uv - step_, b);
  bool useBack = a <= 0.0 || (b > 0.0 && abs(back.z) < abs(ahead.z));
  return useBack ? back : ahead;
}
void main() {
  vec4 behind = texture(background, uv);
  vec3 colour = behind.rgb;
  float z = water ? texture(depth, uv).r : 0.0;
  vec3 ray = normalize(vec3((2.0 * uv - 1.0) * tangent, -1.0));
  if (z > 0.0 && z / -ray.z < behind.a) {
    vec3 here = eyeAt(uv, z);
    vec3 n = normalize(cross(nearer(here, vec2(pixel.x, 0.0)), nearer(here, vec2(0.0, pixel.y))));
    if (n.z < 0.0) n = -n;
    vec3 normal = normalize(n.x * right + n.y * up - n.z * forward);
    vec3 d = normalize(ray.x * right + ray.y * up - ray.z * forward);
    vec4 amount = texture(thickness, uv);
    float thick = amount.r, speed = amount.g / max(amount.r, 1e-3) / fast;
    vec2 bent = uv - n.xy * min(0.06, 0.012 + 0.10 * thick / size);
    vec4 seen = texture(background, bent);
    if (seen.a < z) seen = behind;
    vec3 pass = exp(-thick / size * vec3(9.0, 2.9, 1.5));
    vec3 body = seen.rgb * pass + vec3(0.012, 0.17, 0.33) * (1.0 - pass);
    body *= 0.72 + 0.42 * max(0.0, dot(normal, light));
    float facing = clamp(dot(normal, -d), 0.0, 1.0), fresnel = 0.04 + 0.96 * pow(1.0 - facing, 4.0);
    vec3 mirror = reflect(d, normal);
    colour = mix(body, sky(mirror), min(fresnel, 0.85));
    colour += vec3(1.0, 0.96, 0.9) * (0.9 * pow(max(0.0, dot(mirror, light)), 160.0));
    float foam = smoothstep(0.55, 1.25, speed) * 0.55 * smoothstep(4.0, 0.2, thick);
    colour = mix(colour, vec3(0.93, 0.97, 1.0), foam);
  }
  vec2 far = uv - 0.5;
  result = vec4(colour * (1.0 - 0.35 * dot(far, far)), 1.0);
}`;

const EDGE_VERTEX = `#version 300 es
uniform mat4 view, projection;
uniform vec3 cells;
void main() {
  // twelve edges: axis, and which of the four along it
  int edge = gl_VertexID / 2, axis = edge / 4, which = edge % 4;
  vec3 at = vec3(0.0);
  at[axis] = float(gl_VertexID % 2);
  at[(axis + 1) % 3] = float(which % 2);
  at[(axis + 2) % 3] = float(which / 2);
  gl_Position = projection * view * vec4(at * cells, 1.0);
}`;

const EDGE = HEAD + `
out vec4 result;
void main() { result = vec4(1.0, 1.0, 1.0, 0.30); }`;

export class View3D {
  constructor(gl) {
    this.gl = gl;
    if (!gl.getExtension("EXT_color_buffer_float")) throw new Error("this browser cannot draw into float pictures");
    gl.getExtension("EXT_float_blend");
    this.depthProgram = new Program(gl, SPHERE_VERTEX, DEPTH);
    this.thicknessProgram = new Program(gl, SPHERE_VERTEX, THICKNESS);
    this.ball = new Program(gl, SPHERE_VERTEX, BALL);
    this.smooth = new Program(gl, SCREEN, SMOOTH);
    this.shadowProgram = new Program(gl, SHADOW_VERTEX, SHADOW);
    this.background = new Program(gl, SCREEN, BACKGROUND);
    this.compose = new Program(gl, SCREEN, COMPOSE);
    this.edge = new Program(gl, EDGE_VERTEX, EDGE);
    this.depth = new Target(gl, "r32f", { linear: false, depth: true });
    this.other = new Target(gl, "r32f", { linear: false });
    this.thickness = new Target(gl, "rgba16f");
    this.shadow = new Target(gl, "rgba16f");
    this.room = new Target(gl, "rgba16f");
    this.particles = new ParticleBuffer(gl);
    this.solids = new FieldTexture(gl, { linear: true });
    this.solids.upload({ data: new Float32Array(8).fill(1), count: [2, 2, 2] });
    this.camera = { yaw: 0.55, pitch: 0.36, distance: 1 };
  }

  reset(tank) {
    this.tank = tank;
    this.hasSolids = false;
    this.camera = { yaw: 0.55, pitch: 0.36, distance: 1 };
  }

  take(picture) {
    this.particles.upload(picture.buffer, picture.particles);
    if (picture.solid) {
      this.solids.upload(picture.solid);
      this.hasSolids = true;
    }
  }

  orbit(dx, dy) {
    this.camera.yaw -= dx * 0.008;
    this.camera.pitch = Math.min(1.45, Math.max(0.03, this.camera.pitch + dy * 0.008));
  }

  zoom(factor) {
    this.camera.distance = Math.min(3, Math.max(0.25, this.camera.distance * factor));
  }

  /** Eye, axes and tangents of half the view, in cells. */
  eye(width, height) {
    const { yaw, pitch, distance } = this.camera, [nx, ny, nz] = this.tank.cells;
    const centre = [nx / 2, ny * 0.30, nz / 2], aspect = width / height;
    const tall = Math.tan(FIELD_OF_VIEW / 2), reach = 0.6 * Math.hypot(nx, ny, nz);
    const away = (distance * reach) / Math.sin(Math.atan(tall * Math.min(1, aspect)));
    const back = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
    const at = centre.map((c, d) => c + away * back[d]);
    const forward = normalize(subtract(centre, at)), right = normalize([-forward[2], 0, forward[0]]);
    const up = [right[1] * forward[2] - right[2] * forward[1], right[2] * forward[0] - right[0] * forward[2],
      right[0] * forward[1] - right[1] * forward[0]];
    return { at, forward, right, up, tangent: [tall * aspect, tall], away, reach };
  }

  /** The line of sight through a pixel, in metres: { from, direction }. */
  ray(x, y, width, height) {
    const { at, forward, right, up, tangent } = this.eye(width, height), h = this.tank.cellSize;
    const a = ((2 * x) / width - 1) * tangent[0], b = (1 - (2 * y) / height) * tangent[1];
    return { from: at.map((c) => c * h), direction: normalize(forward.map((f, d) => f + a * right[d] + b * up[d])) };
  }

  /** Metres that a pixel is wide at a distance (m). */
  pixel(distance, width, height) {
    return (2 * distance * this.eye(width, height).tangent[1]) / height;
  }

  draw(picture, { width, height, ratio, mode }) {
    const { gl, tank } = this, scale = Math.min(ratio, 1.5);
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    const sw = Math.max(1, Math.round(width * scale)), sh = Math.max(1, Math.round(height * scale));
    const eye = this.eye(width, height), { at, forward, right, up, tangent, away, reach } = eye;
    const matrices = { view: lookAt(at, right, up, forward), projection: perspective(tangent, Math.max(0.5, away - 1.6 * reach), away + 3 * reach) };
    const radius = (SPHERE * 2) / tank.perAxis, axes = { right, up, forward, tangent, light: LIGHT };
    const spheres = { ...matrices, radius, height: sh };
    const water = mode === "water";
    if (water) {
      this.#drawDepth(spheres, sw, sh);
      this.#drawThickness(spheres, sw, sh);
      this.#smoothDepth(radius, sw, sh, tangent);
    }
    const floorBox = [-0.4 * tank.cells[0], -0.4 * tank.cells[2], 1.8 * tank.cells[0], 1.8 * tank.cells[2]];
    this.#drawShadow(floorBox);
    this.room.bind(sw, sh);
    gl.disable(gl.BLEND);
    gl.disable(gl.DEPTH_TEST);
    this.background.screen({ ...axes, camera: at, cells: tank.cells, shadow: this.shadow.texture, floorBox,
      distances: this.solids.texture, cellSize: tank.cellSize, hasSolids: this.hasSolids });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, w, h);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.compose.screen({ ...axes, depth: this.depth.texture, thickness: this.thickness.texture, background: this.room.texture,
      pixel: [1 / sw, 1 / sh], size: Math.max(...tank.cells), fast: tank.fast, water });
    if (!water) this.#drawBalls({ ...spheres, height: h }, right, up, forward);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.edge.use({ ...matrices, cells: tank.cells });
    gl.drawArrays(gl.LINES, 0, 24);
    gl.disable(gl.BLEND);
  }

  #drawDepth(spheres, w, h) {
    const { gl } = this;
    this.depth.bind(w, h);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.depthProgram.use(spheres);
    this.particles.draw();
    gl.disable(gl.DEPTH_TEST);
  }

  #drawThickness(spheres, w, h) {
    const { gl } = this;
    this.thickness.bind(Math.ceil(w / 2), Math.ceil(h / 2));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.thicknessProgram.use({ ...spheres, height: h / 2, volume: 1 / this.tank.perAxis ** 3 });
    this.particles.draw();
    gl.disable(gl.BLEND);
  }

  #smoothDepth(radius, w, h, tangent) {
    const height = h / (2 * tangent[1]);
    for (const reach of [2.4 * radius, 1.2 * radius]) {
      this.other.bind(w, h);
      this.smooth.screen({ depth: this.depth.texture, direction: [1 / w, 0], reach, radius, height });
      this.depth.bind(w, h);
      this.smooth.screen({ depth: this.other.texture, direction: [0, 1 / h], reach, radius, height });
    }
  }

  #drawShadow(floorBox) {
    const { gl, tank } = this, size = 256;
    this.shadow.bind(size, size);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const points = Math.max(2, (2.4 * size) / floorBox[2]), pixel = (floorBox[2] * floorBox[3]) / (size * size);
    this.shadowProgram.use({ light: LIGHT, floorBox, points, amount: (2 / tank.perAxis ** 3) / (pixel * 0.785 * points * points) });
    this.particles.draw();
    gl.disable(gl.BLEND);
  }

  #drawBalls(spheres, right, up, forward) {
    const { gl, tank } = this;
    const dot = (a) => a[0] * LIGHT[0] + a[1] * LIGHT[1] + a[2] * LIGHT[2];
    gl.enable(gl.DEPTH_TEST);
    this.ball.use({ ...spheres, radius: 0.62 / tank.perAxis, fast: tank.fast, light: [dot(right), dot(up), -dot(forward)] });
    this.particles.draw();
    gl.disable(gl.DEPTH_TEST);
  }
}
