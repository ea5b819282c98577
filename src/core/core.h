// SPDX-License-Identifier: MIT
// core.h: what every module stands on: errors, arena, parallel loops, files, hash, random numbers.
#ifndef FATHOM_CORE_CORE_H
#define FATHOM_CORE_CORE_H

#include <fathom/error.h>
#include <fathom/vec.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_PI 3.14159265358979323846

// The smaller and the larger of two numbers, inline, which fmin and fmax are not: they care for
// NaN. Here a NaN in b, or in a alone, gives b.
static inline double fm_smaller(double a, double b)
{
    return a < b ? a : b;
}
static inline double fm_larger(double a, double b)
{
    return a > b ? a : b;
}

// Errors. Each fills err unless it holds a failure already, and returns false.
bool fm_fail(fm_error *err, fm_status status, const char *object, const char *field,
             const char *value, const char *allowed);
bool fm_fail_number(fm_error *err, const char *object, const char *field, double value,
                    const char *allowed);
bool fm_fail_no_memory(fm_error *err, const char *object, size_t bytes);

// Arena: pieces allocated one by one, zeroed, on 64-byte boundaries, and freed together.
typedef struct fm_arena {
    struct fm_arena_chunk *newest;
    size_t used; // bytes handed out
    size_t held; // bytes taken from the system
} fm_arena;

// NULL with err filled when there is no memory left, when count * size overflows, or when err
// already holds a failure: a chain of calls can be checked once at its end.
void *fm_arena_alloc(fm_arena *arena, size_t count, size_t size, const char *object, fm_error *err);
void fm_arena_free(fm_arena *arena);

// A single zeroed allocation on a 64-byte boundary, released with free(). NULL on failure.
void *fm_alloc_aligned(size_t count, size_t size);

// Parallel loops. Work is cut into blocks of fixed size whose borders depend on the work only, so
// that results never depend on how many threads there are.
typedef struct fm_pool fm_pool;

// Runs task(context, block) for every block below block_count, in any order, on any threads, and
// returns when all are done.
typedef void fm_block_task(void *context, int block);
typedef void fm_run_blocks(void *host, int block_count, fm_block_task *task, void *context);

fm_pool *fm_pool_create(int thread_count, fm_error *err); // the calling thread counts as one
fm_pool *fm_pool_create_hosted(fm_run_blocks *run, void *host, int thread_count, fm_error *err);
void fm_pool_destroy(fm_pool *pool);
int fm_pool_thread_count(const fm_pool *pool); // 1 for NULL
int fm_processor_count(void);                  // 1 to 256

// The pool, or NULL where work that takes one thread about this long is done sooner than shared.
fm_pool *fm_pool_for_work(fm_pool *pool, double ns);

// body(context, first, last) on [first, last) for each block of [0, count). A NULL pool runs them
// here, one after another.
typedef void fm_range_body(void *context, int first, int last);
void fm_parallel_for(fm_pool *pool, int count, int block_size, fm_range_body *body, void *context);

// The sum of body over the blocks, added in the order of the blocks. partial has room for
// ceil(count / block_size) values.
typedef double fm_range_sum(void *context, int first, int last);
double fm_parallel_sum(fm_pool *pool, int count, int block_size, fm_range_sum *body, void *context,
                       double *partial);

int fm_block_count(int count, int block_size);

// Cells: particles sorted into cubes of one size, in any region of space.
typedef struct fm_cell {
    int x, y, z;
} fm_cell;

typedef struct fm_cells {
    double size; // m, edge of a cell
    int capacity, mask;
    int *start;    // [bucket] first entry of order; the next bucket's is its end
    int *order;    // particles by bucket
    int *bucket;   // of each particle
    fm_cell *cell; // of each particle: several cells may share a bucket
} fm_cells;

bool fm_cells_alloc(fm_cells *cells, fm_arena *arena, int capacity, fm_error *err);
void fm_cells_build(fm_cells *cells, double size, int count, const double *x, const double *y,
                    const double *z);
fm_cell fm_cells_at(const fm_cells *cells, double x, double y, double z);
int fm_cells_bucket(const fm_cells *cells, fm_cell cell);

