// SPDX-License-Identifier: MIT
// contact.c: cloths that must not pass through each other, themselves or colliders take their
// substeps together.
//
//     1 every such cloth moves freely: drift, enforcement          cloth/step.c
//     2 surfaces are kept apart on the way there                   collide/contact.c
//     3 every cloth closes its substep from where it came to be
//
// Colliders take part as triangles (hull.c), where their motions put them. Lists of near pairs are
// kept within an advance and made anew in the next one, so that what happens depends on the state
// alone and not on how long the program has been running. For the same reason the set is made from
// where things were when they were made, and made anew when something joins the world.
//
// A cloth that begins inside a collider, or through a cloth, is refused or separated before its
// first substep.
#include "collide/contact.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A collider's triangles where its definition puts them.
typedef struct solid {
    const fm_collider *collider;
    fm_hull hull; // of a shape; meshes have their own
} solid;

struct fm_touch {
    fm_contact_set *set;
    fm_cloth *cloths[FM_WORLD_OBJECTS_MAX];
    solid solids[FM_WORLD_OBJECTS_MAX];
    int cloth_count, solid_count;
    fm_substep *steps;       // of the cloths
    fm_surroundings *around; // as each of them finds them
};

bool fm_world_has_contact(const fm_world *world)
{
    for (int i = 0; i < world->cloth_count; i++) {
        if (world->cloths[i]->def.contact.enabled)
            return true;
    }
    return false;
}

static int count_vertices(const solid *s)
{
    int count = s->hull.vertex_count;
    if (s->collider->mesh)
        fm_trimesh_vertices(s->collider->mesh, &count);
    return count;
}

// Where the vertices of a collider are at time t.
static void place_solid(const solid *s, double t, fm_contact_axes x)
{
    fm_placed_collider placed = fm_collider_place(s->collider, t);
    int count = s->hull.vertex_count;
    const fm_vec3 *from =
        s->collider->mesh ? fm_trimesh_vertices(s->collider->mesh, &count) : s->hull.vertices;
    for (int i = 0; i < count; i++) {
        fm_vec3 at = fm_pose_apply(&placed.pose, from[i]);
        x.x[i] = at.x, x.y[i] = at.y, x.z[i] = at.z;
    }
}

static fm_contact_axes from_vertex(fm_contact_axes a, int i)
{
    return (fm_contact_axes){a.x + i, a.y + i, a.z + i};
}

// What a contact set is made of.
typedef struct sources {
    fm_contact_surface *surfaces;
    double *room; // positions, for all surfaces one after another: x, y, z of each
    size_t room_used;
    double thickness; // m, the largest of the cloths
} sources;

// Room for the positions of one more surface; NULL when there is no memory.
static double *add_room(sources *from, int count, fm_error *err)
{
    size_t more = 3 * (size_t)count;
    double *room = realloc(from->room, (from->room_used + more) * sizeof *room);
    if (!room) {
        fm_fail_no_memory(err, "contact", more * sizeof *room);
        return NULL;
    }
    from->room = room;
    from->room_used += more;
    return room + from->room_used - more;
}

static bool add_cloth(fm_touch *touch, fm_cloth *cloth, sources *from, fm_error *err)
{
    fm_cloth_parts parts;
    double *x = add_room(from, cloth->count, err);
    if (!x || !fm_cloth_find_parts(cloth, &parts, err))
        return false;
    for (int i = 0; i < cloth->count; i++) {
        x[i] = cloth->made[i].x;
        x[cloth->count + i] = cloth->made[i].y;
        x[2 * cloth->count + i] = cloth->made[i].z;
    }
    from->surfaces[touch->cloth_count] = (fm_contact_surface){
        .name = cloth->name,
        .vertex_count = cloth->count,
        .triangle_count = parts.triangle_count,
        .triangles = (const int(*)[3])parts.triangle,
        .inverse_mass = cloth->nothing.x, // set before every step
        .thickness = cloth->contact_thickness,
        .friction = cloth->def.contact.friction,
        .columns = cloth->kind == FM_CLOTH_MESH ? 0 : cloth->columns,
        .rows = cloth->kind == FM_CLOTH_MESH ? 0 : cloth->rows,
        .round = cloth->kind == FM_CLOTH_TUBE,
    };
    from->thickness = fmax(from->thickness, cloth->contact_thickness);
    touch->cloths[touch->cloth_count++] = cloth;
    return true;
}

