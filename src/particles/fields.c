// SPDX-License-Identifier: MIT
// fields.c: read access to a fluid, in the order in which its particles were created.
#include "particles/spring_network.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const fm_field fm_particles_field_list[FM_PARTICLES_FIELD_COUNT] = {
    {"position", "m", "position of a particle", 3},
    {"velocity", "m/s", "velocity of a particle", 3},
    {"density", "kg/m^3", "density of the fluid at a particle", 1},
    {"pressure", "Pa", "pressure of the fluid at a particle", 1},
    {"fill", "", "share of the space around a particle that fluid fills; less at surfaces", 1},
    {"id", "", "number of a particle in the order of creation", 1},
    {"radius", "m", "radius with which a particle is drawn: half the spacing", 1},
    {"history_stiffness", "N/m", "mean stiffness that history adds to the springs of a particle",
     1},
};

// Indices of the fields in fm_particles_field_list.
enum {
    FIELD_POSITION,
    FIELD_VELOCITY,
    FIELD_DENSITY,
    FIELD_PRESSURE,
    FIELD_FILL,
    FIELD_ID,
    FIELD_RADIUS,
    FIELD_HISTORY,
};

// The fields that can be read at each particle.
const fm_field *fm_particles_fields(int *count)
{
    if (count)
        *count = FM_PARTICLES_FIELD_COUNT;
    return fm_particles_field_list;
}

const char *fm_particles_name(const fm_particles *p)
{
    assert(p);
    return p->object.name;
}

fm_particles_def fm_particles_definition(const fm_particles *p)
{
    assert(p);
    return p->def;
}

int fm_particles_count(const fm_particles *p)
{
    assert(p);
    return p->count;
}

double fm_particles_sound_speed(const fm_particles *p)
{
    assert(p);
    return p->c;
}

// Mass of one particle, kg; in 2D per metre of depth.
double fm_particles_mass(const fm_particles *p)
{
    assert(p);
    return p->def.density * p->volume;
}

