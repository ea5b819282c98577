// SPDX-License-Identifier: MIT
// contact.c: contact between bodies: bodies that must not pass through each other, themselves or
// colliders take their substeps together.
//
//     1 every such body moves without contact                      fm_body_type.open
//     2 contact resolves the collisions on the way                 collide/contact_step.c
//     3 every body computes forces at the corrected positions      fm_body_type.evaluate
//     4 every body ends its substep                                fm_body_type.close
//
// Bodies that are tied to each other take the same substeps; ties act after 1, 2 and 3 (ties.c).
//
// Colliders take part as triangle meshes (collide/triangulate.c) that follow their motions.
// Candidate lists are kept within an advance and rebuilt in the next one, so that the result
// depends on the state alone and not on how long the program has been running. For the same reason
// the contact set is created from the initial positions of all objects, and created again when an
// object joins the world.
//
// A body that starts inside a collider, or intersects another one, is refused or separated before
// its first substep.
#include "collide/contact.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A collider as a triangle mesh, in the pose of its definition.
typedef struct solid {
    const fm_collider *collider;
    fm_mesh_data triangles; // triangles of an analytic shape; a mesh collider has its own
    fm_vec3 *start;         // m, vertex positions at time 0
} solid;

// A body that takes part in contact.
typedef struct member {
    fm_object *object;
    fm_contact_view view;   // points, lines and triangles of the body
    fm_surroundings around; // environment of the body, with its own medium
    int joined;             // pairs of points of the view that the contact set has joined
} member;

// Contact between the bodies and colliders of a world.
struct fm_world_contact {
    fm_contact_set *set; // holds one surface per member, then one per solid
    member *members;
    solid solids[FM_WORLD_OBJECTS_MAX];
    int member_count, solid_count;
    int tied_count; // bodies without contact that are tied; they follow the members
    // bodies that solve for contact among themselves, and their first vertices in the set
    fm_object **solved;
    int *solved_first;
};

// True if the object is a body that takes part in contact.
bool fm_object_uses_contact(const fm_object *object)
{
    const fm_body_type *body = object->type->body;
    return body && body->uses_contact && body->uses_contact(object);
}

bool fm_object_steps_together(const fm_object *object)
{
    return fm_object_uses_contact(object) || fm_object_is_tied(object);
}

// True if any body of the world takes part in contact.
bool fm_world_has_contact(const fm_world *world)
{
    for (int i = 0; i < world->object_count; i++) {
        if (fm_object_uses_contact(world->objects[i]))
            return true;
    }
    return false;
}

// The triangle mesh of a collider in the pose of its definition.
static fm_mesh_view view_solid(const solid *s)
{
    return s->collider->mesh ? fm_trimesh_view(s->collider->mesh)
                             : fm_mesh_data_view(&s->triangles);
}

// Writes the vertex positions of a collider at time t to x.
static void place_solid(const solid *s, double t, fm_vec3_array x)
{
    fm_placed_collider placed = fm_collider_place(s->collider, t);
    fm_mesh_view mesh = view_solid(s);
    for (int i = 0; i < mesh.point_count; i++) {
        fm_vec3 at = fm_pose_apply(&placed.pose, mesh.points[i]);
        x.x[i] = at.x, x.y[i] = at.y, x.z[i] = at.z;
    }
}

// The coordinate arrays from vertex i on.
static fm_vec3_array axes_from_vertex(fm_vec3_array a, int i)
{
    return (fm_vec3_array){a.x + i, a.y + i, a.z + i};
}

// Input for the creation of the contact set.
typedef struct sources {
    fm_contact_surface *surfaces; // surfaces of the bodies, then of the colliders
    double thickness, guard;      // m, largest of all bodies
} sources;

// Lets bodies that can choose how they move take the way of the others that they may touch.
static void agree_on_solving(fm_world *world)
{
    bool all = true;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < world->object_count; i++) {
            fm_object *object = world->objects[i];
            const fm_body_type *body = object->type->body;
            if (fm_object_uses_contact(object) && body)
                all &= body->is_solved && body->is_solved(object, pass == 0 || all);
        }
    }
}

