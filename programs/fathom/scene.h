// SPDX-License-Identifier: MIT
// scene.h: scenes as the command line meets them.
#ifndef FATHOM_PROGRAM_SCENE_H
#define FATHOM_PROGRAM_SCENE_H

#include <fathom/scene.h>

// Loads a scene and prints its mistakes with their lines and carets. NULL when there were any;
// `code` is then the exit code.
fm_scene *load_scene(const char *path, const char *const *settings, int count, int *code);

#endif
