// A USD layer through tinyusdz, as text on stdout.
//     node usd_tiny.mjs FOLDER-OF-NODE-MODULES LAYER
import fs from 'fs';
import path from 'path';

// the package is built for web pages and refuses to start where it sees node
globalThis.window = globalThis;
Object.defineProperty(process, 'type', { value: 'renderer' });
const folder = path.resolve(process.argv[2], 'tinyusdz');
const load = (await import(path.join(folder, 'tinyusdz.js'))).default;
const tiny = await load({ wasmBinary: fs.readFileSync(path.join(folder, 'tinyusdz.wasm')) });
const reader = new tiny.TinyUSDZLoaderNative();
if (!reader.loadAsLayerFromBinary(fs.readFileSync(process.argv[3]), path.basename(process.argv[3]))) {
    console.error('tinyusdz: ' + reader.error());
    process.exit(1);
}
fs.writeSync(1, reader.layerToString());
