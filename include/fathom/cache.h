// SPDX-License-Identifier: MIT
// cache.h: reads the frames that a run has written, and exports them for other programs.
//
//     fm_cache *cache = fm_cache_open("swing", &err);
//     int towel = fm_cache_find_object(cache, "towel");
//     fm_surface *frame = fm_cache_read_frame(cache, towel, 12, &err);
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
#include <fathom/surface.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_cache fm_cache;

// Lists the objects and frames in a run's directory. The run may still be going on.
FM_API fm_cache *fm_cache_open(const char *directory, fm_error *err);
FM_API void fm_cache_close(fm_cache *cache);

// Objects are numbered from 0 in the alphabetical order of their names.
FM_API int fm_cache_object_count(const fm_cache *cache);
FM_API const char *fm_cache_object_name(const fm_cache *cache, int object);
FM_API int fm_cache_find_object(const fm_cache *cache, const char *name); // -1: no such object
FM_API int fm_cache_first_frame(const fm_cache *cache, int object);
// Last frame - first frame + 1; frames in between may be missing.
FM_API int fm_cache_frame_count(const fm_cache *cache, int object);

// Reads one frame of one object; the caller destroys the surface. A missing or damaged frame is an
// error that names its file. NaN and infinite values are kept, and counted in not_finite.
FM_API fm_surface *fm_cache_read_frame(const fm_cache *cache, int object, int frame, fm_error *err);

// Export formats.
//
//   obj   NAME.000012.obj for each frame
//   pc2   NAME.pc2, and NAME.obj with the first frame: for Blender's Mesh Cache modifier
//   mdd   NAME.mdd, and NAME.obj with the first frame: for Blender's Mesh Cache modifier
//   usda  one file; each object as Mesh, BasisCurves (its lines) and Points, with time samples
//   glb   one file, glTF 2.0 with triangles, lines and points and a morph target for each frame;
//         of more than 250 frames, evenly spaced ones are taken
//   ply   NAME.000012.ply for each frame, binary; fields as properties, lines as edges
//   vtk   NAME.000012.vtp for each frame, and NAME.pvd
//   csv   NAME.csv with the columns frame, time, point, x, y, z and the fields
//   vdb   NAME.000012.vdb for each frame of a fluid; needs `surface` and `volumes`
typedef struct fm_export_options {
    const char *format; // name of a format in the list above, such as "obj"
    const char *object; // name of the only object to export; NULL: all objects
    // Path of the file if the export writes a single file or a sequence (frame numbers go before
    // the extension), else of a directory. NULL: DIR/exports. Existing files of the same names are
    // replaced, except that an OBJ beside a pc2 or mdd is replaced only if Fathom exported it.
    const char *output;
    int first_frame; // < 0: the first frame of the run
    int last_frame;  // < 0: the last frame of the run
    int stride;      // every stride-th frame, >= 1
    // Exports fluids as the surfaces that this mesher builds (obj, ply, vtk only; draw.h offers a
    // mesher). NULL: as particles.
    const fm_mesher *surface;
    const fm_volume_writer *volumes; // writes the files of the format vdb, else not used
} fm_export_options;

// What an export wrote.
typedef struct fm_export_report {
    int object_count; // exported objects
    int frame_count;  // largest number of frames exported of any object
    int file_count;   // files written
    char path[512];   // the file to open, or the first file of a sequence
    char note[256];   // a remark for the user, or empty
} fm_export_report;

FM_API fm_export_options fm_default_export_options(void); // all objects, all frames
FM_API const char *fm_export_formats(void);               // names of all formats that need no
                                                          // volume writer, separated by blanks

// Exports the run in a directory. `report` may be NULL. Every file is written under a temporary
// name and then renamed, so no incomplete file ever has its final name.
FM_API bool fm_export_frames(const char *directory, const fm_export_options *options,
                             fm_export_report *report, fm_error *err);

#ifdef __cplusplus
}
#endif

#endif
