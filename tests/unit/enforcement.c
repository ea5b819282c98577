// SPDX-License-Identifier: MIT
// Enforcement: the published list against a plain transcription of algorithm 3, what each method
// moves and what it leaves alone, momentum, orders made anew, maps that contacts switch.
#include "cloth/cloth.h"
#include "meshes.h"

#include <string.h>

static const fm_vec3 earth = {0, -9.81, 0};
static const double H = 1.0 / 240;

static fm_cloth_def stiff(fm_enforcement_method method)
{
    fm_cloth_def def = bare_cloth();
    def.integrator = FM_VERLET;
    def.enforcement.method = method;
    def.enforcement.compression =
        method != FM_ENFORCE_PUBLISHED; // the thesis corrects stretch alone
    def.time_step = H;
    return def;
}

// A plain transcription: one queue, one list, one edge after another.
typedef struct plain {
    int columns, rows, visits, order;
    double dx, dy;
    fm_vec3 *x;
    const char *fixed;
} plain;

static void correct_second(fm_vec3 *a, fm_vec3 *b, double rest)
{
    fm_vec3 d = fm_sub(*b, *a);
    double l = fm_length(d);
    if (l > rest)
        *b = fm_add_scaled(*a, d, rest / l);
}

static int expand(plain *p, int from, int class, int *visited, int *queue, int *tail)
{
    static const int steps[3][2][2] = {{{0, -1}, {0, 1}}, {{1, 0}, {9999, 0}}, {{1, -1}, {1, 1}}};
    int edges = 0;
    for (int k = 0; k < 2; k++) {
        int row = from / p->columns + steps[class][k][0];
        int column = from % p->columns + steps[class][k][1];
        if (row >= p->rows || column < 0 || column >= p->columns)
            continue;
        int to = row * p->columns + column;
        if (p->fixed[to] || visited[to] >= p->visits)
            continue;
        visited[to]++;
        queue[(*tail)++] = to;
        correct_second(&p->x[from], &p->x[to],
                       class == 0   ? p->dx
                       : class == 1 ? p->dy
                                    : hypot(p->dx, p->dy));
        edges++;
    }
    return edges;
}

static int correct_plainly(plain *p)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int n = p->columns * p->rows, head = 0, tail = 0, edges = 0;
    int *queue = calloc((size_t)n * ((size_t)p->visits + 1), sizeof *queue);
    int *visited = calloc((size_t)n, sizeof *visited);
    for (int i = 0; i < n; i++) {
        if (p->fixed[i])
            queue[tail++] = i;
    }
    while (head < tail) {
        int from = queue[head++];
        for (int k = 0; k < 3; k++)
            edges += expand(p, from, orders[p->order][k], visited, queue, &tail);
    }
    free(queue);
    free(visited);
    return edges;
}

static void scatter_positions(fm_cloth *cloth, double amplitude)
{
    fm_error err = {0};
    int n = 0;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n);
    fm_vec3 *moved = malloc((size_t)n * sizeof *moved);
    for (int i = 0; i < n; i++) {
        unsigned k = 3u * (unsigned)i;
        moved[i] = (fm_vec3){x[i].x + amplitude * scatter(k), x[i].y + amplitude * scatter(k + 1),
                             x[i].z + amplitude * scatter(k + 2)};
    }
    assert_true(fm_cloth_set_positions(cloth, moved, &err));
    free(moved);
}

