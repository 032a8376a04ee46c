// gl.js -- the little of WebGL2 that both views share.

export const SCREEN = `#version 300 es
out vec2 uv;
void main() {
  vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  uv = corner;
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}`;

export const HEAD = `#version 300 es
precision highp float;
precision highp sampler2D;
precision highp sampler3D;
`;

/** A program with its uniforms by name: program.use({ size: [1, 2], image: texture }). It is made when it is first
 * used, or begins to be with begin(): the browser then compiles it while the page goes on. */
export class Program {
  constructor(gl, vertex, fragment) {
    Object.assign(this, { gl, sources: [vertex, fragment], handle: null, uniforms: null });
  }

  begin() {
    const { gl } = this;
    this.handle = gl.createProgram();
    this.shaders = [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].map((kind, k) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, this.sources[k].trim());
      gl.compileShader(shader);
      gl.attachShader(this.handle, shader);
      return shader;
    });
    gl.linkProgram(this.handle);
  }

  /** To ask is to wait. */
  #finish() {
    if (!this.handle) this.begin();
    const { gl, handle } = this;
    if (!gl.getProgramParameter(handle, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(
        `shader: ${[...this.shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(handle)].join(" ")}`,
      );
    this.uniforms = new Map();
    const count = gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS);
    for (let k = 0; k < count; k++) {
      const { name, type } = gl.getActiveUniform(handle, k);
      this.uniforms.set(name, { type, at: gl.getUniformLocation(handle, name) });
    }
  }

  use(values = {}) {
    const { gl } = this;
    let unit = 0;
    if (!this.uniforms) this.#finish();
    gl.useProgram(this.handle);
    for (const [name, value] of Object.entries(values)) {
      const uniform = this.uniforms.get(name);
      if (!uniform) continue;
      const { type, at } = uniform;
      if (type === gl.FLOAT) gl.uniform1f(at, value);
      else if (type === gl.INT || type === gl.BOOL) gl.uniform1i(at, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(at, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(at, value);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(at, value);
      else if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(at, false, value);
      else {
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(type === gl.SAMPLER_3D ? gl.TEXTURE_3D : gl.TEXTURE_2D, value);
        gl.uniform1i(at, unit++);
      }
    }
  }

  screen(values) {
    this.use(values);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, 3);
  }
}

/** A picture to draw into: a texture, and a depth buffer if asked for; resized when needed. */
export class Target {
  constructor(gl, format, { linear = true, depth = false } = {}) {
    Object.assign(this, { gl, format, linear, depth, width: 0, height: 0 });
    this.texture = gl.createTexture();
    this.frame = gl.createFramebuffer();
    this.render = depth ? gl.createRenderbuffer() : null;
  }

  bind(width, height) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    if (width !== this.width || height !== this.height) {
      this.width = width;
      this.height = height;
      gl.bindTexture(gl.TEXTURE_2D, this.texture);
      const [inner, outer, type] = {
        rgba8: [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE],
        rgba16f: [gl.RGBA16F, gl.RGBA, gl.HALF_FLOAT],
        r16f: [gl.R16F, gl.RED, gl.HALF_FLOAT],
        r32f: [gl.R32F, gl.RED, gl.FLOAT],
      }[this.format];
      gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, outer, type, null);
      filter(gl, gl.TEXTURE_2D, this.linear);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0);
      if (this.depth) {
        gl.bindRenderbuffer(gl.RENDERBUFFER, this.render);
        gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, this.render);
      }
    }
    gl.viewport(0, 0, width, height);
  }
}

export function filter(gl, kind, linear) {
  const how = linear ? gl.LINEAR : gl.NEAREST;
  gl.texParameteri(kind, gl.TEXTURE_MIN_FILTER, how);
  gl.texParameteri(kind, gl.TEXTURE_MAG_FILTER, how);
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R])
    if (wrap !== gl.TEXTURE_WRAP_R || kind === gl.TEXTURE_3D) gl.texParameteri(kind, wrap, gl.CLAMP_TO_EDGE);
}

/** A grid field as a texture. Half floats for what is drawn smooth: every browser filters them. */
export class FieldTexture {
  constructor(gl, { linear }) {
    Object.assign(this, { gl, linear, texture: gl.createTexture(), count: null });
  }

  upload(field) {
    const { gl } = this,
      [nx, ny, nz] = field.count,
      solid = nz > 1;
    const kind = solid ? gl.TEXTURE_3D : gl.TEXTURE_2D;
    if (solid !== this.solid) {
      gl.deleteTexture(this.texture);
      this.texture = gl.createTexture();
      this.solid = solid;
    }
    this.count = field.count;
    gl.bindTexture(kind, this.texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    const bytes = field.data instanceof Uint8Array;
    const inner = bytes ? gl.R8 : this.linear ? gl.R16F : gl.R32F,
      type = bytes ? gl.UNSIGNED_BYTE : gl.FLOAT;
    if (solid) gl.texImage3D(kind, 0, inner, nx, ny, nz, 0, gl.RED, type, field.data);
    else gl.texImage2D(kind, 0, inner, nx, ny, 0, gl.RED, type, field.data);
    filter(gl, kind, this.linear);
  }
}

/** The particles of a picture as attributes x y z (0 1 2) and vx vy vz (3 4 5), one column after the other. */
export class ParticleBuffer {
  constructor(gl) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.count = 0;
  }

  upload(buffer, count) {
    const { gl } = this;
    this.count = count;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(buffer, 0, 6 * count), gl.STREAM_DRAW);
    for (let k = 0; k < 6; k++) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 1, gl.FLOAT, false, 4, 4 * k * count);
    }
    gl.bindVertexArray(null);
  }

  draw() {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.POINTS, 0, this.count);
    gl.bindVertexArray(null);
  }
}

export const ATTRIBUTES = `#version 300 es
layout(location = 0) in float px;
layout(location = 1) in float py;
layout(location = 2) in float pz;
layout(location = 3) in float vx;
layout(location = 4) in float vy;
layout(location = 5) in float vz;
`;

/** Colours of speed, dark blue to foam; s from 0 to 1. */
export const SPEED_COLOUR = `
vec3 speedColour(float s) {
  s = clamp(s, 0.0, 1.0);
  vec3 a = vec3(0.03, 0.22, 0.55), b = vec3(0.05, 0.50, 0.86), c = vec3(0.35, 0.82, 0.96), d = vec3(0.97, 1.0, 1.0);
  return s < 0.35 ? mix(a, b, s / 0.35) : s < 0.7 ? mix(b, c, (s - 0.35) / 0.35) : mix(c, d, (s - 0.7) / 0.3);
}`;
