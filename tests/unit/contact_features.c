// SPDX-License-Identifier: MIT
// Closest points against a search over all of both features; times of impact against known ones;
// orientation signs and the tree against plain answers.
#include "check.h"
#include "collide/contact.h"

#include <string.h>

static double spread(fm_rng *rng)
{
    return 2 * fm_rng_uniform(rng) - 1;
}

static fm_vec3 random_point(fm_rng *rng)
{
    return (fm_vec3){spread(rng), spread(rng), spread(rng)};
}

static fm_vec3 mix(fm_vec3 a, fm_vec3 b, double t)
{
    return fm_add_scaled(a, fm_sub(b, a), t);
}

// Of points on a fine mesh of both features: never nearer than the closest, and hardly further.
static double search_distance(fm_feature_kind kind, const fm_vec3 p[4])
{
    enum { CUTS = 60 };
    double least = INFINITY;
    for (int i = 0; i <= CUTS; i++) {
        for (int j = 0; j <= CUTS; j++) {
            double s = (double)i / CUTS, t = (double)j / CUTS;
            fm_vec3 a = kind == FM_EDGE_EDGE ? mix(p[0], p[1], s) : p[0];
            fm_vec3 b =
                kind == FM_EDGE_EDGE ? mix(p[2], p[3], t) : mix(p[1], mix(p[2], p[3], t), s);
            least = fmin(least, fm_length(fm_sub(a, b)));
        }
    }
    return least;
}

static void check_closest(fm_feature_kind kind, const fm_vec3 p[4])
{
    fm_closest c = fm_closest_points(kind, p);
    double found = search_distance(kind, p);
    assert_in_interval(found, c.distance - 1e-9, c.distance + 0.06);
    fm_vec3 gap = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        gap = fm_add_scaled(gap, p[i], c.weight[i]);
    assert_close(fm_length(fm_sub(gap, c.gap)), 0, 1e-14);
    assert_close(fm_length(gap), c.distance, 1e-14);
    double first = kind == FM_EDGE_EDGE ? c.weight[0] + c.weight[1] : c.weight[0];
    assert_close(first, 1, 1e-15);
    assert_close(c.weight[0] + c.weight[1] + c.weight[2] + c.weight[3], 0, 1e-15);
    for (int i = 0; i < 4; i++) {
        bool second = i >= (kind == FM_EDGE_EDGE ? 2 : 1);
        assert_in_interval(second ? -c.weight[i] : c.weight[i], -1e-12, 1 + 1e-12);
    }
}

static void closest_points_of_random_features(void **state)
{
    (void)state;
    fm_rng rng = {3};
    for (int n = 0; n < 600; n++) {
        fm_vec3 p[4];
        for (int i = 0; i < 4; i++)
            p[i] = random_point(&rng);
        if (n % 4 == 1) // all in one plane
            p[0].y = p[1].y = p[2].y = p[3].y = 0.3;
        if (n % 4 == 2) // edges parallel; a triangle without area
            p[3] = fm_add_scaled(p[2], fm_sub(p[1], p[0]), spread(&rng));
        if (n % 16 == 3) // an edge without length
            p[3] = p[2];
        check_closest(FM_VERTEX_TRIANGLE, p);
        check_closest(FM_EDGE_EDGE, p);
    }
}

// Both start apart and are led so that two points of theirs, at known shares, meet at time t_hit:
// the answer may not be later, nor, where they do not come near before, much earlier.
static void never_late(void **state)
{
    (void)state;
    fm_rng rng = {5};
    int tried = 0;
    double latest = 0;
    while (tried < 20000) {
        fm_feature_kind kind = tried % 2 ? FM_EDGE_EDGE : FM_VERTEX_TRIANGLE;
        fm_vec3 from[4], to[4];
        double s = fm_rng_uniform(&rng), t = fm_rng_uniform(&rng) * (kind ? 1 : 1 - s);
        double w[2][4] = {{1, s + t - 1, -s, -t}, {1 - s, s, t - 1, -t}};
        double hit = 0.05 + 0.9 * fm_rng_uniform(&rng), least = 1e-3;
        fm_vec3 miss = {0, 0, 0};
        for (int i = 0; i < 4; i++) {
            from[i] = random_point(&rng), to[i] = random_point(&rng);
            miss = fm_add_scaled(miss, mix(from[i], to[i], hit), w[kind][i]);
        }
        int first_count = kind == FM_EDGE_EDGE ? 2 : 1;
        for (int i = 0; i < first_count; i++) // the points at s and t coincide at `hit`
            to[i] = fm_add_scaled(to[i], miss, -1 / hit);
        if (fm_closest_points(kind, from).distance < 10 * least)
            continue;
        tried++;
        double found = fm_time_of_impact(kind, from, to, least);
        latest = fmax(latest, found - hit);
        assert_true(found < hit);
        fm_vec3 p[4];
        for (int i = 0; i < 4; i++)
            p[i] = mix(from[i], to[i], found);
        double d = fm_closest_points(kind, p).distance;
        assert_in_interval(d, least, 1.1 * least);
    }
}

static void no_false_alarm(void **state)
{
    (void)state;
    fm_rng rng = {6};
    int none = 0;
    for (int n = 0; n < 4000; n++) {
        fm_feature_kind kind = n % 2 ? FM_EDGE_EDGE : FM_VERTEX_TRIANGLE;
        fm_vec3 from[4], to[4], p[4];
        for (int i = 0; i < 4; i++)
            from[i] = random_point(&rng), to[i] = fm_add_scaled(from[i], random_point(&rng), 0.4);
        double least = 1e-3, nearest = INFINITY;
        for (int k = 0; k <= 200; k++) {
            for (int i = 0; i < 4; i++)
                p[i] = mix(from[i], to[i], k / 200.0);
            nearest = fmin(nearest, fm_closest_points(kind, p).distance);
        }
        if (nearest < 0.02)
            continue; // perhaps met between two looks
        assert_true(fm_time_of_impact(kind, from, to, least) > 1);
        none++;
    }
    assert_true(none > 1000);
}

