// SPDX-License-Identifier: MIT
// Water poured into a glass, a closed one of an OBJ file and the same as a shell, which rest or are
// tilted and shaken, with a ball in it, or animated. Walls are a third of a spacing thick, and not
// one particle may pass them.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

static const double SPACING = 0.008; // m

// The glass of scripts/make-glass, m.
static const double HEIGHT = 0.12, WALL = 0.0025, FLOOR = 0.007, LOW = 0.031, HIGH = 0.04;

typedef struct mesh {
    fm_vec3 *x;
    int *triangles;
    int vertex_count, triangle_count;
} mesh;

static void add_triangle(mesh *m, int a, int b, int c)
{
    int *t = m->triangles + 3 * (size_t)m->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

static mesh new_mesh(int vertices, int triangles)
{
    return (mesh){.x = calloc((size_t)vertices, sizeof(fm_vec3)),
                  .triangles = calloc(3 * (size_t)triangles, sizeof(int))};
}

static void free_mesh(mesh *m)
{
    free(m->x);
    free(m->triangles);
}

static mesh read_glass(void)
{
    fm_obj obj;
    fm_error err = {0};
    assert_true(fm_obj_read(SOURCE_DIR "/scenes/particles/glass.obj", &obj, &err));
    mesh m = new_mesh(obj.point_count, obj.face_start[obj.face_count]);
    m.vertex_count = obj.point_count;
    for (int i = 0; i < obj.point_count; i++)
        m.x[i] = obj.points[i];
    for (int f = 0; f < obj.face_count; f++) {
        const int *c = obj.face_points + obj.face_start[f];
        for (int k = 1; k + 1 < obj.face_start[f + 1] - obj.face_start[f]; k++)
            add_triangle(&m, c[0], c[k], c[k + 1]);
    }
    fm_obj_free(&obj);
    return m;
}

// From the middle of the wall to the axis, m, at the height y.
static double glass_radius(double y)
{
    return LOW - WALL / 2 + (HIGH - LOW) * y / HEIGHT;
}

// The same glass as a shell: its floor and its wall.
static mesh make_shell(void)
{
    enum { AROUND = 32, UP = 6 };
    mesh m = new_mesh(1 + AROUND * (UP + 1), AROUND * (2 * UP + 1));
    m.x[m.vertex_count++] = (fm_vec3){0, FLOOR, 0};
    for (int k = 0; k <= UP; k++) {
        for (int c = 0; c < AROUND; c++) {
            double y = FLOOR + (HEIGHT - FLOOR) * k / UP, a = 2 * FM_PI * c / AROUND;
            m.x[m.vertex_count++] =
                (fm_vec3){glass_radius(y) * sin(a), y, glass_radius(y) * cos(a)};
        }
    }
    for (int c = 0; c < AROUND; c++) {
        int d = (c + 1) % AROUND;
        add_triangle(&m, 0, 1 + c, 1 + d);
        for (int k = 0; k < UP; k++) {
            int a = 1 + k * AROUND;
            add_triangle(&m, a + c, a + d, a + AROUND + d);
            add_triangle(&m, a + c, a + AROUND + d, a + AROUND + c);
        }
    }
    return m;
}

typedef struct pour {
    bool open, moved, animated, ball;
    fm_sph_method method;
} pour;

static fm_motion *make_motion(fm_world *world)
{
    fm_error err = {0};
    fm_turn turn = {.axis = {0, 0, 1}, .amplitude = 0.15, .period = 0.8};
    fm_motion *tilt = fm_motion_turn(world, &turn, &err);
    fm_motion *shake = fm_motion_sine(world, (fm_vec3){1, 0, 0.5}, 0.012, 0.7, &err);
    fm_motion *both = fm_motion_compose(world, shake, tilt, &err);
    assert_int_equal(err.status, FM_OK);
    return both;
}

// Ten frames a second, in which the whole glass sways.
enum { FRAMES = 11 };
static fm_vec3 sway(double t)
{
    return (fm_vec3){0.01 * sin(7 * t), 0.004 * sin(9 * t), 0.006 * sin(5 * t)};
}

static float *animate(const mesh *m)
{
    float *frames = calloc(3 * (size_t)m->vertex_count * FRAMES, sizeof *frames), *at = frames;
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < m->vertex_count; i++) {
            fm_vec3 x = fm_add(m->x[i], sway(0.1 * f));
            *at++ = (float)x.x, *at++ = (float)x.y, *at++ = (float)x.z;
        }
    }
    return frames;
}

