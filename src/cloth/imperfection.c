// SPDX-License-Identifier: MIT
// imperfection.c: small irregularities of the rest lengths and initial positions of a cloth.
//
// A perfect cloth that is moved symmetrically stays symmetric: a swung towel remains a cylinder.
// No real cloth is perfect. Two random fields f and g over the cloth, of mean square 1, give
//
//     rest length of a spring     l = l_0 (1 + amount (f_a + f_b) / 2)     a, b: its ends
//     initial position            x = x_0 + amount ell g n                 n: normal of the cloth
//
// Both are sums of plane waves in the coordinates of the cloth before it is placed,
//
//     f(p) = sqrt(2 / M) sum_m cos(k_m . p + phi_m),   2 pi / |k_m| from ell / 2 to 4 ell
//
//   ell = sqrt(area) / 4  m     M = 24 waves, directions and phases phi_m at random from the seed
//
// The fields are functions on the cloth, not on its particles, so a finer mesh has the same fields.
// The waves of a sheet have directions in its plane. A tube has waves in all directions of space,
// and so has a mesh, with the centroid of its area as the origin. Enforcement of a sheet assumes
// equal rest lengths, so there only positions are irregular.
#include "cloth/cloth.h"

#include <math.h>

enum { WAVES = 24 }; // M

// A random field: a sum of plane waves.
typedef struct wave_field {
    fm_vec3 k[WAVES];    // 1/m, wave vectors
    double phase[WAVES]; // rad
} wave_field;

// Chooses random waves with wavelengths between ell / 2 and 4 ell, evenly distributed in their
// logarithm. in_plane: directions in the plane z = 0, else in all of space.
static wave_field choose_waves(fm_rng *rng, double ell, bool in_plane)
{
    const double SHORTEST = 0.5, RATIO = 0.125; // wavelength / ell; shortest / longest wavelength
    wave_field f;
    for (int m = 0; m < WAVES; m++) {
        double k = 2 * FM_PI / (SHORTEST * ell) * pow(RATIO, fm_rng_uniform(rng));
        double z = in_plane ? 0 : 2 * fm_rng_uniform(rng) - 1, s = sqrt(1 - z * z);
        double angle = 2 * FM_PI * fm_rng_uniform(rng);
        f.k[m] = (fm_vec3){k * s * cos(angle), k * s * sin(angle), k * z};
        f.phase[m] = 2 * FM_PI * fm_rng_uniform(rng);
    }
    return f;
}

// Value of the field at point p, in the coordinates of the cloth before it is placed; mean square
// 1.
static double evaluate(const wave_field *f, fm_vec3 p)
{
    double sum = 0;
    for (int m = 0; m < WAVES; m++)
        sum += cos(fm_dot(f->k[m], p) + f->phase[m]);
    return sum * sqrt(2.0 / WAVES);
}

// Origin and rotation of the cloth's own coordinates: those of its definition, or for a mesh the
// centroid of its area.
static fm_pose find_pose(const fm_cloth *c)
{
    fm_pose pose = fm_pose_identity();
    double area = 0;
    if (c->kind == FM_CLOTH_SHEET)
        pose.rotation = c->sheet.rotation, pose.position = c->sheet.origin;
    if (c->kind == FM_CLOTH_TUBE)
        pose.rotation = c->tube.rotation, pose.position = c->tube.origin;
    for (int i = 0; i < c->count && c->kind == FM_CLOTH_MESH; i++) {
        area += c->area[i];
        fm_vec3 away = fm_sub(fm_vec3_array_at(c->x, i), pose.position);
        pose.position = fm_add_scaled(pose.position, away, c->area[i] / area);
    }
    return pose;
}

// Changes the rest lengths by the field f: stores the relative change at each particle, and on a
// tube or mesh multiplies the rest length of each edge. Does nothing for a sheet with enforcement,
// which assumes equal rest lengths. pose: position and rotation of the cloth's own coordinates.
static void perturb_rest_lengths(fm_cloth *c, const wave_field *f, const fm_pose *pose)
{
    fm_spring_mesh *mesh = &c->mesh;
    if (c->kind == FM_CLOTH_SHEET && c->def.enforcement.method != FM_ENFORCE_NONE)
        return;
    for (int i = 0; i < c->count; i++) {
        fm_vec3 p = fm_pose_apply_inverse(pose, fm_vec3_array_at(c->x, i));
        c->rest_scatter[i] = c->def.imperfection.amount * evaluate(f, p);
    }
    for (int e = 0; e < mesh->edge_count; e++)
        mesh->edge_rest[e] *= fm_cloth_rest_factor(c, mesh->edge_a[e], mesh->edge_b[e]);
}

// Changes rest lengths and initial positions of a new cloth by random fields; nothing if the amount
// is 0. ell: sqrt(area) / 4, m.
void fm_cloth_add_imperfection(fm_cloth *c)
{
    double area = 0, amount = c->def.imperfection.amount;
    for (int i = 0; i < c->count; i++)
        area += c->area[i];
    if (amount <= 0)
        return;
    double ell = sqrt(area) / 4;
    bool in_plane = c->kind == FM_CLOTH_SHEET;
    fm_rng rng = {(uint64_t)c->def.imperfection.seed};
    wave_field lengths = choose_waves(&rng, ell, in_plane);
    wave_field positions = choose_waves(&rng, ell, in_plane);
    fm_pose pose = find_pose(c);
    perturb_rest_lengths(c, &lengths, &pose);
    fm_cloth_compute_normals(c, &c->x, &c->normal);
    for (int i = 0; i < c->count; i++) {
        fm_vec3 x = fm_vec3_array_at(c->x, i);
        double offset = amount * ell * evaluate(&positions, fm_pose_apply_inverse(&pose, x));
        x = fm_add_scaled(x, fm_vec3_array_at(c->normal, i), offset);
        c->x.x[i] = x.x, c->x.y[i] = x.y, c->x.z[i] = x.z;
    }
}
