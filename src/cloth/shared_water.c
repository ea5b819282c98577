// SPDX-License-Identifier: MIT
// shared_water.c: the shares of their water that the particles of a cloth have where layers lie on
// each other.
//
// world/layers.c finds the shares s at the start of an advance. The added mass is R = W R_1 W with
// W = diag(sqrt(s)) and the added mass R_1 of the cloth without other layers (added_mass.c). The
// pressure drag is multiplied by s.
//
// When the shares change, the normal velocities u stay, and the kinetic energy T = u^T (m + R) u/2
// changes. What it loses is kept as the energy of the water between the layers, Q, which decays
// within half a second; what it gains is taken from there. If Q is not enough, u becomes
//
//     u_1 + theta (u - u_1),   (m + R') u_1 = (m + R) u
//
// with the velocities u_1 that conserve momentum, as if the water that is new were at rest, and the
// largest theta for which T + Q does not grow. In an ideal fluid, Q is the work of forces between
// layers that move together, which are neglected here.
#include "cloth/added_mass.h"

#include <math.h>
#include <string.h>

static const double LEAST_SHARE = 0.1; // so that the rounds of the kick converge fast
static const double DECAY_TIME = 0.5;  // s, of Q
enum { ROUNDS = 6 };                   // of the iteration for the new velocities

// Writes the area that each particle of a sheet stands for now, m^2: a quarter of the parallelogram
// between its four neighbours. On the border, the particle takes the place of the missing ones.
static void find_sheet_areas(const fm_cloth *c, double *area)
{
    for (int i = 0; i < c->count; i++) {
        int column = i % c->columns, row = i / c->columns;
        int left = column > 0 ? i - 1 : i, right = column < c->columns - 1 ? i + 1 : i;
        int up = row > 0 ? i - c->columns : i, down = row < c->rows - 1 ? i + c->columns : i;
        fm_vec3 a = fm_sub(fm_vec3_array_at(c->x, right), fm_vec3_array_at(c->x, left));
        fm_vec3 b = fm_sub(fm_vec3_array_at(c->x, up), fm_vec3_array_at(c->x, down));
        fm_vec3 both = fm_cross(a, b);
        area[i] = sqrt(fm_dot(both, both)) / 4;
    }
}

// Writes the area that each particle of a tube or mesh stands for now, m^2: the length of a third
// of the sum of the area vectors of its triangles.
static void find_mesh_areas(fm_cloth *c, double *area)
{
    const fm_spring_mesh *mesh = &c->mesh;
    fm_spring_mesh_compute_areas(c, &c->x, (fm_element_parts){0, 1, 1});
    for (int i = 0; i < c->count; i++) {
        fm_vec3 sum = {0, 0, 0};
        for (int k = mesh->triangles.start[i]; k < mesh->triangles.start[i + 1]; k++)
            sum = fm_add(sum, fm_vec3_array_at(mesh->area_vector, mesh->triangles.entry[k] / 3));
        area[i] = sqrt(fm_dot(sum, sum)) / 3;
    }
}

// Coverage C (world/layers.c) of the particles of a sheet: area times kernel, summed over the
// particles at rest within the radius, m.
static void cover_sheet(const fm_cloth *c, double radius, double *coverage)
{
    int across = (int)(radius / c->dx), down = (int)(radius / c->dy);
    for (int i = 0; i < c->count; i++) {
        int column = i % c->columns, row = i / c->columns;
        coverage[i] = 0;
        for (int r = row - down; r <= row + down; r++) {
            for (int k = column - across; k <= column + across; k++) {
                if (r < 0 || r >= c->rows || k < 0 || k >= c->columns)
                    continue;
                double x = (k - column) * c->dx, y = (r - row) * c->dy;
                coverage[i] += c->area[r * c->columns + k] * fm_layer_kernel(x * x + y * y, radius);
            }
        }
    }
}

