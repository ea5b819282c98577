// SPDX-License-Identifier: MIT
// wrinkle-truth.c: what sets the wavelength of wrinkles: tension and bending, or the radius of
// fluidity, or the mesh?
//
// A sheet under the tension T along its length L, held in a plane at its border, is squeezed
// sideways past the threshold of plate theory and comes to rest. The wavelength at mid length is
// that of the largest Fourier component. Three models on the same meshes:
//
//   bending    springs and the bending rigidity B: theory k^4 = q^4 + T q^2/B, q = pi/L,
//              2 sqrt(pi) (B/T)^(1/4) sqrt(L) in the limit [CM03]
//   springs    no bending: nothing but the mesh sets a length
//   fluidity   no bending, fluidity of radius h_w instead
#include "soft.h"

#include <stdio.h>
#include <stdlib.h>

static const double B = 1e-5, L = 0.25, Y = 1000, NU = 1.0 / 3, PI = 3.14159265358979323846;

typedef enum model { BENDING, SPRINGS, FLUIDITY } model;

typedef struct squeezed {
    model model;
    double T;      // N/m
    double edge;   // m
    double radius; // m, of fluidity
} squeezed;

// 1/m, k of plate theory.
static double find_wavenumber(double T)
{
    double q = PI / L;
    return pow(pow(q, 4) + T * q * q / B, 0.25);
}

// Wavelength of the largest component of the heights near mid length, over the width W.
static double find_wavelength(const fm_vec3 *x, int count, double W, double edge)
{
    double best = 0, wavelength = NAN;
    for (int m = 1; m < W / edge; m++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += fabs(x[i].z) < edge ? x[i].y * sin(PI * m * (x[i].x / W + 0.5)) : 0;
        if (sum * sum > best)
            best = sum * sum, wavelength = 2 * W / m;
    }
    return wavelength;
}

// Strains along x (squeezed) and z (pulled) for the tension T along z and the compression N.
static void find_strains(double T, double N, double *ex, double *ez)
{
    *ex = (-N - NU * T) / Y, *ez = (T + NU * N) / Y;
}

// Squeezes a sheet and measures the wavelength of its wrinkles, m.
static double measure(experiment *e, const squeezed *s)
{
    double k = find_wavenumber(s->T), q = PI / L, sigma = 0.2, past = 1.2, ex, ez;
    double N = past * 2 * B * (k * k + q * q), W = (experiment_quick(e) ? 4 : 6) * 2 * PI / k;
    double rate = sqrt((past - 1) / past * N * k * k / sigma); // 1/s, growth of the wrinkles
    fm_world *world = soft_create_world(e, 0);
    fm_cloth_def def = soft_skin(Y, s->model == BENDING ? B : 0);
    def.density = sigma / def.thickness;
    def.damping.coefficient = 0;
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.viscous = 2 * sigma * rate;
    def.drag.normal = def.drag.history.coefficient = 0;
    fm_soft_def soft = fm_default_soft_def();
    soft.beta = s->model == FLUIDITY;
    soft.fluidity.radius = s->radius;
    soft.fluidity.stiffness = 0.5 * Y / sigma; // half the stiffness of the springs
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE, shape.width = W, shape.length = L, shape.edge = s->edge;
    fm_cloth *cloth = soft_create(e, world, &def, &soft, &shape);
    int count = cloth ? fm_cloth_particle_count(cloth) : 0;
    fm_vec3 *x = experiment_alloc(e, (size_t)count + 1, sizeof *x);
    double wavelength = NAN;
    if (cloth && x) {
        static const char *const sides[] = {"left", "right", "front", "back"};
        const fm_vec3 *rest = fm_cloth_positions(cloth, NULL);
        find_strains(s->T, N, &ex, &ez);
        for (int i = 0; i < count; i++) {
            bool inside = fabs(rest[i].x) < 0.499 * W && fabs(rest[i].z) < 0.499 * L;
            x[i] =
                (fm_vec3){(1 + ex) * rest[i].x, inside ? 1e-4 / k * soft_scatter((unsigned)i) : 0,
                          (1 + ez) * rest[i].z};
        }
        fm_cloth_set_positions(cloth, x, experiment_error(e));
        for (int i = 0; i < 4; i++)
            fm_cloth_pin_group(cloth, sides[i], NULL, experiment_error(e));
        soft_advance(e, world, (experiment_quick(e) ? 0.5 : 30) / rate);
        wavelength = find_wavelength(fm_cloth_positions(cloth, NULL), count, W * (1 + ex), s->edge);
    }
    fm_world_destroy(world);
    return wavelength;
}

