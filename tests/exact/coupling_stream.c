// SPDX-License-Identifier: MIT
// A sheet is held in a stream that a force g drives through a periodic box of length L.
//
// Along the stream it spans the box, and the fluid between it and its image in the next box starts
// from rest as between two plates, y from the middle between them:
//
//     u = g/(2 nu) (L^2/4 - y^2)
//         - sum_(n = 1, 3, ...) (-1)^((n-1)/2) 4 g/(nu L k^3) cos(k y) exp(-k^2 nu t),  k = n pi/L
//
// so that its friction is known: errors are of the largest velocity, over all particles.
//
// Across the stream it is a square of half the box, where nothing is known in closed form; what it
// took from the stream while that came up must not change by more than a few percent when particles
// are 1.4 times finer. It rises slowly, as the flow around the edges is resolved.
#include "couplings.h"
#include "exact.h"

static const double L = 0.1, NU = 1e-3, G = 0.02; // m, m^2/s, m/s^2
static const double END = 1;                      // s

static double startup(double y)
{
    double u = G / (2 * NU) * (L * L / 4 - y * y);
    for (int n = 1; n < 40; n += 2) {
        double sign = n % 4 == 1 ? 1 : -1, k = n * FM_PI / L;
        u -= sign * 4 * G / (NU * L * k * k * k) * cos(k * y) * exp(-k * k * NU * END);
    }
    return u;
}

static void hold(fm_cloth *cloth)
{
    fm_error err = {0};
    for (int row = 0; row < fm_cloth_sheet(cloth).rows; row++)
        assert_true(fm_cloth_pin_row(cloth, row, NULL, &err));
}

static fm_particles *make_stream(fm_world *world, const fm_sheet *sheet, int across, double speed)
{
    fm_cloth_def cloth_def = light_cotton();
    cloth_def.stretch.stiffness = 30;
    fm_cloth *cloth = make_sheet(world, &cloth_def, sheet);
    hold(cloth);
    fm_particles_def def = viscous_fluid(3, L / across, NU, speed);
    def.domain.high = (fm_vec3){L, L, L};
    for (int axis = 0; axis < 3; axis++)
        make_periodic(&def, axis);
    fm_particles *fluid = make_fluid(world, &def);
    fill_domain(fluid, 0.1);
    couple(world, cloth, fluid, FM_COUPLING_TWO_WAY);
    return fluid;
}

// Wider than the box, so that what is near its sides sees no edge.
static double find_friction_error(int across)
{
    double dx = L / across;
    fm_world *world = make_world(0, 0, (fm_vec3){G, 0, 0});
    fm_sheet sheet = flat_sheet(9, L + 6 * dx, -3 * dx, L / 2, -3 * dx);
    fm_particles *fluid = make_stream(world, &sheet, across, 0.05);
    advance(world, END);
    int n;
    const fm_vec3 *x = fm_particles_positions(fluid, &n), *v = fm_particles_velocities(fluid, &n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double y = x[i].y < L / 2 ? x[i].y : x[i].y - L;
        double off = v[i].x - startup(y);
        sum += off * off + v[i].y * v[i].y + v[i].z * v[i].z;
    }
    fm_world_destroy(world);
    return sqrt(sum / n) / startup(0);
}

// The drive less what the fluid has of it.
static double find_drag(int across)
{
    double size = L / 2, half = sqrt(0.5);
    fm_world *world = make_world(0, 0, (fm_vec3){G, 0, 0});
    fm_sheet sheet = {.columns = 9,
                      .rows = 9,
                      .width = size,
                      .height = size,
                      .origin = {L / 2, L / 2 + size / 2, L / 2 + size / 2},
                      .rotation = {0, half, 0, half}};
    fm_particles *fluid = make_stream(world, &sheet, across, 0.05);
    advance(world, 1.5 * END);
    double drive = fm_particles_count(fluid) * fm_particles_mass(fluid) * G * 1.5 * END;
    double drag = (drive - fluid_momentum(fluid).x) / (1.5 * END);
    fm_world_destroy(world);
    return drag;
}

static void friction_converges(void **state)
{
    (void)state;
    static const int across[3] = {11, 17, 25};
    double error[3];
    for (int i = 0; i < 3; i++) {
        error[i] = find_friction_error(across[i]);
        printf("  along, %d across: velocities off by %.4f\n", across[i], error[i]);
    }
    double order = log(error[0] / error[2]) / log((double)across[2] / across[0]);
    printf("  order %.2f\n", order);
    assert_at_most(error[0], 0.006);
    assert_at_most(error[2], 0.002);
    assert_true(order > 1);
}

static void drag_does_not_depend_on_resolution(void **state)
{
    (void)state;
    static const int across[3] = {11, 15, 21};
    double drag[3];
    for (int i = 0; i < 3; i++) {
        drag[i] = find_drag(across[i]);
        printf("  across, %d across: drag %.5g N\n", across[i], drag[i]);
    }
    for (int i = 1; i < 3; i++)
        assert_at_most(fabs(drag[i] / drag[i - 1] - 1), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(friction_converges),
                                       cmocka_unit_test(drag_does_not_depend_on_resolution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