static void check_list(const fm_sheet *sheet, int order, int visits)
{
    fm_error err = {0};
    fm_cloth_def def = stiff(FM_ENFORCE_PUBLISHED);
    def.enforcement.order = (fm_spring_order)order;
    def.enforcement.visits = visits;
    def.stretch.stiffness = 1e-12; // nothing but the corrections
    def.shear.stiffness = 0;
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth *cloth = make_sheet(world, &def, sheet);
    scatter_positions(cloth, 0.05);
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_LEFT, NULL, &err);
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_RIGHT, NULL, &err);
    int n = 0;
    const fm_vec3 *x = fm_cloth_positions(cloth, &n);
    char *fixed = calloc((size_t)n, 1);
    plain p = {sheet->columns,
               sheet->rows,
               visits,
               order,
               sheet->width / (sheet->columns - 1),
               sheet->height / (sheet->rows - 1),
               malloc((size_t)n * sizeof *p.x),
               fixed};
    memcpy(p.x, x, (size_t)n * sizeof *p.x);
    fixed[0] = fixed[sheet->columns - 1] = 1;
    int edges = correct_plainly(&p);
    advance(world, H);
    assert_int_equal(fm_cloth_correction_count(cloth), edges);
    assert_at_most(largest_distance(fm_cloth_positions(cloth, NULL), p.x, n), 1e-12);
    free(p.x);
    free(fixed);
    fm_world_destroy(world);
}

static void the_list_is_that_of_the_thesis(void **state)
{
    (void)state;
    static const fm_sheet sheets[] = {
        {.columns = 7, .rows = 5, .width = 0.6, .height = 0.4},
        {.columns = 2, .rows = 9, .width = 0.1, .height = 0.4},
        {.columns = 21, .rows = 13, .width = 1, .height = 0.8},
    };
    for (int s = 0; s < 3; s++) {
        for (int order = 0; order < 6; order++) {
            for (int visits = 1; visits <= 4; visits++)
                check_list(&sheets[s], order, visits);
        }
    }
}

static fm_vec3 total_momentum(fm_cloth *cloth)
{
    int n = 0;
    const fm_vec3 *v = fm_cloth_velocities(cloth, &n);
    fm_vec3 sum = {0};
    for (int i = 0; i < n; i++)
        sum = fm_add_scaled(sum, v[i], cloth->mass[i]);
    return sum;
}

// Both ends move by their mobilities along the line between them. (Angular momentum is kept up to
// the substep: the line turns while the particles go.)
static void a_free_sheet_keeps_its_momentum(void **state)
{
    (void)state;
    for (int method = FM_ENFORCE_ITERATIVE; method <= FM_ENFORCE_DIRECTIONAL; method += 2) {
        fm_cloth_def def = stiff((fm_enforcement_method)method);
        fm_sheet sheet = {.columns = 19, .rows = 14, .width = 0.9, .height = 0.7};
        fm_world *world = make_world(0, 0, no_gravity);
        fm_cloth *cloth = make_sheet(world, &def, &sheet);
        set_random_velocities(cloth, 1);
        fm_vec3 p = total_momentum(cloth);
        fm_report report = {0};
        for (int i = 0; i < 20; i++)
            report = advance(world, H);
        assert_at_most(1e-6, report.max_stretch); // there was something to correct
        fm_vec3 q = total_momentum(cloth);
        assert_at_most(fm_length(fm_sub(p, q)), 1e-12);
        fm_world_destroy(world);
    }
}

static double hang_two_corners(const fm_cloth_def *def, int columns, int rows, double seconds)
{
    fm_error err = {0};
    fm_sheet sheet = {.columns = columns, .rows = rows, .width = 1.5, .height = 1};
    fm_world *world = make_world(1.2, 1.8e-5, earth);
    fm_cloth *cloth = make_sheet(world, def, &sheet);
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_LEFT, NULL, &err);
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_RIGHT, NULL, &err);
    double worst = 0;
    for (int frame = 0; frame < 60 * seconds; frame++)
        worst = fmax(worst, advance(world, 1.0 / 60).max_stretch);
    const fm_vec3 *x = fm_cloth_positions(cloth, NULL);
    assert_close(fm_length(x[0]), 0, 1e-15); // what is fixed is never moved
    assert_close(fm_length(fm_sub(x[columns - 1], (fm_vec3){1.5, 0, 0})), 0, 1e-15);
    fm_world_destroy(world);
    return worst;
}

