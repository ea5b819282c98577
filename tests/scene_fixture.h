// SPDX-License-Identifier: MIT
// scene_fixture.h: functions that parse scenes and build worlds, and fail the test on any mistake.
#ifndef FATHOM_TESTS_SCENE_FIXTURE_H
#define FATHOM_TESTS_SCENE_FIXTURE_H

#include "check.h"

#include <fathom/scene.h>
#include <string.h>

#define START "about: a\nsource: b\n" // the keys that every scene needs

// Callback for mistakes in a scene: prints them.
static inline void print_diagnostic(void *context, const fm_diagnostic *diagnostic)
{
    (void)context;
    print_error("%s:%d:%d: %s\n", diagnostic->file, diagnostic->line, diagnostic->column,
                diagnostic->text);
}

// Parses a scene and applies settings "PATH=VALUE".
static inline fm_scene *parse_with_settings(const char *text, const char *const *settings,
                                            int count)
{
    fm_error err = {0};
    fm_scene *scene = fm_scene_parse(text, strlen(text), "test", NULL, settings, count,
                                     print_diagnostic, NULL, &err);
    assert_non_null(scene);
    assert_int_equal(err.status, FM_OK);
    return scene;
}

static inline fm_scene *parse(const char *text)
{
    return parse_with_settings(text, NULL, 0);
}

// Builds the world of a scene with one thread.
static inline fm_world *build(const fm_scene *scene)
{
    fm_error err = {0};
    fm_world *world = fm_scene_build(scene, 1, &err);
    assert_good(world, &err);
    return world;
}

#endif
