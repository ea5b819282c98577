// SPDX-License-Identifier: MIT
// pendulum.c: an object kind that exists only in this test: a bob on a rod that swings about a
// pivot,
//
//     theta'' = -(g / l) sin(theta)
//
// integrated by symplectic Euler steps of at most 1 ms. Its mesh is a line from the pivot to the
// bob. It is the example of docs/adding-a-kind.md: this file contains everything that a kind needs,
// and kinds.c its row in the table of kinds.
//
//   theta  angle from hanging down, rad    g  gravity, m/s^2    l  length of the rod, m
#include "pendulum.h"
#include "collide/collide.h"
#include "object/object.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The definition of a pendulum, as in a scene file.
typedef struct pendulum_def {
    fm_vec3 pivot;       // m
    double length, mass; // m, of the rod; kg, of the bob
    double angle;        // rad, initial angle from hanging down
} pendulum_def;

static const double MAX_STEP = 1e-3;   // s, longest substep
static const double SUBSTEP_COST = 50; // ns, rough duration of a substep

// A pendulum of a world. object comes first, so that a pointer to it points to the pendulum.
typedef struct pendulum {
    fm_object object;
    pendulum_def def;
    double time;         // s
    double theta, omega; // rad, rad/s, angle and angular velocity
    fm_vec3 points[2];   // m, pivot and bob, for view_mesh
} pendulum;

static const fm_field fields[] = {
    {"position", "m", "pivot and bob", 3},
    {"velocity", "m/s", "how fast they move", 3},
    {"swing", "rad", "how far the rod is from hanging down", 1},
};

static const fm_field quantities[] = {
    {"angle", "rad", "of the rod from hanging down", 1},
    {"energy", "J", "kinetic, and potential above the lowest place", 1},
};

// The pendulum that an object of this kind is.
static pendulum *pendulum_of(const fm_object *object)
{
    return (pendulum *)object;
}

// Advances the pendulum by `interval` seconds and returns the number of substeps it took.
static bool advance(fm_object *object, const fm_surroundings *around, double interval,
                    int *substeps, fm_error *err)
{
    (void)err;
    pendulum *p = pendulum_of(object);
    double g = -around->gravity.y;
    *substeps = (int)ceil(interval / MAX_STEP);
    double h = interval / *substeps;
    for (int n = 0; n < *substeps; n++) {
        p->omega -= h * g / p->def.length * sin(p->theta);
        p->theta += h * p->omega;
    }
    p->time += interval;
    return true;
}

// Estimated cost of a substep, ns; the world gives cheap bodies one thread only.
static double substep_ns(const fm_object *object)
{
    (void)object;
    return SUBSTEP_COST;
}

// The pendulum as a mesh: a line from the pivot to the bob.
static bool view_mesh(fm_object *object, fm_mesh_view *view, fm_error *err)
{
    (void)err;
    static const int line[2] = {0, 1};
    pendulum *p = pendulum_of(object);
    double l = p->def.length;
    p->points[0] = p->def.pivot;
    p->points[1] = fm_add(p->def.pivot, (fm_vec3){l * sin(p->theta), -l * cos(p->theta), 0});
    *view = (fm_mesh_view){.points = p->points, .point_count = 2, .lines = line, .line_count = 1};
    return true;
}

// Reads one of `fields` at the two points, pivot and bob.
static bool read_field(fm_object *object, const fm_surroundings *around, const char *name,
                       double *values, fm_error *err)
{
    (void)around;
    const pendulum *p = pendulum_of(object);
    fm_mesh_view view;
    double v = p->def.length * p->omega;
    if (strcmp(name, "position") == 0) {
        view_mesh(object, &view, err);
        memcpy(values, p->points, sizeof p->points);
    } else if (strcmp(name, "velocity") == 0) {
        const double both[6] = {0, 0, 0, v * cos(p->theta), v * sin(p->theta), 0};
        memcpy(values, both, sizeof both);
    } else if (strcmp(name, "swing") == 0) {
        values[0] = values[1] = p->theta;
    } else {
        return fm_fail(err, FM_BAD_VALUE, object->name, "field", name, "position velocity swing");
    }
    return true;
}

