// SPDX-License-Identifier: MIT
// Reads the CSV export of an object: the points of every frame as x y z x y z ..., and the times.
import fs from "node:fs";
import path from "node:path";

export function readExpected(directory, name) {
    const lines = fs.readFileSync(path.join(directory, "exports", `${name}.csv`), "utf8").trim().split("\n");
    const frames = [];
    const times = [];
    for (const line of lines.slice(1)) {
        const [frame, time, , x, y, z] = line.split(",").map(Number);
        (frames[frame] ??= []).push(x, y, z);
        times[frame] = time;
    }
    return { frames, times };
}

export function assert(good, what) {
    if (good)
        return;
    console.error(`wrong: ${what}`);
    process.exit(1);
}
