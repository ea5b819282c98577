// SPDX-License-Identifier: MIT
// balls.c: balls with a mass in a fluid that fills its grid. Both push each other.
//
// The fluid is computed inside a ball, too, so that advection and viscosity keep the sum of
// momentum. phi is the part of a face that the ball takes. The velocity of the face is the mean of
// fluid and ball, and the pressure moves both parts [BBB07]:
//
//     u = u^ - theta e - (1 - phi) G P + phi (V - V^),          e = u^ - V^
//     M (V - V^) = m sum over the faces of (theta e - phi G P)
//
// u^ and V^ are the velocities after advection, viscosity and gravity, without pressure. The sum
// m sum u + M' V, with M' = M - m sum phi, does not change, because G P adds up to zero. theta e is
// the part of the difference e that the ball takes over: all of it inside, where the face has the
// velocity V, and none for phi < CARRIED. Fluid there slips along the ball up to its friction with
// the faces inside: a boundary layer is thinner than a cell. With theta = phi, all faces that the
// ball touches would soon move with it. The fluid's part of a face, e / (1 - phi), is not faster
// than it is on any face that the ball takes at most half of; the rest goes to the ball, too.
//
// V depends on psi, the change of P, and is eliminated: the pressure solver gets the vector
// a = D phi of every axis, with the weight m / M (pressure.h). The flow is then free of divergence
// with the velocity that the ball gets, and no ratio of densities is unstable by its added mass.
//
// Friction turns the ball: with I its moment of inertia and r from its centre to a face,
//
//     I dw = m sum of theta r x e,     u = u + phi (dw x r)
//
// The sum of phi h^3 is made equal to the volume of the ball, so that the pressure of fluid at rest
// carries exactly the weight of the displaced fluid. Contacts change the velocity of a ball between
// substeps: the fluid inside gets the same change, phi (V - V_last).
//
//   u  m/s, on faces    V  m/s, of the ball at a face    M  kg, of the ball    m  kg, rho h^3
//   G P  m/s, difference of dt p / (rho h) between the two cells of a face    w  rad/s
//
// [BBB07] Batty, Bertails, Bridson: A fast variational framework for accurate solid-fluid coupling.
//         ACM Transactions on Graphics 26(3), 2007.
#include "grid/grid.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 12 }; // of a face, whose part in the ball is computed
// Conductance of a face inside a ball. It has no effect on velocities; the pressure becomes smooth
// inside, where it acts in the stages of a substep.
static const float INSIDE = 1e-6f;
// theta rises from 0 at this phi to 1 at phi = 1. With 0.5, the added mass of a ball of 3.2 cells
// was 0.62; with 0.85 it is 0.513 to 0.518. Without this part, 0.495, thrown balls do not slow down
// smoothly.
static const double CARRIED = 0.85;
// Lighter balls turn like one with this density, relative to the fluid: the torque is that of the
// last angular velocity, and would turn a ball without a mass to and fro.
static const double LEAST_INERTIA = 0.5;

// A face that a ball takes a part of.
typedef struct ball_face {
    ptrdiff_t q, cell; // its index in the grid, and in the pressure solver
    double part;       // phi
    double drop;       // m/s, G P of the old pressure
    fm_vec3 arm;       // m, from the centre of the ball
} ball_face;

// A ball in a substep.
typedef struct placed_ball {
    int collider;
    int first[4];           // faces of axis a: first[a] to first[a + 1] - 1
    fm_vec3 velocity, spin; // V^ and angular velocity at the end of the substep without the fluid
    fm_vec3 predicted;      // m/s, V without psi
    fm_vec3 turn;           // rad/s, dw
} placed_ball;

struct fm_balls {
    placed_ball *balls;
    ball_face *faces;
    fm_flux_entry *entries;  // [2 faces]
    fm_flux_vector *vectors; // [3 balls]
    float *taken[3];         // [faces of the grid] part that the balls so far take
    int count, room, face_count, face_room;
    bool exchanged; // between exchange and finish
};