// Compares two pairs (id of a particle, its index) by id, for qsort.
static int compare_ids(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

// Returns an array: index[k] is the current index of the k-th particle in order of creation. The
// caller frees it. NULL: out of memory.
static int *find_creation_order(fm_particles *p)
{
    int(*pairs)[2] = malloc(((size_t)p->count + 1) * sizeof *pairs);
    int *index = pairs ? malloc(((size_t)p->count + 1) * sizeof *index) : NULL;
    if (index) {
        for (int i = 0; i < p->count; i++) {
            pairs[i][0] = p->now.id[i];
            pairs[i][1] = i;
        }
        qsort(pairs, (size_t)p->count, sizeof *pairs, compare_ids);
        for (int i = 0; i < p->count; i++)
            index[i] = pairs[i][1];
    }
    free(pairs);
    return index;
}

// Makes room in *out for one vector per particle. NULL: out of memory.
static fm_vec3 *grow_output(fm_particles *p, fm_vec3 **out)
{
    fm_vec3 *more = realloc(*out, ((size_t)p->count + 1) * sizeof *more);
    *out = more ? more : *out;
    return more;
}

// Writes positions, m, or velocities, m/s, in order of creation to *out. NULL: out of memory.
static const fm_vec3 *read_vectors(fm_particles *p, fm_vec3 **out, bool velocity, int *count)
{
    int *index = find_creation_order(p);
    fm_vec3 *values = index ? grow_output(p, out) : NULL;
    for (int k = 0; values && k < p->count; k++) {
        int i = index[k];
        values[k] = velocity ? (fm_vec3){p->now.vx[i], p->now.vy[i], p->now.vz[i]}
                             : (fm_vec3){p->now.x[i], p->now.y[i], p->now.z[i]};
    }
    free(index);
    if (count)
        *count = values ? p->count : 0;
    return values;
}

// Positions of all particles, m, in order of creation; valid until the next call.
const fm_vec3 *fm_particles_positions(fm_particles *p, int *count)
{
    assert(p);
    return read_vectors(p, &p->out_x, false, count);
}

// Velocities of all particles, m/s, in order of creation; valid until the next call.
const fm_vec3 *fm_particles_velocities(fm_particles *p, int *count)
{
    assert(p);
    return read_vectors(p, &p->out_v, true, count);
}

// Sets the velocities of all particles, given in order of creation, m/s.
bool fm_particles_set_velocities(fm_particles *p, const fm_vec3 *velocities, fm_error *err)
{
    assert(err->status != FM_OK || p);
    if (err->status != FM_OK)
        return false;
    int *index = find_creation_order(p);
    if (!index)
        return fm_fail_no_memory(err, p->object.name, (size_t)p->count * sizeof *index);
    for (int k = 0; k < p->count; k++) {
        int i = index[k];
        if (!fm_is_finite(velocities[k]))
            fm_fail_vector(err, p->object.name, "velocity", velocities[k], "finite numbers");
        p->now.vx[i] = (float)velocities[k].x;
        p->now.vy[i] = (float)velocities[k].y;
        p->now.vz[i] = p->def.dimensions == 2 ? 0 : (float)velocities[k].z;
        p->max_speed = fmax(p->max_speed, fm_length(velocities[k]));
    }
    free(index);
    return err->status == FM_OK;
}

// Value of a scalar field (FIELD_DENSITY to FIELD_HISTORY) at particle i. Before the first substep
// the density is that at rest and the fill is 1.
static double read_scalar(const fm_particles *p, int field, int i)
{
    if (field == FIELD_HISTORY)
        return fm_particles_has_begun(p) ? fm_springs_find_history(p, i) : 0;
    if (!fm_particles_has_begun(p) && field < FIELD_ID)
        return field == FIELD_DENSITY    ? p->def.density
               : field == FIELD_PRESSURE ? p->def.density * (double)p->P[i]
                                         : 1;
    switch (field) {
    case FIELD_DENSITY:
        if (p->def.method == FM_SPH_CONSTANT_DENSITY) // 1 + s is the fill, which has less rounding
            return p->def.density * (double)p->fill[i];
        return p->def.density * (1 + (double)p->now.s[i]);
    case FIELD_PRESSURE:
        return p->def.density * (double)p->P[i];
    case FIELD_FILL:
        return (double)p->fill[i];
    case FIELD_RADIUS:
        return p->def.spacing / 2;
    default:
        return p->now.id[i];
    }
}

// Reads a field of all particles by name, in order of creation.
bool fm_particles_read_field(fm_particles *p, const char *name, double *values, fm_error *err)
{
    assert(err->status != FM_OK || p);
    if (err->status != FM_OK)
        return false;
    int field = 0;
    while (field < FM_PARTICLES_FIELD_COUNT &&
           strcmp(fm_particles_field_list[field].name, name) != 0)
        field++;
    if (field == FM_PARTICLES_FIELD_COUNT)
        return fm_fail(err, FM_BAD_VALUE, p->object.name, "field", name,
                       "position velocity density pressure fill id radius");
    int *index = find_creation_order(p);
    if (!index)
        return fm_fail_no_memory(err, p->object.name, (size_t)p->count * sizeof *index);
    for (int k = 0; k < p->count; k++) {
        int i = index[k];
        if (field > FIELD_VELOCITY) {
            values[k] = read_scalar(p, field, i);
            continue;
        }
        bool velocity = field == FIELD_VELOCITY;
        values[3 * k] = velocity ? (double)p->now.vx[i] : p->now.x[i];
        values[3 * k + 1] = velocity ? (double)p->now.vy[i] : p->now.y[i];
        values[3 * k + 2] = velocity ? (double)p->now.vz[i] : p->now.z[i];
    }
    free(index);
    return true;
}

// Reads the statistics. Pairs in the neighbour lists are counted here, so that substeps do not pay
// for it.
fm_particles_stats fm_particles_read_stats(fm_particles *p)
{
    assert(p);
    fm_particles_stats stats = p->stats;
    stats.removed_count = (int64_t)p->removed;
    stats.refused_count = (int64_t)p->refused;
    stats.boundary_count = p->point_count;
    stats.wet_count = p->wet_count;
    const fm_particle_set *f = &p->fluid;
    int64_t pairs = 0;
    int buffer[FM_NEIGHBOURS_CAPACITY], count, padding;
    for (int i = 0; i < f->count; i++) {
        fm_neighbour_runs runs;
        fm_neighbours_find_runs(p, f, f->x[i], f->y[i], f->z[i], &runs);
        for (int r = 0; r < FM_CELL_ROWS_AROUND; r++)
            stats.candidate_count += runs.last[r] - runs.first[r];
        fm_neighbours_in_fluid(p, i, buffer, &count, &padding);
        pairs += count - padding - 1;
    }
    stats.pair_count = pairs / 2;
    return stats;
}
