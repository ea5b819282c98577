// SPDX-License-Identifier: MIT
// vdb.cpp: a frame of a fluid as OpenVDB volumes [MUS13].
//
// The level set "surface" is the signed distance to the surface of the export, within three voxels,
// negative inside. The grid "velocity" has, at every voxel near a particle, the mean velocity of
// the particles around it, with the weights of linear interpolation on voxels twice as large:
//
//     v = sum_p w v_p / sum_p w,     w = product over axes of max(0, 1 - |d| / 2),   d in voxels
//
// Voxels are as large as the particle spacing, half of that in the level set. This is the only file
// in C++, because OpenVDB is.
//
// [MUS13] Museth: VDB: high-resolution sparse volumes with dynamic topology. ACM Transactions on
//         Graphics 32(3), 2013.
#include "vdb.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <vector>

namespace
{

// The level set of a surface, m.
openvdb::FloatGrid::Ptr make_level_set(const fm_surface *surface,
                                       const openvdb::math::Transform &transform)
{
    std::vector<openvdb::Vec3s> points(surface->point_count);
    std::vector<openvdb::Vec3I> triangles(surface->face_count);
    for (int i = 0; i < surface->point_count; i++)
        points[i] = openvdb::Vec3s(surface->points + 3 * static_cast<size_t>(i));
    for (int i = 0; i < surface->face_count; i++) {
        const int *corner = surface->face_points + surface->face_start[i];
        triangles[i] = openvdb::Vec3I(corner[0], corner[1], corner[2]);
    }
    openvdb::FloatGrid::Ptr grid =
        openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(transform, points, triangles);
    grid->setName("surface");
    return grid;
}

// Adds the velocity of a particle at x, voxels, to the voxels around it, with its weight.
void splat(openvdb::Vec3SGrid::Accessor &sum, openvdb::FloatGrid::Accessor &weight,
           const openvdb::Vec3d &x, const openvdb::Vec3s &v)
{
    openvdb::Coord low = openvdb::Coord::floor(x) - openvdb::Coord(1);
    for (int n = 0; n < 64; n++) {
        openvdb::Coord at = low + openvdb::Coord(n % 4, n / 4 % 4, n / 16);
        openvdb::Vec3d d = x - at.asVec3d();
        double w = (1 - std::abs(d[0]) / 2) * (1 - std::abs(d[1]) / 2) * (1 - std::abs(d[2]) / 2);
        if (!(w > 0))
            continue;
        sum.setValue(at, sum.getValue(at) + v * static_cast<float>(w));
        weight.setValue(at, weight.getValue(at) + static_cast<float>(w));
    }
}

// The mean velocity of the particles, m/s.
openvdb::Vec3SGrid::Ptr make_velocity(const fm_surface *particles,
                                      const openvdb::math::Transform::Ptr &transform)
{
    openvdb::Vec3SGrid::Ptr grid = openvdb::Vec3SGrid::create();
    openvdb::FloatGrid::Ptr weights = openvdb::FloatGrid::create();
    const float *v = fm_surface_values(particles, "velocity", 3);
    openvdb::Vec3SGrid::Accessor sum = grid->getAccessor();
    openvdb::FloatGrid::Accessor weight = weights->getAccessor();
    for (size_t i = 0; v && i < static_cast<size_t>(particles->point_count); i++) {
        openvdb::Vec3d x(particles->points[3 * i], particles->points[3 * i + 1],
                         particles->points[3 * i + 2]);
        if (std::isfinite(x[0] + x[1] + x[2]))
            splat(sum, weight, transform->worldToIndex(x), openvdb::Vec3s(v + 3 * i));
    }
    for (auto voxel = grid->beginValueOn(); voxel; ++voxel)
        voxel.setValue(*voxel / weight.getValue(voxel.getCoord()));
    grid->setTransform(transform);
    grid->setName("velocity");
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    return grid;
}

// Writes both grids of a frame.
void write_grids(const char *path, const fm_surface *particles, const fm_surface *surface)
{
    openvdb::initialize();
    const float *radius =
        particles->point_count > 0 ? fm_surface_values(particles, "radius", 1) : nullptr;
    double spacing = radius && radius[0] > 0 ? 2.0 * radius[0] : 1;
    openvdb::GridPtrVec grids{
        make_level_set(surface, *openvdb::math::Transform::createLinearTransform(0.5 * spacing)),
        make_velocity(particles, openvdb::math::Transform::createLinearTransform(spacing))};
    openvdb::MetaMap about;
    about.insertMeta("creator", openvdb::StringMetadata("Fathom, y up, metres"));
    about.insertMeta("time", openvdb::DoubleMetadata(particles->time));
    openvdb::io::File file(path);
    file.write(grids, about);
    file.close();
}

} // namespace

// Writes the grids to `path`. Exceptions of OpenVDB become a failure in err.
bool vdb_write(const void *context, const char *path, const fm_surface *particles,
               const fm_surface *surface, fm_error *err)
{
    (void)context;
    if (err->status != FM_OK)
        return false;
    try {
        write_grids(path, particles, surface);
        return true;
    } catch (const std::exception &failure) {
        err->status = FM_INPUT_OUTPUT;
        std::snprintf(err->object, sizeof err->object, "export");
        std::snprintf(err->text, sizeof err->text, "%s: cannot write: %s", path, failure.what());
        return false;
    }
}
