// SPDX-License-Identifier: MIT
// coupling_stream.c: drag of a sheet that is held in a flow, which a body force g drives through a
// periodic box of length L.
//
// Along the flow, the sheet spans the box. The fluid between the sheet and its periodic image
// starts from rest like the flow between two plates, with y measured from the middle between them:
//
//     u = g/(2 nu) (L^2/4 - y^2)
//         - sum_(n = 1, 3, ...) (-1)^((n-1)/2) 4 g/(nu L k^3) cos(k y) exp(-k^2 nu t),  k = n pi/L
//
// That checks the friction; the error is the root mean square over all particles, relative to the
// largest velocity.
//
// Across the flow, the sheet is a square of half the box. Its mean drag since rest is compared with
// reference/plate_in_stream.csv, computed by another method. Early, when no particle has moved by
// more than a spacing, the error comes from the flow around the rim and decreases almost with the
// first power of the spacing. Later the particles are disordered, which adds some friction: the
// errors are smaller, but do not decrease with every refinement.
//
//   u  velocity, m/s    nu  kinematic viscosity, m^2/s    g  acceleration by the body force, m/s^2
#include "couplings.h"
#include "exact.h"

static const double L = 0.1, NU = 1e-3, G = 0.02; // box, m; viscosity, m^2/s; body force, m/s^2
static const double END = 1;                      // s, at which velocities are compared

// Exact velocity (m/s) at the time END, y metres from the middle between the plates.
static double startup_velocity(double y)
{
    double u = G / (2 * NU) * (L * L / 4 - y * y);
    for (int n = 1; n < 40; n += 2) {
        double sign = n % 4 == 1 ? 1 : -1, k = n * FM_PI / L;
        u -= sign * 4 * G / (NU * L * k * k * k) * cos(k * y) * exp(-k * k * NU * END);
    }
    return u;
}

// Pins every particle of a sheet.
static void pin_all_rows(fm_cloth *cloth)
{
    fm_error err = {0};
    for (int row = 0; row < fm_cloth_sheet(cloth).rows; row++)
        assert_true(fm_cloth_pin_row(cloth, row, NULL, &err));
}

// Creates the pinned sheet and the fluid around it. cells: particles along the box; speed: largest
// expected flow speed, m/s.
static fm_particles *create_stream(fm_world *world, fm_sph_method method, const fm_sheet *sheet,
                                   int cells, double speed)
{
    fm_cloth_def cloth_def = light_cotton();
    cloth_def.stretch.stiffness = 30;
    fm_cloth *cloth = create_sheet(world, &cloth_def, sheet);
    pin_all_rows(cloth);
    fm_particles_def def = viscous_fluid_def(3, L / cells, NU, speed);
    def.method = method;
    def.domain.high = (fm_vec3){L, L, L};
    for (int axis = 0; axis < 3; axis++)
        set_periodic(&def, axis);
    fm_particles *fluid = create_fluid(world, &def);
    fill_domain(fluid, 0.1);
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    return fluid;
}

// Root mean square error of the velocities of a flow along a sheet, relative to the largest
// velocity. cells: particles along the box. The sheet extends beyond the box by three spacings on
// each side, so that no fluid is near its border.
static double find_friction_error(fm_sph_method method, int cells)
{
    double dx = L / cells;
    fm_world *world = create_world(0, 0, (fm_vec3){G, 0, 0});
    fm_sheet sheet = flat_sheet(9, L + 6 * dx, -3 * dx, L / 2, -3 * dx);
    fm_particles *fluid = create_stream(world, method, &sheet, cells, 0.05);
    advance(world, END);
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n), *v = fm_particles_velocities(fluid, &n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double y = x[i].y < L / 2 ? x[i].y : x[i].y - L;
        double error = v[i].x - startup_velocity(y);
        sum += error * error + v[i].y * v[i].y + v[i].z * v[i].z;
    }
    fm_world_destroy(world);
    return sqrt(sum / n) / startup_velocity(0);
}

enum { EARLY, LATE, TIMES };                   // the times at which the mean drag is compared
static const double times[TIMES] = {0.5, 1.5}; // s

// Impulse (N s) of the fluid on the sheet between the times `from` and `to` (s). Each advance is
// one interval of the coupling, so that every impulse is seen.
static double add_impulses(fm_world *world, fm_particles *fluid, double from, double to)
{
    const fm_samples *s = fluid->surfaces[0];
    double sum = 0;
    for (double t = from; t < to - 1e-9;) {
        // before its first step the fluid does not know its stable step; 1e-4 s is short enough
        double longest = fluid->prepared ? fm_particles_stable_step(fluid) : 1e-4;
        double step = fmin(to - t, fmin(longest, 1.0 / 240));
        assert_int_equal(advance(world, step).interval_count, 1);
        for (int i = 0; i < s->count; i++)
            sum += s->impulse_to_body[i].x;
        t += step;
    }
    return sum;
}

