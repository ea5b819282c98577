// SPDX-License-Identifier: MIT
// What the broad phase leaves out is never near: sheets, tubes and meshes that roll up, fold, are
// squeezed and shaken, held against a search over all pairs of features. And steps that are free
// are known to be, those that are not are not.
#include "contact_fixture.h"

enum { FRAMES = 12, COLUMNS = 24, ROWS = 17 };
static const double SPACING = 0.01; // m

// A sheet as it bends along its rows: angle of the curve at u, in 0 to 1.
typedef struct bending {
    double roll, wave, waves, squeeze, noise;
} bending;

static double find_angle(const bending *b, double u)
{
    return b->roll * u + b->wave * sin(2 * FM_PI * b->waves * u);
}

static void bend_sheet(const stage *s, const bending *b, double turn, uint64_t seed,
                       fm_contact_axes x)
{
    fm_rng rng = {seed};
    for (int r = 0; r < ROWS; r++) {
        double px = 0, py = 0;
        for (int c = 0; c < COLUMNS; c++) {
            int i = r * COLUMNS + c;
            double along = find_angle(b, (double)c / COLUMNS + 0.1 * r / ROWS) + turn;
            double shake[3];
            for (int k = 0; k < 3; k++)
                shake[k] = b->noise * SPACING * (fm_rng_uniform(&rng) - 0.5);
            x.x[i] = px + shake[0], x.y[i] = py + shake[1], x.z[i] = SPACING * r + shake[2];
            double step = SPACING * (fabs(c - 12.0) < 4 ? b->squeeze : 1);
            px += step * cos(along), py += step * sin(along);
        }
    }
    (void)s;
}

// A tube with as many folds as there are waves, wrung by the turn.
static void bend_tube(const stage *s, const bending *b, double turn, uint64_t seed,
                      fm_contact_axes x)
{
    fm_rng rng = {seed};
    double radius = SPACING * COLUMNS / (2 * FM_PI);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        double angle = 2 * FM_PI * (i % COLUMNS) / COLUMNS, row = i / COLUMNS;
        double out = radius * (1 + 0.4 * b->wave * sin(b->waves * angle));
        double shake = b->noise * SPACING * (fm_rng_uniform(&rng) - 0.5);
        angle += turn * row / ROWS;
        x.x[i] = out * cos(angle) + shake, x.y[i] = b->squeeze * out * sin(angle) - shake;
        x.z[i] = SPACING * row * b->squeeze + shake;
    }
    (void)s;
}

typedef void bend_function(const stage *s, const bending *b, double turn, uint64_t seed,
                           fm_contact_axes x);

static mesh make_tube(void)
{
    mesh m = new_mesh(COLUMNS * ROWS, 2 * COLUMNS * (ROWS - 1));
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

typedef struct tally {
    int near, lists, held, free_steps;
} tally;

// Pairs in the list, by a hash of their vertices.
enum { SLOTS = 1 << 18 };

static uint64_t find_key(fm_feature_kind kind, const int v[4])
{
    uint64_t a = (uint64_t)v[0], b = (uint64_t)v[1], c = (uint64_t)v[2], d = (uint64_t)v[3];
    if (kind == FM_VERTEX_TRIANGLE)
        return 1 + (a << 48 | (b + c + d) << 32 | (b * c * d & 0xffffffff));
    uint64_t one = a < b ? a << 12 | b : b << 12 | a, other = c < d ? c << 12 | d : d << 12 | c;
    return (uint64_t)1 << 63 | (one < other ? one << 24 | other : other << 24 | one);
}

static uint64_t *find_slot(uint64_t *slots, uint64_t key)
{
    uint64_t at = fm_hash(&key, sizeof key, 0);
    while (slots[at % SLOTS] != 0 && slots[at % SLOTS] != key)
        at++;
    return &slots[at % SLOTS];
}

static void take_list(const fm_contact_set *set, uint64_t *slots)
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

// Near pairs have to be in the list; with NULL there may be none.
static void check_pair(const stage *s, fm_contact_axes x, fm_feature_kind kind, const int v[4],
                       uint64_t *listed, tally *sum)
{
    const fm_contact_set *set = s->set;
    fm_vec3 p[4];
    double thickness = s->surfaces[0].thickness;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            if (v[i] == v[j])
                return;
        }
        p[i] = fm_contact_at(x, v[i]);
        thickness = fmin(thickness, set->height[v[i]] / 2);
    }
    if (!(fm_closest_points(kind, p).distance < thickness * (1 - 1e-9)))
        return;
    sum->near++;
    assert_true(listed && *find_slot(listed, find_key(kind, v)) != 0);
}

static void check_triangles(const stage *s, fm_contact_axes x, int a, int b, uint64_t *listed,
                            tally *sum)
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

// All pairs of triangles whose boxes meet.
static void check_all(const stage *s, fm_contact_axes x, uint64_t *listed, tally *sum)
{
    const fm_contact_set *set = s->set;
    fm_contact_box_triangles(s->set, x);
    for (int a = 0; a < set->triangle_count; a++) {
        for (int b = a + 1; b < set->triangle_count; b++) {
            if (fm_box_meets(&set->boxes[a], &set->boxes[b], s->surfaces[0].thickness))
                check_triangles(s, x, a, b, listed, sum);
        }
    }
}

