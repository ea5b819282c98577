// SPDX-License-Identifier: MIT
// term_memories.c: the memories of the force terms, and how snapshots store terms.
//
// A term whose type has define_memory may have a memory of the particles' rates; component c of
// particle i is lane c * lanes + i. Memories are predicted before the closing kick, and the new
// rates are pushed into them after it. A memory of elements has a lane for each element. The rate
// of an element depends on several particles, so it is pushed when all velocities are final.
//
// A snapshot contains for each term: a term_record, the numbers of its state, its memory.
#include "cloth/cloth.h"

#include <math.h>
#include <string.h>

// Creates a memory with 3 * lanes lanes for substeps of h seconds. A window memory supports h only.
// The other kinds are created for substeps down to `shortest`, which is smaller where a fluid or
// the contact of an implicit cloth determines the substeps, and extended when a still shorter one
// comes.
static fm_memory *create_memory(const fm_cloth *c, int lanes, const fm_recall *recall, double order,
                                double h, fm_error *err)
{
    const double SHORTEST = 1.0 / 2, SHORTEST_IF_VARIABLE = 1.0 / 16; // of h
    bool variable = c->variable_substeps || (c->implicit && c->def.contact.enabled);
    double shortest = h * (variable ? SHORTEST_IF_VARIABLE : SHORTEST);
    fm_memory_def def = fm_memory_def_from_recall(recall, order, h, shortest);
    return fm_memory_create(&def, 3 * lanes, err);
}

// Creates the memory of a term, if it has one, for substeps of h seconds.
static bool create_term_memory(fm_cloth *c, fm_term *term, const fm_medium *medium, double h,
                               fm_error *err)
{
    fm_recall recall;
    double order;
    if (!term->type->define_memory || !term->type->define_memory(c, medium, &recall, &order))
        return true;
    term->memory = create_memory(c, term->lanes, &recall, order, h, err);
    return term->memory != NULL;
}

// Creates the memories of all terms for substeps of h seconds, and destroys the old ones.
bool fm_terms_create_memories(fm_cloth *c, const fm_medium *medium, double h, fm_error *err)
{
    c->step = h;
    bool good = true;
    for (int i = 0; i < c->term_count; i++) {
        fm_memory_destroy(c->terms[i].memory);
        c->terms[i].memory = NULL;
        good = good && create_term_memory(c, &c->terms[i], medium, h, err);
    }
    return good;
}

// Whether a term has a window memory, which supports a single substep only.
bool fm_terms_have_window(const fm_cloth *c)
{
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].memory && !fm_memory_uses_exponentials(c->terms[i].memory))
            return true;
    }
    return false;
}

// Prepares a memory for a push after h seconds. Exponentials are extended to shorter steps: a
// splash can shorten the substeps of a fluid, and of the cloths in it, by any factor.
static bool begin_memory(fm_memory *memory, double h)
{
    return (!fm_memory_uses_exponentials(memory) || fm_memory_extend_to_step(memory, h)) &&
           fm_memory_begin(memory, h);
}

// Prepares the memories of all terms for a substep of h seconds. Fills err and returns false if a
// memory does not support h.
bool fm_terms_begin_memories(fm_cloth *c, double h, fm_error *err)
{
    bool good = true;
    for (int i = 0; i < c->term_count && good; i++)
        good = !c->terms[i].memory || begin_memory(c->terms[i].memory, h);
    if (good)
        return true;
    if (c->variable_substeps && fm_terms_have_window(c))
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "memory", "a window",
                       "full or fading where a fluid and a ball or cloth push each other");
    char allowed[96];
    fm_text_format(allowed, sizeof allowed,
                   "durations whose substeps the memory was made for, %.6g s", c->step);
    return fm_fail_number(err, c->object.name, "substep", h, allowed);
}

// Arguments of the loops over the lanes of a memory of elements.
typedef struct element_lanes {
    fm_memory *memory;
    double *known;      // written: part of the next derivative that follows from past rates
    const double *rate; // read: new rates
} element_lanes;

static void predict_lanes(void *context, int first, int last)
{
    const element_lanes *l = context;
    fm_memory_predict_range(l->memory, first, last, l->known + first);
}