static double component(fm_vec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

static void set_component(fm_vec3 *v, int a, double x)
{
    *(a == 0 ? &v->x : a == 1 ? &v->y : &v->z) = x;
}

bool fm_grid_has_ball(const fm_grid *g, const fm_collider *collider)
{
    return !g->has_surface && collider->rigid && !collider->rigid->rides;
}

// m^3, volume of a ball; of the part of a disc in a flow that is one cell thick.
static double find_volume(const fm_grid *g, double radius)
{
    return g->active[2] ? 4.0 / 3 * FM_PI * radius * radius * radius
                        : FM_PI * radius * radius * g->h;
}

// Makes space for the motions of `count` colliders. False if memory runs out.
bool fm_grid_reserve_ball_motions(fm_grid *g, int count, fm_error *err)
{
    if (count <= g->ball_count)
        return true;
    fm_ball_motion *motions = realloc(g->ball_motions, (size_t)count * sizeof *motions);
    if (!motions)
        return fm_fail_no_memory(err, g->object.name, (size_t)count * sizeof *motions);
    memset(motions + g->ball_count, 0, (size_t)(count - g->ball_count) * sizeof *motions);
    g->ball_motions = motions;
    g->ball_count = count;
    return true;
}

// Most faces that a ball can take a part of.
static int count_most_faces(const fm_grid *g, double radius)
{
    double reach = radius / g->h + 1.5, ball = 4.0 / 3 * FM_PI * reach * reach * reach;
    double all = 3 * (double)g->n[0] * g->n[1] * g->n[2];
    return (int)fm_double_min(1 + (g->active[2] ? 3 * ball : 2 * FM_PI * reach * reach), 1 + all);
}

// Makes space for the faces of all balls with a mass. False if memory runs out.
bool fm_grid_reserve_balls(fm_grid *g, const fm_surroundings *around, fm_error *err)
{
    int balls = 0, faces = 0;
    for (int i = 0; i < around->collider_count; i++)
        if (fm_grid_has_ball(g, around->colliders[i])) {
            balls++;
            faces += count_most_faces(g, around->colliders[i]->shape.radius);
        }
    if (!fm_grid_reserve_ball_motions(g, around->collider_count, err))
        return false;
    if (balls == 0 || (g->balls && balls <= g->balls->room && faces <= g->balls->face_room))
        return true;
    fm_balls *b = fm_arena_alloc(&g->arena, 1, sizeof *b, g->object.name, err);
    if (!b)
        return false;
    size_t n = (size_t)faces;
    b->room = balls, b->face_room = faces;
    b->balls = fm_arena_alloc(&g->arena, (size_t)balls, sizeof *b->balls, g->object.name, err);
    b->faces = fm_arena_alloc(&g->arena, n, sizeof *b->faces, g->object.name, err);
    b->entries = fm_arena_alloc(&g->arena, 2 * n, sizeof *b->entries, g->object.name, err);
    b->vectors =
        fm_arena_alloc(&g->arena, 3 * (size_t)balls, sizeof *b->vectors, g->object.name, err);
    for (int a = 0; a < 3; a++)
        b->taken[a] = fm_arena_alloc(&g->arena, g->count, sizeof(float), g->object.name, err);
    g->balls = b;
    return err->status == FM_OK;
}

// Part of a face of axis a, whose centre is at x from that of a ball of the given radius, that the
// ball takes. All in spacings. Columns along one axis are cut exactly.
static double find_part(const fm_grid *g, int a, const double x[3], double radius)
{
    double distance = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    if (fabs(distance - radius) > 0.71) // half of the diagonal
        return distance < radius;
    int b = (a + 1) % 3, c = (a + 2) % 3;
    int along = fabs(x[b]) > fabs(x[c]) ? b : c, across = b + c - along;
    int columns = g->active[across] ? COLUMNS : 1;
    double total = 0, low = fabs(x[along]) - 0.5;
    for (int i = 0; i < columns; i++) {
        double y = x[across] + (i + 0.5) / columns - 0.5;
        double half = radius * radius - x[a] * x[a] - y * y; // square of half the chord
        half = half > 0 ? sqrt(half) : 0;
        total += fm_double_max(0, fm_double_min(half, low + 1) - fm_double_max(low, -half));
    }
    return total / columns;
}

// Adds face `at` of axis a to a ball. False if it belongs to the ball and can not be used: outside
// the grid, cut by a collider, or crossed by a sheet.
static bool add_face(fm_grid *g, const fm_collider *ball, int a, const int at[3])
{
    fm_balls *b = g->balls;
    fm_vec3 c = ball->rigid->centre;
    double x[3], centre[3] = {c.x - g->def.low.x, c.y - g->def.low.y, c.z - g->def.low.z};
    for (int i = 0; i < 3; i++)
        x[i] = g->active[i] ? at[i] + (i == a ? 0 : 0.5) - centre[i] / g->h : 0;
    double part = find_part(g, a, x, ball->shape.radius / g->h);
    ptrdiff_t q;
    if (part <= 0)
        return true;
    if (!fm_grid_find_face(g, a, at, &q) || g->open[a][q] < 1 || fm_grid_is_crossed(g, a, q) ||
        b->face_count == b->face_room)
        return false;
    part = fm_double_min(part, 1 - (double)b->taken[a][q]);
    if (part > 0)
        b->faces[b->face_count++] = (ball_face){.q = q,
                                                .cell = fm_grid_find_solver_cell(g, q),
                                                .part = part,
                                                .arm = {x[0] * g->h, x[1] * g->h, x[2] * g->h}};
    return true;
}

// Makes the sum of the parts from face `first` on equal to that of the whole ball, in cells.
static void complete_parts(fm_balls *b, int first, double whole)
{
    double sum = 0, free = 0;
    for (int i = first; i < b->face_count; i++) {
        sum += b->faces[i].part;
        free += b->faces[i].part * (1 - b->faces[i].part);
    }
    double change = free > 0 ? (whole - sum) / free : 0;
    for (int i = first; i < b->face_count && fabs(change) < 1; i++)
        b->faces[i].part += change * b->faces[i].part * (1 - b->faces[i].part);
}

// Lists the faces of axis a of a ball.
static void list_faces(fm_grid *g, const fm_collider *ball, int a)
{
    int low[3], high[3], at[3], first = g->balls->face_count;
    fm_vec3 from = fm_scale(fm_sub(ball->rigid->centre, g->def.low), 1 / g->h);
    double reach = ball->shape.radius / g->h + 0.5;
    bool complete = true;
    for (int i = 0; i < 3; i++) {
        double x = component(from, i) - (i == a ? 0 : 0.5);
        bool near = fabs(x) < 1e8; // not far away, nor a NaN
        low[i] = g->active[i] && near ? (int)ceil(x - reach) : 0;
        high[i] = !near ? -1 : g->active[i] ? (int)floor(x + reach) : 0;
    }
    for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
        for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
            for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
                complete &= add_face(g, ball, a, at);
    if (complete)
        complete_parts(g->balls, first, find_volume(g, ball->shape.radius) / (g->h * g->h * g->h));
    for (int i = first; i < g->balls->face_count; i++)
        g->balls->taken[a][g->balls->faces[i].q] += (float)g->balls->faces[i].part;
}

// Lists all balls and their faces.
static void place_balls(fm_grid *g, const fm_surroundings *around)
{
    fm_balls *b = g->balls;
    for (int k = 0; k < b->count; k++)
        for (int a = 0; a < 3; a++)
            for (int i = b->balls[k].first[a]; i < b->balls[k].first[a + 1]; i++)
                b->taken[a][b->faces[i].q] = 0;
    b->count = b->face_count = 0;
    for (int i = 0; i < around->collider_count; i++) {
        const fm_collider *collider = around->colliders[i];
        if (!fm_grid_has_ball(g, collider) || b->count == b->room)
            continue;
        placed_ball *ball = &b->balls[b->count++];
        *ball = (placed_ball){
            .collider = i, .velocity = collider->rigid->velocity, .spin = collider->rigid->spin};
        for (int a = 0; a < 3; a++) {
            ball->first[a] = b->face_count;
            if (g->active[a])
                list_faces(g, collider, a);
        }
        ball->first[3] = b->face_count;
    }
}

// Velocity along axis a, m/s, at a face, of a ball with velocity v and angular velocity w.
static double find_velocity(const ball_face *f, int a, fm_vec3 v, fm_vec3 w)
{
    return component(v, a) + component(fm_cross(w, f->arm), a);
}

// Gives the faces inside a ball the change of its velocity by v, m/s, and w, rad/s.
static void change_inside(fm_grid *g, const placed_ball *ball, fm_vec3 v, fm_vec3 w)
{
    for (int a = 0; a < 3; a++)
        for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
            const ball_face *f = &g->balls->faces[i];
            fm_grid_set_face(g, g->u[a], a, f->q,
                             g->u[a][f->q] + f->part * find_velocity(f, a, v, w));
        }
}

