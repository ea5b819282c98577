// SPDX-License-Identifier: MIT
// fields.c: what can be read of a fluid, in the order its particles were made.
#include "particles/particles.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const fm_field fields[] = {
    {"position", "m", "where a particle is", 3},
    {"velocity", "m/s", "how fast", 3},
    {"density", "kg/m^3", "of the fluid there", 1},
    {"pressure", "Pa", "of the fluid there", 1},
    {"fill", "", "share of the space around a particle that is taken; less at surfaces", 1},
    {"id", "", "number of a particle in the order they were made", 1},
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

const fm_field *fm_particles_fields(int *count)
{
    if (count)
        *count = FIELD_COUNT;
    return fields;
}

const char *fm_particles_name(const fm_particles *p)
{
    assert(p);
    return p->name;
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

double fm_particles_mass(const fm_particles *p)
{
    assert(p);
    return p->def.density * p->volume;
}

static int compare(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

// place[k]: where the k-th particle, in the order they were made, is now.
static int *find_places(fm_particles *p)
{
    int(*pairs)[2] = malloc(((size_t)p->count + 1) * sizeof *pairs);
    int *place = pairs ? malloc(((size_t)p->count + 1) * sizeof *place) : NULL;
    if (place) {
        for (int i = 0; i < p->count; i++) {
            pairs[i][0] = p->now.id[i];
            pairs[i][1] = i;
        }
        qsort(pairs, (size_t)p->count, sizeof *pairs, compare);
        for (int i = 0; i < p->count; i++)
            place[i] = pairs[i][1];
    }
    free(pairs);
    return place;
}

static fm_vec3 *grow_output(fm_particles *p, fm_vec3 **out)
{
    fm_vec3 *more = realloc(*out, ((size_t)p->count + 1) * sizeof *more);
    *out = more ? more : *out;
    return more;
}

static const fm_vec3 *read_vectors(fm_particles *p, fm_vec3 **out, bool velocity, int *count)
{
    int *place = find_places(p);
    fm_vec3 *values = place ? grow_output(p, out) : NULL;
    for (int k = 0; values && k < p->count; k++) {
        int i = place[k];
        values[k] = velocity ? (fm_vec3){p->now.vx[i], p->now.vy[i], p->now.vz[i]}
                             : (fm_vec3){p->now.x[i], p->now.y[i], p->now.z[i]};
    }
    free(place);
    if (count)
        *count = values ? p->count : 0;
    return values;
}

const fm_vec3 *fm_particles_positions(fm_particles *p, int *count)
{
    assert(p);
    return read_vectors(p, &p->out_x, false, count);
}

const fm_vec3 *fm_particles_velocities(fm_particles *p, int *count)
{
    assert(p);
    return read_vectors(p, &p->out_v, true, count);
}

bool fm_particles_set_velocities(fm_particles *p, const fm_vec3 *velocities, fm_error *err)
{
    assert(err->status != FM_OK || p);
    if (err->status != FM_OK)
        return false;
    int *place = find_places(p);
    if (!place)
        return fm_fail_no_memory(err, p->name, (size_t)p->count * sizeof *place);
    for (int k = 0; k < p->count; k++) {
        int i = place[k];
        if (!fm_is_finite(velocities[k]))
            fm_fail_vector(err, p->name, "velocity", velocities[k], "finite numbers");
        p->now.vx[i] = (float)velocities[k].x;
        p->now.vy[i] = (float)velocities[k].y;
        p->now.vz[i] = p->def.dimensions == 2 ? 0 : (float)velocities[k].z;
        p->max_speed = fmax(p->max_speed, fm_length(velocities[k]));
    }
    free(place);
    return err->status == FM_OK;
}

static double read_scalar(const fm_particles *p, int field, int i)
{
    if (!fm_particles_has_begun(p) && field < 5)
        return field == 2 ? p->def.density : field == 3 ? p->def.density * (double)p->now.s[i] : 1;
    switch (field) {
    case 2:
        if (p->def.method == FM_SPH_CONSTANT_DENSITY)
            return p->def.density * (double)p->fill[i];
        return p->def.density * (1 + (double)p->now.s[i]);
    case 3:
        return p->def.density * (double)p->P[i];
    case 4:
        return (double)p->fill[i];
    default:
        return p->now.id[i];
    }
}

bool fm_particles_read_field(fm_particles *p, const char *name, double *values, fm_error *err)
{
    assert(err->status != FM_OK || p);
    if (err->status != FM_OK)
        return false;
    int field = 0;
    while (field < FIELD_COUNT && strcmp(fields[field].name, name) != 0)
        field++;
    if (field == FIELD_COUNT)
        return fm_fail(err, FM_BAD_VALUE, p->name, "field", name,
                       "position velocity density pressure fill id");
    int *place = find_places(p);
    if (!place)
        return fm_fail_no_memory(err, p->name, (size_t)p->count * sizeof *place);
    for (int k = 0; k < p->count; k++) {
        int i = place[k];
        if (field > 1) {
            values[k] = read_scalar(p, field, i);
            continue;
        }
        values[3 * k] = field ? (double)p->now.vx[i] : p->now.x[i];
        values[3 * k + 1] = field ? (double)p->now.vy[i] : p->now.y[i];
        values[3 * k + 2] = field ? (double)p->now.vz[i] : p->now.z[i];
    }
    free(place);
    return true;
}

// Pairs are counted when asked for, as the loops see them.
fm_particles_stats fm_particles_read_stats(fm_particles *p)
{
    assert(p);
    fm_particles_stats stats = p->stats;
    stats.removed_count = (int64_t)p->removed;
    stats.refused_count = (int64_t)p->refused;
    stats.boundary_count = p->point_count;
    stats.wet_count = p->wet_count;
    const fm_swarm *f = &p->fluid;
    int64_t pairs = 0;
    int room[FM_NEIGHBOURS_ROOM], count, extra;
    for (int i = 0; i < f->count; i++) {
        fm_runs runs;
        fm_find_runs(p, f, f->x[i], f->y[i], f->z[i], &runs);
        for (int r = 0; r < FM_ROWS_AROUND; r++)
            stats.candidate_count += runs.last[r] - runs.first[r];
        fm_list_of(p, i, room, &count, &extra);
        pairs += count - extra - 1;
    }
    stats.pair_count = pairs / 2;
    return stats;
}