static bool add_solid(fm_touch *touch, const fm_collider *collider, sources *from, fm_error *err)
{
    solid *s = &touch->solids[touch->solid_count++];
    s->collider = collider;
    if (!collider->mesh && !fm_shape_hull(&collider->shape, &s->hull, err))
        return false;
    int count = count_vertices(s), triangle_count = s->hull.triangle_count;
    const int *triangles = collider->mesh ? fm_trimesh_triangles(collider->mesh, &triangle_count)
                                          : s->hull.triangles[0];
    double *x = add_room(from, count, err);
    if (!x)
        return false;
    place_solid(s, 0, (fm_contact_axes){x, x + count, x + 2 * count});
    for (int i = 0; i < count && collider->mass > 0; i++) { // wherever a free one is by now
        fm_vec3 at = s->hull.vertices[i];
        x[i] = at.x, x[count + i] = at.y, x[2 * count + i] = at.z;
    }
    from->surfaces[touch->cloth_count + touch->solid_count - 1] = (fm_contact_surface){
        .name = collider->name,
        .vertex_count = count,
        .triangle_count = triangle_count,
        .triangles = (const int(*)[3])triangles,
        .thickness = from->thickness,
        .friction = collider->friction,
        .solid = collider->mesh ? fm_trimesh_is_closed(collider->mesh) : s->hull.closed,
    };
    return true;
}

// Room may move while it grows, so surfaces are told in the end where their positions are.
static void fix_places(const fm_touch *touch, const sources *from)
{
    const double *x = from->room;
    for (int k = 0; k < touch->cloth_count + touch->solid_count; k++) {
        fm_contact_surface *surface = &from->surfaces[k];
        int count = surface->vertex_count;
        surface->x = x;
        surface->y = x + count;
        surface->z = x + 2 * count;
        x += 3 * (size_t)count;
    }
}

static bool fill(fm_touch *touch, fm_world *world, sources *from, fm_error *err)
{
    for (int i = 0; i < world->cloth_count; i++) {
        if (world->cloths[i]->def.contact.enabled && !add_cloth(touch, world->cloths[i], from, err))
            return false;
    }
    for (int k = 0; k < world->collider_count; k++) {
        if (!add_solid(touch, world->colliders[k], from, err))
            return false;
    }
    fix_places(touch, from);
    touch->steps = calloc((size_t)touch->cloth_count + 1, sizeof *touch->steps);
    touch->around = calloc((size_t)touch->cloth_count + 1, sizeof *touch->around);
    if (!touch->steps || !touch->around)
        return fm_fail_no_memory(err, "contact", sizeof *touch->steps);
    touch->set = fm_contact_create(from->surfaces, touch->cloth_count + touch->solid_count, err);
    return touch->set != NULL;
}

static void free_touch(fm_touch *touch)
{
    if (!touch)
        return;
    fm_contact_destroy(touch->set);
    for (int k = 0; k < touch->solid_count; k++)
        fm_hull_free(&touch->solids[k].hull);
    free(touch->steps);
    free(touch->around);
    free(touch);
}

void fm_touch_drop(fm_world *world)
{
    free_touch(world->touch);
    world->touch = NULL;
}

bool fm_touch_make(fm_world *world, fm_error *err)
{
    size_t most = (size_t)world->cloth_count + (size_t)world->collider_count;
    fm_touch *touch = calloc(1, sizeof *touch);
    sources from = {.surfaces = calloc(most, sizeof *from.surfaces)};
    bool good = touch && from.surfaces;
    if (!good)
        fm_fail_no_memory(err, "contact", sizeof *touch);
    good = good && fill(touch, world, &from, err);
    free(from.surfaces);
    free(from.room);
    if (good)
        world->touch = touch;
    else
        free_touch(touch);
    return good;
}

static void copy_cloth(const fm_cloth *c, fm_contact_axes to, const fm_axes *from)
{
    size_t bytes = (size_t)c->count * sizeof(double);
    memcpy(to.x, from->x, bytes);
    memcpy(to.y, from->y, bytes);
    memcpy(to.z, from->z, bytes);
}

// Colliders begin where they ended, to the last bit: contact then knows that nothing has moved.
static void take_starts(fm_touch *touch, double t, bool anew)
{
    fm_contact_axes x0 = fm_contact_starts(touch->set), x1 = fm_contact_ends(touch->set);
    for (int i = 0; i < touch->cloth_count; i++)
        copy_cloth(touch->cloths[i], from_vertex(x0, fm_contact_first_vertex(touch->set, i)),
                   &touch->cloths[i]->x);
    for (int k = 0; k < touch->solid_count; k++) {
        int first = fm_contact_first_vertex(touch->set, touch->cloth_count + k);
        size_t bytes = (size_t)count_vertices(&touch->solids[k]) * sizeof(double);
        fm_contact_axes to = from_vertex(x0, first), from = from_vertex(x1, first);
        if (anew) {
            place_solid(&touch->solids[k], t, to);
            continue;
        }
        memcpy(to.x, from.x, bytes);
        memcpy(to.y, from.y, bytes);
        memcpy(to.z, from.z, bytes);
    }
}