// Half-way, into `middle`.
static void check_way(const stage *s, fm_contact_axes middle, uint64_t *listed, tally *sum)
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

static void bend_and_check(mesh m, bend_function *bend, bending b, double thickness, tally *sum)
{
    stage s = {.mass = 1e-4};
    add_surface(&s, m, false, thickness * SPACING, 0);
    open_stage(&s);
    fm_contact_set *set = s.set;
    uint64_t *slots = malloc(SLOTS * sizeof *slots);
    bending now = b;
    for (int frame = 0; frame < 3 * FRAMES; frame++) { // leaps, each followed by two small steps
        double grown = (frame / 3 + 0.02 * (frame % 3)) / FRAMES;
        now.roll = b.roll * grown, now.wave = b.wave * grown;
        now.squeeze = 1 - (1 - b.squeeze) * grown;
        fm_contact_copy(set, s.x, s.x1);
        bend(&s, &now, 0.2 * grown * FRAMES, (uint64_t)(frame / 3), s.x1);
        if (frame % 3 == 0)
            continue;
        bool is_free = fm_contact_is_free(set, NULL);
        sum->free_steps += is_free;
        if (is_free) {
            check_way(&s, set->seen, NULL, sum);
            continue;
        }
        if (fm_candidates_hold(set, s.x, s.x1, NULL)) {
            sum->held++;
        } else {
            double approach = fm_candidates_approach(set, s.x, s.x1);
            fm_candidates_build(set, s.x, s.x1, fmax(set->skin, 2 * approach), NULL);
            sum->lists++;
        }
        assert_true(fm_candidates_hold(set, s.x, s.x1, NULL));
        take_list(set, slots);
        check_way(&s, set->seen, slots, sum);
    }
    free(slots);
    close_stage(&s);
}

static void nothing_near_is_left_out(void **state)
{
    (void)state;
    static const bending bendings[] = {
        {.roll = 0.5, .wave = 0.4, .waves = 1, .squeeze = 1},
        {.roll = 12, .wave = 0.3, .waves = 2, .squeeze = 0.9, .noise = 0.1},
        {.roll = 1, .wave = 2.2, .waves = 2, .squeeze = 0.7, .noise = 0.3},
        {.roll = 0, .wave = 1.8, .waves = 4, .squeeze = 0.1, .noise = 0.6},
    };
    tally sum = {0};
    for (size_t i = 0; i < sizeof bendings / sizeof *bendings; i++) {
        double thickness = 0.08 + 0.1 * (double)i;
        bend_and_check(make_sheet(COLUMNS, ROWS, SPACING, (fm_vec3){0}), bend_sheet, bendings[i],
                       thickness, &sum);
        bend_and_check(make_tube(), bend_tube, bendings[i], thickness, &sum);
        mesh soup = make_sheet(COLUMNS, ROWS, SPACING, (fm_vec3){0});
        soup.columns = soup.rows = 0;
        bend_and_check(soup, bend_sheet, bendings[i], thickness, &sum);
    }
    print_message("%d near pairs, %d lists, %d held, %d free\n", sum.near, sum.lists, sum.held,
                  sum.free_steps);
    assert_true(sum.near > 10000);
    assert_true(sum.lists > 50);
    assert_true(sum.held > 10);
    assert_true(sum.free_steps > 20);
}

static stage open_layers(double gap)
{
    stage s = {.mass = 1e-4};
    add_surface(&s, make_sheet(COLUMNS, ROWS, SPACING, (fm_vec3){0}), false, 1e-3, 0);
    add_surface(&s, make_sheet(9, 9, SPACING, (fm_vec3){0, gap, 0}), true, 1e-3, 0);
    open_stage(&s);
    return s;
}

// Apart at both ends, but through each other in between; as far apart, side by side; no number.
static void free_steps_are_known(void **state)
{
    (void)state;
    stage s = open_layers(0.02);
    int first = fm_contact_first_vertex(s.set, 1);
    fm_contact_copy(s.set, s.x1, s.x);
    assert_true(fm_contact_is_free(s.set, NULL));
    for (int i = 0; i < s.vertex_count; i++)
        s.x1.x[i] += 0.3, s.x1.y[i] += 0.01;
    assert_true(fm_contact_is_free(s.set, NULL));
    for (int i = first; i < s.vertex_count; i++)
        s.x1.y[i] -= 0.04;
    assert_false(fm_contact_is_free(s.set, NULL));
    fm_contact_copy(s.set, s.x1, s.x);
    assert_true(fm_contact_is_free(s.set, NULL));
    s.x1.y[first / 2 + 3] = NAN;
    assert_false(fm_contact_is_free(s.set, NULL));
    close_stage(&s);
}

static void grids_are_checked(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        stage s = {.mass = 1e-4};
        mesh m = make_sheet(5, 6, SPACING, (fm_vec3){0});
        m.columns = k == 0 ? 6 : k == 1 ? -5 : 5;
        m.round = k == 2;
        if (k == 3)
            m.triangles[3][0] = 29;
        add_surface(&s, m, false, 1e-3, 0);
        fm_error err = {0};
        assert_null(fm_contact_create(s.surfaces, 1, &err));
        assert_int_equal(err.status, FM_BAD_VALUE);
        close_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_near_is_left_out),
        cmocka_unit_test(free_steps_are_known),
        cmocka_unit_test(grids_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
