// SPDX-License-Identifier: MIT
// particles.c: cost of a substep of a particle fluid, sorting and neighbour search included.
//
// The fluid is a block of water with a support of two spacings and about 28 neighbours per
// particle. Measured, per particle and substep:
//   - a block without walls: stages, one and two threads, pairs per second, share of peak flops
//   - 20,000 to 2 million particles
//   - the block in a tank, with each of the three methods
//   - a small pool in tanks of 1, 8 and 64 times its volume
//   - cornstarch in water with and without history, and the published model
//   - fractional viscosity, a stress that depends on the half derivative of the shear over past
//     steps, with each choice of the past: ten steps, fading, the whole past
#include "bench.h"
#include "fixtures.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 7, STAGES = FM_PARTICLES_STAGE_COUNT };
static const double TURN = 0.2;    // s, duration of one measurement
static const double NS_MIN = 0.05; // ns per particle; shorter stages are not reported
// m/s, largest flow speed: that of free fall from 1 m; and the speed of sound, ten times as large
static const double FLOW_SPEED = 4.4, SOUND_SPEED = 44;

// A fluid to be measured.
typedef struct block {
    fm_world *world;
    fm_particles *fluid;
    double step;     // s, simulated time of one advance, several substeps
    int count;       // particles
    double advances; // number of advances so far
} block;

// The job of a block: advances it `repeats` times.
static void step_block(void *context, int repeats)
{
    block *b = context;
    fm_error err = {0};
    for (int i = 0; i < repeats; i++)
        fm_world_advance(b->world, b->step, &err);
    b->advances += repeats;
}

// Converts a time per advance to a time per substep. An advance, like a frame, takes several
// substeps and ends with a check of all particles.
static double per_substep(const block *b, double ns)
{
    return ns * b->advances / (double)fm_particles_read_stats(b->fluid).substep_count;
}

// Fills a unit cube with fluid and takes three advances of `step` seconds.
static bool start_fluid(block *b, const fm_particles_def *def, bool settled, double step,
                        fm_error *err)
{
    fm_fluid_box box = {.high = {1, 1, 1}, .jitter = 0.1, .settled = settled};
    b->fluid = fixture_create_fluid(b->world, def, &box, err);
    if (!b->fluid)
        return false;
    b->step = step;
    b->count = fm_particles_count(b->fluid);
    step_block(b, 3);
    return true;
}

// Length of an advance, s: four substeps of CFL number 0.2 with a support of two spacings, m.
static double find_advance(double spacing)
{
    return 4 * 0.2 * 2 * spacing / SOUND_SPEED;
}

// Creates a unit cube of cells^3 particles. tank: with walls and gravity, else open and weightless.
// memory: the part of the past that fractional viscosity depends on; NULL: Newtonian viscosity.
static bool start_fractional(block *b, int cells, int threads, bool tank, fm_sph_method method,
                             const fm_recall *memory)
{
    fm_error err = {0};
    b->world = fixture_create_world(
        tank ? fixture_water_def(threads) : fixture_weightless_water_def(threads), &err);
    fm_particles_def def = fm_default_particles_def();
    def.spacing = 1.0 / cells;
    def.support = 2;
    def.method = method;
    def.speed = FLOW_SPEED;
    def.stiffness = SOUND_SPEED * SOUND_SPEED;
    def.integrator = FM_SPH_LEAPFROG;
    def.viscosity = method == FM_SPH_STANDARD ? 10 : 1e-3;
    if (memory) {
        def.fractional.order = 0.5;
        def.fractional.memory = *memory;
    }
    def.domain.low = tank ? (fm_vec3){0, 0, 0} : (fm_vec3){-0.1, -0.1, -0.1};
    def.domain.high = (fm_vec3){1 - def.domain.low.x, 1.1, 1 - def.domain.low.z};
    for (int side = 0; side < FM_SIDE_COUNT && !tank; side++)
        def.domain.sides[side] = FM_SIDE_OPEN;
    // the constant-density method chooses the number of substeps of an advance itself
    double step = method == FM_SPH_CONSTANT_DENSITY ? 2e-3 : find_advance(def.spacing);
    return start_fluid(b, &def, tank, step, &err);
}

// Creates a block with Newtonian viscosity; arguments as start_fractional.
static bool start_block(block *b, int cells, int threads, bool tank, fm_sph_method method)
{
    return start_fractional(b, cells, threads, tank, method, NULL);
}

