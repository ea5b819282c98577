// SPDX-License-Identifier: MIT
// particles_meshes.c: water is poured into a glass whose walls are a third of a spacing thick: no
// particle may cross them. The glass is a closed mesh (from an OBJ file) or an open shell. It is at
// rest, tilted and shaken, contains a ball, or is an animated mesh.
#include "fluids.h"
#include "particles/particles.h"
#include "world/world.h"

static const double SPACING = 0.008; // m

// Dimensions of the glass that scripts/make-glass writes, m: thickness of wall and floor, outer
// radius at the base (LOW) and at the rim (HIGH).
static const double HEIGHT = 0.12, WALL = 0.0025, FLOOR = 0.007, LOW = 0.031, HIGH = 0.04;

// The glass as a closed mesh, from its OBJ file.
static fixture_mesh read_glass(void)
{
    fm_obj obj;
    fm_error err = {0};
    assert_true(fm_obj_read(SOURCE_DIR "/scenes/particles/glass.obj", &obj, &err));
    fixture_mesh m =
        fixture_create_mesh(obj.mesh.point_count, obj.mesh.face_start[obj.mesh.face_count]);
    m.vertex_count = obj.mesh.point_count;
    for (int i = 0; i < obj.mesh.point_count; i++)
        m.positions[i] = obj.mesh.points[i];
    for (int f = 0; f < obj.mesh.face_count; f++) {
        const int *c = obj.mesh.face_points + obj.mesh.face_start[f];
        for (int k = 1; k + 1 < obj.mesh.face_start[f + 1] - obj.mesh.face_start[f]; k++)
            fixture_add_triangle(&m, c[0], c[k], c[k + 1]);
    }
    fm_obj_destroy(&obj);
    return m;
}

// Distance of the middle of the wall from the axis at the height y, m.
static double glass_radius(double y)
{
    return LOW - WALL / 2 + (HIGH - LOW) * y / HEIGHT;
}

// The same glass as an open shell of floor and wall.
static fixture_mesh create_shell(void)
{
    enum { AROUND = 32, UP = 6 }; // quadrilaterals of the wall
    fixture_mesh m = fixture_create_mesh(1 + AROUND * (UP + 1), AROUND * (2 * UP + 1));
    m.positions[m.vertex_count++] = (fm_vec3){0, FLOOR, 0};
    for (int k = 0; k <= UP; k++) {
        for (int c = 0; c < AROUND; c++) {
            double y = FLOOR + (HEIGHT - FLOOR) * k / UP, a = 2 * FM_PI * c / AROUND;
            m.positions[m.vertex_count++] =
                (fm_vec3){glass_radius(y) * sin(a), y, glass_radius(y) * cos(a)};
        }
    }
    for (int c = 0; c < AROUND; c++) {
        int d = (c + 1) % AROUND;
        fixture_add_triangle(&m, 0, 1 + c, 1 + d);
        for (int k = 0; k < UP; k++) {
            int a = 1 + k * AROUND;
            fixture_add_triangle(&m, a + c, a + d, a + AROUND + d);
            fixture_add_triangle(&m, a + c, a + AROUND + d, a + AROUND + c);
        }
    }
    return m;
}

// One case of pouring water into a glass.
typedef struct pour {
    bool open;     // the glass is an open shell, not a closed mesh
    bool moved;    // it is tilted and shaken
    bool animated; // its vertices are animated
    bool ball;     // it contains a ball
    fm_sph_method method;
} pour;

// The motion of a glass that is tilted and shaken.
static fm_motion *create_motion(fm_world *world)
{
    fm_error err = {0};
    fm_turn turn = {.axis = {0, 0, 1}, .amplitude = 0.15, .period = 0.8};
    fm_motion *tilt = fm_motion_turn(world, &turn, &err);
    fm_motion *shake = fm_motion_sine(world, (fm_vec3){1, 0, 0.5}, 0.012, 0.7, &err);
    fm_motion *both = fm_motion_compose(world, shake, tilt, &err);
    assert_int_equal(err.status, FM_OK);
    return both;
}

// The animation has ten frames per second, in which the whole glass is displaced by sway(t), m.
enum { FRAMES = 11 };
static fm_vec3 sway(double t)
{
    return (fm_vec3){0.01 * sin(7 * t), 0.004 * sin(9 * t), 0.006 * sin(5 * t)};
}

// Positions of all vertices at all frames; the caller frees them.
static float *animate(const fixture_mesh *m)
{
    float *frames = calloc(3 * (size_t)m->vertex_count * FRAMES, sizeof *frames), *next = frames;
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < m->vertex_count; i++) {
            fm_vec3 x = fm_add(m->positions[i], sway(0.1 * f));
            *next++ = (float)x.x, *next++ = (float)x.y, *next++ = (float)x.z;
        }
    }
    return frames;
}

// Adds the glass of a case. motion: of the glass; NULL: it is at rest.
static fm_collider *add_glass(fm_world *world, const pour *c, const fm_motion *motion)
{
    fm_error err = {0};
    fixture_mesh m = c->open ? create_shell() : read_glass();
    float *frames = c->animated ? animate(&m) : NULL;
    fm_collider_def def = fm_default_collider_def();
    def.name = "glass";
    def.motion = motion;
    fm_collider_mesh shape = fixture_collider_mesh(&m, WALL);
    shape.frames = frames;
    shape.frame_count = frames ? FRAMES : 0;
    shape.fps = 10;
    shape.interpolation = FM_INTERPOLATE_SPLINE;
    fm_collider *glass = fm_collider_create_mesh(world, &def, &shape, &err);
    assert_int_equal(err.status, FM_OK);
    free(frames);
    fixture_destroy_mesh(&m);
    return glass;
}