// Closes the parts of faces that balls take to the pressure, or opens them again.
static void set_conductances(fm_grid *g, bool closed)
{
    const fm_balls *b = g->balls;
    for (int k = 0; k < b->count; k++)
        for (int a = 0; a < 3; a++)
            for (int i = b->balls[k].first[a]; i < b->balls[k].first[a + 1]; i++) {
                const ball_face *f = &b->faces[i];
                float open = closed ? 1 - b->taken[a][f->q] : 1;
                fm_poisson_set_conductance(g->solver, a, f->cell, open > INSIDE ? open : INSIDE);
            }
}

// Before the first substep: the fluid inside balls gets their velocity. The projection that follows
// sets the fluid around them in motion.
void fm_grid_start_balls(fm_grid *g, const fm_surroundings *around)
{
    if (!g->balls)
        return;
    place_balls(g, around);
    for (int k = 0; k < g->balls->count; k++) {
        const placed_ball *ball = &g->balls->balls[k];
        for (int a = 0; a < 3; a++)
            for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
                const ball_face *f = &g->balls->faces[i];
                double u = g->u[a][f->q], v = find_velocity(f, a, ball->velocity, ball->spin);
                fm_grid_set_face(g, g->u[a], a, f->q, u + f->part * (v - u));
            }
        g->ball_motions[ball->collider] = (fm_ball_motion){ball->velocity, ball->spin};
    }
    set_conductances(g, true);
}