// Computes the energies, the first point that is not finite (-1: none), and, unless NULL, the
// values of `quantities`.
static void measure(fm_object *object, const fm_surroundings *around, fm_measure *m, double *values)
{
    const pendulum *p = pendulum_of(object);
    double l = p->def.length, v = l * p->omega, g = -around->gravity.y;
    m->kinetic_energy = 0.5 * p->def.mass * v * v;
    m->potential_energy = p->def.mass * g * l * (1 - cos(p->theta));
    m->bad_point = isfinite(p->theta) && isfinite(p->omega) ? -1 : 1;
    if (values) {
        values[0] = p->theta;
        values[1] = m->kinetic_energy + m->potential_energy;
    }
}

// Writes the state into the buffer if it is large enough. Returns the size needed, bytes.
static size_t save(const fm_object *object, void *buffer, size_t size)
{
    const pendulum *p = pendulum_of(object);
    const double state[3] = {p->time, p->theta, p->omega};
    if (buffer && size >= sizeof state)
        memcpy(buffer, state, sizeof state);
    return sizeof state;
}

// Reads the state that save wrote.
static bool restore(fm_object *object, const fm_surroundings *around, const void *buffer,
                    size_t size, fm_error *err)
{
    (void)around;
    pendulum *p = pendulum_of(object);
    double state[3];
    if (size != sizeof state)
        return fm_fail_number(err, object->name, "state size", (double)size, "what was saved");
    memcpy(state, buffer, sizeof state);
    p->time = state[0], p->theta = state[1], p->omega = state[2];
    return true;
}

static void destroy(fm_object *object)
{
    free(object);
}

static const fm_body_type body = {.advance = advance, .substep_ns = substep_ns};

static const fm_object_type type = {
    .kind = "pendulum",
    .fields = fields,
    .field_count = 3,
    .needed_fields = "",
    .usual_fields = "velocity swing",
    .quantities = quantities,
    .quantity_count = 2,
    .body = &body,
    .destroy = destroy,
    .save = save,
    .restore = restore,
    .mesh = view_mesh,
    .read = read_field,
    .measure = measure,
};

// Creates a pendulum in the world, which then owns it; NULL on failure.
static fm_object *create(fm_world *world, const char *name, const pendulum_def *def, fm_error *err)
{
    if (!fm_world_is_ready(world, err))
        return NULL;
    if (!(def->length > 0)) {
        fm_fail_number(err, name, "length", def->length, "above 0 m");
        return NULL;
    }
    pendulum *p = calloc(1, sizeof *p);
    if (!p) {
        fm_fail_no_memory(err, name, sizeof *p);
        return NULL;
    }
    p->object.type = &type;
    snprintf(p->object.name, sizeof p->object.name, "%s", name);
    p->def = *def;
    p->theta = def->angle;
    p->time = fm_world_time(world);
    return fm_world_add_object(world, &p->object, err);
}

// The kind in scene files: its keys and defaults.

static const fm_entry entries[] = {
    {"length", FM_KEY_NUMBER, offsetof(pendulum_def, length), "m", ABOVE(0, 1e3), .needed = true,
     .about = "of the rod"},
    {"mass", FM_KEY_NUMBER, offsetof(pendulum_def, mass), "kg", ABOVE(0, 1e6),
     .about = "of the bob"},
    {"angle", FM_KEY_NUMBER, offsetof(pendulum_def, angle), "degrees", WITHIN(-180, 180),
     .scale = FM_DEGREE, .about = "of the rod at the beginning, from hanging down"},
    {"pivot", FM_KEY_VECTOR, offsetof(pendulum_def, pivot), "m", WITHIN(-1e6, 1e6),
     .about = "what it swings about"},
};

static void set_defaults(void *object)
{
    *(pendulum_def *)object = (pendulum_def){.mass = 1, .angle = 30 * FM_DEGREE};
}

const fm_table pendulum_table = {
    .name = "pendulum",
    .about = "A bob on a rod.",
    .size = sizeof(pendulum_def),
    .set_defaults = set_defaults,
    .entries = entries,
    .count = COUNT(entries),
};

// Creates the pendulum of a scene file.
static void build(fm_builder *builder, const fm_scene_object *object, fm_error *err)
{
    create(builder->world, object->item.name, object->def, err);
}

static int count_points(const void *def)
{
    (void)def;
    return 2; // pivot and bob, for probes
}

// Says why a probe cannot be placed by fractions of width and height.
static const char *refuse_uv(const void *def)
{
    (void)def;
    return "is not allowed: a pendulum has no width and height";
}

const fm_scene_kind pendulum_kind = {
    .type = &type,
    .section = "bodies",
    .key = "pendulum",
    .build = build,
    .count_points = count_points,
    .refuse_uv = refuse_uv,
};