static fm_collider *add_glass(fm_world *world, const pour *c, const fm_motion *motion)
{
    fm_error err = {0};
    mesh m = c->open ? make_shell() : read_glass();
    float *frames = c->animated ? animate(&m) : NULL;
    fm_collider_def def = fm_default_collider_def();
    def.name = "glass";
    def.motion = motion;
    fm_collider_mesh shape = {.vertices = m.x,
                              .vertex_count = m.vertex_count,
                              .triangles = m.triangles,
                              .triangle_count = m.triangle_count,
                              .thickness = WALL,
                              .frames = frames,
                              .frame_count = frames ? FRAMES : 0,
                              .fps = 10,
                              .interpolation = FM_INTERPOLATE_SPLINE};
    fm_collider *glass = fm_collider_create_mesh(world, &def, &shape, &err);
    assert_int_equal(err.status, FM_OK);
    free(frames);
    free_mesh(&m);
    return glass;
}

static fm_particles *add_water(fm_world *world, fm_sph_method method)
{
    fm_error err = {0};
    fm_particles_def def = fm_default_particles_def();
    def.spacing = SPACING;
    def.method = method;
    def.domain.low = (fm_vec3){-0.12, -0.05, -0.12};
    def.domain.high = (fm_vec3){0.12, 0.3, 0.12};
    def.capacity = 400;
    fm_particles *water = make_fluid(world, &def);
    fm_fluid_source source = {.centre = {0.003, 0.1, 0.002},
                              .direction = {0, -1, 0},
                              .radius = 0.0121,
                              .speed = 0.4,
                              .end = 0.45};
    assert_true(fm_particles_add_source(water, &source, &err));
    return water;
}

// In the glass, as it stands now.
static int count_inside(fm_particles *water, const pour *c, const fm_motion *motion, double t)
{
    double *x = read_fluid(water, "position", 3);
    fm_pose pose = fm_motion_pose(motion, t);
    int inside = 0, count = fm_particles_count(water);
    for (int i = 0; i < count; i++) {
        fm_vec3 at = fm_pose_apply_inverse(&pose, (fm_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]});
        at = c->animated ? fm_sub(at, sway(t)) : at;
        double r = hypot(at.x, at.z);
        bool in = at.y > FLOOR - 1e-4 && at.y < HEIGHT && r < glass_radius(at.y);
        if (!in)
            print_error("at %g %g %g in the frame of the glass\n", at.x, at.y, at.z);
        inside += in;
    }
    free(x);
    return inside;
}

static void check_pour(const pour *c)
{
    fm_world *world = make_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_motion *motion = c->moved ? make_motion(world) : NULL;
    add_glass(world, c, motion);
    if (c->ball) {
        fm_error err = {0};
        fm_collider_def def = fm_default_collider_def();
        def.shape.centre = (fm_vec3){0, 0.03, 0};
        def.shape.radius = 0.012;
        def.mass = 0.004;
        assert_non_null(fm_collider_create(world, &def, &err));
    }
    fm_particles *water = add_water(world, c->method);
    for (int frame = 0; frame < 10; frame++)
        advance(world, 0.1);
    int count = fm_particles_count(water);
    printf("  %d particles\n", count);
    assert_in_range(count, 150, 400);
    assert_int_equal(count_inside(water, c, motion, 1), count);
    fm_world_destroy(world);
}

static void a_closed_glass_holds_all(void **state)
{
    (void)state;
    check_pour(&(pour){0});
}

static void a_closed_glass_holds_all_while_shaken(void **state)
{
    (void)state;
    check_pour(&(pour){.moved = true, .method = FM_SPH_CONSTANT_DENSITY});
    check_pour(&(pour){.moved = true});
}

static void a_shell_holds_all(void **state)
{
    (void)state;
    check_pour(&(pour){.open = true, .method = FM_SPH_CONSTANT_DENSITY});
}

static void a_shell_holds_all_while_shaken(void **state)
{
    (void)state;
    check_pour(&(pour){.open = true, .moved = true});
    check_pour(&(pour){.open = true, .moved = true, .ball = true});
}

static void an_animated_glass_holds_all(void **state)
{
    (void)state;
    check_pour(&(pour){.animated = true});
    check_pour(&(pour){.open = true, .animated = true, .method = FM_SPH_CONSTANT_DENSITY});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_glass_holds_all),
        cmocka_unit_test(a_closed_glass_holds_all_while_shaken),
        cmocka_unit_test(a_shell_holds_all),
        cmocka_unit_test(a_shell_holds_all_while_shaken),
        cmocka_unit_test(an_animated_glass_holds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