// Adds a source that pours water into the glass for 0.45 s.
static fm_particles *add_water(fm_world *world, fm_sph_method method)
{
    fm_error err = {0};
    fm_particles_def def = fm_default_particles_def();
    def.spacing = SPACING;
    def.method = method;
    def.domain.low = (fm_vec3){-0.12, -0.05, -0.12};
    def.domain.high = (fm_vec3){0.12, 0.3, 0.12};
    def.capacity = 400;
    fm_particles *water = create_fluid(world, &def);
    fm_fluid_source source = {.centre = {0.003, 0.1, 0.002},
                              .direction = {0, -1, 0},
                              .radius = 0.0121,
                              .speed = 0.4,
                              .end = 0.45};
    assert_true(fm_particles_add_source(water, &source, &err));
    return water;
}

// Number of particles inside the glass at time t (s). Prints the positions of the others.
static int count_inside(fm_particles *water, const pour *c, const fm_motion *motion, double t)
{
    double *x = read_fluid(water, "position", 3);
    fm_pose pose = fm_motion_pose(motion, t);
    int inside = 0, count = fm_particles_count(water);
    for (int i = 0; i < count; i++) {
        // position in the frame of the glass, m
        fm_vec3 p = fm_pose_apply_inverse(&pose, (fm_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]});
        p = c->animated ? fm_sub(p, sway(t)) : p;
        double r = hypot(p.x, p.z);
        bool in = p.y > FLOOR - 1e-4 && p.y < HEIGHT && r < glass_radius(p.y);
        if (!in)
            print_error("at %g %g %g in the frame of the glass\n", p.x, p.y, p.z);
        inside += in;
    }
    free(x);
    return inside;
}

// Pours water into the glass for a second and checks that all of it is inside.
static void check_pour(const pour *c)
{
    fm_world *world = create_world(0, 0, (fm_vec3){0, -9.81, 0});
    fm_motion *motion = c->moved ? create_motion(world) : NULL;
    add_glass(world, c, motion);
    if (c->ball) {
        fm_error err = {0};
        fm_collider_def def = fixture_ball_def((fm_vec3){0, 0.03, 0}, 0.012);
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

static void a_closed_mesh_at_rest_holds_every_particle(void **state)
{
    (void)state;
    check_pour(&(pour){0});
}

static void a_closed_mesh_holds_every_particle_while_shaken(void **state)
{
    (void)state;
    check_pour(&(pour){.moved = true, .method = FM_SPH_CONSTANT_DENSITY});
    check_pour(&(pour){.moved = true});
}

static void an_open_shell_at_rest_holds_every_particle(void **state)
{
    (void)state;
    check_pour(&(pour){.open = true, .method = FM_SPH_CONSTANT_DENSITY});
}

static void an_open_shell_holds_every_particle_while_shaken(void **state)
{
    (void)state;
    check_pour(&(pour){.open = true, .moved = true});
    check_pour(&(pour){.open = true, .moved = true, .ball = true});
}

static void an_animated_mesh_holds_every_particle(void **state)
{
    (void)state;
    check_pour(&(pour){.animated = true});
    check_pour(&(pour){.open = true, .animated = true, .method = FM_SPH_CONSTANT_DENSITY});
}

static void boundary_particles_move_with_the_triangles_of_an_animated_mesh(void **state)
{
    (void)state;
    const pour c = {.animated = true};
    const double h = 1e-4;
    fm_world *world = create_world(1000, 1e-3, no_gravity);
    add_glass(world, &c, NULL);
    fm_particles *p = add_water(world, FM_SPH_WEAKLY_COMPRESSIBLE);
    double farthest = 0, t = 0; // m, s
    int compared = 0;
    for (int k = 0; k < 6; k++) {
        advance(world, 0.04);
        assert_int_equal(advance(world, h).substep_count, 1);
        t += 0.04 + h;
        const double *o = p->rows.origin;
        for (int i = 0; i < p->boundary.count; i++) {
            if (p->identity[i].owner.kind != FM_OWNER_COLLIDER)
                continue;
            // expected and actual position, in the middle of the substep
            fm_vec3 expected = fm_add(p->points[p->identity[i].point].x, sway(t - h / 2));
            fm_vec3 x = {p->boundary.x[i] + o[0], p->boundary.y[i] + o[1], p->boundary.z[i] + o[2]};
            farthest = fmax(farthest, fm_length(fm_sub(expected, x)));
            compared++;
        }
    }
    assert_true(compared > 100);
    assert_at_most(farthest, 1e-4); // m; the glass moves by 0.01 m
    fm_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_mesh_at_rest_holds_every_particle),
        cmocka_unit_test(a_closed_mesh_holds_every_particle_while_shaken),
        cmocka_unit_test(an_open_shell_at_rest_holds_every_particle),
        cmocka_unit_test(an_open_shell_holds_every_particle_while_shaken),
        cmocka_unit_test(an_animated_mesh_holds_every_particle),
        cmocka_unit_test(boundary_particles_move_with_the_triangles_of_an_animated_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
