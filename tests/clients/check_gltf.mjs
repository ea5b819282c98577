// SPDX-License-Identifier: MIT
// node check_gltf.mjs MODULES DIR
// The Khronos glTF validator must report no issue for the glb, and its buffers must hold the points
// of the CSV export: base + target i are the points of frame i + 1, at the time of frame i + 1.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { readExpected, assert } from "./expected_points.mjs";

const [modules, directory] = process.argv.slice(2);
const validator = createRequire(path.join(modules, "node_modules/"))("gltf-validator");
const bytes = fs.readFileSync(path.join(directory, "exports/scene.glb"));

const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 20 });
// Texture coordinates are there for the user's textures; the file itself has none.
const messages = report.issues.messages.filter(
    (m) => !(m.code === "UNUSED_OBJECT" && m.pointer.endsWith("TEXCOORD_0")));
assert(messages.length === 0, JSON.stringify(messages, null, 1));
console.log(`gltf-validator ${validator.version()}: no issues,`, report.info.totalVertexCount, "vertices,",
    report.info.totalTriangleCount, "triangles,", report.info.animationCount, "animation");

// A glb file: a header of 12 bytes, then two chunks, JSON and binary, each after its size and its
// type of 4 bytes each.
const jsonSize = bytes.readUInt32LE(12);
const gltf = JSON.parse(bytes.subarray(20, 20 + jsonSize).toString());
const bin = 20 + jsonSize + 8;

// The numbers of an accessor, from the binary chunk.
function floats(index) {
    const accessor = gltf.accessors[index];
    const view = gltf.bufferViews[accessor.bufferView];
    const count = accessor.count * (accessor.type === "VEC3" ? 3 : 1);
    const start = bin + view.byteOffset + (accessor.byteOffset ?? 0);
    return Array.from({ length: count }, (_, i) => bytes.readFloatLE(start + 4 * i));
}

const sampler = gltf.animations[0].samplers[0];
const times = floats(sampler.input);
const weights = floats(sampler.output);
for (const mesh of gltf.meshes) {
    const { frames, times: expectedTimes } = readExpected(directory, mesh.name);
    const { attributes, targets } = mesh.primitives[0];
    const base = floats(attributes.POSITION);
    assert(gltf.accessors[attributes.TEXCOORD_0].count === base.length / 3, "texture coordinates");
    assert(targets.length === frames.length - 1 && times.length === frames.length, "frames");
    let worst = 0;
    frames.forEach((expected, frame) => {
        assert(Math.abs(times[frame] - expectedTimes[frame]) < 1e-6, "times");
        const points = base.slice();
        targets.forEach((target, k) => {
            const weight = weights[frame * targets.length + k];
            if (weight !== 0)
                floats(target.POSITION).forEach((d, i) => (points[i] += weight * d));
        });
        points.forEach((x, i) => (worst = Math.max(worst, Math.abs(x - expected[i]))));
    });
    console.log(`${mesh.name}: ${targets.length} targets, off by ${worst.toExponential(1)} m`);
    assert(worst < 1e-6, "points");
}
