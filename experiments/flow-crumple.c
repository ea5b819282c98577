// SPDX-License-Identifier: MIT
// flow-crumple.c: a cloth in a whirlpool, held at its centre.
//
// [SJ] section 7, last scene, figures 1 and 2: the cloth "initially made a symmetrical 'S' shape
// but then began to crumple in on itself in a chaotic manner", "the cloth will correspond to the
// velocity gradient of the surrounding fluid", and its inner forces "resemble the velocity of the
// fluid". Here: a cloth of 0.6 m and 0.3 kg/m^2 in a vortex that rotates rigidly within 0.125 m at
// 0.5 m/s, and slower outside, in a closed tank of 1 m; C_n = 200 N s/m per m^2. One-way, by drag
// and two-way.
//
// Measured over time, in the horizontal plane:
//   S       how far the cloth is bent, rms distance of its particles from its first plane turned
//           with the cloth (the best line through their horizontal positions), in widths
//   symmetry  1 - rms |x(i) + x(-i) - 2 x_c| / (2 rms |x - x_c|): 1 for an S that is symmetric
//           about the centre, 0 for none
//   size    radius of gyration over that of the flat cloth: crumpling makes it small
//   inner force and velocity: mean cosine between the force of the springs on a particle and the
//           velocity of the fluid relative to the particle
//   gradient  correlation of the curvature of the cloth with the size of the velocity gradient
//
// [SJ] in docs/references.md
#include "flowing.h"

#include <stdlib.h>

enum { N = 25 };
static const double width = 0.6, stiffness = 60;
static const fm_vec3 centre = {0.5, 0.5, 0.5};

// The shape and its relation to the fluid at one time.
typedef struct shape {
    double bent, symmetry, size, force_cosine, gradient;
} shape;

static flowing create(experiment *e, flowing_way way)
{
    fm_error *err = experiment_error(e);
    flowing f = {.world = fixture_create_world(fixture_weightless_water_def(1), err)};
    fm_cloth_def def = flowing_cloth_def(way, 0.3, stiffness, 200);
    fm_sheet sheet = {.columns = N, .rows = N, .width = width, .height = width};
    sheet.origin = (fm_vec3){0.2, 0.8, 0.501};
    f.cloth = fm_cloth_create_sheet(f.world, &def, &sheet, err);
    fm_cloth_pin_list(f.cloth, (int[]){N * N / 2}, 1, NULL, err);
    int cells = experiment_quick(e) ? 10 : 20;
    fm_grid_def grid = fm_default_grid_def();
    grid.cells[0] = grid.cells[1] = grid.cells[2] = cells;
    grid.spacing = 1.0 / cells;
    f.grid = fm_grid_create(f.world, &grid, err);
    fm_grid_start vortex = {.kind = FM_GRID_START_VORTEX,
                            .centre = centre,
                            .axis = {0, 1, 0},
                            .radius = 0.125,
                            .speed = 0.5};
    if (f.grid)
        fm_grid_set_start(f.grid, &vortex, err);
    flowing_couple(&f, way, err);
    return f;
}

