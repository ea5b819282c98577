// SPDX-License-Identifier: MIT
// terms.c: calls the functions of a fluid's terms. A term is an extension of the fluid: data per
// particle or a further force (terms.h). A snapshot contains, for each term of the fluid, its name,
// the number of its bytes, and the bytes.
#include "particles/particles.h"

#include <assert.h>
#include <string.h>

// The built-in terms (extensions of fluids: fractional viscosity, warm start, clearance,
// springs, surface tension, effective viscosity, rotation of viscous fluids, shifting along their
// surfaces), in the order in which forces are added and bytes are saved.
static const fm_fluid_term_type *const table[] = {
    &fm_fractional_term, &fm_warm_start_term,  &fm_clearance_term, &fm_network_term,
    &fm_tension_term,    &fm_energy_loss_term, &fm_rotation_term,  &fm_surface_shifting_term};

// Adds the built-in terms (extensions of a fluid, terms.h) to a new fluid.
void fm_fluid_terms_register(fm_particles *p)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        p->terms[p->term_count++] = (fm_fluid_term){table[k], NULL};
}

// Adds one more term (extension, terms.h) to a fluid.
bool fm_particles_add_term(fm_particles *p, const fm_fluid_term_type *type, fm_error *err)
{
    assert(!p->prepared && strlen(type->name) < FM_FLUID_TERM_NAME_SIZE);
    if (p->term_count == FM_FLUID_TERMS_MAX)
        return fm_fail_number(err, p->object.name, "terms", FM_FLUID_TERMS_MAX + 1, "at most 16");
    p->terms[p->term_count++] = (fm_fluid_term){type, NULL};
    return true;
}

// Creates the states of all terms (extensions of the fluid, terms.h) and drops the terms that the
// fluid does not need.
bool fm_fluid_terms_create(fm_particles *p, const fm_surroundings *around, fm_error *err)
{
    int kept = 0;
    for (int k = 0; k < p->term_count; k++) {
        const fm_fluid_term_type *type = p->terms[k].type;
        void *state = err->status == FM_OK ? type->create(p, around, err) : NULL;
        if (state)
            p->terms[kept++] = (fm_fluid_term){type, state};
    }
    p->term_count = kept;
    return err->status == FM_OK;
}

// Destroys the states of all terms (extensions) of a fluid.
void fm_fluid_terms_destroy(fm_particles *p)
{
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].state && p->terms[k].type->destroy)
            p->terms[k].type->destroy(p->terms[k].state);
}

// State of the term of this type; NULL: the fluid does not have it.
void *fm_fluid_terms_find(const fm_particles *p, const fm_fluid_term_type *type)
{
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type == type)
            return p->terms[k].state;
    return NULL;
}

// Calls `begin` of all terms (extensions), before the first substep.
void fm_fluid_terms_begin(fm_particles *p)
{
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type->begin)
            p->terms[k].type->begin(p, p->terms[k].state);
}

// Lets all terms (extensions) bound the length of the next substep.
void fm_fluid_terms_bound_step(const fm_particles *p, fm_step_bounds *bounds)
{
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type->bound_step)
            p->terms[k].type->bound_step(p, p->terms[k].state, bounds);
}

// Tells all terms (extensions) that sources emitted the particles from index `first` on.
void fm_fluid_terms_emit(fm_particles *p, int first)
{
    for (int k = 0; k < p->term_count && first < p->count; k++)
        if (p->terms[k].type->emit)
            p->terms[k].type->emit(p, p->terms[k].state, first);
}

// Tells all terms (extensions) the new order of the particles after sorting.
void fm_fluid_terms_reorder(fm_particles *p, const fm_particle_order *order)
{
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type->reorder)
            p->terms[k].type->reorder(p, p->terms[k].state, order);
}

// Lets all terms (extensions) record the state at which forces are evaluated.
void fm_fluid_terms_record_state(const fm_particles_step *step)
{
    const fm_particles *p = step->p;
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type->record)
            p->terms[k].type->record(step, p->terms[k].state);
}

// Lets all terms (extensions) compute their data of one boundary particle from its fluid
// neighbours.
void fm_fluid_terms_extrapolate(const fm_particles_step *step, const fm_boundary_neighbours *near)
{
    const fm_particles *p = step->p;
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type->extrapolate)
            p->terms[k].type->extrapolate(step, p->terms[k].state, near);
}

// Lets all terms (extensions) change the force records before forces are computed.
void fm_fluid_terms_before_forces(const fm_particles_step *step)
{
    const fm_particles *p = step->p;
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type->before_forces)
            p->terms[k].type->before_forces(step, p->terms[k].state);
}

