// SPDX-License-Identifier: MIT
// text.c: draws text with a stroke font, and colour bars.
//
// A glyph is a set of strokes between points of a small grid: x from 0 to 4, y from 0 (descenders)
// to 2 (baseline), 6 (lower-case letters) and 8 (capitals). A stroke is a string of points, two
// digits "xy" each; blanks separate strokes; a repeated point is a dot. Strokes are drawn as round
// lines.
#include "render/render.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { CAPITAL_HEIGHT = 6 }; // height of capital letters, grid units

static const double DOT_RADIUS = 0.04 * CAPITAL_HEIGHT; // of dots beyond the strokes, grid units

// The strokes of each character.
static const char *const glyphs[] = {
    ['!'] = "0804 0202",
    ['"'] = "0806 1816",
    ['#'] = "1218 3238 0444 0646",
    ['$'] = "37281807061525343322120301 2921",
    ['%'] = "0248 07080717181707 3242433332",
    ['&'] = "420607182827040312223344",
    ['\''] = "0806",
    ['('] = "18060412",
    [')'] = "08161402",
    ['*'] = "1317 0426 0624",
    ['+'] = "2327 0545",
    [','] = "1201",
    ['-'] = "0535",
    ['.'] = "0202",
    ['/'] = "0138",
    ['0'] = "120307182837332212",
    ['1'] = "071812",
    ['2'] = "07182837360232",
    ['3'] = "071828373625153433221203",
    ['4'] = "22280434",
    ['5'] = "380805253433221203",
    ['6'] = "372818070312223334251504",
    ['7'] = "083812",
    ['8'] = "150607182837362515040312223334 2534",
    ['9'] = "031222333728180706152536",
    [':'] = "0202 0505",
    [';'] = "1201 1515",
    ['<'] = "370533",
    ['='] = "0434 0636",
    ['>'] = "073503",
    ['?'] = "07182837361514 1212",
    ['@'] = "352514132335344346281806041232",
    ['A'] = "022842 1434",
    ['B'] = "02082837362505 2534332202",
    ['C'] = "3728180703122233",
    ['D'] = "02082837332202",
    ['E'] = "38080232 0525",
    ['F'] = "380802 0525",
    ['G'] = "372818070312223335 3525",
    ['H'] = "0208 3238 0535",
    ['I'] = "0208",
    ['J'] = "3833221203",
    ['K'] = "0802 380532",
    ['L'] = "080232",
    ['M'] = "0208244842",
    ['N'] = "02083238",
    ['O'] = "120307183847433212",
    ['P'] = "02082837362505",
    ['Q'] = "120307183847433212 3442",
    ['R'] = "02082837362505 1532",
    ['S'] = "372818070615253433221203",
    ['T'] = "0848 2822",
    ['U'] = "080312223338",
    ['V'] = "082248",
    ['W'] = "0812263248",
    ['X'] = "0238 0832",
    ['Y'] = "082548 2522",
    ['Z'] = "08380232",
    ['['] = "18080111",
    ['\\'] = "0831",
    [']'] = "08181101",
    ['^'] = "061826",
    ['_'] = "0141",
    ['`'] = "0817",
    ['a'] = "3526160503122233 3632",
    ['b'] = "0802 0516263533221203",
    ['c'] = "3526160503122233",
    ['d'] = "3832 3526160503122233",
    ['e'] = "04343526160503122233",
    ['f'] = "28181712 0626",
    ['g'] = "36312010 3526160503122233",
    ['h'] = "0802 0516263532",
    ['i'] = "0602 0808",
    ['j'] = "161100 1818",
    ['k'] = "0802 360432",
    ['l'] = "080312",
    ['m'] = "0602 05162522 25364542",
    ['n'] = "0602 0516263532",
    ['o'] = "120305162635332212",
    ['p'] = "0600 0516263533221203",
    ['q'] = "3630 3526160503122233",
    ['r'] = "0602 051626",
    ['s'] = "35261605142433221203",
    ['t'] = "181322 0626",
    ['u'] = "0603122233 3632",
    ['v'] = "062246",
    ['w'] = "0612253246",
    ['x'] = "0632 0236",
    ['y'] = "0622 461000",
    ['z'] = "06360232",
    ['{'] = "2817160514121121",
    ['|'] = "0801",
    ['}'] = "0817162514120100",
    ['~'] = "04152435",
};

// The strokes of a character; NULL: it is not drawn.
static const char *glyph_of(char letter)
{
    unsigned char c = (unsigned char)letter;
    return c < sizeof glyphs / sizeof *glyphs ? glyphs[c] : NULL;
}

// Horizontal distance to the next letter, grid units.
static double letter_advance(char letter)
{
    const char *g = glyph_of(letter);
    if (!g)
        return 3; // a blank
    int width = 0, digit = 0;
    for (; *g; g++) {
        if (*g == ' ')
            continue;
        if (digit++ % 2 == 0 && *g - '0' > width) // x of a point
            width = *g - '0';
    }
    return width + (width ? 1.9 : 2.2); // gap between letters; more for those without width
}