// Coverage C (world/layers.c) of particle i of a tube or mesh: area times kernel, summed over the
// particles at rest that edges connect to i within the radius, m. mark: scratch, all 0. list:
// scratch for the indices of all particles.
static double cover_particle(const fm_cloth *c, int i, double radius, unsigned char *mark,
                             int *list)
{
    const fm_spring_mesh *mesh = &c->mesh;
    double sum = 0;
    int count = 1;
    list[0] = i, mark[i] = 1;
    for (int n = 0; n < count; n++) {
        fm_vec3 d = fm_sub(c->initial_x[list[n]], c->initial_x[i]);
        double weight = fm_layer_kernel(fm_dot(d, d), radius);
        sum += c->area[list[n]] * weight;
        for (int k = mesh->edges.start[list[n]]; weight > 0 && k < mesh->edges.start[list[n] + 1];
             k++) {
            int e = mesh->edges.entry[k] / 2, other = mesh->edge_a[e] + mesh->edge_b[e] - list[n];
            if (!mark[other])
                list[count++] = other, mark[other] = 1;
        }
    }
    for (int n = 0; n < count; n++)
        mark[list[n]] = 0;
    return sum;
}

// Allocates the arrays for shared water, and computes the coverage of the particles at rest.
void fm_shared_water_create(fm_cloth *c, fm_error *err)
{
    const double RADIUS = 2; // of the kernel, in spacings
    fm_added_mass *w = c->added;
    size_t lanes = (size_t)c->lanes;
    w->kernel_radius = RADIUS * sqrt(fm_cloth_rest_area(c) / c->count);
    w->coverage = fm_arena_alloc(&c->arena, lanes, sizeof(double), c->object.name, err);
    int *list = fm_arena_alloc(&c->arena, lanes, sizeof *list, c->object.name, err);
    unsigned char *mark = fm_arena_alloc(&c->arena, lanes, 1, c->object.name, err);
    if (err->status != FM_OK)
        return;
    if (c->kind == FM_CLOTH_SHEET)
        cover_sheet(c, w->kernel_radius, w->coverage);
    for (int i = 0; i < c->count && c->kind != FM_CLOTH_SHEET; i++)
        w->coverage[i] = cover_particle(c, i, w->kernel_radius, mark, list);
}

// Describes the present surface of a cloth for world/layers.c. False: it moves no water that could
// be shared.
bool fm_shared_water_view(fm_cloth *c, fm_layer_view *view)
{
    const double WAVES = 8; // wavelengths per side of a square of the cloth's area (layers.c)
    fm_added_mass *w = c->added;
    if (!w || !fm_added_mass_is_used(c) || !w->matters)
        return false;
    if (c->kind == FM_CLOTH_SHEET)
        find_sheet_areas(c, w->area_now);
    else
        find_mesh_areas(c, w->area_now);
    double side = sqrt(fm_cloth_rest_area(c));
    *view = (fm_layer_view){.count = c->count,
                            .x = c->x,
                            .normal = c->normal,
                            .area = w->area_now,
                            .coverage = w->coverage,
                            .radius = w->kernel_radius,
                            .wave = 2 * FM_PI * WAVES / side,
                            .is_disc = w->is_disc,
                            .share = w->share};
    return true;
}

// Computes `given`, 1 - share, and `shared`, whether any share is below 1, from the roots.
static void update_given(const fm_cloth *c)
{
    fm_added_mass *w = c->added;
    w->shared = false;
    for (int i = 0; i < c->count; i++) {
        w->given[i] = 1 - w->root[i] * w->root[i];
        w->shared = w->shared || w->root[i] < 1;
    }
}

// Takes over the shares from world/layers.c. Before the first substep they act at once; later,
// fm_shared_water_change applies them in the next substep and adapts the velocities.
void fm_shared_water_take(fm_cloth *c)
{
    fm_added_mass *w = c->added;
    if (!fm_added_mass_is_used(c))
        return;
    w->shares_changed = false;
    for (int i = 0; i < c->count; i++) {
        w->next_root[i] = sqrt(fm_double_max(w->share[i], LEAST_SHARE));
        w->shares_changed = w->shares_changed || w->next_root[i] != w->root[i];
    }
    if (c->started || !w->shares_changed)
        return;
    fm_shared_water_set(c, w->next_root); // no velocities to change yet
}

