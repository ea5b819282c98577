// SPDX-License-Identifier: MIT
// contact_patches.c: the broad phase never leaves out a pair of features that is near: sheets,
// tubes and meshes that roll up, fold, are compressed and shaken are checked by brute force over
// all pairs. Collision-free steps are recognized, and only those.
#include "contact_fixture.h"

// Shapes of a run, and vertices of the sheet or tube.
enum { FRAMES = 12, COLUMNS = 24, ROWS = 17 };
static const double SPACING = 0.01; // m

// Shape of a bent sheet or tube. The curve along a row, with the parameter u from 0 to 1, has the
// angle roll u + wave sin(2 pi waves u).
typedef struct bending {
    double roll, wave; // rad
    double waves;      // number of folds
    double squeeze;    // length of the compressed part / its rest length
    double noise;      // random displacement of the vertices, in spacings
} bending;

// Angle, rad, of the curve along a row of a bent sheet at the parameter u, 0 to 1.
static double find_angle(const bending *b, double u)
{
    return b->roll * u + b->wave * sin(2 * FM_PI * b->waves * u);
}

// Writes the positions x of a bent sheet, rotated by `turn` rad.
static void bend_sheet(const contact_scene *s, const bending *b, double turn, uint64_t seed,
                       fm_vec3_array x)
{
    fm_rng rng = {seed};
    for (int r = 0; r < ROWS; r++) {
        double px = 0, py = 0;
        for (int c = 0; c < COLUMNS; c++) {
            int i = r * COLUMNS + c;
            double angle = find_angle(b, (double)c / COLUMNS + 0.1 * r / ROWS) + turn;
            double shake[3];
            for (int k = 0; k < 3; k++)
                shake[k] = b->noise * SPACING * (fm_rng_uniform(&rng) - 0.5);
            x.x[i] = px + shake[0], x.y[i] = py + shake[1], x.z[i] = SPACING * r + shake[2];
            double step = SPACING * (fabs(c - 12.0) < 4 ? b->squeeze : 1);
            px += step * cos(angle), py += step * sin(angle);
        }
    }
    (void)s;
}

// Writes the positions x of a tube with `waves` folds, twisted by `turn` rad.
static void bend_tube(const contact_scene *s, const bending *b, double turn, uint64_t seed,
                      fm_vec3_array x)
{
    fm_rng rng = {seed};
    double radius = SPACING * COLUMNS / (2 * FM_PI);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        double angle = 2 * FM_PI * (i % COLUMNS) / COLUMNS, row = i / COLUMNS;
        double distance = radius * (1 + 0.4 * b->wave * sin(b->waves * angle)); // from the axis
        double shake = b->noise * SPACING * (fm_rng_uniform(&rng) - 0.5);
        angle += turn * row / ROWS;
        x.x[i] = distance * cos(angle) + shake;
        x.y[i] = b->squeeze * distance * sin(angle) - shake;
        x.z[i] = SPACING * row * b->squeeze + shake;
    }
    (void)s;
}

typedef void bend_function(const contact_scene *s, const bending *b, double turn, uint64_t seed,
                           fm_vec3_array x);

// A tube around the z axis as a grid whose first and last columns are neighbours.
static mesh create_tube_mesh(void)
{
    mesh m = create_empty_mesh(COLUMNS * ROWS, 2 * COLUMNS * (ROWS - 1));
    int t = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            int i = r * COLUMNS + c, next = r * COLUMNS + (c + 1) % COLUMNS;
            double angle = 2 * FM_PI * c / COLUMNS, radius = SPACING * COLUMNS / (2 * FM_PI);
            m.vertices[i] = (fm_vec3){radius * cos(angle), radius * sin(angle), SPACING * r};
            if (r + 1 == ROWS)
                continue;
            set_triangle(&m, t++, i, next, i + COLUMNS);
            set_triangle(&m, t++, next, next + COLUMNS, i + COLUMNS);
        }
    }
    m.columns = COLUMNS, m.rows = ROWS, m.round = true;
    return m;
}

