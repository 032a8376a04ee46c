// view3d.js -- a 3D simulation in WebGL2: water as a surface found in screen space, or plain spheres.
//
// Particles are drawn as spheres into a depth picture, which is smoothed by a narrow-range filter (Truong and Yuksel
// 2018: samples far in front are left out, samples far behind count as just behind, so that edges stay edges). From
// the smooth depth come normals; a second picture adds up how much water lies behind each pixel. The water then
// reflects the sky and refracts what was drawn behind it: floor, shadow, and solids by sphere tracing in the signed
// distance of the grid. Lengths are cells.
import { FieldTexture, ParticleBuffer, Program, SCREEN, Target } from "./gl.js";
import { lookAt, normalize, perspective, subtract } from "./math3.js";
import {
  BACKGROUND,
  BALL,
  COMPOSE,
  DEPTH,
  EDGE,
  EDGE_VERTEX,
  SHADOW,
  SHADOW_VERTEX,
  SMOOTH,
  SPHERE_VERTEX,
  THICKNESS,
} from "./shaders3d.js";

const LIGHT = normalize([0.45, 1, 0.35]);
const SPHERE = 0.6; // cells, radius of a particle of two per axis, in the surface
const FIELD_OF_VIEW = (38 * Math.PI) / 180;

export class View3D {
  constructor(gl) {
    this.gl = gl;
    const depth = gl.getExtension("EXT_color_buffer_float")
      ? "r32f"
      : gl.getExtension("EXT_color_buffer_half_float")
        ? "r16f"
        : null;
    if (!depth)
      throw new Error("3D needs pictures of floating-point numbers, which this browser cannot draw");
    this.depthProgram = new Program(gl, SPHERE_VERTEX, DEPTH);
    this.thicknessProgram = new Program(gl, SPHERE_VERTEX, THICKNESS);
    this.ball = new Program(gl, SPHERE_VERTEX, BALL);
    this.smooth = new Program(gl, SCREEN, SMOOTH);
    this.shadowProgram = new Program(gl, SHADOW_VERTEX, SHADOW);
    this.background = new Program(gl, SCREEN, BACKGROUND);
    this.compose = new Program(gl, SCREEN, COMPOSE);
    this.edge = new Program(gl, EDGE_VERTEX, EDGE);
    this.depth = new Target(gl, depth, { linear: false, depth: true });
    this.other = new Target(gl, depth, { linear: false });
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
    const { yaw, pitch, distance } = this.camera,
      [nx, ny, nz] = this.tank.cells;
    const centre = [nx / 2, ny * 0.3, nz / 2],
      aspect = width / height;
    const tall = Math.tan(FIELD_OF_VIEW / 2),
      reach = 0.6 * Math.hypot(nx, ny, nz);
    const away = (distance * reach) / Math.sin(Math.atan(tall * Math.min(1, aspect)));
    const back = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
    const at = centre.map((c, d) => c + away * back[d]);
    const forward = normalize(subtract(centre, at)),
      right = normalize([-forward[2], 0, forward[0]]);
    const up = [
      right[1] * forward[2] - right[2] * forward[1],
      right[2] * forward[0] - right[0] * forward[2],
      right[0] * forward[1] - right[1] * forward[0],
    ];
    return { at, forward, right, up, tangent: [tall * aspect, tall], away, reach };
  }

  /** The line of sight through a pixel, in metres: { from, direction }. */
  ray(x, y, width, height) {
    const { at, forward, right, up, tangent } = this.eye(width, height),
      h = this.tank.cellSize;
    const a = ((2 * x) / width - 1) * tangent[0],
      b = (1 - (2 * y) / height) * tangent[1];
    return {
      from: at.map((c) => c * h),
      direction: normalize(forward.map((f, d) => f + a * right[d] + b * up[d])),
    };
  }

  /** Metres that a pixel is wide at a distance (m). */
  pixel(distance, width, height) {
    return (2 * distance * this.eye(width, height).tangent[1]) / height;
  }

  draw(picture, { width, height, ratio, mode }) {
    const { gl, tank } = this,
      scale = Math.min(ratio, 1.5);
    const w = Math.round(width * ratio),
      h = Math.round(height * ratio);
    const sw = Math.max(1, Math.round(width * scale)),
      sh = Math.max(1, Math.round(height * scale));
    const eye = this.eye(width, height),
      { at, forward, right, up, tangent, away, reach } = eye;
    const matrices = {
      view: lookAt(at, right, up, forward),
      projection: perspective(tangent, Math.max(0.5, away - 1.6 * reach), away + 3 * reach),
    };
    const radius = (SPHERE * 2) / tank.perAxis,
      axes = { right, up, forward, tangent, light: LIGHT };
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
    this.background.screen({
      ...axes,
      camera: at,
      cells: tank.cells,
      shadow: this.shadow.texture,
      floorBox,
      distances: this.solids.texture,
      cellSize: tank.cellSize,
      hasSolids: this.hasSolids,
    });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, w, h);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.compose.screen({
      ...axes,
      depth: this.depth.texture,
      thickness: this.thickness.texture,
      background: this.room.texture,
      pixel: [1 / sw, 1 / sh],
      size: Math.max(...tank.cells),
      fast: tank.fast,
      water,
    });
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
    const { gl, tank } = this,
      size = 256;
    this.shadow.bind(size, size);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const points = Math.max(2, (2.4 * size) / floorBox[2]),
      pixel = (floorBox[2] * floorBox[3]) / (size * size);
    this.shadowProgram.use({
      light: LIGHT,
      floorBox,
      points,
      amount: 2 / tank.perAxis ** 3 / (pixel * 0.785 * points * points),
    });
    this.particles.draw();
    gl.disable(gl.BLEND);
  }

  #drawBalls(spheres, right, up, forward) {
    const { gl, tank } = this;
    const dot = (a) => a[0] * LIGHT[0] + a[1] * LIGHT[1] + a[2] * LIGHT[2];
    gl.enable(gl.DEPTH_TEST);
    this.ball.use({
      ...spheres,
      radius: 0.62 / tank.perAxis,
      fast: tank.fast,
      light: [dot(right), dot(up), -dot(forward)],
    });
    this.particles.draw();
    gl.disable(gl.DEPTH_TEST);
  }
}