// Adds a body to contact, and its surface to the input of the contact set.
static bool add_member(fm_world_contact *contact, fm_object *object, sources *from, fm_error *err)
{
    member *m = &contact->members[contact->member_count];
    m->object = object;
    if (!object->type->body->contact(object, &m->view, err))
        return false;
    const fm_contact_view *view = &m->view;
    from->surfaces[contact->member_count] = (fm_contact_surface){
        .name = object->name,
        .mesh = view->initial_mesh,
        .dynamic = true, // write_velocities sets the masses before every step
        .thickness = view->thickness,
        .guard = view->guard,
        .solved = view->solved,
        .friction = view->friction,
        .friction_weight = view->friction_weight,
        .columns = view->columns,
        .rows = view->rows,
        .is_tube = view->is_tube,
    };
    from->thickness = fmax(from->thickness, view->thickness);
    from->guard = fmax(from->guard, view->guard > 0 ? view->guard : view->thickness);
    contact->member_count++;
    return true;
}

// Adds a collider to contact as a triangle mesh. A ball with a mass enters in the pose of its
// definition, because its present pose is part of the state.
static bool add_solid(fm_world_contact *contact, const fm_collider *collider, sources *from,
                      fm_error *err)
{
    solid *s = &contact->solids[contact->solid_count++];
    s->collider = collider;
    if (!collider->mesh && !fm_shape_triangulate(&collider->shape, &s->triangles, err))
        return false;
    fm_mesh_view mesh = view_solid(s);
    s->start = malloc((size_t)mesh.point_count * sizeof *s->start);
    if (!s->start)
        return fm_fail_no_memory(err, "contact", (size_t)mesh.point_count * sizeof *s->start);
    fm_placed_collider placed = fm_collider_place(collider, 0);
    for (int i = 0; i < mesh.point_count; i++)
        s->start[i] =
            collider->rigid ? mesh.points[i] : fm_pose_apply(&placed.pose, mesh.points[i]);
    mesh.points = s->start;
    from->surfaces[contact->member_count + contact->solid_count - 1] = (fm_contact_surface){
        .name = collider->name,
        .mesh = mesh,
        .thickness = from->thickness,
        .guard = from->guard,
        .solved = !collider->rigid, // the impulses on a ball with a mass come from the step
        .friction = collider->friction,
        .solid = collider->mesh ? fm_trimesh_is_closed(collider->mesh)
                                : collider->shape.kind != FM_SHAPE_PLANE,
    };
    return true;
}

// The number of a body among those with contact; -1: it has none.
static int find_member(const fm_world_contact *contact, const fm_object *object)
{
    for (int i = 0; i < contact->member_count; i++) {
        if (contact->members[i].object == object)
            return i;
    }
    return -1;
}

// Tied points are one point for contact. A ball (a body of one point) does not collide with the
// bodies that are tied to it, which reach its centre.
static bool join_tied_vertices(fm_world_contact *contact, fm_world *world, fm_error *err)
{
    for (int i = 0; i < fm_ties_point_count(world); i++) {
        fm_tied_point p = fm_ties_point(world, i);
        for (int k = p.first; k < i; k++) { // earlier points of the knot
            fm_tied_point q = fm_ties_point(world, k);
            int a = find_member(contact, q.body), b = find_member(contact, p.body);
            if (a < 0 || b < 0)
                continue;
            fm_contact_join_vertices(contact->set,
                                     fm_contact_first_vertex(contact->set, a) + q.point,
                                     fm_contact_first_vertex(contact->set, b) + p.point);
            bool ball = contact->members[a].view.initial_mesh.point_count == 1 ||
                        contact->members[b].view.initial_mesh.point_count == 1;
            if (ball && a != b && !fm_contact_ignore_pair(contact->set, a, b, err))
                return false;
        }
    }
    return true;
}

// Adds all bodies with contact and all colliders, and creates the contact set.
static bool fill_contact(fm_world_contact *contact, fm_world *world, sources *from, fm_error *err)
{
    agree_on_solving(world);
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        if (fm_object_uses_contact(object) && !add_member(contact, object, from, err))
            return false;
    }
    for (int i = 0; i < world->object_count; i++) {
        fm_object *object = world->objects[i];
        if (!fm_object_uses_contact(object) && fm_object_is_tied(object))
            contact->members[contact->member_count + contact->tied_count++].object = object;
    }
    if (contact->member_count == 0)
        return true;
    for (int k = 0; k < world->collider_count; k++) {
        if (!add_solid(contact, world->colliders[k], from, err))
            return false;
    }
    contact->set =
        fm_contact_create(from->surfaces, contact->member_count + contact->solid_count, err);
    return contact->set && join_tied_vertices(contact, world, err);
}