// Totals over all checked steps.
typedef struct counts {
    int near;                    // pairs of features that are nearer than the thickness
    int lists_built, lists_kept; // steps that built a list of candidate pairs, or kept the last one
    int free_steps;              // steps that were recognized as free of collisions
} counts;

// Candidate pairs are stored in a hash table with open addressing, by their vertices.
enum { SLOTS = 1 << 18 }; // at most half of them are used

// Hash key of a pair of features; the same for every order of the vertices of a feature.
static uint64_t find_key(fm_feature_kind kind, const int v[4])
{
    uint64_t a = (uint64_t)v[0], b = (uint64_t)v[1], c = (uint64_t)v[2], d = (uint64_t)v[3];
    if (kind == FM_VERTEX_TRIANGLE)
        return 1 + (a << 48 | (b + c + d) << 32 | (b * c * d & 0xffffffff));
    uint64_t one = a < b ? a << 12 | b : b << 12 | a, other = c < d ? c << 12 | d : d << 12 | c;
    return (uint64_t)1 << 63 | (one < other ? one << 24 | other : other << 24 | one);
}

// The slot of a key in the hash table, or the empty slot where it belongs.
static uint64_t *find_slot(uint64_t *slots, uint64_t key)
{
    uint64_t slot = fm_hash(&key, sizeof key, 0);
    while (slots[slot % SLOTS] != 0 && slots[slot % SLOTS] != key)
        slot++;
    return &slots[slot % SLOTS];
}

// Fills the hash table with all candidate pairs of the broad phase.
static void hash_list(const fm_contact_set *set, uint64_t *slots)
{
    int total = 0;
    memset(slots, 0, SLOTS * sizeof *slots);
    for (int b = 0; b < set->block_count; b++) {
        for (int kind = 0; kind < 2; kind++) {
            const fm_pair_list *list = &set->blocks[b].pairs[kind];
            total += list->count;
            for (int k = 0; k < list->count; k++) {
                int v[4] = {list->v[0][k], list->v[1][k], list->v[2][k], list->v[3][k]};
                uint64_t key = find_key((fm_feature_kind)kind, v);
                *find_slot(slots, key) = key;
            }
        }
    }
    assert_true(total < SLOTS / 2);
}

// Asserts that a pair of features, if it is nearer than the thickness, is among the candidate pairs
// `listed`; with listed = NULL, that it is not that near. Features that share a vertex are skipped.
// In small triangles contact reduces the thickness to half their height.
static void check_pair(const contact_scene *s, fm_vec3_array x, fm_feature_kind kind,
                       const int v[4], uint64_t *listed, counts *sum)
{
    const fm_contact_set *set = s->set;
    fm_vec3 p[4];
    double thickness = s->surfaces[0].thickness;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            if (v[i] == v[j])
                return;
        }
        p[i] = fm_vec3_array_at(x, v[i]);
        thickness = fmin(thickness, set->height[v[i]] / 2);
    }
    if (!(fm_feature_find_closest(kind, p).distance < thickness * (1 - 1e-9)))
        return;
    sum->near++;
    assert_true(listed && *find_slot(listed, find_key(kind, v)) != 0);
}

// Checks all pairs of features of the triangles a and b: the vertices and edges that each triangle
// owns, so that a feature that several triangles share is checked once.
static void check_triangles(const contact_scene *s, fm_vec3_array x, int a, int b, uint64_t *listed,
                            counts *sum)
{
    const fm_contact_set *set = s->set;
    const int *p = set->triangle[a], *q = set->triangle[b];
    const int *pv = set->owned_vertex[a], *qv = set->owned_vertex[b];
    const int *pe = set->owned_edge[a], *qe = set->owned_edge[b];
    for (int i = 0; i < 3 && pv[i] >= 0; i++)
        check_pair(s, x, FM_VERTEX_TRIANGLE, (int[4]){pv[i], q[0], q[1], q[2]}, listed, sum);
    for (int i = 0; i < 3 && qv[i] >= 0; i++)
        check_pair(s, x, FM_VERTEX_TRIANGLE, (int[4]){qv[i], p[0], p[1], p[2]}, listed, sum);
    for (int i = 0; i < 3 && pe[i] >= 0; i++) {
        for (int k = 0; k < 3 && qe[k] >= 0; k++) {
            const int *e = set->edge[pe[i]], *f = set->edge[qe[k]];
            check_pair(s, x, FM_EDGE_EDGE, (int[4]){e[0], e[1], f[0], f[1]}, listed, sum);
        }
    }
}