// The job that advances a block. baseline: index of the job it is compared with.
static bench_job block_job(block *b, int baseline)
{
    return (bench_job){.run = step_block, .context = b, .work = b->count, .baseline = baseline};
}

enum { LANES = 96 }; // independent multiply-adds: enough to fill all vector registers

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

// Independent fused multiply-adds in registers: the peak of one thread in single precision.
CLONES
static void multiply_add(float *restrict sink, int repeats)
{
    float a[LANES];
    for (int i = 0; i < LANES; i++)
        a[i] = sink[i];
    for (int r = 0; r < repeats; r++) {
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            a[i] = a[i] * 0.999999f + 1e-6f;
    }
    for (int i = 0; i < LANES; i++)
        sink[i] = a[i];
}

// The job of the peak rate: LANES multiply-adds, `repeats` times.
static void run_peak(void *context, int repeats)
{
    multiply_add(context, repeats);
}

// Floating-point operations per particle, counted in the source code, roots and divisions as one:
// 8 for each candidate neighbour, 42 for each neighbour in density.c and 58 in forces.c.
static double count_flops(const fm_particles_stats *stats, int count)
{
    double neighbours = 2.0 * (double)stats->pair_count / count + 1;
    return 8.0 * (double)stats->candidate_count / count + neighbours * (42 + 58);
}

// Reports the time of each stage of a substep, over `steps` advances.
static void report_stages(bench_report *report, const char *group, block *b, int steps)
{
    fm_particles_stats before = fm_particles_read_stats(b->fluid);
    step_block(b, steps);
    fm_particles_stats after = fm_particles_read_stats(b->fluid);
    double total = 0,
           work = (double)b->count * (double)(after.substep_count - before.substep_count);
    for (int i = 0; i < STAGES; i++)
        total += after.seconds[i] - before.seconds[i];
    for (int i = 0; i < STAGES; i++) {
        double ns = 1e9 * (after.seconds[i] - before.seconds[i]) / work;
        char note[48];
        snprintf(note, sizeof note, "%.0f %%", 100 * ns * work / (1e9 * total));
        if (ns > NS_MIN)
            bench_add(report, &(bench_result){group, fm_particles_stage_name((fm_particles_stage)i),
                                              ns, "ns/particle", 0, "", note});
    }
}

// Compares two threads with one, and the flop rate with the peak, for cells^3 particles.
static void compare_threads(bench_report *report, const char *group, int cells)
{
    block one = {0}, two = {0};
    float sink[LANES] = {0};
    if (start_block(&one, cells, 1, false, FM_SPH_WEAKLY_COMPRESSIBLE) &&
        start_block(&two, cells, 2, false, FM_SPH_WEAKLY_COMPRESSIBLE)) {
        bench_job jobs[3] = {block_job(&one, 0),
                             block_job(&two, 0),
                             {.run = run_peak, .context = sink, .work = 2 * LANES, .baseline = 2}};
        bench_measure(jobs, 3, ROUNDS, TURN);
        fm_particles_stats stats = fm_particles_read_stats(one.fluid);
        double one_ns = per_substep(&one, jobs[0].ns), two_ns = per_substep(&two, jobs[1].ns);
        double gflops = count_flops(&stats, one.count) / one_ns, peak = 1 / jobs[2].ns;
        char note[128];
        snprintf(note, sizeof note, "%.1f of %.0f Gflop/s measured peak: %.0f %%", gflops, peak,
                 100 * gflops / peak);
        bench_add(report, &(bench_result){group, "one thread", one_ns, "ns/particle", 0, "", note});
        snprintf(note, sizeof note, "%.2f times as fast; %.2f million particles/s, %.0f pairs/s",
                 1 / jobs[1].ratio, 1e3 / two_ns,
                 1e9 * (double)stats.pair_count / two.count / two_ns);
        bench_add(report, &(bench_result){group, "two threads", two_ns, "ns/particle",
                                          jobs[1].ratio, "one thread", note});
        // as many advances as make half a million particles
        report_stages(report, group, &two, (int)(5e5 / two.count) + 1);
    }
    fm_world_destroy(one.world);
    fm_world_destroy(two.world);
}