// Sets the square roots of the shares, without any change of velocities.
void fm_shared_water_set(fm_cloth *c, const double *root)
{
    fm_added_mass *w = c->added;
    memmove(w->root, root, (size_t)c->count * sizeof *root);
    w->shares_changed = false;
    update_given(c);
}

// Kinetic energy T, J, for the normal velocities u, m/s. density: of the medium, kg/m^3. Overwrites
// w->load with R u, N s.
static double find_energy(const fm_cloth *c, double density, const double *u)
{
    fm_added_mass *w = c->added;
    double sigma = c->def.density * c->def.thickness, sum = 0;
    fm_added_mass_apply(c, density, u, w->load);
    for (int i = 0; i < c->count; i++)
        sum += 0.5 * u[i] * (w->load[i] + sigma * c->area[i] * u[i]);
    return sum;
}

// Solves (m + R) u = momentum, N s, where no pin holds the cloth, by a fixed-point iteration from
// the guess u, m/s: each round solves a system with the matrix W (left A + R_1) W by the modes; the
// remaining part of m u is on the right-hand side. left: kg/m^2, chosen for fast convergence.
void fm_shared_water_solve(fm_substep *s, const double *momentum, double *u)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    double sigma = c->def.density * c->def.thickness, least = 1;
    for (int i = 0; i < c->count; i++)
        least = fm_double_min(w->root[i], least);
    double left = sigma * (0.5 + 0.5 / (least * least));
    for (int k = 0; k < (w->shared ? ROUNDS : 1); k++) {
        for (int i = 0; i < c->count; i++) {
            double excess = sigma - left * w->root[i] * w->root[i];
            w->load[i] = momentum[i] - c->area[i] * excess * u[i];
            u[i] = w->is_held[i] ? w->along[i] : u[i];
        }
        fm_added_mass_solve(c, s->around.pool, &s->drag, FM_MASS_TURN, left, w->load, u);
    }
    for (int i = 0; i < c->count; i++)
        u[i] = w->is_held[i] ? w->along[i] : u[i];
}

// Energy of the water between the layers at time t, J.
double fm_shared_water_energy(const fm_cloth *c, double t)
{
    const fm_added_mass *w = c->added;
    return w->between * exp((w->between_time - t) / DECAY_TIME);
}

// The largest theta in [0, 1] for which the kinetic energy for the velocities u_1 + theta d is at
// most `most`. All energies in J. energy: that for u_1; whole: that for u_1 + d.
static double find_largest_part(const fm_cloth *c, double density, const double *d, double energy,
                                double whole, double most)
{
    double a = find_energy(c, density, d), b = whole - energy - a, rest = most - energy;
    if (rest <= 0)
        return 0;
    double root = sqrt(b * b + 4 * a * rest); // of a theta^2 + b theta = rest
    return fmin(1, b > 0 ? 2 * rest / (b + root) : (root - b) / (2 * a));
}

// Applies the new shares at the end of a substep. The velocities stay if Q covers what the kinetic
// energy gains; otherwise they are changed as in the file header.
void fm_shared_water_change(fm_substep *s)
{
    fm_cloth *c = s->cloth;
    fm_added_mass *w = c->added;
    double density = s->drag.density, sigma = c->def.density * c->def.thickness;
    double *u = w->change, *d = w->smooth_field;
    fm_added_mass_read_velocities(c, w->along);
    memcpy(u, w->along, (size_t)c->count * sizeof *u);
    double most = find_energy(c, density, u) + fm_shared_water_energy(c, s->end);
    for (int i = 0; i < c->count; i++)
        w->force[i] = w->load[i] + sigma * c->area[i] * u[i]; // momentum; load: R u
    fm_shared_water_set(c, w->next_root);
    double whole = find_energy(c, density, u);
    w->between_time = s->end;
    w->between = fmax(most - whole, 0);
    if (whole <= most)
        return;
    fm_shared_water_solve(s, w->force, u);
    double energy = find_energy(c, density, u);
    for (int i = 0; i < c->count; i++)
        d[i] = w->along[i] - u[i];
    double theta = find_largest_part(c, density, d, energy, whole, most);
    for (int i = 0; i < c->count; i++)
        u[i] += theta * d[i];
    fm_added_mass_change_velocities(c, u);
}
