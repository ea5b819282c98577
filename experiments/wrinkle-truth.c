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
//
// On a mesh of equilateral triangles of edge h, the tension resists bending. The rows of points
// that carry it are staggered: a wave w(x), constant along the tension, has slopes along it within
// the triangles, of the height w'' h^2/8 over sqrt(3)/2 h. Their energy is that of the rigidity
//
//     B_mesh = T h^2 / 48
//
// in addition to B. The theory of the mesh is that of the plate with B + B_mesh; with springs
// alone, 2 sqrt(pi) (h^2/48)^(1/4) sqrt(L), whatever the tension.
//
// Fluidity has no energy, and its threshold is not known. Its sheet is squeezed as much as that of
// springs, and four times as much unless wrinkles grow out of the noise that all sheets begin with.
// Its compression is measured as the force on the points of one side.
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

// 1/m, k of plate theory for the bending rigidity `rigidity`, N m.
static double find_plate_wavenumber(double T, double rigidity)
{
    double q = PI / L;
    return pow(pow(q, 4) + T * q * q / rigidity, 0.25);
}

// 1/m, k of plate theory with B.
static double find_wavenumber(double T)
{
    return find_plate_wavenumber(T, B);
}

// N m, rigidity of a case on its mesh: that of bending, and B_mesh.
static double find_rigidity(const squeezed *s)
{
    return (s->model == BENDING ? B : 0) + s->T * s->edge * s->edge / 48;
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

// A sheet with its border pinned, and its state.
typedef struct sheet {
    fm_world *world;
    fm_cloth *cloth;
    fm_vec3 *rest, *x; // m, positions at rest and scratch
    int count;
    double W;    // m, width
    double N;    // N/m, compression, PAST times the threshold
    double rate; // 1/s, growth of the wrinkles
} sheet;

static const double PAST = 1.1;

// Creates the sheet of a case, at rest. The right side is pinned like the others, or free.
static sheet create_sheet(experiment *e, const squeezed *s, bool is_right_pinned)
{
    static const char *const sides[] = {"left", "front", "back", "right"};
    double rigidity = find_rigidity(s), k = find_plate_wavenumber(s->T, rigidity);
    double q = PI / L, sigma = 0.2;
    sheet f = {.N = PAST * 2 * rigidity * (k * k + q * q),
               .W = (experiment_quick(e)    ? 4
                     : s->model == FLUIDITY ? 6
                                            : 8) *
                    2 * PI / k};
    f.rate = sqrt((PAST - 1) / PAST * f.N * k * k / sigma);
    f.world = soft_create_world(e, 0);
    fm_cloth_def def = soft_skin(Y, s->model == BENDING ? B : 0);
    def.density = sigma / def.thickness;
    def.damping.coefficient = 0;
    def.drag.model = FM_DRAG_PUBLISHED;
    def.drag.viscous = 2 * sigma * f.rate;
    def.drag.normal = def.drag.history.coefficient = 0;
    fm_soft_def soft = fm_default_soft_def();
    soft.beta = s->model == FLUIDITY;
    soft.fluidity.radius = s->radius;
    soft.fluidity.stiffness = 0.5 * Y / sigma; // half the stiffness of the springs
    fm_mesh_shape shape = fm_default_mesh_shape();
    shape.kind = FM_MESH_RECTANGLE, shape.width = f.W, shape.length = L, shape.edge = s->edge;
    f.cloth = soft_create(e, f.world, &def, &soft, &shape);
    f.count = f.cloth ? fm_cloth_particle_count(f.cloth) : 0;
    f.rest = experiment_alloc(e, (size_t)f.count + 1, sizeof *f.rest);
    f.x = experiment_alloc(e, (size_t)f.count + 1, sizeof *f.x);
    const fm_vec3 *x = f.cloth ? fm_cloth_positions(f.cloth, NULL) : NULL;
    for (int i = 0; i < f.count && f.rest && f.x; i++)
        f.rest[i] = x[i];
    for (int i = 0; i < 3 + is_right_pinned && f.cloth; i++)
        fm_cloth_pin_group(f.cloth, sides[i], NULL, experiment_error(e));
    return f;
}

// Strains the sheet evenly by ex along x and ez along z, with heights of up to `noise` m inside.
static void strain(experiment *e, sheet *f, double ex, double ez, double noise)
{
    for (int i = 0; i < f->count; i++) {
        fm_vec3 p = f->rest[i];
        bool inside = fabs(p.x) < 0.499 * f->W && fabs(p.z) < 0.499 * L;
        f->x[i] = (fm_vec3){(1 + ex) * p.x, inside ? noise * soft_scatter((unsigned)i) : 0,
                            (1 + ez) * p.z};
    }
    fm_cloth_set_positions(f->cloth, f->x, experiment_error(e));
}

// Strains a flat sheet and lets its inner points come to rest.
static void settle_flat(experiment *e, sheet *f, double ex, double ez)
{
    strain(e, f, ex, ez, 0);
    soft_advance(e, f->world, (experiment_quick(e) ? 0.2 : 3) / f->rate);
}

// J, potential energy of a flat sheet with these strains.
static double find_flat_energy(experiment *e, const squeezed *s, double ex, double ez)
{
    sheet f = create_sheet(e, s, true);
    double energy = NAN;
    if (f.x && f.rest) {
        settle_flat(e, &f, ex, ez);
        energy = fm_world_report(f.world).potential_energy;
    }
    fm_world_destroy(f.world);
    return energy;
}

// N/m, compression along x of a flat sheet with these strains: the momentum that its right side,
// let go, gains in a microsecond.
static double find_flat_compression(experiment *e, const squeezed *s, double ex, double ez)
{
    const double DT = 1e-6;
    sheet held = create_sheet(e, s, true), freed = create_sheet(e, s, false);
    double *mass = experiment_alloc(e, (size_t)freed.count + 1, sizeof *mass), sum = NAN;
    if (held.x && held.rest && freed.x && mass) {
        settle_flat(e, &held, ex, ez);
        fm_cloth_set_positions(freed.cloth, fm_cloth_positions(held.cloth, NULL),
                               experiment_error(e));
        fm_world_advance(freed.world, DT, experiment_error(e));
        fm_cloth_read_field(freed.cloth, "mass", mass, experiment_error(e));
        const fm_vec3 *v = fm_cloth_velocities(freed.cloth, NULL);
        sum = 0;
        for (int i = 0; i < freed.count; i++)
            sum += mass[i] * v[i].x;
    }
    fm_world_destroy(held.world);
    fm_world_destroy(freed.world);
    return sum / DT / L;
}

// Strains along x (squeezed) and z (pulled) at which the flat sheet has the tension T along z and
// the compression N along x. Linear elasticity gives them but for an error in Poisson's contraction
// that may exceed N / T: the compression is therefore measured as the change of energy with ex, at
// three values of ex; with fluidity, as a force, at two.
static void find_strains(experiment *e, const squeezed *s, const sheet *f, double N, double *ex,
                         double *ez)
{
    double d = 2 * f->N / Y, U[3], C = Y / (1 - NU * NU), D = NU * C;
    if (s->model == FLUIDITY) // resists changes of area with the modulus Y/2
        C += 0.5 * Y, D += 0.5 * Y;
    *ex = (-N * C - D * s->T) / (C * C - D * D), *ez = (s->T * C + N * D) / (C * C - D * D);
    if (s->model == FLUIDITY) {
        for (int i = 0; i < 2; i++)
            U[i] = find_flat_compression(e, s, *ex - i * d, *ez);
        *ex -= d * (N - U[0]) / (U[1] - U[0]);
        return;
    }
    for (int i = 0; i < 3; i++)
        U[i] = find_flat_energy(e, s, *ex + (i - 1) * d, *ez);
    double slope = (U[2] - U[0]) / (2 * d), curvature = (U[2] - 2 * U[1] + U[0]) / (d * d);
    *ex += (-N * f->W * L - slope) / curvature;
}

// What a squeezed sheet shows.
typedef struct wrinkles {
    double wavelength; // m
    double growth;     // height (root mean square) over that of the noise at the start
    double N;          // N/m, compression
} wrinkles;

// Squeezes a sheet `times` as much as find_strains and measures its wrinkles.
static wrinkles squeeze(experiment *e, const squeezed *s, double times)
{
    sheet f = create_sheet(e, s, true);
    wrinkles w = {NAN, NAN, times * f.N};
    double ex, ez, noise = 1e-4 / find_wavenumber(s->T), sum = 0;
    if (f.x && f.rest) {
        find_strains(e, s, &f, w.N, &ex, &ez);
        strain(e, &f, ex, ez, noise);
        soft_advance(e, f.world, (experiment_quick(e) ? 0.2 : 20) / f.rate);
        const fm_vec3 *x = fm_cloth_positions(f.cloth, NULL);
        w.wavelength = find_wavelength(x, f.count, f.W * (1 + ex), s->edge);
        for (int i = 0; i < f.count; i++)
            sum += x[i].y * x[i].y;
        w.growth = sqrt(3 * sum / f.count) / noise;
    }
    fm_world_destroy(f.world);
    return w;
}

// Squeezes a sheet until it wrinkles and measures the wrinkles.
static wrinkles measure(experiment *e, const squeezed *s)
{
    wrinkles w = squeeze(e, s, 1);
    if (s->model == FLUIDITY && !experiment_quick(e) && !(w.growth > 10))
        w = squeeze(e, s, 4);
    if (!experiment_quick(e) && !(w.growth > 10)) // the noise, still decaying
        w.wavelength = NAN;
    return w;
}

static double measure_row(experiment *e, experiment_table *table, const squeezed *s)
{
    static const char *const names[] = {"bending", "springs", "fluidity"};
    if (experiment_failed(e))
        return NAN;
    wrinkles w = measure(e, s);
    double theory = 2 * PI / find_wavenumber(s->T);
    double mesh = 2 * PI / find_plate_wavenumber(s->T, find_rigidity(s));
    experiment_write_row(table, "%s,%g,%g,%g,%.6g,%.6g,%.6g,%.6g,%.6g", names[s->model], s->T,
                         s->edge, s->model == FLUIDITY ? s->radius : 0, w.wavelength, theory, mesh,
                         w.N, w.growth);
    return w.wavelength;
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
        e, "wavelengths.csv",
        "model,tension_N_m,edge_m,radius_m,wavelength_m,theory_m,mesh_theory_m,compression_N_m,"
        "growth");
    int tensions = experiment_quick(e) ? 2 : 3;
    double T[3], found[3], reference[3], base = 2 * PI / find_wavenumber(8) / 8;
    for (int m = 0; m < 3; m++) {
        int first = (model)m == FLUIDITY; // 8 and 32 N/m only, because it takes long
        for (int i = first; i < tensions; i++) {
            T[i] = 2 * pow(4, i);
            // bending: 8 vertices to a wavelength of the theory; else one mesh for all tensions
            double tension = (model)m == BENDING ? T[i] : 8;
            squeezed s = {(model)m, T[i], 2 * PI / find_wavenumber(tension) / 8, 0};
            s.radius = 2.5 * s.edge;
            found[i] = measure_row(e, table, &s);
        }
        reference[m] = found[(model)m == FLUIDITY && tensions == 3 ? 2 : 1];
        experiment_add_named_result(e, NAN,
                                    fit_exponent(T + first, found + first, tensions - first), "",
                                    "%s: exponent of tension, theory -0.25", names[m]);
        experiment_add_named_result(e, 2 * PI / find_wavenumber(8), found[1], "m",
                                    "%s: wavelength at 8 N/m", names[m]);
    }
    for (int m = 0; m < 3 && !experiment_quick(e); m++) { // a finer mesh, the same radius
        double finer = (model)m == FLUIDITY ? 1.25 : 1.5, tension = (model)m == FLUIDITY ? 32 : 8;
        double edges[2] = {base, base / finer}, lengths[2] = {reference[m], 0};
        lengths[1] = measure_row(e, table, &(squeezed){(model)m, tension, edges[1], 2.5 * base});
        experiment_add_named_result(e, NAN, fit_exponent(edges, lengths, 2), "",
                                    "%s: exponent of the edge, 0 is independent", names[m]);
    }
    double radii[3] = {1.6 * base, 2.5 * base, 3.4 * base},
           lengths[3] = {0, reference[FLUIDITY], 0};
    for (int i = 0; i < 3; i += 2) // another radius, the same mesh
        lengths[i] = measure_row(e, table, &(squeezed){FLUIDITY, 32, base, radii[i]});
    experiment_add_result(e, "fluidity: exponent of the radius, expected 1", NAN,
                          fit_exponent(radii, lengths, 3), "");
    experiment_plot(
        e, "wavelengths", "Wavelength of wrinkles",
        "set multiplot layout 1,2 title heading font ',18'\nunset title\n"
        "set logscale xy\nset yrange [0.03:0.13]\nset ytics (0.03, 0.04, 0.06, 0.08, 0.1)\n"
        "set key bottom left\nset xlabel 'tension, N/m'\nset ylabel 'wavelength, m'\n"
        "set xrange [1.5:45]\nset xtics (2, 8, 32)\n"
        "f(m)=sprintf(\"< awk -F, '%s' wavelengths.csv\",m)\n"
        "plot f('$1==\"bending\" && $3>0.005') using 2:6 with lines ls 8 title 'theory', \\\n"
        " f('$1==\"bending\" && $3>0.005') using 2:5 with points pt 7 ps 2 title 'resolved "
        "bending', \\\n"
        " f('$1==\"springs\" && $3>0.005') using 2:5 with points pt 5 ps 2 title 'springs alone', "
        "\\\n"
        " f('$1==\"fluidity\" && $3>0.007 && $4>0.018 && $4<0.02') using 2:5 with points pt 9 ps 2 "
        "title 'fluidity, radius 18.5 mm'\n"
        "set key top left\nset xlabel 'radius of fluidity, m'\nset xrange [0.01:0.03]\n"
        "set xtics (0.01, 0.015, 0.02, 0.03)\n"
        "plot f('$1==\"fluidity\" && $2==32 && $3>0.007') using 4:5 with points pt 9 ps 2 lc 3 "
        "title "
        "'fluidity, 32 N/m', \\\n"
        " 2.47*x with lines ls 8 title 'in proportion to the radius'\n"
        "unset multiplot\n");
    return experiment_close(e);
}