static void push_lanes(void *context, int first, int last)
{
    const element_lanes *l = context;
    fm_memory_push_range(l->memory, first, last, l->rate + first);
}

void fm_terms_predict_elements(fm_term *term, fm_pool *pool)
{
    element_lanes l = {.memory = term->memory, .known = term->known.x};
    fm_parallel_for(pool, 3 * term->lanes, FM_PARTICLE_BLOCK, predict_lanes, &l);
}

// At the end of a substep: pushes the rates of elements, whose velocities are final now, and ends
// the push of all memories.
void fm_terms_end_memories(fm_cloth *c)
{
    for (int i = 0; i < c->term_count; i++) {
        fm_term *term = &c->terms[i];
        if (term->type->end_stage)
            term->type->end_stage(c, term, c->substep->around.pool);
        if (!term->memory)
            continue;
        if (term->type->find_element_rates) {
            fm_pool *pool = c->substep->around.pool;
            element_lanes l = {.memory = term->memory,
                               .rate = term->type->find_element_rates(c, term, pool)};
            fm_parallel_for(pool, 3 * term->lanes, FM_PARTICLE_BLOCK, push_lanes, &l);
        }
        fm_memory_end(term->memory);
    }
}

// Writes the part of the next derivatives that follows from past rates into term->known, for the
// memories of particles. The three components of particles [first, last) are three ranges of lanes.
void fm_terms_predict_memories(fm_cloth *c, int first, int last)
{
    int n = c->lanes;
    for (int i = 0; i < c->term_count; i++) {
        fm_memory *memory = c->terms[i].memory;
        const fm_vec3_array *known = &c->terms[i].known;
        if (!memory || !c->terms[i].type->find_rates)
            continue;
        fm_memory_predict_range(memory, first, last, known->x + first);
        fm_memory_predict_range(memory, n + first, n + last, known->y + first);
        fm_memory_predict_range(memory, 2 * n + first, 2 * n + last, known->z + first);
    }
}

// Pushes the new rates of the particles [first, last) into the memories of all terms.
void fm_terms_push_memories(fm_cloth *c, int first, int last)
{
    int n = c->lanes;
    for (int i = 0; i < c->term_count; i++) {
        fm_term *term = &c->terms[i];
        if (!term->memory || !term->type->find_rates)
            continue;
        const fm_vec3_array *rate = term->type->find_rates(c, term, first, last);
        fm_memory_push_range(term->memory, first, last, rate->x + first);
        fm_memory_push_range(term->memory, n + first, n + last, rate->y + first);
        fm_memory_push_range(term->memory, 2 * n + first, 2 * n + last, rate->z + first);
    }
}

// Reads the derivatives at the current time into term->known, for the explicit integrators.
void fm_terms_read_memories(fm_cloth *c)
{
    for (int i = 0; i < c->term_count; i++) {
        if (c->terms[i].memory)
            fm_memory_value(c->terms[i].memory, c->terms[i].known.x);
    }
}

// Head of a saved term.
typedef struct term_record {
    char name[16];        // of its type
    uint64_t state_count; // numbers of state that follow
    uint64_t memory_size; // bytes of the memory that follow; 0: no memory
} term_record;

// The head of a saved term. The name is padded with zeros.
static term_record describe_term(const fm_term *term)
{
    term_record r = {.state_count = (uint64_t)term->state_count};
    strncpy(r.name, term->type->name, sizeof r.name - 1);
    r.memory_size = term->memory ? fm_memory_save(term->memory, NULL, 0) : 0;
    return r;
}

static size_t term_record_size(const term_record *r)
{
    return sizeof *r + r->state_count * sizeof(double) + r->memory_size;
}

// Writes all terms to `out` and returns the number of bytes; out NULL: only the number.
size_t fm_terms_save(const fm_cloth *c, unsigned char *out)
{
    size_t size = 0;
    for (int i = 0; i < c->term_count; i++) {
        const fm_term *term = &c->terms[i];
        term_record r = describe_term(term);
        size += term_record_size(&r);
        if (!out)
            continue;
        size_t numbers = r.state_count * sizeof(double);
        memcpy(out, &r, sizeof r);
        if (numbers > 0)
            memcpy(out + sizeof r, term->state, numbers);
        if (term->memory)
            fm_memory_save(term->memory, out + sizeof r + numbers, r.memory_size);
        out += term_record_size(&r);
    }
    return size;
}

