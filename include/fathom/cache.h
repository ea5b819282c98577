// SPDX-License-Identifier: MIT
// cache.h: what a run left behind: its frames, read back, and exported for other programs.
//
//     fm_cache *cache = fm_cache_open("swing", &err);
//     int towel = fm_cache_find(cache, "towel");
//     fm_surface *frame = fm_cache_read(cache, towel, 12, &err);
//     ... frame->points, frame->face_points ...
//     fm_surface_destroy(frame);
//     fm_cache_close(cache);
//
// A run's directory holds DIR/frames/NAME.000012.vtp, one file for each object and frame. Part of
// libfathom_io, which needs expat.
#ifndef FATHOM_CACHE_H
#define FATHOM_CACHE_H

#include <fathom/api.h>
#include <fathom/error.h>
#include <fathom/mesher.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FM_NAME_SIZE = 48,       // of an object, with the final zero
    FM_FIELD_NAME_SIZE = 32, // of a field
    FM_SURFACE_FIELDS_MAX = 16,
};

// Values at the points.
typedef struct fm_surface_field {
    char name[FM_FIELD_NAME_SIZE];
    int components; // 1 to 9
    float *values;  // [point_count * components]
} fm_surface_field;

// One object at one time: points, polygons, fields.
typedef struct fm_surface {
    char name[FM_NAME_SIZE];
    double time; // s
    int point_count;
    float *points; // m, [3 * point_count]: x y z
    int face_count;
    int *face_start;  // [face_count + 1] into face_points; the first is 0
    int *face_points; // counter-clockwise, seen from where the normal points to
    int field_count;
    fm_surface_field fields[FM_SURFACE_FIELDS_MAX];
    int not_finite; // values of a file that are NaN or infinite
} fm_surface;

FM_API void fm_surface_destroy(fm_surface *surface);
// The values of a field with these components, NULL if there is none.
FM_API const float *fm_surface_values(const fm_surface *surface, const char *field, int components);

typedef struct fm_cache fm_cache;

// Looks which objects and frames are there. A run that is still going on is fine.
FM_API fm_cache *fm_cache_open(const char *directory, fm_error *err);
FM_API void fm_cache_close(fm_cache *cache);

FM_API int fm_cache_object_count(const fm_cache *cache); // in the order of their names
FM_API const char *fm_cache_object_name(const fm_cache *cache, int object);
FM_API int fm_cache_find(const fm_cache *cache, const char *name); // -1: no such object
FM_API int fm_cache_first_frame(const fm_cache *cache, int object);
// From the first to the last, whether all in between are there or not.
FM_API int fm_cache_frame_count(const fm_cache *cache, int object);

// The caller destroys the surface. A frame that is missing or damaged is an error that names its
// file; values that are not finite are kept and counted.
FM_API fm_surface *fm_cache_read(const fm_cache *cache, int object, int frame, fm_error *err);

// Export.
//
//   obj   NAME.000012.obj for each frame
//   pc2   NAME.pc2 and NAME.obj with the first frame: Blender's Mesh Cache
//   mdd   NAME.mdd and NAME.obj: the same
//   usda  one file, a Mesh with time samples for each object
//   glb   one file, glTF 2.0 with a morph target for each frame; at most 250 frames, evenly thinned
//   ply   NAME.000012.ply, binary, fields as properties
//   vtk   NAME.000012.vtp and NAME.pvd
//   csv   NAME.csv: frame, time, point, x, y, z, fields
typedef struct fm_export_options {
    const char *format; // one of the words above
    const char *object; // NULL: all
    // A file, if the format and the choice of objects and frames make one (the numbers of a
    // sequence go before its ending), or a directory. NULL: DIR/exports. Files of the same names
    // are replaced; but an OBJ beside a pc2 or mdd that is no export is refused.
    const char *output;
    int first_frame; // < 0: from the first there is
    int last_frame;  // < 0: to the last there is
    int stride;      // every stride-th frame, >= 1
    // Fluids as surfaces made by this (obj, ply, vtk); NULL: their particles. draw.h has one.
    const fm_mesher *surface;
} fm_export_options;

typedef struct fm_export_report {
    int object_count;
    int frame_count; // of the object with most
    int file_count;
    char path[512]; // the file to open, or the first of a sequence
    char note[256]; // something the user should know, or empty
} fm_export_report;

FM_API fm_export_options fm_default_export_options(void); // all objects, all frames
FM_API const char *fm_export_formats(void);               // the words, separated by blanks
// report may be NULL. Files are written beside and renamed: none is ever half there.
FM_API bool fm_export(const char *directory, const fm_export_options *options,
                      fm_export_report *report, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
