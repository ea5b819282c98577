// SPDX-License-Identifier: MIT
// time_of_impact.c: time of impact of a pair of features, a vertex and a triangle or two edges,
// whose points move straight (continuous collision detection).
//
// Additive conservative advancement [LKJ21]: with p(t) = from + t (to - from)
//
//     t <- t + s (d(t) - least) / L      until d(t) - least < (least or d(0) - least) / 10
//
// L bounds how fast the distance can shrink: the largest speed of a point of the first feature plus
// that of the second, after subtracting the mean velocity. No step passes a contact, whatever the
// geometry: parallel edges and coplanar motion need no special case.
//
//   d  distance, m    least  separation to keep, m    s = 0.9  fraction of the safe distance taken
#include "collide/contact.h"

static const double SAFE_FRACTION = 0.9; // s in the formula above
// relative to `least`, the separation to keep: features nearer than 1.1 least count as in contact
static const double TOLERANCE = 0.1;
// limit for the advances towards a time of impact; when it is reached, the pair counts as an impact
enum { MAX_ADVANCES = 1000 };

// Upper bound of the speed at which two features approach, m per unit of time: largest speed of a
// point of the first feature plus that of the second, relative to the mean of all four.
// displacement: receives to - from.
static double find_closing_speed(fm_feature_kind kind, const fm_vec3 from[4], const fm_vec3 to[4],
                                 fm_vec3 displacement[4])
{
    fm_vec3 mean = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        displacement[i] = fm_sub(to[i], from[i]);
        mean = fm_add_scaled(mean, displacement[i], 0.25);
    }
    double fastest[2] = {0, 0};
    int first_count = kind == FM_VERTEX_TRIANGLE ? 1 : 2;
    for (int i = 0; i < 4; i++) {
        double speed = fm_length(fm_sub(displacement[i], mean));
        fastest[i >= first_count] = fm_double_max(fastest[i >= first_count], speed);
    }
    return fastest[0] + fastest[1];
}

// Time of impact in [0, 1] by conservative advancement, when points move straight from `from` to
// `to`; 2: the features stay further apart than `least` m.
double fm_feature_find_impact_time(fm_feature_kind kind, const fm_vec3 from[4], const fm_vec3 to[4],
                                   double least)
{
    fm_vec3 displacement[4], p[4];
    double speed = find_closing_speed(kind, from, to, displacement);
    double clearance = fm_feature_find_closest(kind, from).distance - least;
    if (clearance > speed)
        return 2;
    if (!(clearance > 0))
        return 0;
    double enough = fm_double_min((1 - SAFE_FRACTION) * clearance, TOLERANCE * least), t = 0;
    for (int advance = 0; advance < MAX_ADVANCES; advance++) {
        t += SAFE_FRACTION * clearance / speed;
        if (t >= 1)
            return 2;
        for (int i = 0; i < 4; i++)
            p[i] = fm_add_scaled(from[i], displacement[i], t);
        clearance = fm_feature_find_closest(kind, p).distance - least;
        if (clearance <= enough)
            break;
    }
    return t;
}