// What resists a jump of velocity: the cloth's mass, the water that moves with it along its normal,
// and the newest part of the history forces.
static void take_masses(fm_touch *touch, int i, double t)
{
    const fm_cloth *c = touch->cloths[i];
    int first = fm_contact_first_vertex(touch->set, i);
    double *across = fm_contact_inverse_masses(touch->set) + first;
    double *along = fm_contact_axis_inverse_masses(touch->set) + first;
    copy_cloth(c, from_vertex(fm_contact_mass_axes(touch->set), first), &c->normal);
    for (int k = 0; k < c->count; k++) {
        fm_effective_mass m = fm_drag_effective_mass(c, &touch->steps[i].drag, k);
        bool held = fm_cloth_is_held(c, k, t);
        across[k] = held ? 0 : 1 / m.across;
        along[k] = held ? 0 : 1 / m.along;
    }
}

static void take_ends(fm_touch *touch, double t)
{
    fm_contact_axes x1 = fm_contact_ends(touch->set);
    for (int i = 0; i < touch->cloth_count; i++)
        copy_cloth(touch->cloths[i], from_vertex(x1, fm_contact_first_vertex(touch->set, i)),
                   &touch->cloths[i]->x);
    for (int k = 0; k < touch->solid_count; k++) {
        int first = fm_contact_first_vertex(touch->set, touch->cloth_count + k);
        place_solid(&touch->solids[k], t, from_vertex(x1, first));
    }
}

// What only a step that is not free needs.
static void take_velocities(fm_touch *touch, double t)
{
    fm_contact_axes v = fm_contact_velocities(touch->set);
    bool lent = false;
    for (int i = 0; i < touch->cloth_count; i++) {
        lent = lent || fm_drag_lends_mass(&touch->steps[i].drag);
        const fm_cloth *c = touch->cloths[i];
        copy_cloth(c, from_vertex(v, fm_contact_first_vertex(touch->set, i)), &c->v);
        take_masses(touch, i, t);
    }
    fm_contact_use_mass_axes(touch->set, lent);
}

static void clear_touch(fm_cloth *c)
{
    memset(c->touch, 0, (size_t)c->count * sizeof *c->touch);
    if (c->enforcer)
        return;
    size_t bytes = (size_t)c->count * sizeof(double);
    memset(c->jump.x, 0, bytes);
    memset(c->jump.y, 0, bytes);
    memset(c->jump.z, 0, bytes);
}

// What contact made of a cloth; particles whose way it changed are touched.
static void give_back(const fm_touch *touch, int i, double t)
{
    fm_cloth *c = touch->cloths[i];
    int first = fm_contact_first_vertex(touch->set, i);
    fm_contact_axes x = from_vertex(fm_contact_ends(touch->set), first);
    fm_contact_axes v = from_vertex(fm_contact_velocities(touch->set), first);
    for (int k = 0; k < c->count; k++) {
        if (fm_cloth_is_held(c, k, t))
            continue;
        double dx = v.x[k] - c->v.x[k], dy = v.y[k] - c->v.y[k], dz = v.z[k] - c->v.z[k];
        c->touch[k] = dx != 0 || dy != 0 || dz != 0;
        c->jump.x[k] += dx, c->jump.y[k] += dy, c->jump.z[k] += dz;
        c->x.x[k] = x.x[k], c->x.y[k] = x.y[k], c->x.z[k] = x.z[k];
        c->v.x[k] = v.x[k], c->v.y[k] = v.y[k], c->v.z[k] = v.z[k];
    }
}

static void add_counts(fm_report *report, const fm_contact_report *from)
{
    report->pinched_count += from->pinched_count;
    report->impact_count += from->hit_count;
    report->zone_count += from->zone_vertex_count;
}

// Beyond this, rounding is coarser than cloth is thick, and contact cannot tell sides.
static const double FARTHEST = 1e9; // m, and m/s

