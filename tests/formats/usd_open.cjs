// A USD stage through OpenUSD itself (npm usd-viewer carries it as WebAssembly), composed, as text on stdout.
//     node usd_open.cjs FOLDER-OF-NODE-MODULES FOLDER-OF-LAYERS ROOT-LAYER
//
// The package is made for web pages: a copy of it is taken to a scratch folder, as CommonJS, and given what a page
// would have (XMLHttpRequest for its data file, a location).
const fs = require('fs');
const os = require('os');
const path = require('path');

const [, , modules, layers, root] = process.argv;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'openusd-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
fs.cpSync(path.join(modules, 'usd-viewer/wasm'), folder, { recursive: true });
fs.writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }');
const page = `globalThis.fetch = undefined;
globalThis.location = { pathname: '/' };
globalThis.XMLHttpRequest = class {
    open() {}
    send() {
        const bytes = require('fs').readFileSync(${JSON.stringify(path.join(folder, 'emHdBindings.data'))});
        this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
        this.status = 200;
        setTimeout(() => this.onload({}), 0);
    }
};
`;
const bindings = path.join(folder, 'emHdBindings.js');
fs.writeFileSync(bindings, page + fs.readFileSync(bindings, 'utf8'));

async function main() {
    const usd = await require(bindings)({ locateFile: (name) => path.join(folder, path.basename(name)) }, folder);
    await usd.ready;
    usd.FS.mkdir('/layers');
    for (const name of fs.readdirSync(layers)) {
        if (/\.usd[ac]$/.test(name)) usd.FS.writeFile('/layers/' + name, fs.readFileSync(path.join(layers, name)));
    }
    const stage = usd.UsdStage.Open('/layers/' + root);
    const text = Buffer.from(stage.ExportToString());
    for (let done = 0; done < text.length;) done += fs.writeSync(1, text, done);
    process.exit(0);
}
main().catch((error) => {
    console.error('OpenUSD: ' + error);
    process.exit(1);
});