// Checks all pairs of triangles whose boxes are near each other, at the positions x. listed: as in
// check_pair.
static void check_all(const contact_scene *s, fm_vec3_array x, uint64_t *listed, counts *sum)
{
    const fm_contact_set *set = s->set;
    fm_contact_bound_triangles(s->set, x);
    for (int a = 0; a < set->triangle_count; a++) {
        for (int b = a + 1; b < set->triangle_count; b++) {
            if (fm_bounds_overlap(&set->boxes[a], &set->boxes[b], s->surfaces[0].thickness))
                check_triangles(s, x, a, b, listed, sum);
        }
    }
}

// Checks the start, the end and the middle of the step; `middle` is scratch memory.
static void check_step(const contact_scene *s, fm_vec3_array middle, uint64_t *listed, counts *sum)
{
    check_all(s, s->x, listed, sum);
    check_all(s, s->x1, listed, sum);
    for (int i = 0; i < s->vertex_count; i++) {
        middle.x[i] = (s->x.x[i] + s->x1.x[i]) / 2;
        middle.y[i] = (s->x.y[i] + s->x1.y[i]) / 2;
        middle.z[i] = (s->x.z[i] + s->x1.z[i]) / 2;
    }
    check_all(s, middle, listed, sum);
}

// Bends a mesh step by step and checks the candidate pairs of the broad phase in every small step.
// thickness: in spacings.
static void bend_and_check(mesh m, bend_function *bend, bending b, double thickness, counts *sum)
{
    contact_scene s = {.mass = 1e-4};
    add_surface(&s, m, false, thickness * SPACING, 0);
    open_scene(&s);
    fm_contact_set *set = s.set;
    uint64_t *slots = malloc(SLOTS * sizeof *slots);
    bending now = b;
    // large jumps, each followed by two small steps
    for (int frame = 0; frame < 3 * FRAMES; frame++) {
        double share = (frame / 3 + 0.02 * (frame % 3)) / FRAMES; // of the final bending
        now.roll = b.roll * share, now.wave = b.wave * share;
        now.squeeze = 1 - (1 - b.squeeze) * share;
        fm_vec3_array_copy(s.x, s.x1, set->vertex_count);
        bend(&s, &now, 0.2 * share * FRAMES, (uint64_t)(frame / 3), s.x1);
        if (frame % 3 == 0)
            continue;
        bool is_free = fm_contact_is_collision_free(set, NULL);
        sum->free_steps += is_free;
        if (is_free) {
            check_step(&s, set->checked_to, NULL, sum);
            continue;
        }
        if (fm_candidates_check(set, s.x, s.x1, NULL)) {
            sum->lists_kept++;
        } else {
            double approach = fm_candidates_bound_approach(set, s.x, s.x1, NULL);
            fm_candidates_build(set, s.x, s.x1, fmax(set->skin, 2 * approach), NULL);
            sum->lists_built++;
        }
        assert_true(fm_candidates_check(set, s.x, s.x1, NULL));
        hash_list(set, slots);
        check_step(&s, set->checked_to, slots, sum);
    }
    free(slots);
    close_scene(&s);
}

