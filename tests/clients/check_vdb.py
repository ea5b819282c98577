# SPDX-License-Identifier: MIT
# blender -b --factory-startup -P check_vdb.py -- FILE
# Loads the volumes of a ball of liquid, radius 0.2 m about (0.5, 0.4, 0.4), that flies along x at
# 1 m/s (drop.yaml, first frame). Blender must find the level set and the velocity, and the mesh
# that it makes of the level set must be that ball. Where Python's module pyopenvdb is installed,
# the velocities are compared too.
import sys

import bpy

path = sys.argv[sys.argv.index("--") + 1]
CENTRE, RADIUS, SPACING = (0.5, 0.4, 0.4), 0.2, 0.025


def check_grids():
    """Opens the file as a Blender volume."""
    bpy.ops.object.volume_import(filepath=path)
    volume = bpy.context.view_layer.objects.active
    grids = volume.data.grids
    assert grids.load(), grids.error_message
    found = {grid.name: grid.data_type for grid in grids}
    print("grids:", found)
    assert found == {"surface": "FLOAT", "velocity": "VECTOR_FLOAT"}, found
    return volume


def check_ball(volume):
    """Makes a mesh of the level set and measures its distance from the centre of the ball."""
    mesh_object = bpy.data.objects.new("mesh", bpy.data.meshes.new("mesh"))
    bpy.context.collection.objects.link(mesh_object)
    modifier = mesh_object.modifiers.new("mesh", "VOLUME_TO_MESH")
    modifier.object = volume
    modifier.grid_name = "surface"
    modifier.threshold = 0
    graph = bpy.context.evaluated_depsgraph_get()
    points = [tuple(v.co) for v in mesh_object.evaluated_get(graph).data.vertices]
    radii = [sum((a - b) ** 2 for a, b in zip(p, CENTRE)) ** 0.5 for p in points]
    print(f"mesh: {len(points)} points, radius {min(radii):.4f} to {max(radii):.4f} m")
    mean = sum(radii) / len(radii)
    assert len(points) > 100 and abs(mean - RADIUS) < 0.25 * SPACING
    assert RADIUS - 1.5 * SPACING < min(radii) and max(radii) < RADIUS + 1.5 * SPACING


def check_velocity():
    """Reads the velocity in the middle of the ball."""
    try:
        import pyopenvdb
    except ImportError:
        print("velocities not compared: pyopenvdb is not installed")
        return
    grid = pyopenvdb.read(path, "velocity")
    voxel = tuple(round(x / SPACING) for x in CENTRE)
    value = grid.getConstAccessor().getValue(voxel)
    print("velocity:", value)
    assert all(abs(a - b) < 1e-5 for a, b in zip(value, (1, 0, 0)))


try:
    check_ball(check_grids())
    check_velocity()
except Exception as error:  # Blender itself would continue and exit with 0
    print("check_vdb.py:", repr(error))
    sys.exit(1)
