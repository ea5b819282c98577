// SPDX-License-Identifier: MIT
// mesh_loader.c: the loader of mesh files and painted maps for the program.
#include "load_scene.h"

#include <fathom/loader.h>
#ifdef PROGRAM_PICTURES
#include <fathom/render.h>
#endif

// Files of libfathom_io; images too, if the program was built with pictures.
fm_mesh_loader find_mesh_loader(void)
{
    fm_mesh_loader loader = *fm_file_loader();
#ifdef PROGRAM_PICTURES
    loader.read_image = fm_picture_read_image;
#endif
    return loader;
}
