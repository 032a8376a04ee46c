// capture.js -- pictures, films and particles to take away.

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Water and lines as one picture. */
export function compose(into, view, overlay) {
  if (into.width !== view.width || into.height !== view.height)
    Object.assign(into, { width: view.width, height: view.height });
  const pen = into.getContext("2d");
  pen.drawImage(view, 0, 0);
  pen.drawImage(overlay, 0, 0, view.width, view.height);
}

/** Binary PLY as the command writes it: x y z vx vy vz (m, m/s). `columns`: six after each other, positions in cells. */
export function plyOf(buffer, count, cellSize) {
  const names = ["x", "y", "z", "vx", "vy", "vz"],
    columns = new Float32Array(buffer);
  const head = new TextEncoder().encode(
    `ply\nformat binary_little_endian 1.0\ncomment written by spate\nelement vertex ${count}\n${names.map((name) => `property float ${name}\n`).join("")}end_header\n`,
  );
  const body = new DataView(new ArrayBuffer(24 * count));
  for (let k = 0; k < count; k++)
    for (let c = 0; c < 6; c++)
      body.setFloat32(24 * k + 4 * c, columns[c * count + k] * (c < 3 ? cellSize : 1), true);
  return new Blob([head, body]);
}

/** Records a canvas; stop() gives the film. */
export class Film {
  static kind() {
    if (typeof MediaRecorder === "undefined") return "";
    return (
      ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"].find((kind) =>
        MediaRecorder.isTypeSupported(kind),
      ) ?? ""
    );
  }

  constructor(canvas) {
    this.parts = [];
    this.recorder = new MediaRecorder(canvas.captureStream(30), {
      mimeType: Film.kind(),
      videoBitsPerSecond: 12e6,
    });
    this.recorder.ondataavailable = ({ data }) => this.parts.push(data);
    this.recorder.start();
  }

  stop() {
    return new Promise((resolve) => {
      this.recorder.onstop = () => resolve(new Blob(this.parts, { type: this.recorder.mimeType }));
      this.recorder.stop();
    });
  }
}
