// math3.js -- the vectors and matrices (column after column, as WebGL has them) that the 3D view needs.

export const subtract = (a, b) => a.map((x, d) => x - b[d]);
export const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);

export function normalize(a) {
  const length = Math.hypot(...a) || 1;
  return a.map((x) => x / length);
}

/** World to eye: x right, y up, z against the line of sight. */
export function lookAt(at, right, up, forward) {
  return [
    right[0],
    up[0],
    -forward[0],
    0,
    right[1],
    up[1],
    -forward[1],
    0,
    right[2],
    up[2],
    -forward[2],
    0,
    -dot(right, at),
    -dot(up, at),
    dot(forward, at),
    1,
  ];
}

/** tangent: of half the angles of view, across and up. */
export function perspective(tangent, near, far) {
  return [
    1 / tangent[0],
    0,
    0,
    0,
    0,
    1 / tangent[1],
    0,
    0,
    0,
    0,
    (near + far) / (near - far),
    -1,
    0,
    0,
    (2 * near * far) / (near - far),
    0,
  ];
}