static void a_sheet_by_two_corners_keeps_within_5_percent(void **state)
{
    (void)state;
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    assert_at_most(hang_two_corners(&def, 61, 41, 3), 0.05);
    def.enforcement.method = FM_ENFORCE_NONE; // what it is for: springs that bear such substeps
    def.stretch.stiffness = 5;
    assert_at_most(0.05, hang_two_corners(&def, 31, 21, 3));
}

// Two particles a row: one edge, too long or too short.
static double edge_after(fm_cloth_def def, double length)
{
    fm_error err = {0};
    fm_sheet sheet = {.columns = 2, .rows = 2, .width = 1, .height = 1};
    def.stretch.stiffness = 1e-12;
    def.shear.stiffness = 0;
    def.enforcement.shear = false;
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    fm_vec3 x[4] = {{0, 0, 0}, {length, 0, 0}, {0, -1, 0}, {length, -1, 0}};
    fm_cloth_set_positions(cloth, x, &err);
    fm_cloth_pin_column(cloth, 0, NULL, &err);
    advance(world, H);
    const fm_vec3 *after = fm_cloth_positions(cloth, NULL);
    double now = fm_length(fm_sub(after[1], after[0]));
    fm_world_destroy(world);
    return now;
}

static void thresholds_and_targets(void **state)
{
    (void)state;
    for (int method = FM_ENFORCE_ITERATIVE; method <= FM_ENFORCE_DIRECTIONAL; method++) {
        fm_cloth_def def = stiff((fm_enforcement_method)method);
        assert_close(edge_after(def, 1.2), 1, 1e-9);
        def.enforcement.threshold = 0.1;
        assert_close(edge_after(def, 1.05), 1.05, 1e-9); // what is within the threshold
        if (method == FM_ENFORCE_DIRECTIONAL)
            continue; // its reaches only go to the threshold
        assert_close(edge_after(def, 1.2), 1, 1e-9);
        def.enforcement.target = FM_TARGET_THRESHOLD;
        assert_close(edge_after(def, 1.2), 1.1, 1e-9);
    }
}

static void compressed_edges_are_lengthened_little_by_little(void **state)
{
    (void)state;
    for (int method = FM_ENFORCE_ITERATIVE; method <= FM_ENFORCE_DIRECTIONAL; method++) {
        fm_cloth_def def = stiff((fm_enforcement_method)method);
        bool whole = method == FM_ENFORCE_PUBLISHED;
        def.enforcement.compression = false;
        assert_close(edge_after(def, 0.8), 0.8, 1e-9); // left alone
        def.enforcement.compression = true;
        assert_close(edge_after(def, 0.99), 1, 1e-9);
        assert_close(edge_after(def, 0.8), whole ? 1 : 0.82, 1e-9);
        assert_close(edge_after(def, 1.2), 1, 1e-9);
        def.enforcement.threshold = 0.1;
        assert_close(edge_after(def, 0.91), 0.91, 1e-9);
        def.enforcement.target = FM_TARGET_THRESHOLD;
        assert_close(edge_after(def, 0.89), 0.9, 1e-9);
        def.enforcement.threshold = 0;
        def.enforcement.iterations = 3;
        assert_close(edge_after(def, 0.8), whole ? 1 : 0.86, 1e-9); // each pass
    }
}

// x_n = x_0 + h v (1 + d + ... ), the first step from v itself.
static void verlet_keeps_a_share_of_the_velocity(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = stiff(FM_ENFORCE_NONE);
    def.damping.kept = 0.9;
    def.stretch.stiffness = 1e-9;
    def.shear.stiffness = 0;
    fm_sheet sheet = {.columns = 2, .rows = 2, .width = 1, .height = 1, .velocity = {0, 0, 2}};
    fm_world *world = make_world(0, 0, no_gravity);
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    double expected = 0, v = 2;
    for (int n = 0; n < 10; n++) {
        advance(world, H);
        v *= 0.9;
        expected += H * v;
        assert_close(fm_cloth_positions(cloth, NULL)[0].z, expected, 1e-14);
    }
    assert_int_equal(err.status, FM_OK);
    fm_world_destroy(world);
}

