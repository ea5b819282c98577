// SPDX-License-Identifier: MIT
// loader.h: loads meshes and their animations from files.
//
// A scene only names its mesh files. The loader that reads them is an argument of
// fm_scene_build_with_loader. fm_file_loader, part of libfathom_io, reads OBJ, PC2 and MDD; a host
// program with other formats fills an fm_mesh_loader with its own functions.
#ifndef FATHOM_LOADER_H
#define FATHOM_LOADER_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/mesh.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Positions of the vertices of a mesh at equally spaced times.
typedef struct fm_frame_data {
    int frame_count, vertex_count;
    float *positions; // m, [frame_count][vertex_count][3]
    double first;     // number of the first frame; 0 if the file does not give one
    double step;      // frames between two samples; 1 if the file does not give it
    double fps;       // frames per second; 0: the file does not give it
} fm_frame_data;

// File formats of animated meshes.
typedef enum fm_frames_format {
    FM_FRAMES_SEQUENCE, // one OBJ file per frame; %d or %04d in the path is the frame number
    FM_FRAMES_PC2,      // point cache of Blender and 3ds Max
    FM_FRAMES_MDD,      // point cache of LightWave, which contains times
} fm_frames_format;

// Grey values of an image, row by row from the top.
typedef struct fm_image_data {
    int width, height;
    float *values; // [height][width], 0 black to 1 white
} fm_image_data;

// The functions that read mesh files for a scene. All return false on failure and fill err with
// the file and the position in it. The caller releases the arrays that they allocate with free().
typedef struct fm_mesh_loader {
    void *context; // first argument of all functions
    // Reads a mesh with its points in the order of the file; faces may have any number of corners.
    bool (*read_mesh)(void *context, const char *path, fm_mesh_data *mesh, fm_error *err);
    // Reads an animation. vertex_count: that of the mesh; a file with another count is refused.
    bool (*read_frames)(void *context, const char *path, fm_frames_format format, int vertex_count,
                        fm_frame_data *frames, fm_error *err);
    // Reads an image for a painted map; NULL: images cannot be read. fm_picture_read_image of
    // libfathom_render reads PNG.
    bool (*read_image)(void *context, const char *path, fm_image_data *image, fm_error *err);
    // Reads a property of the vertices of a mesh for a painted map, 0 to 1; NULL: cannot be read.
    bool (*read_weights)(void *context, const char *path, const char *property, int vertex_count,
                         double *weights, fm_error *err);
} fm_mesh_loader;

FM_API const fm_mesh_loader *fm_file_loader(void);

#ifdef __cplusplus
}
#endif

#endif
