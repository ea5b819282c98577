// SPDX-License-Identifier: MIT
// velocity_history.c: past velocities of the particles of a fluid, from which springs compute their
// memory as in [OZG13] chapter 5. A spring that is new has the whole past of its two ends at once.
//
//     by speed, eq. (5.13):         M = h^(1-q) sum_a w_a |v_i(a) - v_j(a)|
//     by displacement, eq. (5.9):   M = |D_i - D_j|,   D_i = h^(1-q) sum_a w_a v_i(a)
//
// over the ages a = 0 to d steps of equal length, with the weights of memory/fixed_step_window.c.
//
// A particle has a place, a row of a table, that it keeps when particles are sorted. The table is a
// ring: all particles write their newest velocity to the same column.
//
//   h  substep, s    q  order    d  length of the window in substeps    v  velocity, m/s
//
// [OZG13] in docs/references.md
#include "particles/spring_network.h"

enum { LANES = 8 }; // columns are padded to a multiple of this

// Number of substeps that the memory of this fluid covers.
static double find_window(const fm_particles *p)
{
    const fm_recall *m = &p->def.network.memory;
    return m->kind == FM_RECALL_STEPS ? m->steps : round(m->seconds / p->def.time_step);
}

// True when this fluid keeps past velocities.
bool fm_velocity_history_is_needed(const fm_particles *p)
{
    const fm_spring_network *n = &p->def.network;
    return n->onset > 0 &&
           (n->memory.kind == FM_RECALL_STEPS || n->memory.kind == FM_RECALL_SECONDS);
}

// Seconds of steady motion after which a fading memory of that time constant equals this window.
double fm_velocity_history_find_fading(const fm_particles *p)
{
    const double q = p->def.network.order;
    return find_window(p) * p->def.time_step / pow(tgamma(2 - q), 1 / (1 - q));
}

// Fills the weights by age, for h = 1 s.
static void find_weights(fm_velocity_history *past, const fm_particles *p)
{
    fm_memory_def def = fm_default_memory_def();
    def.order = p->def.network.order;
    def.method =
        p->def.network.memory.rule == FM_RULE_COIMBRA ? FM_MEMORY_COIMBRA : FM_MEMORY_TRAPEZOID;
    past->newest_weight = fm_window_newest_weight(&def);
    for (int age = 1; age < past->column_count; age++) {
        past->interior_weight[age] = fm_window_interior_weight(&def, age);
        past->oldest_weight[age] = fm_window_oldest_weight(&def, age);
    }
}

// Allocates the table for the capacity of the fluid.
fm_velocity_history *fm_velocity_history_create(fm_particles *p, fm_error *err)
{
    const double window = find_window(p);
    const char *name = p->object.name;
    if (!(p->def.time_step > 0)) {
        fm_fail_number(err, name, "time_step", p->def.time_step,
                       "above 0: memories of `steps` or `seconds` need a fixed substep");
        return NULL;
    }
    if (!(window >= 1 && window <= FM_VELOCITY_HISTORY_MAX)) {
        fm_fail_number(err, name, "network.memory", window, "a window of 1 to 4096 substeps");
        return NULL;
    }
    fm_velocity_history *past = fm_arena_alloc(&p->arena, 1, sizeof *past, name, err);
    if (!past)
        return NULL;
    size_t n = (size_t)p->capacity;
    past->column_count = (int)window + 1;
    past->stride = (past->column_count + LANES - 1) / LANES * LANES;
    past->newest = past->column_count - 1;
    size_t columns = (size_t)past->stride;
    past->v = fm_arena_alloc(&p->arena, n * 3 * columns, sizeof(float), name, err);
    past->weight = fm_arena_alloc(&p->arena, columns, sizeof(float), name, err);
    past->interior_weight = fm_arena_alloc(&p->arena, columns, sizeof(double), name, err);
    past->oldest_weight = fm_arena_alloc(&p->arena, columns, sizeof(double), name, err);
    past->derivative = fm_arena_alloc(&p->arena, n, sizeof *past->derivative, name, err);
    int **ints[] = {&past->place, &past->spare_place, &past->free_place};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++)
        *ints[k] = fm_arena_alloc(&p->arena, n, sizeof(int), name, err);
    if (err->status != FM_OK)
        return NULL;
    find_weights(past, p);
    for (int i = 0; i < p->capacity; i++) {
        past->place[i] = i;
        if (i >= p->count)
            past->free_place[past->free_count++] = i;
    }
    return past;
}

// The velocities of a place along one axis.
static float *find_row(const fm_velocity_history *past, int place, int axis)
{
    return past->v + ((size_t)place * 3 + (size_t)axis) * (size_t)past->stride;
}

// Gives the particles from index `first` on a place with an empty past.
void fm_velocity_history_emit(fm_velocity_history *past, const fm_particles *p, int first)
{
    for (int i = first; i < p->count; i++) {
        past->place[i] = past->free_place[--past->free_count];
        memset(find_row(past, past->place[i], 0), 0, 3 * (size_t)past->stride * sizeof(float));
    }
}

// Reorders the places; those of removed particles become free.
void fm_velocity_history_reorder(fm_velocity_history *past, const fm_particle_order *order)
{
    for (int i = 0; i < order->count; i++)
        past->spare_place[i] = past->place[order->from[i]];
    for (int i = order->count; i < order->before; i++)
        past->free_place[past->free_count++] = past->place[order->from[i]];
    int *old = past->place;
    past->place = past->spare_place;
    past->spare_place = old;
}