// Hash of the state that fm_terms_save writes.
uint64_t fm_terms_hash(const fm_cloth *c, uint64_t seed)
{
    for (int i = 0; i < c->term_count; i++) {
        const fm_term *term = &c->terms[i];
        term_record r = describe_term(term);
        seed = fm_hash(&r, sizeof r, seed);
        seed = fm_hash(term->state, r.state_count * sizeof(double), seed);
        if (term->memory) {
            uint64_t memory = fm_memory_hash(term->memory);
            seed = fm_hash(&memory, sizeof memory, seed);
        }
    }
    return seed;
}

// Checks that a record belongs to this term and fits into the `left` bytes that are left.
static bool check_record(const fm_cloth *c, const fm_term *term, const term_record *r, size_t left,
                         fm_error *err)
{
    if (memchr(r->name, 0, sizeof r->name) == NULL || strcmp(r->name, term->type->name) != 0)
        return fm_fail(err, FM_BAD_VALUE, c->object.name, "forces of the saved state",
                       "those of another cloth", "the same terms as this cloth has");
    if (r->state_count != (uint64_t)term->state_count || r->memory_size > left ||
        term_record_size(r) > left)
        return fm_fail_number(err, c->object.name, "state size", (double)r->memory_size,
                              "what was saved");
    return true;
}

// Checks that `count` saved numbers are finite.
static bool check_state(const fm_cloth *c, const unsigned char *in, uint64_t count, fm_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, in + i * sizeof value, sizeof value);
        if (!isfinite(value))
            return fm_fail_number(err, c->object.name, "saved state", value, "finite numbers");
    }
    return true;
}

// Checks all records in the `size` bytes at `in` and restores the memories, which must have been
// created anew.
static bool restore_memories(fm_cloth *c, const unsigned char *in, size_t size, fm_error *err)
{
    for (int i = 0; i < c->term_count; i++) {
        const fm_term *term = &c->terms[i];
        term_record r;
        if (size < sizeof r)
            return fm_fail_number(err, c->object.name, "state size", (double)size,
                                  "what was saved");
        memcpy(&r, in, sizeof r);
        if (!check_record(c, term, &r, size, err) ||
            !check_state(c, in + sizeof r, r.state_count, err))
            return false;
        if (!term->memory != !r.memory_size)
            return fm_fail_number(err, c->object.name, "memories", (double)r.memory_size,
                                  "those of this cloth");
        const unsigned char *memory = in + sizeof r + r.state_count * sizeof(double);
        if (term->memory && !fm_memory_restore(term->memory, memory, r.memory_size, err))
            return false;
        in += term_record_size(&r);
        size -= term_record_size(&r);
    }
    return size == 0 ||
           fm_fail_number(err, c->object.name, "state size", (double)size, "what was saved");
}

// Restores the states of all terms from records that have been checked.
static void restore_states(fm_cloth *c, const unsigned char *in)
{
    for (int i = 0; i < c->term_count; i++) {
        term_record r;
        memcpy(&r, in, sizeof r);
        if (r.state_count > 0)
            memcpy(c->terms[i].state, in + sizeof r, r.state_count * sizeof(double));
        in += term_record_size(&r);
    }
}

// Restores all terms. h: the substep of the saved memories, s; 0: the saved cloth had not started.
// Restores into new memories, and destroys the old ones only if that succeeds.
bool fm_terms_restore(fm_cloth *c, const fm_medium *medium, double h, const unsigned char *in,
                      size_t size, fm_error *err)
{
    fm_memory *old[FM_TERMS_MAX] = {0};
    double step = c->step;
    for (int i = 0; i < c->term_count; i++) {
        old[i] = c->terms[i].memory;
        c->terms[i].memory = NULL;
    }
    bool good = (h <= 0 || fm_terms_create_memories(c, medium, h, err)) &&
                restore_memories(c, in, size, err);
    for (int i = 0; i < c->term_count; i++) {
        fm_memory_destroy(good ? old[i] : c->terms[i].memory);
        if (!good)
            c->terms[i].memory = old[i];
    }
    if (good)
        restore_states(c, in);
    else
        c->step = step;
    return good;
}