static void no_near_pair_is_left_out_of_the_candidate_pairs(void **state)
{
    (void)state;
    static const bending bendings[] = {
        {.roll = 0.5, .wave = 0.4, .waves = 1, .squeeze = 1},
        {.roll = 12, .wave = 0.3, .waves = 2, .squeeze = 0.9, .noise = 0.1},
        {.roll = 1, .wave = 2.2, .waves = 2, .squeeze = 0.7, .noise = 0.3},
        {.roll = 0, .wave = 1.8, .waves = 4, .squeeze = 0.1, .noise = 0.6},
    };
    counts sum = {0};
    for (size_t i = 0; i < sizeof bendings / sizeof *bendings; i++) {
        double thickness = 0.08 + 0.1 * (double)i;
        bend_and_check(create_sheet_mesh(COLUMNS, ROWS, SPACING, (fm_vec3){0}), bend_sheet,
                       bendings[i], thickness, &sum);
        bend_and_check(create_tube_mesh(), bend_tube, bendings[i], thickness, &sum);
        mesh mesh_sheet = create_sheet_mesh(COLUMNS, ROWS, SPACING, (fm_vec3){0});
        mesh_sheet.columns = mesh_sheet.rows = 0;
        bend_and_check(mesh_sheet, bend_sheet, bendings[i], thickness, &sum);
    }
    print_message("%d near pairs, %d lists built, %d lists kept, %d free\n", sum.near,
                  sum.lists_built, sum.lists_kept, sum.free_steps);
    assert_true(sum.near > 10000);
    assert_true(sum.lists_built > 50);
    assert_true(sum.lists_kept > 10);
    assert_true(sum.free_steps > 20);
}

// Two level sheets, `gap` m apart; the upper one has a prescribed motion.
static contact_scene open_layers(double gap)
{
    contact_scene s = {.mass = 1e-4};
    add_surface(&s, create_sheet_mesh(COLUMNS, ROWS, SPACING, (fm_vec3){0}), false, 1e-3, 0);
    add_surface(&s, create_sheet_mesh(9, 9, SPACING, (fm_vec3){0, gap, 0}), true, 1e-3, 0);
    open_scene(&s);
    return s;
}

// Surfaces that are apart at both ends but pass through each other in between; surfaces that move
// side by side; and a position that is NaN.
static void collision_free_steps_are_recognized(void **state)
{
    (void)state;
    contact_scene s = open_layers(0.02);
    int first = fm_contact_first_vertex(s.set, 1);
    fm_vec3_array_copy(s.x1, s.x, s.set->vertex_count);
    assert_true(fm_contact_is_collision_free(s.set, NULL));
    for (int i = 0; i < s.vertex_count; i++)
        s.x1.x[i] += 0.3, s.x1.y[i] += 0.01;
    assert_true(fm_contact_is_collision_free(s.set, NULL));
    for (int i = first; i < s.vertex_count; i++)
        s.x1.y[i] -= 0.04;
    assert_false(fm_contact_is_collision_free(s.set, NULL));
    fm_vec3_array_copy(s.x1, s.x, s.set->vertex_count);
    assert_true(fm_contact_is_collision_free(s.set, NULL));
    s.x1.y[first / 2 + 3] = NAN;
    assert_false(fm_contact_is_collision_free(s.set, NULL));
    close_scene(&s);
}

// Surfaces that claim to be a grid of vertices but have other triangles or another size.
static void bad_grids_are_refused(void **state)
{
    (void)state;
    // in turn: too many columns, a negative number of columns, no triangles between the last and
    // the first column of a tube, a triangle that is not one of the grid
    for (int k = 0; k < 4; k++) {
        contact_scene s = {.mass = 1e-4};
        mesh m = create_sheet_mesh(5, 6, SPACING, (fm_vec3){0});
        m.columns = k == 0 ? 6 : k == 1 ? -5 : 5;
        m.round = k == 2;
        if (k == 3)
            m.triangles[3][0] = 29;
        add_surface(&s, m, false, 1e-3, 0);
        fm_error err = {0};
        assert_null(fm_contact_create(s.surfaces, 1, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_near_pair_is_left_out_of_the_candidate_pairs),
        cmocka_unit_test(collision_free_steps_are_recognized),
        cmocka_unit_test(bad_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