// Width of a text, pixels. size: height of capital letters, pixels.
double fm_picture_text_width(const char *text, double size)
{
    double width = 0;
    for (; *text; text++)
        width += letter_advance(*text);
    return width * size / CAPITAL_HEIGHT;
}

// Blends a colour (sRGB, 0 to 1) over a pixel with the opacity `amount`.
static void blend_pixel(fm_picture *picture, int x, int y, fm_color color, double amount)
{
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height || amount <= 0)
        return;
    unsigned char *p = picture->pixels + 3 * ((size_t)y * picture->width + x);
    const float part[3] = {color.r, color.g, color.b}; // sRGB
    amount = amount > 1 ? 1 : amount;
    for (int k = 0; k < 3; k++)
        p[k] = (unsigned char)(p[k] + amount * (255 * part[k] - p[k]) + 0.5);
}

// Draws an antialiased line with round ends. half: half width, pixels; strength: opacity.
static void draw_line(fm_picture *picture, const double a[2], const double b[2], double half,
                      fm_color color, double strength)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    int left = (int)floor(fmin(a[0], b[0]) - half - 1),
        top = (int)floor(fmin(a[1], b[1]) - half - 1);
    int right = (int)ceil(fmax(a[0], b[0]) + half + 1);
    int bottom = (int)ceil(fmax(a[1], b[1]) + half + 1);
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) {
            double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
            double t = square > 0 ? fmin(fmax((px * dx + py * dy) / square, 0), 1) : 0;
            double distance = hypot(px - t * dx, py - t * dy);
            blend_pixel(picture, x, y, color, strength * (half + 0.5 - distance));
        }
    }
}

// Draws a glyph at x, y (pixels). unit: pixels per grid unit; half: half width of the strokes,
// pixels.
static void draw_glyph(fm_picture *picture, const char *glyph, double x, double y, double unit,
                       double half, fm_color color, double strength)
{
    double last[2];
    bool begun = false;
    for (const char *g = glyph; *g;) {
        if (*g == ' ' || !g[1]) {
            begun = false;
            g++;
            continue;
        }
        double next[2] = {x + unit * (g[0] - '0'), y - unit * (g[1] - '0' - 2)};
        bool dot = begun && last[0] == next[0] && last[1] == next[1];
        if (begun)
            draw_line(picture, last, next, dot ? half + DOT_RADIUS * unit : half, color, strength);
        memcpy(last, next, sizeof last);
        begun = true;
        g += 2;
    }
}

// Draws white text with its lower left corner at x, y, pixels. size: height of capital letters.
// Dark outlines are drawn first, so that the text is legible on any background.
void fm_picture_add_text(fm_picture *picture, double x, double y, double size, const char *text)
{
    assert(picture);
    double unit = size / CAPITAL_HEIGHT, half = fmax(0.075 * size, 0.5);
    for (int pass = 0; pass < 2; pass++) {
        fm_color color = pass ? (fm_color){1, 1, 1} : (fm_color){0, 0.04f, 0.06f};
        double at = x + half, wide = pass ? half : half + fmax(0.09 * size, 1);
        for (const char *c = text; *c; c++) {
            if (glyph_of(*c))
                draw_glyph(picture, glyph_of(*c), at, y, unit, wide, color, pass ? 1 : 0.5);
            at += letter_advance(*c) * unit;
        }
    }
}

// The sRGB transfer function.
static float srgb_from_linear(float x)
{
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
}

// Draws a colour bar with ticks and a title, its lower left corner at x, y, pixels. size: height of
// capital letters; low, high: values at its ends.
void fm_picture_add_legend(fm_picture *picture, double x, double y, double size, fm_colormap map,
                           double low, double high, const char *title)
{
    assert(picture);
    double length = 16 * size, height = 0.9 * size, ticks[6];
    double top = y - 1.8 * size - height;
    for (int i = 0; i < (int)length; i++) {
        fm_color c = fm_colormap_color(map, (i + 0.5) / length);
        c = (fm_color){srgb_from_linear(c.r), srgb_from_linear(c.g), srgb_from_linear(c.b)};
        for (int j = 0; j < (int)height; j++)
            blend_pixel(picture, (int)x + i, (int)top + j, c, 1);
    }
    int count = fm_colorbar_choose_ticks(low, high, ticks, 5);
    for (int i = 0; i < count; i++) {
        char number[32];
        fm_text_format(number, sizeof number, "%.4g", ticks[i]);
        double at = x + (ticks[i] - low) / (high - low) * length;
        const double a[2] = {at, top + height}, b[2] = {at, top + height + 0.25 * size};
        draw_line(picture, a, b, fmax(0.05 * size, 0.5), (fm_color){1, 1, 1}, 1);
        fm_picture_add_text(picture, at - fm_picture_text_width(number, 0.8 * size) / 2, y,
                            0.8 * size, number);
    }
    fm_picture_add_text(picture, x, top - 0.6 * size, size, title);
}
