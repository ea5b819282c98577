// SPDX-License-Identifier: MIT
// load_scene.h: loads scenes for the command line.
#ifndef FATHOM_PROGRAM_SCENE_H
#define FATHOM_PROGRAM_SCENE_H

#include <fathom/loader.h>
#include <fathom/scene.h>

// Loads a scene, with the values changed that settings[count] lists ("PATH=VALUE" each), and prints
// its mistakes, each with its line and a caret. Returns NULL after a mistake. `code` receives the
// exit code.
fm_scene *load_scene(const char *path, const char *const *settings, int count, int *code);
fm_mesh_loader find_mesh_loader(void); // mesh_loader.c

#endif