// Frees contact with its set and the meshes of colliders.
static void destroy_contact(fm_world_contact *contact)
{
    if (!contact)
        return;
    fm_contact_destroy(contact->set);
    for (int k = 0; k < contact->solid_count; k++) {
        fm_mesh_data_destroy(&contact->solids[k].triangles);
        free(contact->solids[k].start);
    }
    free(contact->members);
    free(contact->solved);
    free(contact->solved_first);
    free(contact);
}

// Frees contact; the next advance creates it again.
void fm_world_destroy_contact(fm_world *world)
{
    destroy_contact(world->contact);
    world->contact = NULL;
}

// Creates contact from the initial positions of all objects.
bool fm_world_create_contact(fm_world *world, fm_error *err)
{
    size_t bodies = (size_t)world->body_count + 1,
           surfaces = bodies + (size_t)world->collider_count;
    fm_world_contact *contact = calloc(1, sizeof *contact);
    sources from = {.surfaces = calloc(surfaces, sizeof *from.surfaces)};
    if (contact) {
        contact->members = calloc(bodies, sizeof *contact->members);
        contact->solved = calloc(bodies, sizeof *contact->solved);
        contact->solved_first = calloc(bodies, sizeof *contact->solved_first);
    }
    bool good =
        contact && contact->members && contact->solved && contact->solved_first && from.surfaces;
    if (!good)
        fm_fail_no_memory(err, "contact", sizeof *contact);
    good = good && fill_contact(contact, world, &from, err);
    free(from.surfaces);
    if (good)
        world->contact = contact;
    else
        destroy_contact(contact);
    return good;
}

// Copies the coordinates of `count` points.
static void copy_points(int count, fm_vec3_array to, double *const from[3])
{
    size_t bytes = (size_t)count * sizeof(double);
    memcpy(to.x, from[0], bytes);
    memcpy(to.y, from[1], bytes);
    memcpy(to.z, from[2], bytes);
}

// The coordinate arrays from the first vertex of a surface on; all: those of all surfaces.
static fm_vec3_array surface_axes(const fm_world_contact *contact, fm_vec3_array all, int surface)
{
    return axes_from_vertex(all, fm_contact_first_vertex(contact->set, surface));
}

// Writes the start positions of a substep at time t. Colliders start exactly where the last substep
// ended, to the last bit, so that contact detects no motion between the substeps. place_colliders:
// place them at time t instead.
static void write_starts(fm_world_contact *contact, double t, bool place_colliders)
{
    fm_vec3_array x0 = fm_contact_starts(contact->set), x1 = fm_contact_ends(contact->set);
    for (int i = 0; i < contact->member_count; i++) {
        const fm_contact_view *view = &contact->members[i].view;
        copy_points(view->initial_mesh.point_count, surface_axes(contact, x0, i), view->x);
    }
    for (int k = 0; k < contact->solid_count; k++) {
        int count = view_solid(&contact->solids[k]).point_count,
            surface = contact->member_count + k;
        fm_vec3_array to = surface_axes(contact, x0, surface),
                      from = surface_axes(contact, x1, surface);
        if (place_colliders)
            place_solid(&contact->solids[k], t, to);
        else
            copy_points(count, to, (double *const[3]){from.x, from.y, from.z});
    }
}

// Writes the target positions of a substep that ends at time t: bodies as they moved without
// contact, colliders as their motions say.
static void write_ends(fm_world_contact *contact, double t)
{
    fm_vec3_array x1 = fm_contact_ends(contact->set);
    for (int i = 0; i < contact->member_count; i++) {
        const fm_contact_view *view = &contact->members[i].view;
        copy_points(view->initial_mesh.point_count, surface_axes(contact, x1, i), view->x);
    }
    for (int k = 0; k < contact->solid_count; k++)
        place_solid(&contact->solids[k], t, surface_axes(contact, x1, contact->member_count + k));
}

