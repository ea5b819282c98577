// SPDX-License-Identifier: MIT
// The surface that is drawn around the particles of a liquid is as calm as its level set: flat
// where the water is still or touches walls, and without flicker from frame to frame.
#include "liquids.h"

#include <fathom/draw.h>
#include <string.h>

enum { COLUMNS = 12 };                  // cells along a side of the tank
static const double SPACING = 1.0 / 24; // m, of the cells

// Copies a field of the particles; the caller frees it.
static float *copy_field(fm_liquid *liquid, const char *field, int components)
{
    double *values = read_liquid(liquid, field, components);
    int count = components * fm_liquid_particle_count(liquid);
    float *copy = malloc((size_t)count * sizeof *copy);
    for (int i = 0; i < count; i++)
        copy[i] = (float)values[i];
    free(values);
    return copy;
}

// The surface around the particles; follows their levels or not.
static fm_surface *create_surface(fm_liquid *liquid, bool levels)
{
    fm_error err = {0};
    fm_fluid_mesh_def def = fm_default_fluid_mesh_def();
    float *points = copy_field(liquid, "position", 3), *level = copy_field(liquid, "level", 1),
          *wall = copy_field(liquid, "wall", 1);
    def.spacing = SPACING / 2;
    def.level = levels ? level : NULL;
    def.wall = levels ? wall : NULL;
    fm_surface *s = fm_fluid_mesh_create(points, fm_liquid_particle_count(liquid), &def, &err);
    assert_good(s, &err);
    free(points);
    free(level);
    free(wall);
    return s;
}

// Heights of the top above each column of cells, in cells: means of its vertices that look up.
typedef struct heights {
    double at[COLUMNS * COLUMNS];
} heights;

static heights find_heights(fm_liquid *liquid, bool levels)
{
    heights found = {0};
    int counts[COLUMNS * COLUMNS] = {0};
    fm_surface *s = create_surface(liquid, levels);
    const float *normal = fm_surface_values(s, "normal", 3);
    for (int i = 0; i < s->point_count; i++) {
        const float *p = s->points + 3 * (size_t)i;
        int x = (int)floor((double)p[0] / SPACING), z = (int)floor((double)p[2] / SPACING);
        if (normal[3 * i + 1] < 0.7f || x < 0 || x >= COLUMNS || z < 0 || z >= COLUMNS)
            continue;
        found.at[x + COLUMNS * z] += (double)p[1] / SPACING;
        counts[x + COLUMNS * z]++;
    }
    for (int i = 0; i < COLUMNS * COLUMNS; i++) {
        assert_true(counts[i] > 0);
        found.at[i] /= counts[i];
    }
    fm_surface_destroy(s);
    return found;
}

// Root mean square over the columns of a - 2 b + c, cells.
static double find_change(const heights *a, const heights *b, const heights *c)
{
    double sum = 0;
    for (int i = 0; i < COLUMNS * COLUMNS; i++) {
        double change = a->at[i] - 2 * b->at[i] + c->at[i];
        sum += change * change;
    }
    return sqrt(sum / (COLUMNS * COLUMNS));
}

// Root mean square of the deviations from `height`, cells.
static double find_roughness(const heights *h, double height)
{
    double sum = 0;
    for (int i = 0; i < COLUMNS * COLUMNS; i++)
        sum += (h->at[i] - height) * (h->at[i] - height);
    return sqrt(sum / (COLUMNS * COLUMNS));
}

static fm_liquid *create_tank(fm_world *world, fm_liquid_box box)
{
    fm_liquid_def def = liquid_tank_def(COLUMNS, 10, COLUMNS, SPACING);
    return create_liquid(world, &def, &box);
}

// The particles are disordered from the start, and the level set is flat.
static void still_water_is_drawn_flat(void **state)
{
    (void)state;
    fm_world *world = create_liquid_world();
    fm_liquid *liquid = create_tank(world, (fm_liquid_box){.high = {0.5, 0.25, 0.5}});
    for (int i = 0; i < 6; i++)
        advance(world, 1.0 / 24);
    heights particles = find_heights(liquid, false), levels = find_heights(liquid, true);
    double rough = find_roughness(&particles, 6), flat = find_roughness(&levels, 6);
    printf("  deviation from a plane: %.4f cells, without levels %.4f\n", flat, rough);
    assert_at_most(flat, 0.005);
    assert_at_most(flat, 0.2 * rough);
    fm_world_destroy(world);
}

// Sides and floor of the water are planes, a quarter of a particle spacing beyond the walls. Within
// three particle spacings of an edge of the tank the surface may be round.
static void water_is_flat_at_walls(void **state)
{
    (void)state;
    fm_world *world = create_liquid_world();
    fm_liquid *liquid = create_tank(world, (fm_liquid_box){.high = {0.5, 0.25, 0.5}});
    advance(world, 1.0 / 24);
    fm_surface *s = create_surface(liquid, true);
    const float *normal = fm_surface_values(s, "normal", 3);
    double farthest = 0, margin = 1.5 * SPACING;
    int count = 0;
    for (int i = 0; i < s->point_count; i++) {
        const float *p = s->points + 3 * (size_t)i;
        double y = (double)p[1], z = (double)p[2];
        if (normal[3 * i] > -0.7f || y < margin || y > 0.25 - margin || z < margin ||
            z > 0.5 - margin)
            continue;
        farthest = fmax(farthest, fabs((double)p[0] + SPACING / 8));
        count++;
    }
    printf("  %d points of a side, at most %.4f cells from its plane\n", count, farthest / SPACING);
    assert_true(count > 100);
    assert_at_most(farthest, 0.02 * SPACING);
    fm_surface_destroy(s);
    fm_world_destroy(world);
}

// In a standing wave of the angular frequency w the heights of three frames have the second
// difference (w dt)^2 times the height; what is more than that is flicker.
static void waves_do_not_flicker(void **state)
{
    (void)state;
    fm_world *world = create_liquid_world();
    fm_liquid *liquid =
        create_tank(world, (fm_liquid_box){.high = {0.5, 0.25, 0.5}, .wave = {0.02, 1}});
    const double dt = 1.0 / 96, k = PI / 0.5, w = sqrt(GRAVITY * k * tanh(0.25 * k));
    for (int i = 0; i < 12; i++)
        advance(world, 1.0 / 24);
    heights old[2][3];
    double flicker[2] = {0}, motion = 0;
    for (int frame = 0; frame < 12; frame++) {
        for (int levels = 0; levels < 2; levels++) {
            memmove(old[levels], old[levels] + 1, 2 * sizeof *old[levels]);
            old[levels][2] = find_heights(liquid, levels == 1);
            if (frame >= 2)
                flicker[levels] +=
                    0.1 * find_change(&old[levels][0], &old[levels][1], &old[levels][2]);
        }
        motion = fmax(motion, w * dt * w * dt * find_roughness(&old[1][2], 6));
        advance(world, dt);
    }
    printf("  second difference of heights in 1/96 s: %.5f cells, without levels %.5f, that of the "
           "wave %.5f\n",
           flicker[1], flicker[0], motion);
    assert_at_most(flicker[1] - motion, 0.005); // cells; 0.2 mm here
    assert_at_most(flicker[1], 0.5 * flicker[0]);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_water_is_drawn_flat),
        cmocka_unit_test(water_is_flat_at_walls),
        cmocka_unit_test(waves_do_not_flicker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
