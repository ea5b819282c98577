// SPDX-License-Identifier: MIT
// scene.h: reads a scene file (YAML) and builds the world it describes.
//
// Loading reads the file and the files it extends, applies settings (PATH=VALUE) and checks every
// key against the same tables that docs/scenes.md is generated from. All mistakes are reported at
// once, each with file, line and column.
#ifndef FATHOM_SCENE_H
#define FATHOM_SCENE_H

#include <fathom/api.h>
#include <fathom/cloth.h>
#include <fathom/error.h>
#include <fathom/loader.h>
#include <fathom/picture_setting.h>
#include <fathom/world.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_scene fm_scene;

// One mistake in a scene. `text` says what is wrong and what is allowed. `line` and `column` count
// from 1; they are 0 when the mistake is in a setting. `source` is the text of the line, so that a
// caret can be printed below the column; NULL when there is no line.
typedef struct fm_diagnostic {
    const char *file;
    int line, column;
    const char *text;
    const char *source;
} fm_diagnostic;

typedef void fm_diagnostic_function(void *context, const fm_diagnostic *diagnostic);

// Loads a scene file. settings: strings like "bodies.towel.cloth.density=1200", applied in order
// after the file is read; the value is YAML. report: called for each mistake, may be NULL. Returns
// NULL after any mistake; err then holds the first mistake and the number of further ones.
FM_API fm_scene *fm_scene_load(const char *path, const char *const *settings, int setting_count,
                               fm_diagnostic_function *report, void *context, fm_error *err);
// Loads a scene from a text in memory, with settings and mistakes as in fm_scene_load. Messages use
// `name` as the file name; files that the text names are looked up relative to `folder`.
FM_API fm_scene *fm_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                                const char *const *settings, int setting_count,
                                fm_diagnostic_function *report, void *context, fm_error *err);
FM_API void fm_scene_destroy(fm_scene *scene);

// The scene as one YAML text, with extended files merged and settings applied. Parsing it gives the
// same scene with the same hash.
FM_API const char *fm_scene_text(const fm_scene *scene);
// A hash of all keys that influence the results of a run, and of the contents of cloth mesh files.
FM_API uint64_t fm_scene_hash(const fm_scene *scene);

FM_API const char *fm_scene_about(const fm_scene *scene);  // value of the key `about`
FM_API const char *fm_scene_source(const fm_scene *scene); // value of the key `source`

// The keys of a scene that control a run: `world` and `output`.
typedef struct fm_scene_run {
    int frames; // number of the last frame; frame 0 is the initial state
    double fps;
    double checkpoint_seconds; // simulated time between checkpoints; 0: no checkpoints
    int checkpoints_kept;
    const char *fields; // names of the fields to write, separated by blanks; NULL: not given
    bool check_intersections;
    bool loads; // some fluid measures its loads on walls and colliders
} fm_scene_run;
FM_API fm_scene_run fm_scene_run_settings(const fm_scene *scene);
// The keys `camera` and `look`, for pictures. The strings belong to the scene.
FM_API fm_picture_setting_def fm_scene_picture_setting(const fm_scene *scene);

// Builds the world that the scene describes. threads: 0 uses one per processor. Errors name the key
// and its place in the scene file. Scenes with mesh colliders need fm_scene_build_with_loader.
FM_API fm_world *fm_scene_build(const fm_scene *scene, int threads, fm_error *err);
// Builds the world of a scene with mesh colliders, whose files `loader` reads (fm_file_loader() of
// libfathom_io).
FM_API fm_world *fm_scene_build_with_loader(const fm_scene *scene, int threads,
                                            const fm_mesh_loader *loader, fm_error *err);

// The objects of the scene: colliders with a mass, then bodies, then fluids, each in the order of
// the file. An index is the same as in fm_world_object.
FM_API int fm_scene_object_count(const fm_scene *scene);
FM_API const char *fm_scene_object_name(const fm_scene *scene, int index);
FM_API const char *fm_scene_object_kind(const fm_scene *scene, int index); // such as "cloth"

// The cloths among the objects of the scene, in the order of the file.
FM_API int fm_scene_cloth_count(const fm_scene *scene);
FM_API const char *fm_scene_cloth_name(const fm_scene *scene, int index);

// Probes: named columns of numbers, measured at points of bodies, at points in space or as means
// over objects.
FM_API int fm_scene_probe_column_count(const fm_scene *scene);
FM_API const char *fm_scene_probe_column(const fm_scene *scene, int index); // such as "tip.x"
FM_API bool fm_scene_read_probes(const fm_scene *scene, fm_world *world, double *values,
                                 fm_error *err);

// Texts generated from the key tables; the caller frees them.
// Help for a key, or the list of sections when key is NULL. For an unknown key returns NULL with
// err filled, which suggests the nearest known key.
FM_API char *fm_scene_describe(const char *key, fm_error *err);
FM_API char *fm_scene_schema(void);    // JSON Schema; NULL: out of memory
FM_API char *fm_scene_reference(void); // the Markdown of docs/scenes.md; NULL: out of memory

#ifdef __cplusplus
}
#endif

#endif