// At the start of a substep of dt seconds, `elapsed` seconds after that of the interval: finds the
// velocities of balls without the fluid, and passes on what contacts have changed of them.
void fm_grid_place_balls(fm_grid *g, const fm_surroundings *around, double elapsed, double dt)
{
    if (!g->balls)
        return;
    place_balls(g, around);
    for (int k = 0; k < g->balls->count; k++) {
        placed_ball *ball = &g->balls->balls[k];
        const fm_collider *c = around->colliders[ball->collider];
        const fm_rigid *r = c->rigid;
        const fm_ball_motion *last = &g->ball_motions[ball->collider];
        double inertia = 0.4 * r->mass * c->shape.radius * c->shape.radius;
        ball->velocity = fm_add_scaled(ball->velocity, r->impulse, 1 / r->mass);
        ball->velocity = fm_add_scaled(ball->velocity, around->gravity, elapsed);
        ball->spin = fm_add_scaled(ball->spin, r->angular_impulse, 1 / inertia);
        change_inside(g, ball, fm_sub(ball->velocity, last->velocity),
                      fm_sub(ball->spin, last->spin));
        ball->velocity = fm_add_scaled(ball->velocity, around->gravity, dt);
    }
}

// m/s, largest difference of the fluid's velocity to that of a ball along axis a, on faces that the
// ball takes at most half of.
static double find_slip(const fm_grid *g, const placed_ball *ball, int a)
{
    double slip = 0;
    for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
        const ball_face *f = &g->balls->faces[i];
        double excess = g->u[a][f->q] - find_velocity(f, a, ball->velocity, ball->spin);
        if (f->part <= 0.5)
            slip = fm_double_max(slip, fabs(excess) / (1 - f->part));
    }
    return slip;
}

// m/s, part theta e of the difference e of velocities on a face that goes to the ball.
static double find_carried(const ball_face *f, double excess, double slip)
{
    double rest = fm_double_max(0, 1 - f->part) * slip;
    double over = excess > rest ? excess - rest : excess < -rest ? excess + rest : 0;
    double inside = fm_double_max(0, (f->part - CARRIED) / (1 - CARRIED));
    return over + inside * (excess - over);
}

// Exchanges friction: the fluid inside a ball becomes rigid, and turns it. Adds the change of its
// momentum to *gained, N s.
static void exchange_friction(fm_grid *g, placed_ball *ball, double inertia, double mass,
                              fm_vec3 *gained)
{
    fm_vec3 torque = {0};
    for (int a = 0; a < 3; a++) {
        double slip = find_slip(g, ball, a);
        for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
            const ball_face *f = &g->balls->faces[i];
            double excess = g->u[a][f->q] - find_velocity(f, a, ball->velocity, ball->spin);
            double carried = find_carried(f, excess, slip);
            fm_vec3 impulse = {0};
            set_component(&impulse, a, mass * carried);
            *gained = fm_add(*gained, impulse);
            torque = fm_add(torque, fm_cross(f->arm, impulse));
            fm_grid_set_face(g, g->u[a], a, f->q, g->u[a][f->q] - carried);
        }
    }
    if (!g->active[2])
        torque.x = torque.y = 0;
    ball->turn = fm_scale(torque, 1 / inertia);
    change_inside(g, ball, (fm_vec3){0}, ball->turn);
    for (int a = 0; a < 3; a++)
        for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
            const ball_face *f = &g->balls->faces[i];
            double moved = f->part * find_velocity(f, a, (fm_vec3){0}, ball->turn);
            set_component(gained, a, component(*gained, a) - mass * moved);
        }
}

