// SPDX-License-Identifier: MIT
// kinds.c: the kind of an object (cloth, particles, ...) decides how it is drawn. This program
// replaces the table of kinds and drawing modes in render/draw_modes.c by one with another row. A
// kind without a row is drawn by its faces, lines and points.
#include "check.h"
#include "render/film.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Replaces the table of render/draw_modes.c. "froth" is the added kind.
const fm_draw_mode_row fm_draw_mode_rows[] = {
    {"cloth", FM_DRAW_MODE_CLOTH},
    {"particles", FM_DRAW_MODE_FLUID},
    {"froth", FM_DRAW_MODE_FLUID},
    {NULL, FM_DRAW_MODE_MESH},
};

// Size of the pictures in pixels and bytes; points along an edge of the block, and all.
enum { WIDTH = 96, HEIGHT = 54, BYTES = 3 * WIDTH * HEIGHT, SIDE = 6, POINTS = SIDE * SIDE * SIDE };

// Renders a block of points 4 cm apart as an object of this kind. joined: lines connect the first
// row; particles: fluids are drawn as spheres, not as a surface.
static fm_picture *draw(const char *kind, bool joined, bool particles)
{
    char folder[64] = "/tmp/fathom-kinds-XXXXXX", path[128], command[128];
    fm_error err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/frames", folder);
    assert_true(fm_directory_create(path, &err));
    const fm_surface_field radius[1] = {{"radius", 1, NULL}};
    fm_mesh_size size = {.points = POINTS, .lines = joined ? SIDE - 1 : 0};
    fm_surface *s = fm_surface_create("thing", &size, radius, 1, &err);
    assert_good(s, &err);
    snprintf(s->kind, sizeof s->kind, "%s", kind);
    for (int i = 0; i < POINTS; i++) {
        s->points[3 * i] = 0.04f * (float)(i % SIDE);
        s->points[3 * i + 1] = 0.04f * (float)(i / SIDE % SIDE);
        s->points[3 * i + 2] = 0.04f * (float)(i / SIDE / SIDE);
        s->fields[0].values[i] = 0.01f;
    }
    for (int i = 0; i < size.lines; i++) {
        s->lines[2 * i] = i;
        s->lines[2 * i + 1] = i + 1;
    }
    snprintf(path, sizeof path, "%s/frames/thing.000000.vtp", folder);
    assert_true(fm_vtk_write(path, s, false, &err));
    fm_surface_destroy(s);
    fm_film_options o = fm_default_film_options();
    o.width = WIDTH;
    o.height = HEIGHT;
    o.samples = 2;
    o.particles = particles;
    o.has_look = true; // the same look for all pictures
    const char *run = folder;
    fm_film *film = fm_film_open(&run, 1, &o, &err);
    assert_good(film, &err);
    assert_int_equal(fm_film_run_without_setting(film), -1);
    fm_picture *picture = fm_film_draw(film, 0, &err);
    assert_good(picture, &err);
    fm_film_close(film);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    return picture;
}

// True when two pictures have the same pixels. Destroys both.
static bool are_same(fm_picture *a, fm_picture *b)
{
    bool equal = memcmp(a->pixels, b->pixels, BYTES) == 0;
    fm_picture_destroy(a);
    fm_picture_destroy(b);
    return equal;
}

static void an_object_kind_is_drawn_in_the_mode_of_its_table_row(void **state)
{
    (void)state;
    assert_true(are_same(draw("froth", false, false), draw("particles", false, false)));
    assert_false(are_same(draw("froth", false, false), draw("froth", false, true)));
}

static void an_object_of_unknown_kind_is_drawn_by_its_faces_lines_and_points(void **state)
{
    (void)state;
    // its points are drawn as spheres, not as a fluid's surface
    assert_true(are_same(draw("pendulum", false, false), draw("pendulum", false, true)));
    assert_false(are_same(draw("pendulum", false, false), draw("particles", false, false)));
    assert_false(are_same(draw("pendulum", true, false), draw("pendulum", false, false)));
    assert_true(are_same(draw("", true, false), draw("pendulum", true, false)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_kind_is_drawn_in_the_mode_of_its_table_row),
        cmocka_unit_test(an_object_of_unknown_kind_is_drawn_by_its_faces_lines_and_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
