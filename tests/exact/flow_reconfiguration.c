// SPDX-License-Identifier: MIT
// flow_reconfiguration.c: a flexible strip held at its middle across a stream, with the pressure
// drag of cloth alone: no simulated fluid.
//
// reference/flow_reconfiguration.csv has the drag over that of the rigid strip and the position of
// the tips by the Cauchy number Ca = (1/2 rho C_n U^2) L^3 / B, from the boundary-value problem of
// an inextensible strip. The drag is that of the shape: the mean of cos^3 of the angle.
#include "bodies.h"
#include "geometry/geometry.h"

#include <math.h>

typedef struct shape {
    double drag, along, across; // R; position of the tips over L
} shape;

// Simulates a strip of `columns` particles until it is at rest.
static shape bend(double Ca, int columns)
{
    const double L = 0.1, U = 0.1, rho = 1000, C_n = 2, width = 0.02;
    fm_error err = {0};
    fm_world_def around = fixture_weightless_water_def(1);
    around.medium.density = rho;
    around.medium.flow = (fm_flow){.kind = FM_FLOW_UNIFORM, .velocity = {U, 0, 0}};
    fm_world *world = fixture_create_world(around, &err);
    fm_cloth_def def = bare_cloth();
    def.density = 1000, def.thickness = 1e-4;
    def.stretch.stiffness = 2000, def.shear.stiffness = 100;
    def.bend.model = FM_BEND_RIGIDITY;
    def.bend.stiffness = 0.5 * rho * C_n * U * U * pow(L, 3) / Ca;
    def.drag.model = FM_DRAG_PHYSICAL;
    def.drag.pressure = def.drag.ripple_pressure = C_n;
    def.drag.friction = def.drag.normal_history = def.drag.added_mass = 0;
    def.drag.skin_history = false;
    int rows = 3, middle[3];
    fm_sheet sheet = {.columns = columns, .rows = rows, .width = 2 * L, .height = width};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 *x = calloc((size_t)rows * columns, sizeof *x);
    for (int i = 0; i < rows * columns; i++)
        x[i] = (fm_vec3){0, 2 * L * (i % columns) / (columns - 1), width * (i / columns) / 2};
    assert_true(fm_cloth_set_positions(cloth, x, &err));
    free(x);
    for (int j = 0; j < rows; j++)
        middle[j] = j * columns + columns / 2;
    assert_true(fm_cloth_pin_list(cloth, middle, rows, NULL, &err));
    advance(world, 5);
    int count;
    const fm_vec3 *at = fm_cloth_positions(cloth, &count);
    const fm_vec3 *v = fm_cloth_velocities(cloth, NULL);
    shape s = {0};
    double speed = 0;
    for (int i = 0; i + 1 < columns; i++) {
        fm_vec3 d = fm_sub(at[columns + i + 1], at[columns + i]);
        s.drag += pow(d.y / fm_length(d), 3) / (columns - 1);
    }
    for (int i = 0; i < count; i++)
        speed = fmax(speed, fm_length(v[i]));
    fm_vec3 tip = fm_sub(at[2 * columns - 1], at[columns + columns / 2]);
    s.along = tip.x / L, s.across = tip.y / L;
    assert_true(speed < 1e-3 * U);
    fm_world_destroy(world);
    return s;
}

static void drag_of_a_bent_strip(void **state)
{
    (void)state;
    static const struct {
        double Ca;
        shape exact;
    } rows[] = {
        {1, {0.974833, 0.121533, 0.991518}},
        {10, {0.523612, 0.568295, 0.790624}},
        {100, {0.191790, 0.824167, 0.453461}},
    };
    for (int i = 0; i < 3; i++) {
        shape s = bend(rows[i].Ca, 41);
        const shape *e = &rows[i].exact;
        print_message("Ca %g: drag %.4f (%+.2f %%), tip %.4f along, %.4f across\n", rows[i].Ca,
                      s.drag, 100 * (s.drag / e->drag - 1), s.along, s.across);
        assert_true(fabs(s.drag / e->drag - 1) < 0.02);
        assert_true(fabs(s.along - e->along) < 0.01 && fabs(s.across - e->across) < 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drag_of_a_bent_strip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
