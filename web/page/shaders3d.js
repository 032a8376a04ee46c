// shaders3d.js -- the shaders of view3d.js, in the order in which they run. Lengths are cells; "eye" is the camera's own axes.
import { ATTRIBUTES, HEAD, SPEED_COLOUR } from "./gl.js";

export const SPHERE_VERTEX =
  ATTRIBUTES +
  `
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

export const DEPTH =
  HEAD +
  ON_SPHERE +
  `
out vec4 result;
void main() { result = vec4(-pointHere(normalHere()).z, 0.0, 0.0, 1.0); }`;

export const THICKNESS =
  HEAD +
  ON_SPHERE +
  `
out vec4 result;
uniform float volume; // cells, of a particle
void main() {
  float profile = 1.5 * normalHere().z * volume / (3.1416 * radius * radius);
  result = vec4(profile, profile * speed, 0.0, 1.0);
}`;

export const BALL =
  HEAD +
  SPEED_COLOUR +
  ON_SPHERE +
  `
out vec4 result;
uniform vec3 light; // in the camera's axes
uniform float fast;
void main() {
  vec3 normal = normalHere();
  pointHere(normal);
  float day = 0.35 + 0.65 * max(0.0, dot(normal, light));
  result = vec4(speedColour(0.2 + 0.8 * speed / fast) * day + pow(max(0.0, normal.z), 40.0) * 0.12, 1.0);
}`;

export const SMOOTH =
  HEAD +
  `
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

export const SHADOW_VERTEX =
  ATTRIBUTES +
  `
uniform vec3 light;
uniform vec4 floorBox; // low x, low z, size x, size z
uniform float points;
void main() {
  vec2 at = vec2(px, pz) - light.xz * py / light.y;
  gl_Position = vec4(2.0 * (at - floorBox.xy) / floorBox.zw - 1.0, 0.0, 1.0);
  gl_PointSize = points;
}`;

export const SHADOW =
  HEAD +
  `
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

export const BACKGROUND =
  HEAD +
  ROOM +
  `
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

export const COMPOSE =
  HEAD +
  ROOM +
  `
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
    vec3 pass = exp(-(thick + 0.03 * size) / size * vec3(9.0, 2.9, 1.5)); // a thin film is seen too
    vec3 body = seen.rgb * pass + vec3(0.015, 0.20, 0.37) * (1.0 - pass);
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

export const EDGE_VERTEX = `#version 300 es
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

export const EDGE =
  HEAD +
  `
out vec4 result;
void main() { result = vec4(1.0, 1.0, 1.0, 0.30); }`;