static void a_pin_that_lets_go_is_no_anchor(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = stiff(FM_ENFORCE_DIRECTIONAL);
    fm_sheet sheet = {.columns = 11, .rows = 9, .width = 1, .height = 0.8};
    fm_world *world = make_world(0, 0, earth);
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_LEFT, NULL, &err);
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_RIGHT, NULL, &err);
    fm_cloth_release_at(cloth, 0.1, &err);
    advance(world, 0.05);
    double place[99];
    read_field(cloth, "correction", place);
    assert_close(place[0] + place[10], 0, 0);
    advance(world, 0.1);
    read_field(cloth, "correction", place);
    assert_close(place[0], 0, 0);
    assert_at_most(0.5, place[10]); // now it hangs on the other corner
    assert_int_equal(cloth->enforcer->remade_count, 2);
    fm_world_destroy(world);
}

static void what_comes_to_lie_is_an_anchor(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = stiff(FM_ENFORCE_DIRECTIONAL);
    fm_sheet sheet = {.columns = 15,
                      .rows = 15,
                      .width = 1,
                      .height = 1,
                      .origin = {-0.5, 0.02, -0.5},
                      .rotation = {-0.70710678118654752, 0, 0, 0.70710678118654752}};
    fm_world *world = make_world(1.2, 1.8e-5, earth);
    fm_collider_def table = fm_default_collider_def();
    table.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0, -0.4, 0}, .radius = 0.4};
    table.friction = 1;
    assert_non_null(fm_collider_create(world, &table, &err));
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    for (int i = 0; i < 30; i++)
        advance(world, 1.0 / 60);
    assert_at_most(1, cloth->enforcer->maps[0].fixed_count);
    assert_at_most(2, cloth->enforcer->remade_count);
    fm_world_destroy(world);
}

// A sheet and a ball that swings into its middle, with a map of the lower corner and one of the
// middle.
static fm_world *make_kneed(fm_cloth **cloth, const fm_collider **knee)
{
    fm_error err = {0};
    fm_cloth_def def = stiff(FM_ENFORCE_DIRECTIONAL);
    def.enforcement.contacts = false;
    fm_sheet sheet = {.columns = 11, .rows = 11, .width = 1, .height = 1};
    fm_world *world = make_world(1.2, 1.8e-5, earth);
    fm_collider_def ball = fm_default_collider_def();
    ball.shape = (fm_shape){.kind = FM_SHAPE_SPHERE, .centre = {0.5, -0.5, -0.25}, .radius = 0.15};
    ball.motion = fm_motion_sine(world, (fm_vec3){0, 0, 1}, 0.3, 2, &err);
    *knee = fm_collider_create(world, &ball, &err);
    *cloth = make_sheet(world, &def, &sheet);
    fm_cloth_pin_row(*cloth, 0, NULL, &err);
    int corner = 120, middle[121];
    ball.shape.centre.z = 0;
    ball.shape.radius = 0.11;
    int count = fm_cloth_find_within(*cloth, &ball.shape, middle, &err);
    assert_int_equal(count, 5);
    assert_int_equal(middle[2], 60);
    assert_true(fm_cloth_add_map(*cloth, knee, 1, &corner, 1, &err));
    assert_true(fm_cloth_add_map(*cloth, knee, 1, middle, count, &err));
    ball.shape.centre.z = 9;
    assert_int_equal(fm_cloth_find_within(*cloth, &ball.shape, middle, &err), 0);
    assert_string_equal(err.field, "within");
    return world;
}

static void maps_go_on_after_a_restore(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth *cloth[2];
    const fm_collider *knee;
    fm_world *world[2] = {make_kneed(&cloth[0], &knee), make_kneed(&cloth[1], &knee)};
    advance(world[0], 0.15);
    size_t size = fm_world_save(world[0], NULL, 0);
    void *bytes = malloc(size);
    fm_world_save(world[0], bytes, size);
    assert_true(fm_world_restore(world[1], bytes, size, &err));
    assert_int_equal(fm_cloth_current_map(cloth[1]), 2);
    for (int k = 0; k < 2; k++)
        advance(world[k], 0.05);
    assert_int_equal(fm_cloth_current_map(cloth[0]), 2);
    assert_true(fm_world_hash(world[0]) == fm_world_hash(world[1]));
    free(bytes);
    fm_world_destroy(world[0]);
    fm_world_destroy(world[1]);
}