// Gives tied points the inverse mass of all points of their knot.
static void write_knot_masses(fm_world_contact *contact, const fm_world *world)
{
    for (int i = 0; i < fm_ties_point_count(world); i++) {
        fm_tied_point p = fm_ties_point(world, i);
        int body = find_member(contact, p.body);
        if (body < 0)
            continue;
        int v = fm_contact_first_vertex(contact->set, body) + p.point;
        double inverse = p.knot_mass > 0 ? 1 / p.knot_mass : 0;
        fm_contact_inverse_masses(contact->set)[v] = inverse;
        fm_contact_axis_inverse_masses(contact->set)[v] = inverse;
    }
}

// Writes velocities and inverse masses of the bodies. Only a step that is not collision-free needs
// them. t: end of the substep.
static void write_velocities(fm_world_contact *contact, const fm_world *world, double t)
{
    bool has_mass_axes = false; // a body has added mass along an axis
    for (int i = 0; i < contact->member_count; i++) {
        const fm_object *object = contact->members[i].object;
        const fm_contact_view *view = &contact->members[i].view;
        int first = fm_contact_first_vertex(contact->set, i),
            count = view->initial_mesh.point_count;
        fm_inverse_masses masses = {fm_contact_axis_inverse_masses(contact->set) + first,
                                    fm_contact_inverse_masses(contact->set) + first};
        fm_vec3_array axes = surface_axes(contact, fm_contact_mass_axes(contact->set), i);
        copy_points(count, surface_axes(contact, fm_contact_velocities(contact->set), i), view->v);
        copy_points(count, axes, (double *const *)view->axis);
        has_mass_axes |= object->type->body->inverse_masses(object, t, masses);
    }
    fm_contact_use_mass_axes(contact->set, has_mass_axes);
    write_knot_masses(contact, world);
}

// Writes the result of contact back to body i, except to points that a pin holds at time t. Points
// whose velocity changed are marked as touched.
static void write_back(const fm_world_contact *contact, int i, double t)
{
    const fm_object *object = contact->members[i].object;
    const fm_contact_view *b = &contact->members[i].view;
    fm_vec3_array to = surface_axes(contact, fm_contact_ends(contact->set), i);
    fm_vec3_array at = surface_axes(contact, fm_contact_velocities(contact->set), i);
    const double *x[3] = {to.x, to.y, to.z}, *v[3] = {at.x, at.y, at.z};
    for (int k = 0; k < b->initial_mesh.point_count; k++) {
        if (object->type->body->is_held(object, k, t))
            continue;
        bool touched = false;
        for (int c = 0; c < 3; c++) {
            double change = v[c][k] - b->v[c][k]; // m/s
            touched |= change != 0;
            b->velocity_change[c][k] += change;
            b->x[c][k] = x[c][k];
            b->v[c][k] = v[c][k];
        }
        b->touched[k] = touched;
    }
}

// Adds the counts of one contact step to the report.
static void add_counts(fm_report *report, const fm_contact_report *from)
{
    report->pinched_count += from->pinched_count;
    report->impact_count += from->hit_count;
    report->zone_count += from->zone_vertex_count;
    report->shortened_count += from->shortened_count;
    report->halted_count += from->is_halted;
}

// m, distances of surfaces above this are not reported
static const double LARGEST_REPORTED_DISTANCE = 0.01;
enum { LIST_INTERVALS = 2 }; // intervals that a list of candidate pairs should last

// m and m/s, largest coordinate and velocity for contact. Beyond it, the rounding error of
// positions exceeds the thickness of cloth, and contact cannot tell the sides of a surface apart.
static const double FARTHEST = 1e9;

// Fails if a position or velocity is not finite or beyond FARTHEST. Contact subdivides and repeats
// steps until nothing collides; with NaN or infinity it might not end.
static bool check_numbers(const fm_world_contact *contact, fm_error *err)
{
    for (int i = 0; i < contact->member_count; i++) {
        const fm_contact_view *b = &contact->members[i].view;
        for (int c = 0; c < 3; c++) {
            const double *x = b->x[c], *v = b->v[c];
            for (int k = 0; k < b->initial_mesh.point_count; k++) {
                if (fabs(x[k]) <= FARTHEST && fabs(v[k]) <= FARTHEST)
                    continue;
                char value[64];
                snprintf(value, sizeof value, "%.3g m, %.3g m/s at particle %d", x[k], v[k], k);
                return fm_fail(
                    err, FM_DIVERGED, contact->members[i].object->name,
                    "position or velocity in stage bodies", value,
                    "numbers within 1e9: a smaller time_step or softer springs may help");
            }
        }
    }
    return true;
}