// Lets all terms (extensions) add accelerations of the particles.
void fm_fluid_terms_add_forces(const fm_particles_step *step)
{
    const fm_particles *p = step->p;
    for (int k = 0; k < p->term_count; k++)
        if (p->terms[k].type->add_forces)
            p->terms[k].type->add_forces(step, p->terms[k].state);
}

// Creates an array of one float per particle, all 0, that can be sorted with the particles.
fm_particle_scalar *fm_particle_scalar_create(fm_particles *p, fm_error *err)
{
    size_t n = (size_t)p->capacity;
    fm_particle_scalar *scalar = fm_arena_alloc(&p->arena, 1, sizeof *scalar, p->object.name, err);
    float *now = fm_arena_alloc(&p->arena, n, sizeof *now, p->object.name, err);
    float *spare = fm_arena_alloc(&p->arena, n, sizeof *spare, p->object.name, err);
    if (!spare)
        return NULL;
    *scalar = (fm_particle_scalar){now, spare};
    return scalar;
}

// Sets the values of the particles first to below last to 0.
void fm_particle_scalar_clear(fm_particle_scalar *scalar, int first, int last)
{
    memset(scalar->now + first, 0, (size_t)(last - first) * sizeof *scalar->now);
}

// Sorts the values with the particles.
void fm_particle_scalar_reorder(fm_particle_scalar *scalar, const fm_particle_order *order)
{
    float *to = scalar->spare;
    for (int i = 0; i < order->count; i++)
        to[i] = scalar->now[order->from[i]];
    scalar->spare = scalar->now;
    scalar->now = to;
}

// Precedes the saved bytes of a term (extension of a fluid) in a snapshot.
typedef struct term_header {
    char name[FM_FLUID_TERM_NAME_SIZE];
    uint64_t size; // bytes that follow
} term_header;

// The header that precedes the saved bytes of a term (extension of a fluid).
static term_header find_header(const fm_particles *p, const fm_fluid_term *active)
{
    term_header h;
    memset(&h, 0, sizeof h);
    memcpy(h.name, active->type->name, strlen(active->type->name));
    h.size = active->type->save ? active->type->save(p, active->state, NULL) : 0;
    return h;
}

// Writes the states of all terms (extensions) of a fluid and returns their size in bytes; out NULL:
// the size only. Saves nothing before fm_particles_begin: the terms are still as created.
size_t fm_fluid_terms_save(const fm_particles *p, unsigned char *out)
{
    size_t size = 0;
    for (int k = 0; k < p->term_count && p->begun; k++) {
        term_header h = find_header(p, &p->terms[k]);
        if (out) {
            memcpy(out + size, &h, sizeof h);
            if (h.size > 0)
                p->terms[k].type->save(p, p->terms[k].state, out + size + sizeof h);
        }
        size += sizeof h + h.size;
    }
    return size;
}

// Hash of the states of all terms (extensions) of a fluid.
uint64_t fm_fluid_terms_hash(const fm_particles *p, uint64_t seed)
{
    for (int k = 0; k < p->term_count && p->begun; k++)
        if (p->terms[k].type->hash)
            seed = p->terms[k].type->hash(p, p->terms[k].state, seed);
    return seed;
}

// Checks that the names in a snapshot are those of this fluid's terms (extensions) and that all
// bytes are present. A state saved before fm_particles_begin has no bytes.
static bool check_headers(const fm_particles *p, const unsigned char *in, size_t size,
                          fm_error *err)
{
    size_t done = 0;
    for (int k = 0; k < p->term_count && size > 0; k++) {
        term_header h, own = find_header(p, &p->terms[k]);
        if (size - done < sizeof h)
            return fm_fail_number(err, p->object.name, "state size", (double)size,
                                  "what was saved");
        memcpy(&h, in + done, sizeof h);
        done += sizeof h;
        if (memcmp(h.name, own.name, sizeof h.name) != 0)
            return fm_fail(err, FM_BAD_VALUE, p->object.name, "state", own.name,
                           "what a fluid of this definition saved");
        if (h.size > size - done)
            return fm_fail_number(err, p->object.name, "state size", (double)size,
                                  "what was saved");
        done += h.size;
    }
    return done == size ||
           fm_fail_number(err, p->object.name, "state size", (double)size, "what was saved");
}

// Restores the states of all terms (extensions) from `size` bytes of a snapshot of `count`
// particles.
bool fm_fluid_terms_restore(fm_particles *p, int count, const unsigned char *in, size_t size,
                            fm_error *err)
{
    if (!check_headers(p, in, size, err))
        return false;
    for (int k = 0; k < p->term_count; k++) {
        term_header h = {.size = 0};
        if (size > 0) {
            memcpy(&h, in, sizeof h);
            in += sizeof h;
        }
        const fm_fluid_term *active = &p->terms[k];
        if (active->type->restore &&
            !active->type->restore(p, active->state, count, in, h.size, err))
            return false;
        in += h.size;
    }
    return true;
}
