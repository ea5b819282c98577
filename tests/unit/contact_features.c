// SPDX-License-Identifier: MIT
// contact_features.c: pairs of features (vertex and triangle, edge and edge): closest points
// against a brute-force search; times of impact against known values; batched against scalar code.
//
// The four vertices of a pair are p[0] and the triangle p[1], p[2], p[3], or the edges p[0] p[1]
// and p[2] p[3].
#include "check.h"
#include "collide/contact.h"

#include <string.h>

static double random_coordinate(fm_rng *rng)
{
    return 2 * fm_rng_uniform(rng) - 1;
}

static fm_vec3 random_point(fm_rng *rng)
{
    return (fm_vec3){random_coordinate(rng), random_coordinate(rng), random_coordinate(rng)};
}

static fm_vec3 interpolate(fm_vec3 a, fm_vec3 b, double t)
{
    return fm_add_scaled(a, fm_sub(b, a), t);
}

// Distance of two features (vertex and triangle, or two edges) by a search over a fine grid of
// points on both: never less than the true distance, and hardly more.
static double search_distance(fm_feature_kind kind, const fm_vec3 p[4])
{
    enum { CUTS = 60 }; // intervals along each parameter
    double least = INFINITY;
    for (int i = 0; i <= CUTS; i++) {
        for (int j = 0; j <= CUTS; j++) {
            double s = (double)i / CUTS, t = (double)j / CUTS;
            fm_vec3 a = kind == FM_EDGE_EDGE ? interpolate(p[0], p[1], s) : p[0];
            fm_vec3 b = kind == FM_EDGE_EDGE ? interpolate(p[2], p[3], t)
                                             : interpolate(p[1], interpolate(p[2], p[3], t), s);
            least = fmin(least, fm_length(fm_sub(a, b)));
        }
    }
    return least;
}

// Checks the closest points of a pair of features: their distance is that of a search, and the sum
// of the vertices with their barycentric weights is the vector between the closest points (gap).
// The weights of the first feature are positive and those of the second negative.
static void check_closest(fm_feature_kind kind, const fm_vec3 p[4])
{
    fm_closest c = fm_feature_find_closest(kind, p);
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

static void closest_points_match_brute_force(void **state)
{
    (void)state;
    fm_rng rng = {3};
    for (int n = 0; n < 600; n++) {
        fm_vec3 p[4];
        for (int i = 0; i < 4; i++)
            p[i] = random_point(&rng);
        if (n % 4 == 1) // all points in one plane
            p[0].y = p[1].y = p[2].y = p[3].y = 0.3;
        if (n % 4 == 2) // parallel edges; a triangle without area
            p[3] = fm_add_scaled(p[2], fm_sub(p[1], p[0]), random_coordinate(&rng));
        if (n % 16 == 3) // an edge of zero length
            p[3] = p[2];
        check_closest(FM_VERTEX_TRIANGLE, p);
        check_closest(FM_EDGE_EDGE, p);
    }
}

// Two features (vertex and triangle, or two edges) start apart and move so that two of their
// points, with known parameters s and t, coincide at the time `hit`. The time of impact must not be
// later, and the features must be near each other then.
static void an_impact_is_never_found_too_late(void **state)
{
    (void)state;
    fm_rng rng = {5};
    int tried = 0;
    while (tried < 20000) {
        fm_feature_kind kind = tried % 2 ? FM_EDGE_EDGE : FM_VERTEX_TRIANGLE;
        fm_vec3 from[4], to[4];
        double s = fm_rng_uniform(&rng), t = fm_rng_uniform(&rng) * (kind ? 1 : 1 - s);
        // barycentric weights of the two points, by kind
        double w[2][4] = {{1, s + t - 1, -s, -t}, {1 - s, s, t - 1, -t}};
        double hit = 0.05 + 0.9 * fm_rng_uniform(&rng);
        double least = 1e-3;      // minimum separation that counts as an impact
        fm_vec3 miss = {0, 0, 0}; // vector between the two points at `hit`, to be made zero
        for (int i = 0; i < 4; i++) {
            from[i] = random_point(&rng), to[i] = random_point(&rng);
            miss = fm_add_scaled(miss, interpolate(from[i], to[i], hit), w[kind][i]);
        }
        int first_count = kind == FM_EDGE_EDGE ? 2 : 1;
        // the points with parameters s and t coincide at `hit`
        for (int i = 0; i < first_count; i++)
            to[i] = fm_add_scaled(to[i], miss, -1 / hit);
        if (fm_feature_find_closest(kind, from).distance < 10 * least)
            continue;
        tried++;
        double found = fm_feature_find_impact_time(kind, from, to, least);
        assert_true(found < hit);
        fm_vec3 p[4];
        for (int i = 0; i < 4; i++)
            p[i] = interpolate(from[i], to[i], found);
        double d = fm_feature_find_closest(kind, p).distance;
        assert_in_interval(d, least, 1.1 * least);
    }
}

static void features_that_stay_apart_have_no_impact(void **state)
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
                p[i] = interpolate(from[i], to[i], k / 200.0);
            nearest = fmin(nearest, fm_feature_find_closest(kind, p).distance);
        }
        if (nearest < 0.02)
            continue; // the features may have met between two sampled times
        assert_true(fm_feature_find_impact_time(kind, from, to, least) > 1);
        none++;
    }
    assert_true(none > 1000);
}

