// SPDX-License-Identifier: MIT
// fabric.c: a substep of a fabric of 100,000 points, per spring, beside a sheet of as many.
//
// Both have springs, normals and the integrator, no drag, bending or damping. A sheet is a stencil
// without index arrays and has four springs per point; a triangle mesh has three, and index arrays.
// The mesh is measured in the order of the mesh builder, row by row, and in random order; and an
// irregular one, and model I. One thread.
#include "bench.h"
#include "fixtures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 9, SUBSTEPS = 4, SIDE = 317, CASES = 5 }; // CASES: names below
static const double TURN = 0.1;                           // s, measuring time of a job per round

// One fabric or sheet that is measured.
typedef struct sample {
    fm_world *world;
    double duration; // s, of SUBSTEPS substeps
    double points, springs;
} sample;

// The job of a sample: advances it by SUBSTEPS substeps, `repeats` times.
static void step_sample(void *context, int repeats)
{
    sample *s = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++)
        fm_world_advance(s->world, s->duration, &err);
}

// Renumbers the vertices of a mesh: vertex i becomes number[i].
static void renumber(fixture_mesh *mesh, const int *number)
{
    fm_vec3 *moved = malloc((size_t)mesh->vertex_count * sizeof *moved);
    for (int i = 0; i < mesh->vertex_count && moved; i++)
        moved[number[i]] = mesh->positions[i];
    for (int i = 0; i < mesh->vertex_count && moved; i++)
        mesh->positions[i] = moved[i];
    for (int i = 0; i < 3 * mesh->triangle_count && moved; i++)
        mesh->triangles[i] = number[mesh->triangles[i]];
    free(moved);
}

// Puts the vertices of a mesh in random order, the same in every run.
static void shuffle(fixture_mesh *mesh)
{
    int *number = malloc((size_t)mesh->vertex_count * sizeof *number);
    unsigned random = 1;
    for (int i = 0; i < mesh->vertex_count && number; i++) {
        random = random * 1664525u + 1013904223u;
        int j = (int)(random % (unsigned)(i + 1));
        number[i] = i;
        number[i] = number[j], number[j] = i;
    }
    if (number)
        renumber(mesh, number);
    free(number);
}

// A fabric whose vertices are in random order.
static fm_cloth *create_shuffled(fm_world *world, const fm_cloth_def *def,
                                 const fm_fabric_def *fabric, fm_error *err)
{
    fixture_mesh grid = fixture_create_grid(SIDE, SIDE, 0.01, 0.01 * sqrt(0.75), CUT_SHIFTED);
    shuffle(&grid);
    fm_cloth_mesh mesh = fixture_cloth_mesh(&grid);
    fm_cloth *cloth = fm_cloth_create_fabric(world, def, fabric, &mesh, err);
    fixture_destroy_mesh(&grid);
    return cloth;
}

// A fabric as the mesh builder orders it.
static fm_cloth *create_built(fm_world *world, const fm_cloth_def *def, const fm_fabric_def *fabric,
                              bool irregular, fm_error *err)
{
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE, shape.rim = FM_RIM_LATTICE;
    shape.edge = 0.01;
    if (irregular)
        shape.rim = FM_RIM_FITTED, shape.triangulation = FM_TRIANGLES_IRREGULAR;
    shape.width = (SIDE - 0.5) * 0.01, shape.length = (SIDE - 1) * 0.01 * sqrt(0.75);
    return fm_cloth_create_fabric_shape(world, def, fabric, &shape,
                                        &(fm_fabric_place){.prestretch = 1}, err);
}

// Creates sample number `which` (names in bench_fabric) and takes the first substeps.
static bool start_sample(sample *s, int which)
{
    fm_error err = {0};
    fm_world_def air = fixture_air_def(1);
    fm_cloth_def def = fm_default_fabric_cloth_def();
    fm_fabric_def fabric = fm_default_fabric_def();
    fm_sheet sheet = {.columns = SIDE, .rows = SIDE, .width = 3.16, .height = 3.16};
    s->world = fixture_create_world(air, &err);
    fabric.model = which == 4 ? FM_FABRIC_MODEL_I : FM_FABRIC_MODEL_II;
    fm_cloth *cloth = which == 0   ? fm_cloth_create_sheet(s->world, &def, &sheet, &err)
                      : which == 3 ? create_shuffled(s->world, &def, &fabric, &err)
                                   : create_built(s->world, &def, &fabric, which == 2, &err);
    if (!cloth)
        return false;
    s->points = fm_cloth_particle_count(cloth);
    s->springs = (which == 0 ? 4 : 3) * s->points; // without the border
    s->duration = SUBSTEPS * fm_cloth_stable_step(cloth);
    fm_world_advance(s->world, s->duration, &err);
    return err.status == FM_OK;
}

// Measures all samples in turn and reports the time per spring and substep.
void bench_fabric(bench_report *report)
{
    static const char *const names[CASES] = {"sheet", "fabric, regular", "fabric, irregular",
                                             "fabric, random order", "fabric, model I"};
    sample samples[CASES] = {0};
    bench_job jobs[CASES];
    bool ready = true;
    for (int i = 0; i < CASES; i++) {
        ready = start_sample(&samples[i], i) && ready;
        jobs[i] = (bench_job){.run = step_sample,
                              .context = &samples[i],
                              .work = SUBSTEPS * samples[i].springs,
                              .baseline = 0};
    }
    if (ready)
        bench_measure(jobs, CASES, ROUNDS, TURN);
    for (int i = 0; i < CASES; i++) {
        char note[64];
        snprintf(note, sizeof note, "%.1f million vertex-steps/s",
                 1e3 * samples[i].points / (jobs[i].ns * samples[i].springs));
        if (ready)
            bench_add(report, &(bench_result){"100,489 points, one thread", names[i], jobs[i].ns,
                                              "ns/spring", i ? jobs[i].ratio : 0, names[0], note});
        fm_world_destroy(samples[i].world);
    }
}