static double measure_row(experiment *e, experiment_table *table, const squeezed *s)
{
    static const char *const names[] = {"bending", "springs", "fluidity"};
    if (experiment_failed(e))
        return NAN;
    double wavelength = measure(e, s), theory = 2 * PI / find_wavenumber(s->T);
    experiment_write_row(table, "%s,%g,%g,%g,%.6g,%.6g", names[s->model], s->T, s->edge,
                         s->model == FLUIDITY ? s->radius : 0, wavelength, theory);
    return wavelength;
}

// The slope of log y over log x.
static double fit_exponent(const double *x, const double *y, int n)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        double lx = log(x[i]), ly = log(y[i]);
        sx += lx, sy += ly, sxx += lx * lx, sxy += lx * ly;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"resolved bending", "springs alone", "fluidity"};
    int status;
    experiment *e =
        experiment_open(argc, argv, "wrinkle-truth",
                        "Wavelengths of wrinkles: bending, springs and fluidity.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "wavelengths.csv", "model,tension_N_m,edge_m,radius_m,wavelength_m,theory_m");
    int tensions = experiment_quick(e) ? 2 : 3;
    double T[3], found[3];
    for (int m = 0; m < 3; m++) {
        for (int i = 0; i < tensions; i++) {
            T[i] = 2 * pow(4, i);
            squeezed s = {(model)m, T[i], 2 * PI / find_wavenumber(T[0]) / 16, 0};
            s.edge = experiment_quick(e) ? 1.5 * s.edge : s.edge;
            s.radius = 2.5 * s.edge;
            found[i] = measure_row(e, table, &s);
        }
        experiment_add_named_result(e, NAN, fit_exponent(T, found, tensions), "",
                                    "%s: exponent of tension, theory -0.25", names[m]);
        experiment_add_named_result(e, 2 * PI / find_wavenumber(T[0]), found[0], "m",
                                    "%s: wavelength at 2 N/m", names[m]);
    }
    for (int m = 0; m < 3 && !experiment_quick(e); m++) { // at 8 N/m: finer meshes, the same radius
        double edges[3], lengths[3], base = 2 * PI / find_wavenumber(8) / 8;
        for (int i = 0; i < 3; i++) {
            edges[i] = base / (1 + 0.5 * i);
            lengths[i] = measure_row(e, table, &(squeezed){(model)m, 8, edges[i], 2.5 * base});
        }
        experiment_add_named_result(e, NAN, fit_exponent(edges, lengths, 3), "",
                                    "%s: exponent of the edge, 0 is independent", names[m]);
    }
    double radii[3], lengths[3];
    int count = experiment_quick(e) ? 2 : 3;
    for (int i = 0; i < count; i++) { // at 8 N/m: larger radius, the same mesh
        double edge = 2 * PI / find_wavenumber(8) / (experiment_quick(e) ? 8 : 12);
        radii[i] = edge * (1.6 + 0.9 * i);
        lengths[i] = measure_row(e, table, &(squeezed){FLUIDITY, 8, edge, radii[i]});
    }
    experiment_add_result(e, "fluidity: exponent of the radius, expected 1", NAN,
                          fit_exponent(radii, lengths, count), "");
    experiment_plot(e, "wavelengths", "Wavelength of wrinkles against tension",
                    "set logscale xy\nset xlabel 'tension, N/m'\nset ylabel 'wavelength, m'\n"
                    "f(m)=sprintf(\"< awk -F, '$1==\\\"%s\\\"' wavelengths.csv\",m)\n"
                    "plot f('bending') using 2:6 with lines ls 8 title 'theory', \\\n"
                    " f('bending') using 2:5 with points pt 7 ps 2 title 'resolved bending', \\\n"
                    " f('springs') using 2:5 with points pt 5 ps 2 title 'springs alone', \\\n"
                    " f('fluidity') using 2:5 with points pt 9 ps 2 title 'fluidity'\n");
    return experiment_close(e);
}