static fm_vec3 subtract(fm_vec3 a, fm_vec3 b)
{
    return (fm_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(fm_vec3 a, fm_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Bend, symmetry and size of the cloth.
static void measure_shape(const fm_vec3 *x, shape *s)
{
    double xx = 0, xz = 0, zz = 0, odd = 0, all = 0, bent = 0;
    fm_vec3 c = x[N * N / 2];
    for (int i = 0; i < N * N; i++) {
        fm_vec3 r = subtract(x[i], c), m = subtract(x[N * N - 1 - i], c);
        fm_vec3 sum = {r.x + m.x, 0, r.z + m.z};
        xx += r.x * r.x, xz += r.x * r.z, zz += r.z * r.z;
        odd += dot(sum, sum), all += dot(r, r);
    }
    double angle = 0.5 * atan2(2 * xz, xx - zz);
    for (int i = 0; i < N * N; i++) {
        fm_vec3 r = subtract(x[i], c);
        double d = r.z * cos(angle) - r.x * sin(angle);
        bent += d * d / (N * N);
    }
    s->bent = sqrt(bent) / width;
    s->symmetry = 1 - sqrt(odd / (4 * (xx + zz)));
    s->size = sqrt(all / (N * N) / (width * width / 6));
}

// Force of the stretch springs on particle (i, j), per stiffness.
static fm_vec3 find_force(const fm_vec3 *x, int i, int j)
{
    static const int to[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double rest = width / (N - 1);
    fm_vec3 f = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        int a = i + to[k][0], b = j + to[k][1];
        if (a < 0 || a >= N || b < 0 || b >= N)
            continue;
        fm_vec3 d = subtract(x[b * N + a], x[j * N + i]);
        double l = sqrt(dot(d, d)), pull = (l - rest) / l;
        f.x += pull * d.x, f.y += pull * d.y, f.z += pull * d.z;
    }
    return f;
}

// Size of the velocity gradient at a point, 1/s: root of the sum of its squares.
static double find_gradient(const flowing *f, fm_vec3 at, fm_error *err)
{
    double h = 0.02, sum = 0;
    for (int a = 0; a < 3; a++) {
        fm_vec3 low = at, high = at;
        (&low.x)[a] -= h, (&high.x)[a] += h;
        fm_vec3 d = subtract(flowing_velocity(f, high, err), flowing_velocity(f, low, err));
        sum += dot(d, d) / (4 * h * h);
    }
    return sqrt(sum);
}

// Inner forces and curvature against velocities and gradients; writes the arrows of a figure to
// `table`, unless it is NULL. t: s.
static void measure_forces(experiment *e, const flowing *f, const fm_vec3 *x, const fm_vec3 *v,
                           shape *s, experiment_table *table, const char *label, double t)
{
    fm_error *err = experiment_error(e);
    double cosines = 0, sc = 0, sg = 0, scc = 0, sgg = 0, scg = 0;
    int count = 0, points = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            fm_vec3 at = x[j * N + i], u = flowing_velocity(f, at, err),
                    force = find_force(x, i, j);
            fm_vec3 slip = subtract(u, v[j * N + i]);
            double size = sqrt(dot(force, force) * dot(slip, slip));
            if (size > 1e-12)
                cosines += dot(force, slip) / size, count++;
            if (table)
                experiment_write_row(table, "%s,%g,%g,%g,%g,%g,%g,%g,%g", label, t, at.x, at.y,
                                     at.z, force.x, force.z, u.x, u.z);
            if (i < 1 || i > N - 2)
                continue;
            fm_vec3 l = x[j * N + i - 1], r = x[j * N + i + 1];
            fm_vec3 bend = {l.x + r.x - 2 * at.x, l.y + r.y - 2 * at.y, l.z + r.z - 2 * at.z};
            double c = sqrt(dot(bend, bend)), g = find_gradient(f, at, err);
            sc += c, sg += g, scc += c * c, sgg += g * g, scg += c * g, points++;
        }
    s->force_cosine = count ? cosines / count : NAN;
    double n = points;
    s->gradient = (scg / n - sc / n * sg / n) /
                  sqrt((scc / n - sc / n * sc / n) * (sgg / n - sg / n * sg / n));
}

// Simulates one way.
static void run(experiment *e, flowing_way way, experiment_table *table, experiment_table *arrows)
{
    fm_error *err = experiment_error(e);
    flowing f = create(e, way);
    double end = experiment_quick(e) ? 0.5 : 10, best = 0, best_time = 0, sum[2] = {0}, least = 9;
    shape s = {0};
    int n, frames = (int)(end * 24), count = 0;
    for (int k = 1; k <= frames && err->status == FM_OK; k++) {
        fm_world_advance(f.world, 1.0 / 24, err);
        const fm_vec3 *x = fm_cloth_positions(f.cloth, &n), *v = fm_cloth_velocities(f.cloth, &n);
        bool drawn = k == frames / 6 || k == frames;
        measure_shape(x, &s);
        if (k % 6 == 0 || drawn) {
            measure_forces(e, &f, x, v, &s, drawn ? arrows : NULL, flowing_names[way], k / 24.0);
            sum[0] += s.force_cosine, sum[1] += s.gradient, count++;
        }
        if (s.bent * s.symmetry > best)
            best = s.bent * s.symmetry, best_time = k / 24.0;
        least = fmin(least, s.size);
        experiment_write_row(table, "%s,%g,%g,%g,%g,%g,%g", flowing_names[way], k / 24.0, s.bent,
                             s.symmetry, s.size, s.force_cosine, s.gradient);
    }
    const char *name = flowing_names[way];
    experiment_add_named_result(e, NAN, best, "", "%s: strongest symmetric S, widths", name);
    experiment_add_named_result(e, NAN, best_time, "s", "%s: at", name);
    experiment_add_named_result(e, NAN, s.symmetry, "", "%s: symmetry at the end", name);
    experiment_add_named_result(e, NAN, least, "", "%s: smallest size", name);
    experiment_add_named_result(e, NAN, sum[0] / count, "",
                                "%s: cosine of inner force and velocity, mean", name);
    experiment_add_named_result(e, NAN, sum[1] / count, "",
                                "%s: correlation of curvature and gradient, mean", name);
    fm_world_destroy(f.world);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "flow-crumple",
                                    "A cloth in a whirlpool: the S, and how it crumples.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "shape.csv", "way,t_s,bent,symmetry,size,force_cosine,gradient_correlation");
    experiment_table *arrows = experiment_table_open(
        e, "arrows.csv", "way,t_s,x_m,y_m,z_m,force_x,force_z,velocity_x,velocity_z");
    for (int way = FLOWING_ONE_WAY; way < FLOWING_WAYS && !experiment_failed(e); way++)
        run(e, (flowing_way)way, table, arrows);
    experiment_plot(
        e, "shape", "A cloth in a whirlpool",
        "set xlabel 't, s'\nset ylabel 'size, symmetry'\nplot for [w in 'one-way by-drag "
        "two-way'] 'shape.csv' using (strcol(1) eq w ? $2 : NaN):5 with lines title "
        "w.', size', for [w in 'one-way by-drag two-way'] '' using (strcol(1) eq w ? $2 "
        ": NaN):4 with lines dashtype 2 title w.', symmetry'\n");
    experiment_plot(
        e, "arrows",
        "One-way, the S: velocities (left) and inner forces (right) in the middle rows, from above",
        "set size ratio -1\nunset xtics\nset ylabel 'z, m'\nset xrange [0.2:1.3]\nset yrange "
        "[0.2:0.8]\nshown(w,t,y) = w eq 'one-way' && t < 5 && abs(y-0.5) < 0.08\nplot "
        "'arrows.csv' using (shown(strcol(1),$2,$4) ? $3 : NaN):5:($8*0.2):($9*0.2) with vectors "
        "lc rgb '#cc3311' title 'velocity', '' using (shown(strcol(1),$2,$4) ? $3+0.5 : "
        "NaN):5:($6*8):($7*8) with vectors lc rgb '#0077bb' title 'inner force'\n");
    return experiment_close(e);
}
