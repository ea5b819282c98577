// SPDX-License-Identifier: MIT
// loader.h: meshes and their animations from files, for those who build worlds and know no formats.
//
// A scene names files; what reads them is handed to fm_scene_build_files. fm_file_loader, part of
// libfathom_io, reads OBJ, PC2 and MDD; a host with formats of its own fills the struct itself.
#ifndef FATHOM_LOADER_H
#define FATHOM_LOADER_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/vec.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Vertices keep the order of the file; faces of more corners are cut into fans.
typedef struct fm_mesh_data {
    int vertex_count, triangle_count;
    fm_vec3 *vertices; // m
    int *triangles;    // [3 * triangle_count], counter-clockwise seen from outside
} fm_mesh_data;

// Positions of the vertices of a mesh at times that are equally far apart.
typedef struct fm_frame_data {
    int frame_count, vertex_count;
    float *positions; // m, [frame_count][vertex_count][3]
    double first;     // number of the first frame: 0 unless the file says so
    double step;      // from one to the next, in frames: 1 unless the file says so
    double fps;       // frames per second; 0: the file does not say
} fm_frame_data;

typedef enum fm_frames_format {
    FM_FRAMES_SEQUENCE, // one OBJ file for each frame; the path has %d or %04d for the number
    FM_FRAMES_PC2,
    FM_FRAMES_MDD,
} fm_frames_format;

// Each gives false with err filled, naming the file and the place in it. What they allocate is
// released with free().
typedef struct fm_mesh_loader {
    void *context;
    bool (*read_mesh)(void *context, const char *path, fm_mesh_data *mesh, fm_error *err);
    // vertex_count: what the mesh has; a file with another number is refused.
    bool (*read_frames)(void *context, const char *path, fm_frames_format format, int vertex_count,
                        fm_frame_data *frames, fm_error *err);
} fm_mesh_loader;

FM_API const fm_mesh_loader *fm_file_loader(void);

#ifdef __cplusplus
}
#endif

#endif