// Weights of the columns after the newest velocity was written, s^(1-q).
static void set_column_weights(fm_velocity_history *past, double order, double h)
{
    const double scale = pow(h, 1 - order);
    const int count = past->column_count, oldest = past->filled - 1;
    for (int column = 0; column < count; column++) {
        int age = (past->newest - column + count) % count;
        double w = age == 0 ? past->newest_weight : past->interior_weight[age];
        if (age == oldest)
            w = past->oldest_weight[age];
        past->weight[column] = oldest > 0 && age <= oldest ? (float)(scale * w) : 0;
    }
}

// What the parallel loops over particles read.
typedef struct pass {
    const fm_particles *p;
    fm_velocity_history *past;
} pass;

// Writes the newest velocities and computes D^q x of a block of particles.
FM_SIMD_CLONES static void record_range(void *context, int first, int last)
{
    const pass *c = context;
    fm_velocity_history *past = c->past;
    for (int i = first; i < last; i++) {
        const fm_density_record *at = &c->p->fluid.density[i];
        const float v[3] = {at->vx, at->vy, at->vz};
        for (int axis = 0; axis < 3; axis++) {
            float *row = find_row(past, past->place[i], axis);
            row[past->newest] = v[axis];
            fm_floats sum = {0};
            for (int k = 0; k < past->stride; k += LANES)
                sum += fm_floats_load(past->weight + k) * fm_floats_load(row + k);
            past->derivative[i].u[axis] = fm_floats_sum(sum);
        }
    }
}

// Adds the velocities of the density records, h seconds after the last ones.
void fm_velocity_history_record(fm_velocity_history *past, const fm_particles *p, fm_pool *pool,
                                double h)
{
    past->newest = (past->newest + 1) % past->column_count;
    past->filled += past->filled < past->column_count;
    set_column_weights(past, p->def.network.order, h);
    pass c = {p, past};
    fm_parallel_for(pool, p->count, FM_PARTICLES_BLOCK, record_range, &c);
}

// M of a spring between the particles i and j by the past of their speeds, m s^-q. Eq. (5.13).
FM_INLINE float sum_speeds(const fm_velocity_history *past, int i, int j)
{
    const float *a = find_row(past, past->place[i], 0), *b = find_row(past, past->place[j], 0);
    const int n = past->stride;
    fm_floats sum = {0};
    for (int k = 0; k < n; k += LANES) {
        fm_floats x = fm_floats_load(a + k) - fm_floats_load(b + k);
        fm_floats y = fm_floats_load(a + n + k) - fm_floats_load(b + n + k);
        fm_floats z = fm_floats_load(a + 2 * n + k) - fm_floats_load(b + 2 * n + k);
        sum += fm_floats_load(past->weight + k) * fm_floats_sqrt(x * x + y * y + z * z);
    }
    return fm_floats_sum(sum);
}

// M of a spring between the particles i and j, m s^-q.
FM_SIMD_CLONES float fm_velocity_history_find_memory(const fm_velocity_history *past,
                                                     fm_hardening_rate rate, int i, int j)
{
    if (rate != FM_HARDENING_DISPLACEMENT)
        return sum_speeds(past, i, j);
    const float *a = past->derivative[i].u, *b = past->derivative[j].u;
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrtf(x * x + y * y + z * z);
}

// Bytes of a saved history of `count` particles: newest, filled, then the rows of each particle.
size_t fm_velocity_history_find_size(const fm_velocity_history *past, int count)
{
    return 2 * sizeof(int) + (size_t)count * 3 * (size_t)past->stride * sizeof(float);
}

// Writes the history in the order of the particles.
void fm_velocity_history_save(const fm_velocity_history *past, int count, unsigned char *out)
{
    const int head[2] = {past->newest, past->filled};
    const size_t row = 3 * (size_t)past->stride * sizeof(float);
    memcpy(out, head, sizeof head);
    for (int i = 0; i < count; i++)
        memcpy(out + sizeof head + (size_t)i * row, find_row(past, past->place[i], 0), row);
}

// True when saved bytes can be a history of this fluid.
bool fm_velocity_history_check(const fm_velocity_history *past, const unsigned char *in)
{
    int head[2];
    memcpy(head, in, sizeof head);
    return head[0] >= 0 && head[0] < past->column_count && head[1] >= 0 &&
           head[1] <= past->column_count;
}

// Reads a saved history; in NULL: empties it. capacity: of the fluid.
void fm_velocity_history_restore(fm_velocity_history *past, int count, int capacity,
                                 const unsigned char *in)
{
    int head[2] = {past->column_count - 1, 0};
    const size_t row = 3 * (size_t)past->stride * sizeof(float);
    if (in)
        memcpy(head, in, sizeof head);
    past->newest = head[0];
    past->filled = head[1];
    past->free_count = 0;
    for (int i = 0; i < capacity; i++) {
        past->place[i] = i;
        if (i >= count)
            past->free_place[past->free_count++] = i;
    }
    for (int i = 0; i < count; i++) {
        if (in)
            memcpy(find_row(past, i, 0), in + sizeof head + (size_t)i * row, row);
        else
            memset(find_row(past, i, 0), 0, row);
    }
}

// Hash of the history.
uint64_t fm_velocity_history_hash(const fm_velocity_history *past, int count, uint64_t seed)
{
    const int head[2] = {past->newest, past->filled};
    uint64_t value = fm_hash(head, sizeof head, seed);
    for (int i = 0; i < count; i++)
        value = fm_hash(find_row(past, past->place[i], 0), 3 * (size_t)past->stride * sizeof(float),
                        value);
    return value;
}
