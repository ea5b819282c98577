// SPDX-License-Identifier: MIT
// scene.h: scene files: YAML in, a world out.
//
// A scene is read with everything it extends, changed by settings (PATH=VALUE), checked against the
// tables that also make the documentation, and built into a world. Every mistake is reported with
// file, line and column, all of them in one go.
#ifndef FATHOM_SCENE_H
#define FATHOM_SCENE_H

#include <fathom/api.h>
#include <fathom/cloth.h>
#include <fathom/error.h>
#include <fathom/loader.h>
#include <fathom/world.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fm_scene fm_scene;

// One mistake. `text` says what is wrong and what is allowed; `source` is the line it is in, for a
// caret under `column` (both from 1); NULL when there is none, as for settings.
typedef struct fm_remark {
    const char *file;
    int line, column;
    const char *text;
    const char *source;
} fm_remark;

typedef void fm_remark_function(void *context, const fm_remark *remark);

// settings: "bodies.towel.cloth.density=1200" each, applied in order after the file is read; VALUE
// is YAML. NULL with err filled (the first mistake, or the count) when there was any mistake.
FM_API fm_scene *fm_scene_load(const char *path, const char *const *settings, int setting_count,
                               fm_remark_function *remark, void *context, fm_error *err);
// The same from text in memory; `name` stands for the file in messages, and extends are looked for
// in `folder`.
FM_API fm_scene *fm_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                                const char *const *settings, int setting_count,
                                fm_remark_function *remark, void *context, fm_error *err);
FM_API void fm_scene_destroy(fm_scene *scene);

// The whole scene as one YAML text, extended and set: reading it gives the same scene, hash
// included.
FM_API const char *fm_scene_text(const fm_scene *scene);
FM_API uint64_t fm_scene_hash(const fm_scene *scene);

FM_API const char *fm_scene_about(const fm_scene *scene);
FM_API const char *fm_scene_source(const fm_scene *scene);

// What a run of the scene is.
typedef struct fm_scene_run {
    int frames;
    double fps;
    double checkpoint_seconds; // of animation between checkpoints
    int checkpoints_kept;
    const char *fields; // names of the fields to write, separated by blanks
    bool check_intersections;
    bool loads; // some fluid measures them
} fm_scene_run;
FM_API fm_scene_run fm_scene_run_settings(const fm_scene *scene);

// Builds the world the scene describes. threads: 0 for one per processor. Errors name the scene's
// keys.
FM_API fm_world *fm_scene_build(const fm_scene *scene, int threads, fm_error *err);
// The same for scenes that name files: `loader` reads them (fm_file_loader(), of libfathom_io).
FM_API fm_world *fm_scene_build_files(const fm_scene *scene, int threads,
                                      const fm_mesh_loader *loader, fm_error *err);

// Bodies, in the order of the file.
FM_API int fm_scene_cloth_count(const fm_scene *scene);
FM_API const char *fm_scene_cloth_name(const fm_scene *scene, int index);

// Probes: columns of numbers that follow points or bodies.
FM_API int fm_scene_probe_column_count(const fm_scene *scene);
FM_API const char *fm_scene_probe_column(const fm_scene *scene, int index); // "tip.x"
FM_API bool fm_scene_read_probes(const fm_scene *scene, fm_world *world, double *values,
                                 fm_error *err);

// Texts made from the tables; free() them. NULL with err filled for an unknown key (with the
// nearest one).
FM_API char *fm_scene_describe(const char *key, fm_error *err); // NULL key: the sections
FM_API char *fm_scene_schema(void);                             // JSON Schema
FM_API char *fm_scene_reference(void);                          // docs/scenes.md

#ifdef __cplusplus
}
#endif

#endif
