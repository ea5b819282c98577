// SPDX-License-Identifier: MIT
// colors.c: colormaps, paints, and the labels of a colour bar.
//
// The colormaps are defined in Oklab [O20], a perceptually uniform colour space: L lightness, a
// green to red, b blue to yellow. The sequential map is a spline through a few points there,
// parametrised by arc length, so that equal steps look equally large. Its lightness increases
// throughout, so a greyscale print keeps the order of values. Both maps stay inside the sRGB gamut.
#include "draw/draw.h"

#include <stdlib.h>

enum { CONTROL_POINTS = 7, ARC_STEPS = 256 }; // points of the spline; steps of its length

// A colour in Oklab: lightness, green to red, blue to yellow.
typedef struct oklab {
    double L, a, b;
} oklab;

// Converts Oklab to linear RGB, clamped to 0 to 1 [O20].
static fm_color from_oklab(oklab c)
{
    double l = c.L + 0.3963377774 * c.a + 0.2158037573 * c.b;
    double m = c.L - 0.1055613458 * c.a - 0.0638541728 * c.b;
    double s = c.L - 0.0894841775 * c.a - 1.2914855480 * c.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (fm_color){
        fm_float_clamp01((float)(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)),
        fm_float_clamp01((float)(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)),
        fm_float_clamp01((float)(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)),
    };
}

// Control points (lightness, chroma, hue in degrees): deep violet, blue, teal, green, light yellow.
static const double sequential[CONTROL_POINTS][3] = {
    {0.26, 0.105, 305}, {0.38, 0.120, 278}, {0.50, 0.105, 243}, {0.61, 0.100, 197},
    {0.72, 0.135, 160}, {0.83, 0.165, 128}, {0.94, 0.155, 105},
};

// Catmull-Rom spline through the control points, at t in [0, 1].
static oklab sequential_at(double t)
{
    double x = t * (CONTROL_POINTS - 1), p[3];
    int i = x < CONTROL_POINTS - 1 ? (int)x : CONTROL_POINTS - 2;
    double s = x - i;
    for (int k = 0; k < 3; k++) {
        // the interval from b to c; beyond the ends the spline is extended linearly
        double b = sequential[i][k], c = sequential[i + 1][k];
        double a = i > 0 ? sequential[i - 1][k] : 2 * b - c;
        double d = i + 2 < CONTROL_POINTS ? sequential[i + 2][k] : 2 * c - b;
        p[k] = b + s / 2 * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)));
    }
    double hue = p[2] * FM_DEGREE;
    return (oklab){p[0], p[1] * cos(hue), p[1] * sin(hue)};
}

// The parameter of sequential_at at a fraction of the spline's arc length.
static double find_arc_parameter(double fraction)
{
    double length[ARC_STEPS + 1] = {0};
    oklab previous = sequential_at(0);
    for (int i = 1; i <= ARC_STEPS; i++) {
        oklab next = sequential_at((double)i / ARC_STEPS);
        length[i] = length[i - 1] +
                    hypot(next.L - previous.L, hypot(next.a - previous.a, next.b - previous.b));
        previous = next;
    }
    double target = fraction * length[ARC_STEPS];
    int i = 0;
    while (i < ARC_STEPS - 1 && length[i + 1] < target)
        i++;
    double step = length[i + 1] - length[i];
    return (i + (step > 0 ? (target - length[i]) / step : 0)) / ARC_STEPS;
}

// The diverging colormap at t in [0, 1]: blue (hue 252 degrees) over near-white to red (hue 28
// degrees). Chroma rises and lightness falls linearly to both ends.
static oklab diverging_at(double t)
{
    double x = 2 * t - 1, magnitude = fabs(x), hue = (x < 0 ? 252 : 28) * FM_DEGREE;
    double chroma = 0.16 * magnitude, L = 0.95 - 0.50 * magnitude;
    return (oklab){L, chroma * cos(hue), chroma * sin(hue)};
}

// Linear RGB colour of the colormap at t, clamped to [0, 1]; dark grey where t is not finite.
fm_color fm_colormap_color(fm_colormap map, double t)
{
    if (!isfinite(t))
        return (fm_color){0.2f, 0.2f, 0.2f};
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return from_oklab(map == FM_COLORMAP_DIVERGING ? diverging_at(t)
                                                   : sequential_at(find_arc_parameter(t)));
}