// Contact on the paths of all bodies with contact, which have opened the substep.
static bool resolve_contact(fm_world *world, double h, double t, fm_report *report, fm_error *err)
{
    fm_world_contact *contact = world->contact;
    if (!contact->set)
        return true;
    if (!check_numbers(contact, err))
        return false;
    write_ends(contact, t);
    fm_contact_report found = {0};
    if (fm_contact_is_collision_free(contact->set, world->pool))
        return true;
    write_velocities(contact, world, t);
    fm_contact_step(contact->set, h, world->pool, &found);
    if (found.out_of_memory)
        return fm_fail_no_memory(err, "contact", 0);
    add_counts(report, &found);
    for (int i = 0; i < contact->member_count; i++)
        write_back(contact, i, t);
    fm_ties_merge_contact(world);
    return true;
}

// Moves the bodies that solve for contact among themselves to time t. The guessed ends of the
// contact set are on the straight paths of all bodies.
static bool open_solved(fm_world *world, double h, double t, fm_error *err)
{
    fm_world_contact *contact = world->contact;
    int count = 0;
    for (int i = 0; i < contact->member_count; i++) {
        if (!contact->members[i].view.solved)
            continue;
        contact->solved_first[count] = fm_contact_first_vertex(contact->set, i);
        contact->solved[count++] = contact->members[i].object;
    }
    if (count == 0)
        return true;
    write_ends(contact, t);
    for (int i = 0; i < contact->member_count; i++) {
        const fm_contact_view *view = &contact->members[i].view;
        fm_vec3_array to = surface_axes(contact, fm_contact_ends(contact->set), i);
        double *x[3] = {to.x, to.y, to.z};
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < view->initial_mesh.point_count; k++)
                x[c][k] += h * view->v[c][k];
    }
    return contact->solved[0]->type->body->open_together(contact->solved, contact->solved_first,
                                                         count, contact->set, world->pool, t, err);
}

// Takes one substep of h seconds, to time t, of all bodies with contact or ties: they move without
// contact, contact corrects positions and velocities, and they end the substep. is_first: it is the
// first substep of the interval.
static bool take_substep(fm_world *world, double h, double t, bool is_first, fm_report *report,
                         fm_error *err)
{
    fm_world_contact *contact = world->contact;
    int count = contact->member_count + contact->tied_count;
    if (contact->set)
        write_starts(contact, world->time, is_first);
    if (contact->set && !open_solved(world, h, t, err))
        return false;
    for (int i = 0; i < count; i++) {
        fm_object *object = contact->members[i].object;
        if (!contact->members[i].view.solved && !object->type->body->open(object, t, err))
            return false;
        if (i < contact->member_count)
            object->type->body->clear_touched(object);
    }
    fm_ties_constrain(world, h, t);
    if (!resolve_contact(world, h, t, report, err))
        return false;
    for (int i = 0; i < count; i++)
        contact->members[i].object->type->body->evaluate(contact->members[i].object);
    fm_ties_share_forces(world, t);
    for (int i = 0; i < count; i++)
        contact->members[i].object->type->body->close(contact->members[i].object);
    return true;
}

// Points of bodies that have not moved yet, and that start inside a collider or on a surface that
// intersects another one.
typedef struct bad_start {
    const fm_object *object; // body of the first bad point; NULL: no point is bad
    const char *other;       // name of the object it is inside or intersects
    fm_vec3 first, last;     // m, positions of the first and the last bad point
    int count;               // number of bad points
} bad_start;

// Counts a point at `at` that starts inside the object named `other`, or intersects it.
static void add_bad_start(bad_start *found, const fm_object *object, const char *other, fm_vec3 at)
{
    if (!found->object)
        *found = (bad_start){object, other, at, at, 0};
    found->last = at;
    found->count++;
}