// Removes the old pressure from the faces of all balls: u = u*, becomes u^.
static void remove_old_pressure(fm_grid *g, double dt)
{
    double scale = dt / (g->def.density * g->h);
    for (int k = 0; k < g->balls->count; k++)
        for (int a = 0; a < 3; a++)
            for (int i = g->balls->balls[k].first[a]; i < g->balls->balls[k].first[a + 1]; i++) {
                ball_face *f = &g->balls->faces[i];
                f->drop = scale * (g->p[f->q] - g->p[f->q - g->stride[a]]);
                double share = f->part / fm_double_max(f->part, (double)g->balls->taken[a][f->q]);
                fm_grid_set_face(g, g->u[a], a, f->q, g->u[a][f->q] + share * f->drop);
            }
}

// Lets the old pressure act on a ball and its faces, and gives it the vectors of its fluxes.
static void add_pressure(fm_grid *g, placed_ball *ball, int number, double ratio)
{
    fm_balls *b = g->balls;
    const fm_cell_layout *l = fm_poisson_layout(g->solver);
    for (int a = 0; a < 3; a++) {
        double sum = 0;
        for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
            const ball_face *f = &b->faces[i];
            double taken = fm_double_max(f->part, (double)b->taken[a][f->q]);
            double open = fm_double_max(0, 1 - taken) * f->part / taken;
            sum += f->part * f->drop;
            fm_grid_set_face(g, g->u[a], a, f->q, g->u[a][f->q] - open * f->drop);
            ptrdiff_t s = l->stride[a], from = f->cell - l->start, below = f->cell - s;
            ptrdiff_t at = a == 2   ? from / l->stride[2]
                           : a == 1 ? from % l->stride[2] / l->stride[1]
                                    : from % l->stride[2] % l->stride[1];
            if (at == 0) // periodic
                below += l->n[a] * s;
            b->entries[2 * i] = (fm_flux_entry){f->cell, f->part};
            b->entries[2 * i + 1] = (fm_flux_entry){below, -f->part};
        }
        set_component(&ball->predicted, a, component(ball->predicted, a) - ratio * sum);
        b->vectors[3 * number + a] =
            (fm_flux_vector){2 * ball->first[a], 2 * (ball->first[a + 1] - ball->first[a]), ratio};
    }
}

// Before the projection of a substep of dt seconds: exchanges momentum between fluid and balls but
// for psi, and gives the pressure solver, which must be updated, what balls change there.
void fm_grid_exchange_with_balls(fm_grid *g, const fm_surroundings *around, double dt)
{
    fm_balls *b = g->balls;
    double mass = g->def.density * g->h * g->h * g->h;
    if (!b)
        return;
    remove_old_pressure(g, dt);
    for (int k = 0; k < b->count; k++) {
        placed_ball *ball = &b->balls[k];
        const fm_collider *c = around->colliders[ball->collider];
        double M = c->rigid->mass;
        fm_vec3 gained = {0};
        double least = LEAST_INERTIA * g->def.density * find_volume(g, c->shape.radius);
        double inertia = 0.4 * fm_double_max(M, least) * c->shape.radius * c->shape.radius;
        exchange_friction(g, ball, inertia, mass, &gained);
        ball->predicted = fm_add_scaled(ball->velocity, gained, 1 / M);
        add_pressure(g, ball, k, mass / M);
    }
    b->exchanged = true;
    set_conductances(g, true);
    fm_poisson_set_bodies(g->solver, b->entries, b->vectors, 3 * b->count);
}

// Adds the flux of phi (V - V^), where V is that without psi, to the right side of the pressure
// solver. It is not in u: of a ball without a mass, this V is large.
void fm_grid_add_ball_fluxes(fm_grid *g)
{
    const fm_balls *b = g->balls;
    double *right = fm_poisson_right_side(g->solver);
    for (int k = 0; b && b->exchanged && k < 3 * b->count; k++) {
        const placed_ball *ball = &b->balls[k / 3];
        double change = component(fm_sub(ball->predicted, ball->velocity), k % 3);
        for (int i = b->vectors[k].first; i < b->vectors[k].first + b->vectors[k].count; i++)
            right[b->entries[i].cell] += change * b->entries[i].value;
    }
}