// Contact cuts and repeats steps until nothing passes through: it must never see what is no number.
static bool check_numbers(const fm_touch *touch, fm_error *err)
{
    for (int i = 0; i < touch->cloth_count; i++) {
        const fm_cloth *c = touch->cloths[i];
        const double *x = c->x.x, *v = c->v.x; // y and z behind
        for (int k = 0; k < 3 * c->lanes; k++) {
            if (fabs(x[k]) <= FARTHEST && fabs(v[k]) <= FARTHEST)
                continue;
            char value[64];
            snprintf(value, sizeof value, "%.3g m, %.3g m/s at particle %d", x[k], v[k],
                     k % c->lanes);
            return fm_fail(err, FM_DIVERGED, c->name, "position or velocity in stage bodies", value,
                           "numbers within 1e9: a smaller time_step or softer springs may help");
        }
    }
    return true;
}

static bool take_substep(fm_world *world, double h, double t, bool anew, fm_report *report,
                         fm_error *err)
{
    fm_touch *touch = world->touch;
    take_starts(touch, world->time, anew);
    for (int i = 0; i < touch->cloth_count; i++) {
        if (!fm_substep_open(&touch->steps[i], t, err))
            return false;
    }
    if (!check_numbers(touch, err))
        return false;
    take_ends(touch, t);
    bool is_free = fm_contact_is_free(touch->set, world->pool);
    fm_contact_report found = {0};
    if (!is_free) {
        take_velocities(touch, t);
        fm_contact_step(touch->set, h, world->pool, &found);
    }
    if (found.out_of_memory)
        return fm_fail_no_memory(err, "contact", 0);
    add_counts(report, &found);
    for (int i = 0; i < touch->cloth_count; i++) {
        clear_touch(touch->cloths[i]);
        if (!is_free)
            give_back(touch, i, t);
        fm_substep_close(&touch->steps[i]);
    }
    return true;
}

// The particles of cloths that have not moved yet and begin inside a collider, or on a surface that
// is through another.
typedef struct trouble {
    const fm_cloth *cloth; // of the first; NULL: there is none
    const char *what;      // it is in or through
    fm_vec3 first, last;   // m
    int count;
} trouble;

static void add_trouble(trouble *t, const fm_cloth *cloth, const char *what, fm_vec3 at)
{
    if (!t->cloth)
        *t = (trouble){cloth, what, at, at, 0};
    t->last = at;
    t->count++;
}

static void find_inside(fm_world *world, const fm_cloth *c, fm_contact_axes x, trouble *found)
{
    for (int k = 0; k < world->collider_count; k++) {
        fm_placed_collider placed = fm_collider_place(world->colliders[k], world->time);
        for (int i = 0; i < c->count; i++) {
            fm_vec3 at = fm_contact_at(x, i);
            if (!fm_cloth_is_held(c, i, world->time) && !fm_placed_is_far(&placed, at, 0) &&
                fm_collider_contact(&placed, at).distance < 0)
                add_trouble(found, c, world->colliders[k]->name, at);
        }
    }
}

// Starts as the first substep finds them: pins are where their motions are.
static void take_first_starts(fm_world *world)
{
    fm_touch *touch = world->touch;
    take_starts(touch, world->time, true);
    for (int i = 0; i < touch->cloth_count; i++) {
        fm_cloth *c = touch->cloths[i];
        fm_surroundings around = fm_cloth_surroundings(world, c);
        fm_substep s = {.cloth = c, .around = &around};
        fm_contact_axes x =
            from_vertex(fm_contact_starts(touch->set), fm_contact_first_vertex(touch->set, i));
        fm_substep_place(&s, world->time);
        if (!c->started)
            fm_substep_pin_positions(&s, &(fm_axes){x.x, x.y, x.z}, 0, c->count);
    }
}

static bool find_trouble(fm_world *world, trouble *found, fm_error *err)
{
    fm_touch *touch = world->touch;
    int count = fm_contact_vertex_count(touch->set);
    bool *marked = calloc((size_t)count + 1, sizeof *marked);
    if (!marked)
        return fm_fail_no_memory(err, "contact", (size_t)count);
    take_first_starts(world);
    fm_contact_axes x0 = fm_contact_starts(touch->set);
    fm_contact_count_intersections(touch->set, x0, marked);
    for (int i = 0; i < touch->cloth_count; i++) {
        const fm_cloth *c = touch->cloths[i];
        int first = fm_contact_first_vertex(touch->set, i);
        if (c->started || c->def.contact.start != FM_START_REFUSE)
            continue;
        find_inside(world, c, from_vertex(x0, first), found);
        for (int k = 0; k < c->count; k++) {
            if (marked[first + k])
                add_trouble(found, c, "a cloth or a collider", fm_contact_at(x0, first + k));
        }
    }
    free(marked);
    return true;
}

