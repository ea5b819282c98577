# SPDX-License-Identifier: MIT
# blender -b --factory-startup -P check_velocity.py -- FILE
# Loads the surface of a ball of liquid, radius 0.2 m about (0.5, 0.4, 0.4), that flies along x at
# 1 m/s (drop.yaml, first frame), exported as PLY. Every point of Blender's mesh must have the
# velocity that the file gives it. Blender's importer reads no properties but its own, so that the
# velocities become the attribute that Cycles reads for motion blur here; the points they belong to
# are those of the mesh, in the order of the file.
import struct
import sys

import bpy

path = sys.argv[sys.argv.index("--") + 1]
CENTRE, RADIUS, SPACING = (0.5, 0.4, 0.4), 0.2, 0.05


def read_velocities():
    """Positions, m, and velocities, m/s, of the points of the binary file."""
    with open(path, "rb") as file:
        names, count = [], 0
        for line in iter(file.readline, b"end_header\n"):
            words = line.decode().split()
            if words[:2] == ["element", "vertex"]:
                count = int(words[2])
            elif words[0] == "property" and words[1] == "float":
                names.append(words[2])
        rows = struct.iter_unpack(f"<{len(names)}f", file.read(4 * len(names) * count))
        points = [dict(zip(names, row)) for row in rows]
    return ([tuple(p[a] for a in "xyz") for p in points],
            [tuple(p["velocity_" + a] for a in "xyz") for p in points])


def check():
    places, velocities = read_velocities()
    bpy.ops.import_mesh.ply(filepath=path)
    mesh = bpy.context.view_layer.objects.active.data
    assert len(mesh.vertices) == len(places) > 100, (len(mesh.vertices), len(places))
    worst = max(abs(a - b) for v, p in zip(mesh.vertices, places) for a, b in zip(v.co, p))
    attribute = mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", [x for v in velocities for x in v])
    off = max(abs(a - b) for d in attribute.data for a, b in zip(d.vector, (1, 0, 0)))
    radii = [sum((a - b) ** 2 for a, b in zip(v.co, CENTRE)) ** 0.5 for v in mesh.vertices]
    print(f"{len(places)} points, off by {worst:.1e} m, radius {min(radii):.3f} to "
          f"{max(radii):.3f} m, velocities off by {off:.1e} m/s")
    assert worst < 1e-5 and off < 1e-4
    assert all(abs(r - RADIUS) < SPACING for r in radii)


try:
    check()
except Exception as error:  # Blender itself would continue and exit with 0
    print("check_velocity.py:", repr(error))
    sys.exit(1)