// A vertex falls on a triangle, edges on edges: exactly known, at any height and speed.
static void straight_falls(void **state)
{
    (void)state;
    fm_vec3 flat[4] = {{0.2, 1, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    fm_vec3 cross[4] = {{-1, 1, 0}, {1, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    fm_vec3 parallel[4] = {{-1, 1, 0}, {1, 1, 0}, {-0.5, 0, 0}, {0.7, 0, 0}};
    fm_vec3 *cases[3] = {flat, cross, parallel};
    for (int n = 0; n < 3; n++) {
        fm_feature_kind kind = n == 0 ? FM_VERTEX_TRIANGLE : FM_EDGE_EDGE;
        fm_vec3 to[4];
        for (int k = 0; k < 15; k++) {
            double fall = 0.5 * pow(1.7, k);
            memcpy(to, cases[n], sizeof to);
            for (int i = 0; i < (n == 0 ? 1 : 2); i++)
                to[i].y -= fall;
            double t = fm_time_of_impact(kind, cases[n], to, 0.01);
            if (fall < 0.9)
                assert_true(t > 1);
            if (fall > 0.99)
                assert_in_interval(t * fall, 0.989, 0.99 + 1e-12);
        }
    }
}

static void still_grazing_and_in_one_plane(void **state)
{
    (void)state;
    fm_vec3 still[4] = {{0.2, 0.02, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, to[4];
    assert_true(fm_time_of_impact(FM_VERTEX_TRIANGLE, still, still, 0.01) > 1);
    memcpy(to, still, sizeof to);
    for (int i = 0; i < 4; i++) // all together, far
        to[i] = fm_add(to[i], (fm_vec3){1e3, -2e3, 5});
    assert_true(fm_time_of_impact(FM_VERTEX_TRIANGLE, still, to, 0.01) > 1);
    memcpy(to, still, sizeof to);
    to[0].x += 5; // along the triangle, above what is kept: never met
    assert_true(fm_time_of_impact(FM_VERTEX_TRIANGLE, still, to, 0.01) > 1);
    to[0].y = 0.005; // slightly down: 0.01 is passed while it is above the triangle
    double t = fm_time_of_impact(
        FM_VERTEX_TRIANGLE, (fm_vec3[4]){{-0.5, 0.02, 0.2}, still[1], still[2], still[3]},
        (fm_vec3[4]){{0.5, 0.005, 0.2}, still[1], still[2], still[3]}, 0.01);
    assert_in_interval(t, 0.5, 2.0 / 3 + 1e-12);
    fm_vec3 plane[4] = {{-1, 0, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}}; // into its side, in plane
    memcpy(to, plane, sizeof to);
    to[0].x = 1;
    t = fm_time_of_impact(FM_VERTEX_TRIANGLE, plane, to, 0.01);
    assert_in_interval(t, 0.494, 0.495 + 1e-12);
    fm_vec3 row[4] = {{-3, 0, 0}, {-2, 0, 0}, {2, 0, 0}, {3, 0, 0}}; // edges on one line
    memcpy(to, row, sizeof to);
    to[0].x += 6, to[1].x += 6;
    t = fm_time_of_impact(FM_EDGE_EDGE, row, to, 0.01);
    assert_in_interval(t * 6, 3.989, 3.99 + 1e-12);
}

// The vector code gives what the plain code does, for pairs in every position, parallel and flat
// ones among them, and for any number of them.
static void batches_agree(void **state)
{
    (void)state;
    fm_rng rng = {11};
    for (int round = 0; round < 2000; round++) {
        fm_feature_kind kind = (fm_feature_kind)(round % 2);
        int count = 1 + round % FM_CLOSEST_BATCH;
        fm_vec3 p[FM_CLOSEST_BATCH][4];
        fm_closest_batch batch = {0};
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 4; k++) {
                p[i][k] = random_point(&rng);
                p[i][k].z *= round % 5 ? 1 : 0; // all in a plane
            }
            if (round % 7 == 0)
                p[i][3] = fm_add(p[i][2], fm_sub(p[i][1], p[i][0])); // parallel edges
            for (int k = 0; k < 4; k++) {
                batch.p[k][0][i] = p[i][k].x;
                batch.p[k][1][i] = p[i][k].y;
                batch.p[k][2][i] = p[i][k].z;
            }
        }
        fm_closest_points_batch(kind, &batch, count);
        for (int i = 0; i < count; i++) {
            fm_closest one = fm_closest_points(kind, p[i]);
            fm_vec3 gap = {batch.gap[0][i], batch.gap[1][i], batch.gap[2][i]};
            assert_close(batch.distance[i], one.distance, 1e-12);
            assert_close(fm_length(gap), batch.distance[i], 1e-14);
            fm_near_pair pair = {.s = batch.s[i], .t = batch.t[i]};
            double w[4];
            fm_near_weights(kind, &pair, w);
            fm_vec3 sum = {0, 0, 0};
            for (int k = 0; k < 4; k++)
                sum = fm_add_scaled(sum, p[i][k], w[k]);
            assert_close(fm_length(fm_sub(sum, gap)), 0, 1e-13);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_of_random_features),
        cmocka_unit_test(never_late),
        cmocka_unit_test(no_false_alarm),
        cmocka_unit_test(straight_falls),
        cmocka_unit_test(still_grazing_and_in_one_plane),
        cmocka_unit_test(batches_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