// Inverse of the sRGB transfer function.
static float linear_from_srgb(double s)
{
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

// Linear RGB colour of an sRGB colour with components from 0 to 1.
fm_color fm_color_from_srgb(double r, double g, double b)
{
    return (fm_color){linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b)};
}

// Paint of a woven towel: cream with red stripes near the top and bottom edges.
fm_paint fm_default_paint(void)
{
    return (fm_paint){
        .front = fm_color_from_srgb(0.88, 0.78, 0.60),
        .back = fm_color_from_srgb(0.88, 0.78, 0.60),
        .band = fm_color_from_srgb(0.74, 0.17, 0.10),
        .bands = 1,
        .sheen = 0.35f,
        .translucency = 0.35f,
        .weave = 0.0055f,
        .thickness = 0.0022f,
    };
}

// Paint of colliders: light grey.
fm_paint fm_paint_solid(void)
{
    return (fm_paint){
        .front = fm_color_from_srgb(0.72, 0.70, 0.66),
        .back = fm_color_from_srgb(0.72, 0.70, 0.66),
        .gloss = 0.25f,
    };
}

// Paint of figures: skin.
fm_paint fm_paint_figure(void)
{
    fm_paint paint = fm_paint_solid();
    paint.front = paint.back = fm_color_from_srgb(0.80, 0.72, 0.65);
    paint.gloss = 0.12f;
    return paint;
}

// Paint of fluid particles that are drawn as spheres: blue.
fm_paint fm_paint_water_particles(void)
{
    return (fm_paint){
        .front = fm_color_from_srgb(0.22, 0.50, 0.72),
        .back = fm_color_from_srgb(0.22, 0.50, 0.72),
        .gloss = 0.35f,
    };
}

fm_paint fm_paint_glass(void)
{
    return (fm_paint){.refraction = 1.5f, .transmittance = {0.85f, 0.93f, 0.9f}};
}

fm_paint fm_paint_cream(fm_color color)
{
    return (fm_paint){
        .front = color, .back = color, .gloss = 0.3f, .sheen = 0.15f, .translucency = 0.3f};
}

fm_paint fm_paint_clear_water(void)
{
    return (fm_paint){.refraction = 1.333f, .transmittance = {0.22f, 0.63f, 0.76f}};
}

// Paint of the cloth number `index` in a picture: five pairs of main and stripe colour take turns.
fm_paint fm_paint_choose(int index)
{
    static const double colors[5][2][3] = {
        {{0.88, 0.78, 0.60}, {0.74, 0.17, 0.10}}, {{0.86, 0.36, 0.22}, {0.96, 0.84, 0.66}},
        {{0.93, 0.72, 0.25}, {0.55, 0.20, 0.16}}, {{0.55, 0.68, 0.42}, {0.94, 0.90, 0.78}},
        {{0.78, 0.52, 0.62}, {0.96, 0.90, 0.86}},
    };
    fm_paint paint = fm_default_paint();
    const double *main = colors[index % 5][0], *band = colors[index % 5][1];
    paint.front = paint.back = fm_color_from_srgb(main[0], main[1], main[2]);
    paint.band = fm_color_from_srgb(band[0], band[1], band[2]);
    return paint;
}

// Chooses round numbers in [low, high] as labels of a colour bar: the smallest step of 1, 2, 2.5 or
// 5 times a power of ten that gives at most `capacity` ticks. Returns their number.
int fm_colorbar_choose_ticks(double low, double high, double *ticks, int capacity)
{
    if (!(high > low) || !isfinite(high - low) || capacity < 2)
        return 0;
    double smallest_step = (high - low) / (capacity - 1),
           power = pow(10, floor(log10(smallest_step)));
    static const double round_steps[] = {1, 2, 2.5, 5, 10, 20};
    const double rounding = 1e-9; // in steps; keeps a tick at each end of the range
    for (int i = 0; i < 6; i++) {
        double step = round_steps[i] * power;
        double first = ceil(low / step - rounding), last = floor(high / step + rounding);
        if (last - first + 1 > capacity)
            continue;
        int count = 0;
        for (; count <= last - first; count++)
            ticks[count] = (first + count) * step + 0.0; // + 0.0 turns -0 into 0
        return count;
    }
    return 0;
}