// Files. Messages that begin with the whole path, whatever its length: "PATH: cannot write: No
// space left on device", "PATH: polys: 7 of 12 bytes are missing". They fill err unless it holds a
// failure, and return false.
bool fm_fail_file(fm_error *err, const char *path, const char *verb, int error_number);
bool fm_fail_content(fm_error *err, fm_status status, const char *path, const char *field,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
// The whole file and a zero after it; free() it. limit in bytes.
char *fm_file_read(const char *path, size_t limit, size_t *size, fm_error *err);

// Numbers in the C locale, for everything that is written, read or said: like snprintf and strtod.
int fm_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fm_format_list(char *text, size_t size, const char *format, va_list values)
    __attribute__((format(printf, 3, 0)));
double fm_parse_number(const char *text, char **rest);

// Polygons of Wavefront OBJ files.
enum { FM_OBJ_NAME_SIZE = 48 };
typedef struct fm_obj {
    int point_count;
    fm_vec3 *points;
    int face_count;
    int *face_start;  // [face_count + 1] into face_points; the first is 0
    int *face_points; // counter-clockwise
    int group_count;  // names of g and o statements; 0 is for faces before the first
    char (*group_names)[FM_OBJ_NAME_SIZE];
    int *face_group;             // [face_count]
    int *point_line, *face_line; // [point_count], [face_count] where in the file, from 1
} fm_obj;
bool fm_obj_read(const char *path, fm_obj *obj, fm_error *err);
bool fm_obj_parse(const char *text, size_t size, const char *path, fm_obj *obj, fm_error *err);
void fm_obj_free(fm_obj *obj);

// Tree: boxes of anything (triangles, edges, particles on their way), found by where they are.
// Built once, fitted again as often as the items move; what is found comes in an order that depends
// on how the tree was built only.
typedef struct fm_box {
    fm_vec3 low, high; // m; empty when low > high
} fm_box;

static inline fm_box fm_box_empty(void)
{
    return (fm_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

// No number is not added.
static inline void fm_box_add(fm_box *box, fm_vec3 p)
{
    box->low.x = p.x < box->low.x ? p.x : box->low.x;
    box->low.y = p.y < box->low.y ? p.y : box->low.y;
    box->low.z = p.z < box->low.z ? p.z : box->low.z;
    box->high.x = p.x > box->high.x ? p.x : box->high.x;
    box->high.y = p.y > box->high.y ? p.y : box->high.y;
    box->high.z = p.z > box->high.z ? p.z : box->high.z;
}

double fm_box_gap(const fm_box *a, const fm_box *b); // m, 0 when they meet

// Whether boxes are no further apart than margin, in each axis.
static inline bool fm_box_meets(const fm_box *a, const fm_box *b, double margin)
{
    return a->low.x - margin <= b->high.x && b->low.x - margin <= a->high.x &&
           a->low.y - margin <= b->high.y && b->low.y - margin <= a->high.y &&
           a->low.z - margin <= b->high.z && b->low.z - margin <= a->high.z;
}

typedef struct fm_tree_node fm_tree_node;
typedef struct fm_tree {
    int item_count, node_count;
    fm_tree_node *nodes;
    int *items; // by leaf: every node has a run of them
} fm_tree;

// Allocates in the arena; the boxes are not kept.
bool fm_tree_build(fm_tree *tree, fm_arena *arena, const fm_box *boxes, int count, fm_error *err);
void fm_tree_refit(fm_tree *tree, const fm_box *boxes); // as many as it was built of
fm_box fm_tree_bounds(const fm_tree *tree);
// Visits the leaves no further than margin from the box. A leaf is its run of places in
// tree->items; boxes of items in it may be further away.
typedef void fm_tree_visitor(void *context, int first, int count);
void fm_tree_visit(const fm_tree *tree, const fm_box *box, double margin, fm_tree_visitor *visit,
                   void *context);
// Visits the pairs of leaves no further than margin from each other, of two trees or, each pair
// once and each leaf with itself, of one.
typedef void fm_tree_pair_visitor(void *context, int first, int count, int other_first,
                                  int other_count);
void fm_tree_visit_pairs(const fm_tree *one, const fm_tree *other, double margin,
                         fm_tree_pair_visitor *visit, void *context);
// The item nearest to the point by `square`, which gives squares of distances and never less than
// the item's box has; -1 when none is nearer than limit, in m. found: its square.
typedef double fm_tree_distance(void *context, int item, fm_vec3 point);
int fm_tree_nearest(const fm_tree *tree, fm_vec3 point, double limit, fm_tree_distance *square,
                    void *context, double *found);

// Hash of states: 64 bits, for telling states apart, not for cryptography. Chains: pass the result
// of one call as the seed of the next.
uint64_t fm_hash(const void *data, size_t size, uint64_t seed);

// A host that may ask to stop. What it said once stays.
typedef struct fm_stop {
    bool (*asked)(void *context); // NULL: never
    void *context;
    bool said;
} fm_stop;

bool fm_stop_asked(fm_stop *stop); // NULL: never
// False, with FM_CANCELLED, when it did.
bool fm_stop_check(fm_stop *stop, fm_error *err);

double fm_now_ms(void); // wall clock, from some moment on

// Random numbers with explicit state (splitmix64).
typedef struct fm_rng {
    uint64_t state;
} fm_rng;

uint64_t fm_rng_next(fm_rng *rng);
double fm_rng_uniform(fm_rng *rng); // in [0, 1)

#endif