// Relative errors of the mean drag of a sheet across the flow, from the start until each of the
// times. cells: particles along the box.
static void find_drag_errors(fm_sph_method method, int cells, double error[TIMES])
{
    // columns: time, then drags; the last, extrapolated, is the most accurate
    enum { COLUMNS = 8, ROWS = 9 };
    double size = L / 2, table[ROWS][COLUMNS] = {{0}};
    double t = 0, sum = 0;   // s; N s, impulse on the sheet so far
    double half = sqrt(0.5); // sine and cosine of half of 90 degrees, the rotation about y
    assert_int_equal(read_table(REFERENCE_DIR "/plate_in_stream.csv", table[0], COLUMNS, ROWS),
                     ROWS);
    fm_world *world = create_world(0, 0, (fm_vec3){G, 0, 0});
    fm_sheet sheet = {.columns = 9,
                      .rows = 9,
                      .width = size,
                      .height = size,
                      .origin = {L / 2, L / 2 + size / 2, L / 2 + size / 2},
                      .rotation = {0, half, 0, half}};
    fm_particles *fluid = create_stream(world, method, &sheet, cells, 0.05);
    for (int m = 0; m < TIMES; t = times[m++]) {
        int row = 0;
        while (row < ROWS - 1 && table[row][0] < times[m])
            row++;
        sum += add_impulses(world, fluid, t, times[m]);
        error[m] = sum / times[m] / table[row][COLUMNS - 1] - 1;
        printf("  across, %d across: %.5g N in %g s, off by %.4f\n", cells, sum / times[m],
               table[row][0], error[m]);
    }
    fm_world_destroy(world);
}

static void drag_of_a_flow_along_a_sheet_converges(void **state)
{
    (void)state;
    static const int cells[3] = {11, 17, 25};
    double error[3];
    for (int i = 0; i < 3; i++) {
        error[i] = find_friction_error(FM_SPH_WEAKLY_COMPRESSIBLE, cells[i]);
        printf("  along, %d across: velocities off by %.4f\n", cells[i], error[i]);
    }
    double order = log(error[0] / error[2]) / log((double)cells[2] / cells[0]);
    printf("  order %.2f\n", order);
    assert_at_most(error[0], 0.006);
    assert_at_most(error[2], 0.002);
    assert_true(order > 1);
}

static void drag_of_a_flow_across_a_sheet_converges(void **state)
{
    (void)state;
    static const int cells[3] = {11, 15, 21};
    double error[3][TIMES];
    for (int i = 0; i < 3; i++)
        find_drag_errors(FM_SPH_WEAKLY_COMPRESSIBLE, cells[i], error[i]);
    double order = log(error[0][EARLY] / error[2][EARLY]) / log((double)cells[2] / cells[0]);
    printf("  order %.2f\n", order);
    assert_true(fabs(error[1][EARLY]) < fabs(error[0][EARLY]));
    assert_true(order > 1);
    assert_at_most(fabs(error[2][EARLY]), 0.07);
    for (int i = 0; i < 3; i++)
        assert_at_most(fabs(error[i][LATE]), 0.065);
}

// With constant density. The drag across the flow is too high with 11 particles across the box.
static void drag_is_near_with_constant_density(void **state)
{
    (void)state;
    const fm_sph_method method = FM_SPH_CONSTANT_DENSITY;
    double coarse = find_friction_error(method, 11), fine = find_friction_error(method, 17);
    printf("  constant density, along, 11 and 17 across: off by %.4f and %.4f\n", coarse, fine);
    assert_at_most(coarse, 0.006);
    assert_true(fine < 0.7 * coarse);
    double error[2][TIMES];
    find_drag_errors(method, 15, error[0]);
    find_drag_errors(method, 21, error[1]);
    for (int m = 0; m < TIMES; m++) {
        assert_at_most(fabs(error[0][m]), 0.05);
        assert_at_most(fabs(error[1][m]), 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drag_of_a_flow_along_a_sheet_converges),
                                       cmocka_unit_test(drag_of_a_flow_across_a_sheet_converges),
                                       cmocka_unit_test(drag_is_near_with_constant_density)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