static bool check_starts(fm_world *world, fm_error *err)
{
    trouble found = {0};
    if (!find_trouble(world, &found, err))
        return false;
    if (!found.cloth)
        return true;
    char value[128];
    const fm_vec3 *a = &found.first, *b = &found.last;
    snprintf(value, sizeof value, "in or through %.20s at (%.3g, %.3g, %.3g) to (%.3g, %.3g, %.3g)",
             found.what, a->x, a->y, a->z, b->x, b->y, b->z);
    char field[48];
    snprintf(field, sizeof field, "start of %d particles", found.count);
    return fm_fail(err, FM_BAD_VALUE, found.cloth->name, field, value,
                   "outside colliders and not through cloth, or contact.start: separate");
}

// Out of the colliders, for those that ask for it; what is through a cloth is let go by tangles.c.
static void separate_starts(fm_world *world)
{
    for (int i = 0; i < world->touch->cloth_count; i++) {
        fm_cloth *c = world->touch->cloths[i];
        fm_surroundings around = fm_cloth_surroundings(world, c);
        if (c->started || c->def.contact.start != FM_START_SEPARATE)
            continue;
        for (int k = 0; k < around.collider_count; k++)
            around.placed[k] = fm_collider_place(around.colliders[k], world->time);
        for (int p = 0; p < c->count; p++) {
            fm_vec3 x = {c->x.x[p], c->x.y[p], c->x.z[p]}, v = {c->v.x[p], c->v.y[p], c->v.z[p]};
            if (fm_cloth_is_held(c, p, world->time))
                continue;
            fm_collide_particle(around.placed, around.collider_count, c->contact_thickness, &x, &v,
                                NULL);
            c->x.x[p] = x.x, c->x.y[p] = x.y, c->x.z[p] = x.z;
            c->v.x[p] = v.x, c->v.y[p] = v.y, c->v.z[p] = v.z;
        }
        fm_cloth_normals(c, &c->x, &c->normal);
    }
}

static bool some_begin(const fm_touch *touch)
{
    for (int i = 0; i < touch->cloth_count; i++) {
        if (!touch->cloths[i]->started)
            return true;
    }
    return false;
}

bool fm_world_check_start(fm_world *world, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (!fm_world_has_contact(world))
        return true;
    bool begun = world->touch != NULL; // checking leaves the state as it is
    bool good = (begun || fm_touch_make(world, err)) &&
                (!some_begin(world->touch) || check_starts(world, err));
    if (!begun)
        fm_touch_drop(world);
    return good;
}

bool fm_touch_advance(fm_world *world, double interval, int *most, fm_report *report, fm_error *err)
{
    if (!world->touch && !fm_touch_make(world, err))
        return false;
    fm_touch *touch = world->touch;
    if (!check_numbers(touch, err))
        return false;
    if (some_begin(touch)) {
        separate_starts(world);
        if (!check_starts(world, err))
            return false;
    }
    int substeps = 1;
    for (int i = 0; i < touch->cloth_count; i++) {
        int own = fm_cloth_substeps(touch->cloths[i], interval);
        substeps = own > substeps ? own : substeps;
    }
    double h = interval / substeps, begin = world->time;
    for (int i = 0; i < touch->cloth_count; i++) {
        fm_surroundings *around = &touch->around[i];
        *around = fm_cloth_surroundings(world, touch->cloths[i]);
        if (!fm_substep_begin(&touch->steps[i], touch->cloths[i], around, h, err))
            return false;
    }
    fm_contact_restart(touch->set, 2 * substeps);
    fm_contact_set_stop(touch->set, &world->stop);
    for (int n = 1; n <= substeps; n++) {
        if (!take_substep(world, h, begin + interval * n / substeps, n == 1, report, err) ||
            !fm_stop_check(&world->stop, err))
            return false;
    }
    *most = substeps > *most ? substeps : *most;
    return true;
}

bool fm_touch_check(fm_world *world, fm_report *report, fm_error *err)
{
    if (!world->touch && !fm_touch_make(world, err))
        return false;
    fm_touch *touch = world->touch;
    take_starts(touch, world->time, true);
    fm_contact_axes x = fm_contact_starts(touch->set);
    report->intersection_count = fm_contact_count_intersections(touch->set, x, NULL);
    report->closest_distance = fm_contact_find_closest(touch->set, x, 0.01);
    return true;
}

size_t fm_touch_save(const fm_touch *touch, void *buffer, size_t size)
{
    return touch ? fm_contact_save(touch->set, buffer, size) : 0;
}

bool fm_touch_restore(fm_touch *touch, const void *buffer, size_t size, fm_error *err)
{
    return fm_contact_restore(touch->set, buffer, size, err);
}
