// SPDX-License-Identifier: MIT
// implicit_seams.c: the stitches of seams (seams.c) in the linear system of the implicit
// integrators.
//
// A stitch of stiffness k, damping c, length l and rest length l0 along the unit vector e has the
// same block as a spring (implicit_system.c):
//
//     K = k max(0, 1 - l0/l) (1 - e e^T) + (k + c/tau) e e^T
//
// The blocks are added to `own` at both ends, so that the preconditioner knows them, and the
// product adds -K p between the ends. Seams have few stitches: one thread handles them in their
// order.
#include "cloth/implicit.h"

#include <math.h>

// Allocates a block for each stitch, once all seams are sewn.
bool fm_implicit_reserve_seams(fm_cloth *c, fm_error *err)
{
    fm_implicit *m = c->implicit;
    if (m->stitch_room >= c->stitches.count)
        return true;
    m->stitch_room = c->stitches.count;
    return fm_blocks_create(&c->arena, c->stitches.count, 0, &m->stitch, err);
}

void fm_implicit_add_seams(fm_stage_task *t)
{
    const fm_cloth *c = t->s->cloth;
    const fm_stitches *s = &c->stitches;
    fm_implicit *m = t->m;
    for (int i = 0; i < s->count; i++) {
        int a = s->a[i], b = s->b[i];
        fm_vec3 d = fm_sub(fm_vec3_array_at(c->x, b), fm_vec3_array_at(c->x, a));
        double ll = fm_dot(d, d) + FM_TINY;
        double share = 1 - fm_stitch_rest(s, i, t->s->end) / sqrt(ll);
        double alpha = s->stiffness[i] * fmax(share, 0);
        double beta = (s->stiffness[i] + s->friction[i] / m->stage.tau - alpha) / ll;
        const double block[6] = {alpha + beta * d.x * d.x, beta * d.x * d.y,
                                 beta * d.x * d.z,         alpha + beta * d.y * d.y,
                                 beta * d.y * d.z,         alpha + beta * d.z * d.z};
        for (int k = 0; k < 6; k++) {
            m->stitch.m[k][i] = (float)block[k];
            m->level[0].own.m[k][a] += m->stitch.m[k][i];
            m->level[0].own.m[k][b] += m->stitch.m[k][i];
        }
    }
}

// Subtracts K in at particle `from` from out at particle `to`.
static void subtract_product(const fm_blocks *k, int i, const fm_float_axes *in, int from,
                             const fm_float_axes *out, int to)
{
    float x = in->x[from], y = in->y[from], z = in->z[from];
    out->x[to] -= k->m[0][i] * x + k->m[1][i] * y + k->m[2][i] * z;
    out->y[to] -= k->m[1][i] * x + k->m[3][i] * y + k->m[4][i] * z;
    out->z[to] -= k->m[2][i] * x + k->m[4][i] * y + k->m[5][i] * z;
}

void fm_implicit_multiply_seams(const fm_implicit *m, const fm_cloth *c)
{
    const fm_stitches *s = &c->stitches;
    for (int i = 0; i < s->count; i++) {
        subtract_product(&m->stitch, i, &m->direction, s->b[i], &m->product, s->a[i]);
        subtract_product(&m->stitch, i, &m->direction, s->a[i], &m->product, s->b[i]);
    }
}