// Compares the time per particle for three numbers of particles.
static void compare_sizes(bench_report *report)
{
    static const char *const group = "sizes, two threads";
    static const int cells[3] = {27, 58, 126};
    static const char *const names[3] = {"20 thousand", "200 thousand", "2 million"};
    block b[3] = {0};
    bench_job jobs[3];
    bool ready = true;
    for (int i = 0; i < 3; i++) {
        ready = ready && start_block(&b[i], cells[i], 2, false, FM_SPH_WEAKLY_COMPRESSIBLE);
        jobs[i] = block_job(&b[i], 0);
    }
    if (ready)
        bench_measure(jobs, 3, 5, TURN);
    for (int i = 0; ready && i < 3; i++)
        bench_add(report, &(bench_result){group, names[i], per_substep(&b[i], jobs[i].ns),
                                          "ns/particle", i ? jobs[i].ratio : 0, names[0], ""});
    for (int i = 0; i < 3; i++)
        fm_world_destroy(b[i].world);
}

// Compares the three SPH methods in a tank with an open block.
static void compare_methods(bench_report *report)
{
    static const char *const group = "20 thousand in a tank, two threads";
    static const char *const names[3] = {"weakly compressible", "constant density", "standard"};
    block open = {0}, b[3] = {0};
    bench_job jobs[4];
    bool ready = start_block(&open, 27, 2, false, FM_SPH_WEAKLY_COMPRESSIBLE);
    jobs[0] = block_job(&open, 0);
    for (int i = 0; i < 3; i++) {
        ready = ready && start_block(&b[i], 27, 2, true, (fm_sph_method)i);
        jobs[1 + i] = block_job(&b[i], 0);
    }
    if (ready)
        bench_measure(jobs, 4, ROUNDS, TURN);
    for (int i = 0; ready && i < 3; i++) {
        fm_particles_stats stats = fm_particles_read_stats(b[i].fluid);
        char note[64] = "";
        if (stats.iteration_count > 0)
            snprintf(note, sizeof note, "%.0f iterations a step",
                     (double)stats.iteration_count / (double)stats.substep_count);
        else
            snprintf(note, sizeof note, "%d points of walls", stats.boundary_count);
        double ns = per_substep(&b[i], jobs[1 + i].ns);
        bench_add(report,
                  &(bench_result){group, names[i], ns, "ns/particle",
                                  ns / per_substep(&open, jobs[0].ns), "in the open", note});
    }
    fm_world_destroy(open.world);
    for (int i = 0; i < 3; i++)
        fm_world_destroy(b[i].world);
}

// Creates a weightless unit cube in the corner of a cubic tank of edge `size` (m); walls without
// fluid nearby must cost nothing.
static bool start_pool(block *b, double size)
{
    fm_error err = {0};
    b->world = fixture_create_world(fixture_weightless_water_def(1), &err);
    fm_particles_def def = fixture_tank_def(3, 0.1, (fm_vec3){size, size, size});
    def.support = 2;
    def.speed = FLOW_SPEED;
    return start_fluid(b, &def, false, find_advance(def.spacing), &err);
}

// Compares the same pool in tanks of three sizes.
static void compare_tanks(bench_report *report)
{
    enum { TANKS = 3 };
    static const char *const group = "a pool of 1,000 in larger tanks, one thread";
    static const char *const names[TANKS] = {"its own volume", "8 times", "64 times"};
    block b[TANKS] = {0};
    bench_job jobs[TANKS];
    bool ready = true;
    for (int i = 0; i < TANKS; i++) {
        ready = ready && start_pool(&b[i], 1 << i);
        jobs[i] = block_job(&b[i], 0);
    }
    if (ready)
        bench_measure(jobs, TANKS, ROUNDS, TURN);
    for (int i = 0; ready && i < TANKS; i++) {
        fm_particles_stats stats = fm_particles_read_stats(b[i].fluid);
        char note[64];
        snprintf(note, sizeof note, "%d of %d points of walls wet", stats.wet_count,
                 stats.boundary_count);
        bench_add(report, &(bench_result){group, names[i], per_substep(&b[i], jobs[i].ns),
                                          "ns/particle", i ? jobs[i].ratio : 0, names[0], note});
    }
    for (int i = 0; i < TANKS; i++)
        fm_world_destroy(b[i].world);
}