static const double separation = 0.01; // the distance (m) at which features count as touching

// A vertex falls on a triangle, and edges on edges: the time of impact is known exactly, for any
// height and speed.
static void impact_times_of_falling_features_are_exact(void **state)
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
            double fall = 0.5 * pow(1.7, k); // m in the unit of time, from 1 m above
            memcpy(to, cases[n], sizeof to);
            for (int i = 0; i < (n == 0 ? 1 : 2); i++)
                to[i].y -= fall;
            double t = fm_feature_find_impact_time(kind, cases[n], to, separation);
            if (fall < 0.9)
                assert_true(t > 1);
            if (fall > 0.99)
                assert_in_interval(t * fall, 0.989, 0.99 + 1e-12);
        }
    }
}

static void resting_grazing_and_coplanar_features_have_known_impact_times(void **state)
{
    (void)state;
    fm_vec3 still[4] = {{0.2, 0.02, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, to[4];
    assert_true(fm_feature_find_impact_time(FM_VERTEX_TRIANGLE, still, still, separation) > 1);
    memcpy(to, still, sizeof to);
    for (int i = 0; i < 4; i++) // all points move together, far
        to[i] = fm_add(to[i], (fm_vec3){1e3, -2e3, 5});
    assert_true(fm_feature_find_impact_time(FM_VERTEX_TRIANGLE, still, to, separation) > 1);
    memcpy(to, still, sizeof to);
    to[0].x += 5; // parallel to the triangle, above the minimum separation: no impact
    assert_true(fm_feature_find_impact_time(FM_VERTEX_TRIANGLE, still, to, separation) > 1);
    // it moves sideways and slightly downwards: at two thirds of the step its height is the
    // separation, and it is above the triangle
    double t = fm_feature_find_impact_time(
        FM_VERTEX_TRIANGLE, (fm_vec3[4]){{-0.5, 0.02, 0.2}, still[1], still[2], still[3]},
        (fm_vec3[4]){{0.5, 0.005, 0.2}, still[1], still[2], still[3]}, separation);
    assert_in_interval(t, 0.5, 2.0 / 3 + 1e-12);
    // moves in the plane of the triangle, into its side
    fm_vec3 plane[4] = {{-1, 0, 0.2}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    memcpy(to, plane, sizeof to);
    to[0].x = 1;
    t = fm_feature_find_impact_time(FM_VERTEX_TRIANGLE, plane, to, separation);
    assert_in_interval(t, 0.494, 0.495 + 1e-12);
    fm_vec3 row[4] = {{-3, 0, 0}, {-2, 0, 0}, {2, 0, 0}, {3, 0, 0}}; // two edges on one line
    memcpy(to, row, sizeof to);
    to[0].x += 6, to[1].x += 6;
    t = fm_feature_find_impact_time(FM_EDGE_EDGE, row, to, separation);
    assert_in_interval(t * 6, 3.989, 3.99 + 1e-12);
}

// The batched code gives the same closest points as the scalar code, for pairs in all positions,
// parallel and coplanar ones included, and for any batch size.
static void batched_and_scalar_closest_points_agree(void **state)
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
                p[i][k].z *= round % 5 ? 1 : 0; // all points in one plane
            }
            if (round % 7 == 0)
                p[i][3] = fm_add(p[i][2], fm_sub(p[i][1], p[i][0])); // parallel edges
            for (int k = 0; k < 4; k++) {
                batch.p[k][0][i] = p[i][k].x;
                batch.p[k][1][i] = p[i][k].y;
                batch.p[k][2][i] = p[i][k].z;
            }
        }
        fm_feature_find_closest_batch(kind, &batch, count);
        for (int i = 0; i < count; i++) {
            fm_closest one = fm_feature_find_closest(kind, p[i]);
            fm_vec3 gap = {batch.gap[0][i], batch.gap[1][i], batch.gap[2][i]};
            assert_close(batch.distance[i], one.distance, 1e-12);
            assert_close(fm_length(gap), batch.distance[i], 1e-14);
            fm_near_pair pair = {.s = batch.s[i], .t = batch.t[i]};
            double w[4];
            fm_near_find_weights(kind, &pair, w);
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
        cmocka_unit_test(closest_points_match_brute_force),
        cmocka_unit_test(an_impact_is_never_found_too_late),
        cmocka_unit_test(features_that_stay_apart_have_no_impact),
        cmocka_unit_test(impact_times_of_falling_features_are_exact),
        cmocka_unit_test(resting_grazing_and_coplanar_features_have_known_impact_times),
        cmocka_unit_test(batched_and_scalar_closest_points_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