static void contacts_switch_maps(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth *cloth;
    const fm_collider *collider;
    fm_world *world = make_kneed(&cloth, &collider);
    advance(world, 0.05);
    assert_int_equal(fm_cloth_current_map(cloth), 0);
    advance(world, 0.15);
    assert_int_equal(fm_cloth_current_map(cloth), 2); // the corner is not touched
    double place[121];
    read_field(cloth, "correction", place);
    assert_close(place[60] + place[5], 0, 0);
    advance(world, 1.15);
    assert_int_equal(fm_cloth_current_map(cloth), 0);
    int far = 121;
    assert_false(fm_cloth_add_map(cloth, &collider, 1, &far, 1, &err));
    assert_string_equal(err.field, "map");
    fm_world_destroy(world);
}

// Against the wind: the list goes with the force, not with gravity.
static void the_list_follows_the_force(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    def.enforcement.method = FM_ENFORCE_PUBLISHED;
    def.enforcement.compression = false;
    def.damping.kept = 0.9;
    def.enforcement.direction = FM_ALONG_FORCE;
    def.drag.skin_history = false;
    fm_world_def world_def = fm_default_world_def();
    world_def.threads = 1;
    world_def.medium.flow = (fm_flow){.kind = FM_FLOW_UNIFORM, .velocity = {3, 0, 0}};
    fm_world *world = fm_world_create(&world_def, &err);
    fm_sheet sheet = {.columns = 9,
                      .rows = 9,
                      .width = 0.4,
                      .height = 0.4,
                      .rotation = {0, 0.3826834323650898, 0, 0.9238795325112867}};
    fm_cloth *cloth = make_sheet(world, &def, &sheet);
    fm_cloth_pin_column(cloth, 0, NULL, &err);
    advance(world, 0.1);
    assert_at_most(0.9, cloth->enforcer->direction.x);
    assert_at_most(2, cloth->enforcer->remade_count);
    assert_at_most(8 * 9, fm_cloth_correction_count(cloth));
    fm_world_destroy(world);
}

// Along edges and flaps, no reach is shorter than the straight line and none much longer.
static void reaches_along_a_mesh(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = stiff(FM_ENFORCE_DIRECTIONAL);
    test_mesh grid = make_grid(25, 21, 0.04, 0.035, CUT_SHIFTED);
    fm_world *world = make_world(0, 0, earth);
    fm_cloth *cloth = make_mesh(world, &def, &grid);
    int middle = 10 * 25 + 12; // a straight line along the border would leave the mesh
    assert_true(fm_cloth_pin_list(cloth, &middle, 1, NULL, &err));
    advance(world, H);
    const fm_correction_map *map = &cloth->enforcer->maps[0];
    for (int i = 0; i < grid.vertex_count; i++) {
        double straight = fm_length(fm_sub(grid.positions[i], grid.positions[middle]));
        if (i == middle)
            continue;
        assert_in_interval(map->reach[i] / straight, 1 - 1e-9, 1.045);
        assert_int_equal(map->anchor[i], middle);
    }
    for (int r = 1; r < cloth->enforcer->strides; r++) {
        const fm_pairs *rung = &cloth->enforcer->rungs[r];
        assert_true(rung->count > grid.vertex_count / 2);
        for (int e = 0; e < rung->count; e++) {
            fm_vec3 way = fm_sub(grid.positions[rung->a[e]], grid.positions[rung->b[e]]);
            assert_in_interval(rung->rest[e] / fm_length(way), 1 - 1e-9, 1.16);
        }
    }
    free_mesh(&grid);
    fm_world_destroy(world);
}

