// SPDX-License-Identifier: MIT
// wrinkles.c: the wavelength of the wrinkles of a sheet under tension that is squeezed sideways.
//
// A sheet of length L and bending rigidity B is stretched along its length by the tension T, with
// its border held in a plane. Squeezed sideways past N_c it wrinkles with the wavelength
//
//     k^4 = q^4 + T q^2/B,   N_c = 2 B (k^2 + q^2),   q = pi/L
//
// (tests/reference/wrinkle_wavelength.csv), which tends to 2 sqrt(pi) (B/T)^(1/4) sqrt(L) [CM03].
#include "bodies.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct sheet_case {
    double B, T, L;
    int per_wave; // vertices to a wavelength
} sheet_case;

static double find_wavenumber(const sheet_case *s)
{
    double q = PI / s->L;
    return pow(pow(q, 4) + s->T * q * q / s->B, 0.25);
}

// The wavelength with the largest amplitude in a line of n heights over the width W: the best of
// the waves sin(pi m x / W), refined by a parabola through the neighbouring amplitudes.
static double find_wavelength(const double *z, int n, double W)
{
    static double power[400];
    int best = 1;
    for (int m = 1; m < n / 2 && m < 400; m++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += z[i] * sin(PI * m * i / (n - 1));
        power[m] = sum * sum;
        best = power[m] > power[best] ? m : best;
    }
    return 2 * W / best;
}

// Wavelength of the wrinkles of a sheet that is squeezed by 10 % more than the threshold, at rest.
static double measure_wavelength(const sheet_case *s)
{
    enum { WAVES = 8 };
    const double Y = 1000, SIGMA = 0.2, PAST = 1.1; // N/m, kg/m^2, compression over N_c
    double k = find_wavenumber(s), q = PI / s->L, lambda = 2 * PI / k, W = WAVES * lambda;
    double squeeze = PAST * 2 * s->B * (k * k + q * q) / Y, stretch = s->T / Y;
    fm_world *world = create_world(0, 0, no_gravity);
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    def.density = SIGMA / 1e-3, def.thickness = 1e-3;
    def.stretch.stiffness = Y;
    def.shear.stiffness = 1;
    def.bend.stiffness = s->B;
    def.bend.damping.coefficient = 0;
    def.damping.coefficient = 0;
    // rate of growth of the waves: sigma rate^2 = (PAST - 1) N_c k^2
    double rate = sqrt((PAST - 1) * 2 * s->B * k * k * (k * k + q * q) / SIGMA);
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.viscous = 2 * SIGMA * rate;
    def.drag.normal = def.drag.history.coefficient = 0;
    def.imperfection.amount = 0;
    int columns = WAVES * s->per_wave + 1, rows = (int)fmax(13, ceil(s->L / lambda * 8)) + 1;
    fm_sheet sheet = {.columns = columns, .rows = rows, .width = W, .height = s->L};
    fm_cloth *cloth = create_sheet(world, &def, &sheet);
    fm_vec3 *x = malloc((size_t)columns * (size_t)rows * sizeof *x);
    for (int i = 0; i < columns * rows; i++) { // noise of 3e-4 wavelengths
        int c = i % columns, r = i / columns;
        bool border = c == 0 || r == 0 || c == columns - 1 || r == rows - 1;
        x[i] =
            (fm_vec3){(1 - squeeze) * W * c / (columns - 1), -(1 + stretch) * s->L * r / (rows - 1),
                      border ? 0 : 3e-4 * lambda * scatter((unsigned)i)};
    }
    assert_good(fm_cloth_set_positions(cloth, x, &err), &err);
    for (int edge = 0; edge < 4; edge++)
        fm_cloth_pin_edge(cloth, (fm_edge)edge, NULL, &err);
    for (int i = 0; i < 40; i++)
        advance(world, 1 / rate);
    const fm_vec3 *now = fm_cloth_positions(cloth, NULL) + (size_t)(rows / 2) * (size_t)columns;
    double *z = malloc((size_t)columns * sizeof *z), largest = 0;
    for (int c = 0; c < columns; c++)
        z[c] = now[c].z, largest = fmax(largest, fabs(z[c]));
    double found = find_wavelength(z, columns, W);
    print_message("B %g T %g L %g, %d vertices to a wave: wavelength %.4f of the theory's, "
                  "height %.3f of the expected\n",
                  s->B, s->T, s->L, s->per_wave, found / lambda,
                  largest / (lambda / PI * sqrt(squeeze * (1 - 1 / PAST))));
    free(z);
    free(x);
    fm_world_destroy(world);
    return found;
}

static void wrinkles_have_the_wavelength_of_the_theory_on_any_mesh(void **state)
{
    (void)state;
    static const sheet_case cases[] = {
        {1e-5, 10, 0.25, 8}, {1e-5, 10, 0.25, 12}, {1e-5, 10, 0.25, 16}, {1e-4, 10, 0.5, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double lambda = 2 * PI / find_wavenumber(&cases[i]);
        assert_close(measure_wavelength(&cases[i]) / lambda, 1, 0.1);
    }
}

// The slope of log wavelength over log tension; tensions over a factor of 64.
static void the_wavelength_falls_with_the_fourth_root_of_the_tension(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (int i = 0; i < COUNT; i++) {
        sheet_case s = {1e-5, pow(4, i), 0.25, 8};
        double lx = log(s.T), ly = log(measure_wavelength(&s));
        sum_x += lx, sum_y += ly, sum_xx += lx * lx, sum_xy += lx * ly;
    }
    double slope = (COUNT * sum_xy - sum_x * sum_y) / (COUNT * sum_xx - sum_x * sum_x);
    print_message("exponent %.4f\n", slope);
    assert_close(slope, -0.25, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrinkles_have_the_wavelength_of_the_theory_on_any_mesh),
        cmocka_unit_test(the_wavelength_falls_with_the_fourth_root_of_the_tension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