// After the projection, which took all faces for open ones: corrects the velocities of the faces of
// balls. moved: the balls have got their velocities from psi, and their impulses.
void fm_grid_finish_balls(fm_grid *g, const fm_surroundings *around, bool moved)
{
    fm_balls *b = g->balls;
    const double *psi = fm_poisson_solution(g->solver);
    for (int k = 0; b && k < b->count; k++) {
        placed_ball *ball = &b->balls[k];
        const fm_collider *c = around->colliders[ball->collider];
        fm_rigid *r = c->rigid;
        for (int a = 0; a < 3; a++) {
            const fm_flux_vector *v = &b->vectors[3 * k + a];
            double change = 0;
            if (moved)
                change = component(fm_sub(ball->predicted, ball->velocity), a) -
                         v->weight * fm_poisson_find_flux(g->solver, v);
            ptrdiff_t s = fm_poisson_layout(g->solver)->stride[a];
            for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
                const ball_face *f = &b->faces[i];
                double u = g->u[a][f->q] + f->part * (psi[f->cell] - psi[f->cell - s] + change);
                fm_grid_set_face(g, g->u[a], a, f->q, u);
            }
            if (moved)
                set_component(&ball->predicted, a, component(ball->velocity, a) + change);
        }
        if (!moved)
            continue;
        fm_vec3 impulse = fm_scale(fm_sub(ball->predicted, ball->velocity), r->mass);
        double inertia = 0.4 * r->mass * c->shape.radius * c->shape.radius;
        r->impulse = fm_add(r->impulse, impulse);
        r->angular_impulse = fm_add_scaled(r->angular_impulse, ball->turn, inertia);
        g->ball_motions[ball->collider] =
            (fm_ball_motion){ball->predicted, fm_add(ball->spin, ball->turn)};
        if (g->def.loads && ball->collider < g->solids.load_count)
            g->solids.load[ball->collider] = fm_add(g->solids.load[ball->collider], impulse);
    }
    if (b) {
        set_conductances(g, false);
        b->exchanged = false;
        fm_poisson_set_bodies(g->solver, NULL, NULL, 0);
    }
}

// m/s, largest sum of the components of a ball's velocity.
double fm_grid_ball_speed(const fm_grid *g, const fm_surroundings *around)
{
    double fastest = 0;
    for (int i = 0; i < around->collider_count; i++) {
        const fm_rigid *r = around->colliders[i]->rigid;
        if (!fm_grid_has_ball(g, around->colliders[i]))
            continue;
        double turning = sqrt(3) * around->colliders[i]->shape.radius * fm_length(r->spin);
        fastest = fm_double_max(fastest, fabs(r->velocity.x) + fabs(r->velocity.y) +
                                             fabs(r->velocity.z) + turning);
    }
    return fastest;
}

// J, what is not kinetic energy of the fluid on a face of axis a, with the velocity v of the ball.
static double find_energy_inside(const ball_face *f, double u, double v, double mass)
{
    double fluid = 1 - f->part, slower = u - f->part * v; // the fluid's velocity times its part
    return 0.5 * mass * (u * u - (fluid > 0.01 ? slower * slower / fluid : 0));
}

// What the fluid inside balls adds to the momentum, N s, and the kinetic energy, J, of the grid.
fm_vec3 fm_grid_measure_balls(fm_grid *g, const fm_surroundings *around, double *energy)
{
    double mass = g->def.density * g->h * g->h * g->h, sum[3] = {0};
    *energy = 0;
    if (!g->balls || !g->started)
        return (fm_vec3){0};
    if (g->balls->count == 0) // restored, and not advanced since
        place_balls(g, around);
    for (int k = 0; k < g->balls->count; k++) {
        const placed_ball *ball = &g->balls->balls[k];
        const fm_ball_motion *last = &g->ball_motions[ball->collider];
        fm_vec3 now = around->colliders[ball->collider]->rigid->velocity;
        for (int a = 0; a < 3; a++)
            for (int i = ball->first[a]; i < ball->first[a + 1]; i++) {
                const ball_face *f = &g->balls->faces[i];
                double v = find_velocity(f, a, last->velocity, last->spin);
                sum[a] += mass * f->part * component(now, a);
                *energy += find_energy_inside(f, g->u[a][f->q], v, mass);
            }
    }
    return (fm_vec3){sum[0], sum[1], sum[2]};
}