static void check_groups(const fm_pairs *pairs, int count)
{
    int *group = calloc((size_t)count, sizeof *group);
    for (int g = 0; g < pairs->group_count; g++) {
        for (int e = pairs->group[g]; e < pairs->group[g + 1]; e++) {
            assert_int_not_equal(group[pairs->a[e]], g + 1);
            assert_int_not_equal(group[pairs->b[e]], g + 1);
            group[pairs->a[e]] = group[pairs->b[e]] = g + 1;
        }
    }
    assert_int_equal(pairs->group[pairs->group_count], pairs->count);
    free(group);
}

static void nets_hang_without_stretching(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = fm_default_cloth_def();
    fm_cloth_set_material(&def, FM_CANVAS);
    def.enforcement.method = FM_ENFORCE_DIRECTIONAL;
    for (int tube = 0; tube < 2; tube++) {
        fm_world *world = make_world(1.2, 1.8e-5, earth);
        test_mesh grid = make_grid(31, 25, 0.04, 0.035, CUT_SHIFTED);
        fm_cloth *cloth = tube ? make_tube(world, &def, tube_of(40, 25, 0.2, 0.3, 0.8))
                               : make_mesh(world, &def, &grid);
        int corners[] = {0, 30};
        if (tube)
            fm_cloth_pin_edge(cloth, FM_EDGE_TOP, NULL, &err);
        else
            fm_cloth_pin_list(cloth, corners, 2, NULL, &err);
        double worst = 0;
        for (int frame = 0; frame < 90; frame++)
            worst = fmax(worst, advance(world, 1.0 / 60).max_stretch);
        assert_at_most(worst, tube ? 0.05 : 0.1);
        for (int r = 0; r < cloth->enforcer->strides; r++)
            check_groups(&cloth->enforcer->rungs[r], cloth->count);
        free_mesh(&grid);
        fm_world_destroy(world);
    }
}

// By the angles of its edges: from one corner of a mesh the list goes everywhere but up.
static void a_mesh_has_a_list(void **state)
{
    (void)state;
    fm_error err = {0};
    fm_cloth_def def = stiff(FM_ENFORCE_PUBLISHED);
    def.enforcement.visits = 2;
    test_mesh grid = make_grid(12, 11, 0.04, 0.035, CUT_SHIFTED);
    fm_world *world = make_world(0, 0, earth);
    fm_cloth *cloth = make_mesh(world, &def, &grid);
    int row[12];
    for (int i = 0; i < 12; i++)
        row[i] = 5 * 12 + i; // in the middle: what is above is not come to
    assert_true(fm_cloth_pin_list(cloth, row, 12, NULL, &err));
    advance(world, H);
    assert_int_equal(fm_cloth_correction_count(cloth), 2 * 12 * 5);
    double place[132];
    read_field(cloth, "correction", place);
    for (int i = 0; i < 12 * 5; i++)
        assert_close(place[i], 1, 0); // never
    const fm_pairs *list = &cloth->enforcer->maps[0].list;
    check_groups(list, cloth->count);
    for (int e = 0; e < list->count; e++)
        assert_true(list->b[e] >= 6 * 12);
    free_mesh(&grid);
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_that_of_the_thesis),
        cmocka_unit_test(a_free_sheet_keeps_its_momentum),
        cmocka_unit_test(a_sheet_by_two_corners_keeps_within_5_percent),
        cmocka_unit_test(thresholds_and_targets),
        cmocka_unit_test(compressed_edges_are_lengthened_little_by_little),
        cmocka_unit_test(verlet_keeps_a_share_of_the_velocity),
        cmocka_unit_test(a_pin_that_lets_go_is_no_anchor),
        cmocka_unit_test(what_comes_to_lie_is_an_anchor),
        cmocka_unit_test(contacts_switch_maps),
        cmocka_unit_test(maps_go_on_after_a_restore),
        cmocka_unit_test(the_list_follows_the_force),
        cmocka_unit_test(reaches_along_a_mesh),
        cmocka_unit_test(nets_hang_without_stretching),
        cmocka_unit_test(a_mesh_has_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
