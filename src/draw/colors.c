// SPDX-License-Identifier: MIT
// colors.c: colours of things, and of values.
//
// The maps are drawn in Oklab [O20], a space in which equal distances look equally far apart: L
// lightness, a green to red, b blue to yellow. The sequential map runs through a few points there,
// smoothly, with lightness rising all the way, and is walked at a constant speed; so no step seems
// larger than another, and a print in grey keeps the order. All of it is inside what screens show.
//
// [O20] Ottosson: A perceptual color space for image processing. 2020.
#include "draw/draw.h"

#include <stdlib.h>

enum { STOPS = 7, TABLE = 256 };

typedef struct oklab {
    double L, a, b;
} oklab;

static fm_color from_oklab(oklab c)
{
    double l = c.L + 0.3963377774 * c.a + 0.2158037573 * c.b;
    double m = c.L - 0.1055613458 * c.a - 0.0638541728 * c.b;
    double s = c.L - 0.0894841775 * c.a - 1.2914855480 * c.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (fm_color){
        fm_clamp01((float)(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)),
        fm_clamp01((float)(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)),
        fm_clamp01((float)(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)),
    };
}

// Lightness, chroma, hue in degrees: from deep violet over blue, teal and green to light yellow.
static const double sequential[STOPS][3] = {
    {0.26, 0.105, 305}, {0.38, 0.120, 278}, {0.50, 0.105, 243}, {0.61, 0.100, 197},
    {0.72, 0.135, 160}, {0.83, 0.165, 128}, {0.94, 0.155, 105},
};

// Catmull-Rom between the stops.
static oklab sequential_at(double t)
{
    double x = t * (STOPS - 1), p[3];
    int i = x < STOPS - 1 ? (int)x : STOPS - 2;
    double s = x - i;
    for (int k = 0; k < 3; k++) {
        double b = sequential[i][k], c = sequential[i + 1][k];
        double a = i > 0 ? sequential[i - 1][k] : 2 * b - c;
        double d = i + 2 < STOPS ? sequential[i + 2][k] : 2 * c - b;
        p[k] = b + s / 2 * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)));
    }
    double hue = p[2] * FM_PI / 180;
    return (oklab){p[0], p[1] * cos(hue), p[1] * sin(hue)};
}

// The parameter of sequential_at at a share of the way.
static double walk(double share)
{
    double length[TABLE + 1] = {0};
    oklab last = sequential_at(0);
    for (int i = 1; i <= TABLE; i++) {
        oklab next = sequential_at((double)i / TABLE);
        length[i] = length[i - 1] + hypot(next.L - last.L, hypot(next.a - last.a, next.b - last.b));
        last = next;
    }
    double goal = share * length[TABLE];
    int i = 0;
    while (i < TABLE - 1 && length[i + 1] < goal)
        i++;
    double step = length[i + 1] - length[i];
    return (i + (step > 0 ? (goal - length[i]) / step : 0)) / TABLE;
}

static oklab diverging_at(double t)
{
    double x = 2 * t - 1, far = fabs(x), hue = (x < 0 ? 252 : 28) * FM_PI / 180;
    double chroma = 0.16 * far, L = 0.95 - 0.50 * far;
    return (oklab){L, chroma * cos(hue), chroma * sin(hue)};
}

fm_color fm_map_color(fm_map map, double t)
{
    if (!isfinite(t))
        return (fm_color){0.2f, 0.2f, 0.2f};
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return from_oklab(map == FM_MAP_DIVERGING ? diverging_at(t) : sequential_at(walk(t)));
}

static float linear(double s)
{
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

fm_color fm_color_from_srgb(double r, double g, double b)
{
    return (fm_color){linear(r), linear(g), linear(b)};
}

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

fm_paint fm_solid_paint(void)
{
    return (fm_paint){
        .front = fm_color_from_srgb(0.72, 0.70, 0.66),
        .back = fm_color_from_srgb(0.72, 0.70, 0.66),
        .gloss = 0.25f,
    };
}

fm_paint fm_figure_paint(void)
{
    fm_paint paint = fm_solid_paint();
    paint.front = paint.back = fm_color_from_srgb(0.80, 0.72, 0.65);
    paint.gloss = 0.12f;
    return paint;
}

fm_paint fm_water_paint(void)
{
    return (fm_paint){
        .front = fm_color_from_srgb(0.22, 0.50, 0.72),
        .back = fm_color_from_srgb(0.22, 0.50, 0.72),
        .gloss = 0.35f,
    };
}

fm_paint fm_glass_paint(void)
{
    return (fm_paint){.refraction = 1.5f, .clear = {0.85f, 0.93f, 0.9f}};
}

fm_paint fm_clear_paint(void)
{
    return (fm_paint){.refraction = 1.333f, .clear = {0.22f, 0.63f, 0.76f}};
}

fm_paint fm_choose_paint(int index)
{
    static const double hues[5][2][3] = {
        {{0.88, 0.78, 0.60}, {0.74, 0.17, 0.10}}, {{0.86, 0.36, 0.22}, {0.96, 0.84, 0.66}},
        {{0.93, 0.72, 0.25}, {0.55, 0.20, 0.16}}, {{0.55, 0.68, 0.42}, {0.94, 0.90, 0.78}},
        {{0.78, 0.52, 0.62}, {0.96, 0.90, 0.86}},
    };
    fm_paint paint = fm_default_paint();
    const double *main = hues[index % 5][0], *band = hues[index % 5][1];
    paint.front = paint.back = fm_color_from_srgb(main[0], main[1], main[2]);
    paint.band = fm_color_from_srgb(band[0], band[1], band[2]);
    return paint;
}

int fm_choose_ticks(double low, double high, double *ticks, int room)
{
    if (!(high > low) || !isfinite(high - low) || room < 2)
        return 0;
    double rough = (high - low) / (room - 1), power = pow(10, floor(log10(rough)));
    static const double nice[] = {1, 2, 2.5, 5, 10, 20};
    for (int i = 0; i < 6; i++) {
        double step = nice[i] * power;
        double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
        if (last - first + 1 > room)
            continue;
        int count = 0;
        for (; count <= last - first; count++)
            ticks[count] = (first + count) * step + 0.0; // no -0
        return count;
    }
    return 0;
}