// Finds the points of a body, at positions x, that are inside a collider and not held by a pin.
static void find_inside(fm_world *world, const member *m, fm_vec3_array x, bad_start *found)
{
    const fm_body_type *body = m->object->type->body;
    for (int k = 0; k < world->collider_count; k++) {
        fm_placed_collider placed = fm_collider_place(world->colliders[k], world->time);
        for (int i = 0; i < m->view.initial_mesh.point_count; i++) {
            fm_vec3 at = fm_vec3_array_at(x, i);
            if (!body->is_held(m->object, i, world->time) && !fm_placed_is_far(&placed, at, 0) &&
                fm_placed_find_contact(&placed, at).distance < 0)
                add_bad_start(found, m->object, world->colliders[k]->name, at);
        }
    }
}

// Joins the points that new seams of body i pull together. Otherwise contact would keep them apart,
// and push the edges along a closed seam to and fro.
static void join_seams(fm_world_contact *contact, int i)
{
    member *m = &contact->members[i];
    int first = fm_contact_first_vertex(contact->set, i);
    for (; m->joined < m->view.joined_count; m->joined++)
        fm_contact_join_vertices(contact->set, first + m->view.joined[0][m->joined],
                                 first + m->view.joined[1][m->joined]);
}

// Updates the contact views of all members, which also tell whether a body has moved.
static bool update_views(fm_world_contact *contact, fm_error *err)
{
    for (int i = 0; i < contact->member_count; i++) {
        member *m = &contact->members[i];
        if (!m->object->type->body->contact(m->object, &m->view, err))
            return false;
        join_seams(contact, i);
    }
    return true;
}

// Writes the start positions of the first substep, in which pins are where their motions put them.
static void write_first_starts(fm_world *world)
{
    fm_world_contact *contact = world->contact;
    write_starts(contact, world->time, true);
    for (int i = 0; i < contact->member_count; i++) {
        fm_object *object = contact->members[i].object;
        fm_vec3_array x = surface_axes(contact, fm_contact_starts(contact->set), i);
        if (!contact->members[i].view.started)
            object->type->body->place_pins(object, world->time, (double *[3]){x.x, x.y, x.z});
    }
}

// Finds the points of bodies without contact.start: separate that start inside a collider or on a
// surface that intersects another one.
static bool find_bad_starts(fm_world *world, bad_start *found, fm_error *err)
{
    fm_world_contact *contact = world->contact;
    int count = fm_contact_vertex_count(contact->set);
    bool *marked = calloc((size_t)count + 1, sizeof *marked);
    if (!marked)
        return fm_fail_no_memory(err, "contact", (size_t)count);
    write_first_starts(world);
    fm_vec3_array x0 = fm_contact_starts(contact->set);
    fm_contact_count_intersections(contact->set, x0, marked);
    for (int i = 0; i < contact->member_count; i++) {
        const member *m = &contact->members[i];
        int first = fm_contact_first_vertex(contact->set, i);
        if (m->view.started || m->view.separate)
            continue;
        find_inside(world, m, axes_from_vertex(x0, first), found);
        for (int k = 0; k < m->view.initial_mesh.point_count; k++) {
            if (marked[first + k])
                add_bad_start(found, m->object, "a cloth or a collider",
                              fm_vec3_array_at(x0, first + k));
        }
    }
    free(marked);
    return true;
}

// Fails if a body starts inside a collider or through a cloth.
static bool check_starts(fm_world *world, fm_error *err)
{
    bad_start found = {0};
    if (!find_bad_starts(world, &found, err))
        return false;
    if (!found.object)
        return true;
    char value[128];
    const fm_vec3 *a = &found.first, *b = &found.last;
    snprintf(value, sizeof value, "in or through %.20s at (%.3g, %.3g, %.3g) to (%.3g, %.3g, %.3g)",
             found.other, a->x, a->y, a->z, b->x, b->y, b->z);
    char field[48];
    snprintf(field, sizeof field, "start of %d particles", found.count);
    return fm_fail(err, FM_BAD_VALUE, found.object->name, field, value,
                   "outside colliders and not through cloth, or contact.start: separate");
}

