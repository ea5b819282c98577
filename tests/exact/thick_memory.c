// SPDX-License-Identifier: MIT
// thick_memory.c: the memory M of a spring of a thickening fluid for three motions with a closed
// form (reference/thick_memory.csv): a constant rate from t = 0, a pulse, and a rate that is held
// for a second. The rates are piecewise linear, and each piece begins and ends at a step. So the
// error is that of the kernel (tolerance 1e-6) and of single precision, for any step.
#include "fluids.h"
#include "particles/spring_network.h"

#include <string.h>

static const double TOLERANCE = 1e-5; // absolute; the values are of the order of 1

// Rate at time t, m/s.
static double find_rate(const char *input, double t)
{
    const double rounding = 1e-9;
    if (strcmp(input, "step") == 0)
        return 1;
    if (strcmp(input, "pulse") == 0)
        return fmax(0, 1 - fabs(t - 0.15) / 0.05);
    if (t < 0.1 + rounding || t > 1.3 - rounding)
        return 0;
    return fmin(fmin(1, (t - 0.1) / 0.1), (1.3 - t) / 0.1);
}

// A fluid with springs of this order; it is not stepped, only its springs are prepared.
static fm_particles *create_spring_fluid(fm_world *world, double q, fm_recall_kind kind)
{
    fm_error err = {0};
    fm_particles_def def = viscous_fluid_def(3, 0.1, 1e-3, 1);
    def.time_step = 2.5e-3; // the memory resolves it
    def.network.viscosity = 1;
    def.network.onset = 1;
    def.network.order = q;
    def.network.memory.kind = kind;
    def.network.memory.fading = 1 / pow(tgamma(2 - q), 1 / (1 - q));
    def.network.memory.tolerance = 1e-6;
    fm_particles *fluid = create_fluid(world, &def);
    fm_surroundings around = fm_world_surroundings(world);
    fill_domain(fluid, 0);
    assert_true(fm_particles_prepare(fluid, &around, &err));
    return fluid;
}

// M of a spring at time t with steps of h seconds.
static double find_memory(fm_particles *fluid, const char *input, double t, double h)
{
    fm_springs *springs = fm_springs_find(fluid);
    float modes[2][FM_SPRING_MODES_MAX] = {{0}}, M = 0;
    const int steps = (int)round(t / h);
    fm_springs_set_step(springs, fluid, h);
    for (int n = 1; n <= steps; n++)
        M = fm_springs_advance_memory(&springs->step, springs->mode_count, modes[(n + 1) % 2],
                                      modes[n % 2], (float)find_rate(input, (n - 1) * h),
                                      (float)find_rate(input, n * h));
    return (double)M;
}

// Computes M of a spring at time t for an input, with steps of h seconds.
typedef double memory_function(fm_particles *fluid, const char *input, double t, double h);

enum { FULL, WINDOW, FADING }; // columns of the reference

// Largest difference between M and a column of the reference, for all inputs of the order q.
static double find_worst(fm_particles *fluid, double q, int column, double h, memory_function *find)
{
    FILE *file = fopen(REFERENCE_DIR "/thick_memory.csv", "r");
    assert_non_null(file);
    char line[256], input[16];
    double worst = 0, order, t, value[3];
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15[a-z],%lf,%lf,%lf,%lf,%lf", input, &order, &t, &value[FULL],
                   &value[WINDOW], &value[FADING]) != 6 ||
            order != q)
            continue;
        worst = fmax(worst, fabs(find(fluid, input, t, h) - value[column]));
        rows++;
    }
    fclose(file);
    assert_true(rows >= 25);
    return worst;
}

// Compares M of a spring with the column `full` or `fading` of the reference.
static void expect_reference(double q, fm_recall_kind kind, double h)
{
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    fm_particles *fluid = create_spring_fluid(world, q, kind);
    const bool full = kind == FM_RECALL_FULL;
    double worst = find_worst(fluid, q, full ? FULL : FADING, h, find_memory);
    printf("  q = %g, %s, h = %g s: largest error %.2g, %d exponentials\n", q,
           full ? "full" : "fading", h, worst, fm_springs_find(fluid)->kernel.count);
    assert_at_most(worst, TOLERANCE);
    fm_world_destroy(world);
}

