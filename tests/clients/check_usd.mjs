// SPDX-License-Identifier: MIT
// node check_usd.mjs MODULES DIR
// tinyusdz and three.js read the usda; the meshes and the points of every time sample must match the
// CSV export.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { readExpected, assert } from "./expected_points.mjs";

const [modules, directory] = process.argv.slice(2);
const file = path.join(directory, "exports/scene.usda");
// The address of a file of an npm package.
const inside = (name) => pathToFileURL(path.join(modules, "node_modules", name)).href;

// tinyusdz is built for browsers only. Setting `window` and unsetting `process` makes Node look like
// a browser to it.
async function loadTiny() {
    const wasm = fs.readFileSync(path.join(modules, "node_modules/tinyusdz/tinyusdz.wasm"));
    const node = globalThis.process;
    globalThis.window = globalThis;
    globalThis.process = undefined;
    const start = (await import(inside("tinyusdz/tinyusdz.js"))).default;
    const module = await start({
        instantiateWasm(imports, done) {
            WebAssembly.instantiate(wasm, imports).then((r) => done(r.instance, r.module));
            return {};
        },
    });
    globalThis.process = node;
    delete globalThis.window;
    const loader = new module.TinyUSDZLoaderNative();
    assert(loader.loadFromBinary(fs.readFileSync(file), "scene.usda"), loader.error());
    return loader;
}

const tiny = await loadTiny();
assert(tiny.numMeshes() === 2, "meshes");
for (let k = 0; k < 2; k++) {
    const mesh = tiny.getMesh(k);
    const { frames } = readExpected(directory, mesh.primName);
    assert(mesh.points.length === frames[0].length, "points");
    assert(mesh.points.every((x, i) => Math.abs(x - frames[0][i]) < 1e-6), "first frame");
    console.log(`tinyusdz: ${mesh.absPath}, ${mesh.points.length / 3} points`);
}

// three.js: its parser gives all time samples, its loader the meshes
const text = fs.readFileSync(file, "utf8");
const { USDAParser } = await import(inside("three/examples/jsm/loaders/usd/USDAParser.js"));
const specs = new USDAParser().parseData(text).specsByPath;
for (const name of ["towel", "flag"]) {
    const { frames } = readExpected(directory, name);
    const prim = `/scene/${name}`;
    const points = specs[`${prim}.points`].fields.timeSamples;
    assert(points.times.length === frames.length, "time samples");
    let worst = 0;
    frames.forEach((expected, frame) => {
        assert(points.times[frame] === frame, "time codes");
        const values = points.values[frame].flat();
        assert(values.length === expected.length, "points of a sample");
        values.forEach((x, i) => (worst = Math.max(worst, Math.abs(x - expected[i]))));
    });
    for (const field of ["extent", "normals", "velocities"])
        assert(specs[`${prim}.${field}`].fields.timeSamples.times.length === frames.length, field);
    console.log(`three.js: ${name}, ${points.times.length} samples, off by ${worst.toExponential(1)} m`);
    assert(worst < 1e-6, "points");
}
const { USDLoader } = await import(inside("three/examples/jsm/loaders/USDLoader.js"));
let meshes = 0;
new USDLoader().parse(text).traverse((node) => (meshes += node.isMesh ? 1 : 0));
assert(meshes === 2, "meshes of three.js");