// Moves the points of bodies with contact.start: separate out of the colliders. Intersections with
// cloth are left to collide/untangling.c.
static void separate_starts(fm_world *world)
{
    for (int i = 0; i < world->contact->member_count; i++) {
        fm_object *object = world->contact->members[i].object;
        const fm_contact_view *b = &world->contact->members[i].view;
        fm_surroundings around = fm_object_surroundings(object);
        if (b->started || !b->separate)
            continue;
        for (int k = 0; k < around.collider_count; k++)
            around.placed[k] = fm_collider_place(around.colliders[k], world->time);
        for (int p = 0; p < b->initial_mesh.point_count; p++) {
            fm_vec3 x = {b->x[0][p], b->x[1][p], b->x[2][p]};
            fm_vec3 v = {b->v[0][p], b->v[1][p], b->v[2][p]};
            if (object->type->body->is_held(object, p, world->time))
                continue;
            fm_collide_particle(around.placed, around.collider_count, b->thickness, &x, &v, NULL);
            b->x[0][p] = x.x, b->x[1][p] = x.y, b->x[2][p] = x.z;
            b->v[0][p] = v.x, b->v[1][p] = v.y, b->v[2][p] = v.z;
        }
        object->type->body->points_moved(object);
    }
}

// True if some body with contact has not moved yet.
static bool has_unstarted_member(const fm_world_contact *contact)
{
    for (int i = 0; i < contact->member_count; i++) {
        if (!contact->members[i].view.started)
            return true;
    }
    return false;
}

// Fails if a body starts inside a collider or through a cloth. Leaves the state unchanged.
bool fm_world_check_start(fm_world *world, fm_error *err)
{
    if (err->status != FM_OK)
        return false;
    if (!fm_world_has_contact(world))
        return true;
    bool existed = world->contact != NULL;
    bool good = (existed || fm_world_create_contact(world, err)) &&
                update_views(world->contact, err) &&
                (!has_unstarted_member(world->contact) || check_starts(world, err));
    if (!existed)
        fm_world_destroy_contact(world);
    return good;
}

// Advances all bodies with contact or ties by `interval` s, in as many common substeps as the one
// with the largest need. most_substeps: raised to that number.
bool fm_world_advance_contact(fm_world *world, double interval, int *most_substeps,
                              fm_report *report, fm_error *err)
{
    if (!world->contact && !fm_world_create_contact(world, err))
        return false;
    fm_world_contact *contact = world->contact;
    if (!update_views(contact, err) || !check_numbers(contact, err))
        return false;
    if (has_unstarted_member(contact)) {
        separate_starts(world);
        if (!check_starts(world, err))
            return false;
    }
    int substeps = 1, count = contact->member_count + contact->tied_count;
    for (int i = 0; i < count; i++) {
        const fm_object *object = contact->members[i].object;
        int needed = object->type->body->count_substeps(object, interval);
        substeps = needed > substeps ? needed : substeps;
    }
    double h = interval / substeps, begin = world->time;
    for (int i = 0; i < count; i++) {
        member *m = &contact->members[i];
        m->around = fm_object_surroundings(m->object);
        if (!m->object->type->body->begin(m->object, &m->around, h, err))
            return false;
    }
    if (contact->set) {
        fm_contact_restart(contact->set, LIST_INTERVALS * substeps);
        fm_contact_set_stop(contact->set, &world->stop);
    }
    for (int n = 1; n <= substeps; n++) {
        if (!take_substep(world, h, begin + interval * n / substeps, n == 1, report, err) ||
            !fm_stop_request_check(&world->stop, err))
            return false;
    }
    *most_substeps = substeps > *most_substeps ? substeps : *most_substeps;
    return true;
}

// Adds the number of intersections and the least distance between surfaces to the report.
bool fm_world_check_contact(fm_world *world, fm_report *report, fm_error *err)
{
    if (!world->contact && !fm_world_create_contact(world, err))
        return false;
    fm_world_contact *contact = world->contact;
    write_starts(contact, world->time, true);
    fm_vec3_array x = fm_contact_starts(contact->set);
    report->intersection_count = fm_contact_count_intersections(contact->set, x, NULL);
    report->closest_distance =
        fm_contact_find_least_distance(contact->set, x, LARGEST_REPORTED_DISTANCE);
    return true;
}

// Writes the state of contact if `size` suffices. Returns its size, bytes.
size_t fm_world_save_contact(const fm_world_contact *contact, void *buffer, size_t size)
{
    return contact && contact->set ? fm_contact_save(contact->set, buffer, size) : 0;
}

// Reads what fm_world_save_contact wrote.
bool fm_world_restore_contact(fm_world_contact *contact, const void *buffer, size_t size,
                              fm_error *err)
{
    return fm_contact_restore(contact->set, buffer, size, err);
}
