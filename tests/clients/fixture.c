// SPDX-License-Identifier: MIT
// fixture.c: writes the files that the client tests read: a small run of two cloths, its time
// indices, and every export.
//
//     fixture DIR            writes DIR/frames, DIR/*.pvd and DIR/exports/*; the tests compare with
//                            exports/NAME.csv
//     fixture --read FILE    reads a .vtp of another program and prints its size as JSON
#include "io/io.h"

#include <fathom/fathom.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 12 };
static const double fps = 24;

// Adds a sheet of 0.3 m x 0.2 m whose upper edge is moved by a sine, so that all points move.
static fm_cloth *add_cloth(fm_world *world, const char *name, int columns, int rows, fm_vec3 origin,
                           fm_error *err)
{
    fm_cloth_def def = fm_default_cloth_def();
    def.name = name;
    fm_sheet sheet = {columns, rows, 0.3, 0.2, .origin = origin, .velocity = {0, 0, 0.3}};
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, err);
    if (cloth)
        fm_cloth_pin_edge(cloth, FM_EDGE_TOP,
                          fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.1, 0.7, err), err);
    return cloth;
}

// Writes a frame of a cloth with three fields to DIR/frames.
static void write_frame(const char *directory, fm_cloth *cloth, int frame, fm_error *err)
{
    char path[1024];
    fm_surface *surface = fm_frame_create(fm_cloth_object(cloth), "velocity normal stretch", err);
    if (!surface)
        return;
    snprintf(path, sizeof path, "%s/frames/%s.%06d.vtp", directory, surface->name, frame);
    fm_vtk_write(path, surface, false, err);
    fm_surface_destroy(surface);
}

// Writes DIR/NAME.pvd, the time index of an object's frames.
static void write_index(const char *directory, const char *name, fm_error *err)
{
    char path[1024], files[FRAMES + 1][96];
    fm_pvd_entry entries[FRAMES + 1];
    for (int i = 0; i <= FRAMES; i++) {
        snprintf(files[i], sizeof files[i], "frames/%s.%06d.vtp", name, i);
        entries[i] = (fm_pvd_entry){i / fps, files[i], 0};
    }
    snprintf(path, sizeof path, "%s/%s.pvd", directory, name);
    fm_pvd_write(path, entries, FRAMES + 1, false, err);
}

// Simulates two cloths and writes their frames and time indices.
static void simulate(const char *directory, fm_error *err)
{
    fm_world_def def = fm_default_world_def();
    fm_world *world = fm_world_create(&def, err);
    fm_cloth *cloths[2] = {add_cloth(world, "towel", 13, 9, (fm_vec3){0, 0, 0}, err),
                           add_cloth(world, "flag", 6, 5, (fm_vec3){0.5, 0.1, 0}, err)};
    for (int frame = 0; frame <= FRAMES && err->status == FM_OK; frame++) {
        if (frame > 0)
            fm_world_advance(world, 1 / fps, err);
        for (int k = 0; k < 2 && err->status == FM_OK; k++)
            write_frame(directory, cloths[k], frame, err);
    }
    for (int k = 0; k < 2 && err->status == FM_OK; k++)
        write_index(directory, fm_cloth_name(cloths[k]), err);
    fm_world_destroy(world);
}

// Exports the run in every format.
static void export_all(const char *directory, fm_error *err)
{
    char words[128], *rest = words;
    snprintf(words, sizeof words, "%s", fm_export_formats());
    for (char *word; (word = strtok_r(rest, " ", &rest)) && err->status == FM_OK;) {
        fm_export_options options = fm_default_export_options();
        options.format = word;
        fm_export_frames(directory, &options, NULL, err);
    }
}

// Reads a .vtp file and prints its size and the sum of all coordinates as JSON.
static void read_file(const char *path, fm_error *err)
{
    fm_surface *surface = fm_vtk_read(path, err);
    if (!surface)
        return;
    double sum = 0;
    for (int i = 0; i < 3 * surface->point_count; i++)
        sum += surface->points[i];
    printf("{\"points\": %d, \"faces\": %d, \"corners\": %d, \"fields\": %d, \"sum\": %.9g}\n",
           surface->point_count, surface->face_count, fm_surface_corner_count(surface),
           surface->field_count, sum);
    fm_surface_destroy(surface);
}

int main(int count, char **words)
{
    fm_error err = {0};
    char frames[1024];
    if (count == 3 && strcmp(words[1], "--read") == 0) {
        read_file(words[2], &err);
    } else if (count == 2) {
        snprintf(frames, sizeof frames, "%s/frames", words[1]);
        fm_directory_create(frames, &err);
        simulate(words[1], &err);
        export_all(words[1], &err);
    } else {
        fprintf(stderr, "usage: fixture DIR | fixture --read FILE\n");
        return 1;
    }
    if (err.status != FM_OK)
        fprintf(stderr, "fixture: %s\n", err.text);
    return (int)err.status;
}