// Compares fractional viscosity over ten steps, fading and over the whole past with Newtonian
// viscosity, for cells^3 particles.
static void compare_viscosities(bench_report *report, const char *group, int cells, bool tank,
                                fm_sph_method method)
{
    enum { VISCOSITIES = 4 };
    static const char *const names[VISCOSITIES] = {"no memory", "10 steps", "fading, 1e-3",
                                                   "full, 1e-3"};
    static const fm_recall_kind kinds[VISCOSITIES] = {FM_RECALL_STEPS, FM_RECALL_STEPS,
                                                      FM_RECALL_FADING, FM_RECALL_FULL};
    block b[VISCOSITIES] = {0};
    bench_job jobs[VISCOSITIES];
    bool ready = true;
    for (int i = 0; i < VISCOSITIES; i++) {
        fm_recall memory = fm_default_particles_def().fractional.memory;
        memory.kind = kinds[i];
        ready = ready && start_fractional(&b[i], cells, 1, tank, method, i ? &memory : NULL);
        jobs[i] = block_job(&b[i], 0);
    }
    if (ready)
        bench_measure(jobs, VISCOSITIES, ROUNDS, TURN);
    for (int i = 0; ready && i < VISCOSITIES; i++) {
        fm_particles_stats stats = fm_particles_read_stats(b[i].fluid);
        char note[64] = "";
        if (i > 0)
            snprintf(note, sizeof note, "memory itself %.0f ns",
                     1e9 * stats.seconds[FM_PARTICLES_MEMORY] /
                         ((double)b[i].count * (double)stats.substep_count));
        bench_add(report, &(bench_result){group, names[i], jobs[i].ns, "ns/particle",
                                          i ? jobs[i].ratio : 0, names[0], note});
    }
    for (int i = 0; i < VISCOSITIES; i++)
        fm_world_destroy(b[i].world);
}

// Creates a unit cube of cornstarch in water in a tank, 20 thousand particles that fall a little.
static bool start_starch(block *b, int threads, bool history, bool published)
{
    fm_error err = {0};
    b->world = fixture_create_world(fixture_water_def(threads), &err);
    fm_particles_def def = fm_default_particles_def();
    fm_thickening starch = fm_default_thickening();
    starch.history = history;
    starch.published = published;
    def.spacing = 1.0 / 27;
    def.domain.high = (fm_vec3){1, 1.1, 1};
    if (published) {
        def.time_step = 1.0 / 300;
        def.network.memory.kind = FM_RECALL_SECONDS;
        def.network.memory.seconds = 1;
    }
    fm_thickening_convert(&starch, &def);
    return start_fluid(b, &def, false, 1.0 / 30, &err);
}

// Compares substeps of thickening fluids without and with history; two threads: and of the
// published model. Notes: how many frames of 1/30 s are simulated in a second.
static void compare_starch(bench_report *report, const char *group, int threads)
{
    enum { FLUIDS = 3 };
    static const char *const names[FLUIDS] = {"without history", "with history", "published model"};
    const int fluids = threads > 1 ? FLUIDS : FLUIDS - 1;
    block b[FLUIDS] = {0};
    bench_job jobs[FLUIDS];
    bool ready = true;
    for (int i = 0; i < fluids; i++) {
        ready = ready && start_starch(&b[i], threads, i > 0, i == 2);
        jobs[i] = block_job(&b[i], 0);
    }
    if (ready)
        bench_measure(jobs, fluids, ROUNDS, TURN);
    for (int i = 0; ready && i < fluids; i++) {
        char note[64];
        double ns = per_substep(&b[i], jobs[i].ns);
        snprintf(note, sizeof note, "%.1f frames/s of 30 fps, %.2f times the frame",
                 1e9 / (jobs[i].ns * b[i].count), jobs[i].ratio);
        bench_add(report,
                  &(bench_result){group, names[i], ns, "ns/particle",
                                  i ? ns / per_substep(&b[0], jobs[0].ns) : 0, names[0], note});
    }
    for (int i = 0; i < fluids; i++)
        fm_world_destroy(b[i].world);
}

// Runs all comparisons of particle fluids.
void bench_particles(bench_report *report)
{
    compare_threads(report, "20 thousand particles in the open", 27);
    compare_threads(report, "100 thousand particles in the open", 46);
    compare_sizes(report);
    compare_methods(report);
    compare_tanks(report);
    compare_viscosities(report, "fractional viscosity, 20 thousand in the open, one thread", 27,
                        false, FM_SPH_WEAKLY_COMPRESSIBLE);
    compare_viscosities(report, "fractional viscosity, 200 thousand in the open, one thread", 58,
                        false, FM_SPH_WEAKLY_COMPRESSIBLE);
    compare_viscosities(report, "fractional viscosity, standard, 20 thousand in a tank, one thread",
                        27, true, FM_SPH_STANDARD);
    compare_starch(report, "cornstarch, 20 thousand in a tank, one thread", 1);
    compare_starch(report, "cornstarch, 20 thousand in a tank, two threads", 2);
}
