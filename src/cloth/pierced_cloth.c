// SPDX-License-Identifier: MIT
// pierced_cloth.c: finds stitches whose straight line passes through a cloth.
//
// A stitch pulls its two particles together along the straight line between them. If a cloth is in
// between, with contact it stays caught there and the seam never closes; without contact the stitch
// drags it along. Both look like a crumpled seam, so the report tells of them.
//
// Few stitches are open at a time: each is tested against all triangles of all cloths, by bounding
// boxes and then exactly.
#include "cloth/cloth.h"

#include <assert.h>
#include <math.h>

// A stitch that lies flat on a triangle does not pierce it: the ends of a piercing stitch are at
// least this far from the plane of the triangle, relative to the length of the stitch.
static const double FLAT = 1e-6;

// A stitch that pulls two particles together which are still apart.
typedef struct open_stitch {
    int index;         // in the stitches of its cloth
    fm_vec3 from, to;  // m, positions of its particles
    fm_vec3 low, high; // m, bounding box
    double length;     // m
} open_stitch;

// Fills *s with stitch `index`. False if it does not pull yet, or is shorter than the cloth is
// thick.
static bool find_open_stitch(const fm_cloth *c, int index, open_stitch *s)
{
    const fm_stitches *all = &c->stitches;
    double thickness = c->def.contact.enabled ? c->contact_thickness : c->def.thickness;
    s->index = index;
    s->from = fm_vec3_array_at(c->x, all->a[index]);
    s->to = fm_vec3_array_at(c->x, all->b[index]);
    s->length = fm_length(fm_sub(s->to, s->from));
    s->low =
        (fm_vec3){fmin(s->from.x, s->to.x), fmin(s->from.y, s->to.y), fmin(s->from.z, s->to.z)};
    s->high =
        (fm_vec3){fmax(s->from.x, s->to.x), fmax(s->from.y, s->to.y), fmax(s->from.z, s->to.z)};
    return c->time > all->start[index] && s->length > thickness && isfinite(s->length);
}

// Whether the bounding boxes of a stitch and of a triangle p overlap.
static bool boxes_overlap(const open_stitch *s, const fm_vec3 p[3])
{
    return fmin(p[0].x, fmin(p[1].x, p[2].x)) <= s->high.x &&
           fmax(p[0].x, fmax(p[1].x, p[2].x)) >= s->low.x &&
           fmin(p[0].y, fmin(p[1].y, p[2].y)) <= s->high.y &&
           fmax(p[0].y, fmax(p[1].y, p[2].y)) >= s->low.y &&
           fmin(p[0].z, fmin(p[1].z, p[2].z)) <= s->high.z &&
           fmax(p[0].z, fmax(p[1].z, p[2].z)) >= s->low.z;
}

// Whether the stitch passes through the triangle p: its ends are on different sides of the plane,
// and the point *at where it crosses the plane is inside all three sides. n: normal of the
// triangle, twice its area long; from, to: distances of the ends from the plane, times |n|.
static bool passes_through(const open_stitch *s, const fm_vec3 p[3], fm_vec3 *at)
{
    fm_vec3 n = fm_cross(fm_sub(p[1], p[0]), fm_sub(p[2], p[0]));
    double size = fm_length(n), flat = FLAT * s->length * size;
    double from = fm_dot(n, fm_sub(s->from, p[0])), to = fm_dot(n, fm_sub(s->to, p[0]));
    if (!(size > 0) || !(from > flat ? to < -flat : from < -flat && to > flat))
        return false;
    *at = fm_add_scaled(s->from, fm_sub(s->to, s->from), from / (from - to));
    for (int i = 0; i < 3; i++) {
        fm_vec3 side = fm_sub(p[(i + 1) % 3], p[i]);
        if (fm_dot(n, fm_cross(side, fm_sub(*at, p[i]))) < 0)
            return false;
    }
    return true;
}

// Whether a particle is an end of stitch `index`, or sewn to one.
static bool is_at_stitch(const fm_stitches *all, int index, int particle)
{
    int a = all->a[index], b = all->b[index];
    if (particle == a || particle == b)
        return true;
    for (int i = 0; i < all->count; i++) {
        int one = all->a[i], other = all->b[i];
        if ((one == particle && (other == a || other == b)) ||
            (other == particle && (one == a || one == b)))
            return true;
    }
    return false;
}

// Whether stitch s of cloth c passes through a triangle of the cloth `through`, and where.
// Triangles at the ends of the stitch do not count.
static bool pierces(const fm_cloth *c, const open_stitch *s, fm_cloth *through, fm_vec3 *at)
{
    fm_error ignored = {0}; // if memory for its triangles runs out, a cloth is not tested
    fm_mesh_view mesh;
    if (!fm_cloth_find_mesh(through, &mesh, &ignored))
        return false;
    for (int t = 0; t < mesh.face_count; t++) {
        const int *v = mesh.face_points + 3 * (size_t)t;
        fm_vec3 p[3];
        for (int i = 0; i < 3; i++)
            p[i] = fm_vec3_array_at(through->x, v[i]);
        if (!boxes_overlap(s, p) || !passes_through(s, p, at))
            continue;
        bool at_end = through == c && (is_at_stitch(&c->stitches, s->index, v[0]) ||
                                       is_at_stitch(&c->stitches, s->index, v[1]) ||
                                       is_at_stitch(&c->stitches, s->index, v[2]));
        if (!at_end)
            return true;
    }
    return false;
}

// Counts the stitches of a cloth that pass through this or another cloth of the world now, and
// describes the longest of them.
fm_piercings fm_cloth_find_piercings(const fm_cloth *c)
{
    assert(c);
    fm_piercings found = {0};
    double longest = 0;
    int cloth_count = fm_world_cloth_count(c->object.world);
    for (int i = 0; i < c->stitches.count; i++) {
        open_stitch s;
        if (!find_open_stitch(c, i, &s))
            continue;
        fm_vec3 at;
        fm_cloth *through = NULL;
        for (int k = 0; k < cloth_count && !through; k++) {
            fm_cloth *other = fm_world_cloth(c->object.world, k);
            through = pierces(c, &s, other, &at) ? other : NULL;
        }
        if (!through)
            continue;
        found.count++;
        if (s.length > longest) {
            longest = s.length;
            found.ends[0] = c->stitches.a[i], found.ends[1] = c->stitches.b[i];
            found.through = through;
            found.at = at;
        }
    }
    return found;
}