static void springs_remember_as_the_closed_form(void **state)
{
    (void)state;
    const double orders[3] = {0.2, 0.5, 0.8};
    for (int k = 0; k < 3; k++) {
        for (int n = 0; n < 2; n++) {
            expect_reference(orders[k], FM_RECALL_FULL, n ? 2.5e-3 : 1e-2);
            expect_reference(orders[k], FM_RECALL_FADING, n ? 2.5e-3 : 1e-2);
        }
    }
}

// Moves one of two particles along x, the other rests; M of a spring between them at time t, from
// their past velocities over a window of one second.
static double find_window_memory(fm_particles *fluid, const char *input, double t, double h)
{
    fm_error err = {0};
    fm_velocity_history *past = fm_velocity_history_create(fluid, &err);
    assert_non_null(past);
    const int steps = (int)round(t / h);
    for (int n = 0; n <= steps; n++) {
        fluid->fluid.density[0].vx = (float)find_rate(input, n * h);
        fm_velocity_history_record(past, fluid, NULL, h);
    }
    double by_speed = (double)fm_velocity_history_find_memory(past, FM_HARDENING_SPEED, 0, 1);
    double by_displacement =
        (double)fm_velocity_history_find_memory(past, FM_HARDENING_DISPLACEMENT, 0, 1);
    assert_at_most(fabs(by_speed - by_displacement), 1e-5); // the motion does not turn back
    return by_speed;
}

// A fluid that keeps past velocities; it is not stepped. steps 0: over one second.
static fm_particles *create_past_fluid(fm_world *world, double q, double h, int steps)
{
    fm_error err = {0};
    fm_particles_def def = viscous_fluid_def(3, 0.5, 1e-3, 1);
    def.time_step = h;
    def.network.viscosity = 1;
    def.network.onset = 1;
    def.network.order = q;
    def.network.rate = FM_HARDENING_SPEED;
    def.network.memory.kind = steps > 0 ? FM_RECALL_STEPS : FM_RECALL_SECONDS;
    def.network.memory.steps = steps > 0 ? steps : 1;
    def.network.memory.seconds = 1;
    fm_particles *fluid = create_fluid(world, &def);
    fm_surroundings around = fm_world_surroundings(world);
    fill_domain(fluid, 0);
    assert_true(fm_particles_prepare(fluid, &around, &err));
    return fluid;
}

// With the past of particles over a window, M is that of the closed form up to single precision.
static void past_velocities_give_the_closed_form(void **state)
{
    (void)state;
    const double orders[3] = {0.2, 0.5, 0.8}, h = 1e-2;
    for (int k = 0; k < 3; k++) {
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        fm_particles *fluid = create_past_fluid(world, orders[k], h, 0);
        double worst = find_worst(fluid, orders[k], WINDOW, h, find_window_memory);
        printf("  q = %g, window of 1 s: largest error %.2g\n", orders[k], worst);
        assert_at_most(worst, TOLERANCE);
        fm_world_destroy(world);
    }
}

// A window of a fixed number of steps covers less time with shorter steps: in steady motion M falls
// by 2^(q-1) when the step is halved. Fading memory does not depend on the step.
static void windows_of_steps_depend_on_the_step(void **state)
{
    (void)state;
    const double q = 0.5;
    double M[2];
    for (int k = 0; k < 2; k++) {
        const double h = 1e-2 / (1 << k);
        fm_world *world = create_world(1000, 1e-3, no_gravity);
        M[k] = find_window_memory(create_past_fluid(world, q, h, 100), "step", 3, h);
        fm_world_destroy(world);
    }
    printf("  100 steps: M %.5f with h = 0.01 s, %.5f with h = 0.005 s\n", M[0], M[1]);
    assert_at_most(fabs(M[1] / M[0] - pow(2, q - 1)), 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(springs_remember_as_the_closed_form),
                                       cmocka_unit_test(past_velocities_give_the_closed_form),
                                       cmocka_unit_test(windows_of_steps_depend_on_the_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
