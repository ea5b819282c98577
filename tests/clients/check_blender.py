# SPDX-License-Identifier: MIT
# blender -b --factory-startup -P check_blender.py -- DIR
# Loads OBJ + PC2 and OBJ + MDD with Blender's Mesh Cache modifier, and PLY. Every point of every
# frame must match the CSV export to 1e-5 m, and OBJ and PLY must have the texture coordinates of a
# sheet: u from 0 to 1 along the columns, v from 1 to 0 along the rows.
import csv
import os
import sys

import bpy

directory = sys.argv[sys.argv.index("--") + 1]
exports = os.path.join(directory, "exports")
sizes = {"towel": (13, 9), "flag": (6, 5)}  # columns and rows, as in fixture.c


def read_expected(name):
    """Points (x, y, z) of every frame of an object, from its CSV export; m."""
    frames = {}
    with open(os.path.join(exports, name + ".csv")) as table:
        for row in csv.DictReader(table):
            point = tuple(float(row[axis]) for axis in "xyz")
            frames.setdefault(int(row["frame"]), []).append(point)
    return frames


def largest_difference(points, expected):
    """Largest difference of a coordinate, m."""
    assert len(points) == len(expected), (len(points), len(expected))
    return max(abs(a - b) for p, q in zip(points, expected) for a, b in zip(p, q))


def import_obj(path):
    # Blender's z axis points up. With these axes the vertices keep the coordinates of the file, and
    # Blender rotates the object instead.
    bpy.ops.wm.obj_import(filepath=path, forward_axis="NEGATIVE_Z", up_axis="Y")
    return bpy.context.selected_objects[0]


def evaluated_points(mesh_object):
    """Vertices of a Blender object in the current frame, after its modifiers."""
    graph = bpy.context.evaluated_depsgraph_get()
    return [tuple(v.co) for v in mesh_object.evaluated_get(graph).data.vertices]


def check_uv(mesh, columns, rows):
    """The texture coordinates of all corners of a sheet."""
    layer = mesh.uv_layers[0].data
    for corner, uv in zip(mesh.loops, layer):
        row, column = divmod(corner.vertex_index, columns)
        expected = (column / (columns - 1), 1 - row / (rows - 1))
        assert all(abs(a - b) < 1e-6 for a, b in zip(uv.uv, expected)), (uv.uv, expected)
    print(f"{len(layer)} texture coordinates agree")


def check_cache(name, kind):
    """Plays a point cache, kind PC2 or MDD, and compares every frame with the CSV export."""
    expected = read_expected(name)
    mesh_object = import_obj(os.path.join(exports, name + ".obj"))
    assert largest_difference([tuple(v.co) for v in mesh_object.data.vertices], expected[0]) < 1e-5
    check_uv(mesh_object.data, *sizes[name])
    cache = mesh_object.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = kind
    cache.filepath = os.path.join(exports, name + "." + kind.lower())
    cache.interpolation = "NONE"
    cache.frame_start = 0
    worst = 0
    for frame in expected:
        bpy.context.scene.frame_set(frame)
        worst = max(worst, largest_difference(evaluated_points(mesh_object), expected[frame]))
    moved = largest_difference(expected[0], expected[max(expected)])
    print(f"{name} {kind}: {len(expected)} frames, {len(expected[0])} points, off by {worst:.1e} m, "
          f"moved by {moved:.2f} m")
    assert worst < 1e-5 and moved > 0.01  # without motion, the frames could not be told apart
    bpy.data.objects.remove(mesh_object)


def check_ply(name):
    """Compares the PLY export of frame 7 with the CSV export."""
    bpy.ops.import_mesh.ply(filepath=os.path.join(exports, name + ".000007.ply"))
    mesh = bpy.context.view_layer.objects.active.data
    worst = largest_difference([tuple(v.co) for v in mesh.vertices], read_expected(name)[7])
    check_uv(mesh, *sizes[name])
    print(f"{name} PLY: {len(mesh.polygons)} faces, off by {worst:.1e} m")
    assert worst < 1e-5


try:
    for name in sizes:
        for kind in ("PC2", "MDD"):
            check_cache(name, kind)
        check_ply(name)
except Exception as error:  # Blender itself would continue and exit with 0
    print("check_blender.py:", repr(error))
    sys.exit(1)
