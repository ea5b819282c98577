// SPDX-License-Identifier: MIT
// suspended_particles.c: small bright particles (motes) that drift in the water, drawn as discs.
#include "render/render.h"

enum { MOTE_COUNT = 420 }; // suspended particles in the water around the scene

static const float MARGIN = 50; // pixels; discs centred farther outside the picture are not drawn

// A suspended particle, projected into the picture.
typedef struct mote {
    float x, y, radius; // pixels
    float distance;     // m
    fm_float3 light;    // added radiance
} mote;

// Places suspended particle number `index` at the time of the shot, and projects it into the
// picture. It drifts and slowly sinks in a box of 2.6 scene radii around the scene. Out of focus
// its disc is larger and fainter. False if it is too close to the camera, behind it, or below the
// floor. Sizes and speeds are artistic choices.
static bool place_mote(const fm_shot *shot, int index, mote *m)
{
    fm_rng rng = {7919u * (uint64_t)(index + 1)};
    float half = 2.6f * shot->size, t = (float)shot->time;
    float r[6];
    for (int i = 0; i < 6; i++)
        r[i] = (float)fm_rng_uniform(&rng);
    float turn = 2 * (float)FM_PI;
    fm_float3 p = {half * (2 * r[0] - 1), half * (2 * r[1] - 1), half * (2 * r[2] - 1)};
    p.x += 0.05f * shot->size * sinf(turn * (0.09f * t + r[3]));
    p.y += 0.05f * shot->size * sinf(turn * (0.07f * t + r[4])) - 0.006f * shot->size * t;
    p.z += 0.05f * shot->size * sinf(turn * (0.08f * t + r[5]));
    p = fm_f3_add(p, shot->centre);
    fm_float3 d = fm_f3_sub(p, shot->eye);
    float depth = fm_f3_dot(d, shot->forward);
    if (depth < 0.15f * shot->size || (shot->has_floor && p.y < shot->floor_y))
        return false;
    m->x = (fm_f3_dot(d, shot->right) / (depth * shot->tan_x) + 1) / 2 * (float)shot->width;
    m->y = (1 - fm_f3_dot(d, shot->up) / (depth * shot->tan_y)) / 2 * (float)shot->height;
    m->distance = fm_f3_length(d);
    float focal = fm_f3_length(fm_f3_sub(shot->centre, shot->eye));
    // unit: pixels of this picture per pixel of a picture 720 pixels high
    float blur = fabsf(1 / depth - 1 / focal) * focal, unit = (float)shot->height / 720;
    m->radius = unit * (0.75f + 0.7f * r[3] + 5.5f * fm_float_min(blur, 2.5f));
    float strength = 0.34f * (0.4f + 0.6f * r[4]) * unit * unit / (m->radius * m->radius) * 2.2f;
    float beam = fm_shot_beam_intensity(shot, p) * fm_shot_depth_attenuation(shot, p.y) *
                 (float)shot->look.motes;
    fm_float3 light = fm_f3_mul(shot->sun_color, fm_shot_transmittance(shot, m->distance));
    m->light = fm_f3_scale(light, strength * beam);
    return true;
}

// Adds the light of a suspended particle to the pixels of its disc that show nothing closer.
static void draw_mote(const fm_shot *shot, const mote *m, fm_pixel *pixels)
{
    int left = (int)floorf(m->x - m->radius), right = (int)ceilf(m->x + m->radius);
    int top = (int)floorf(m->y - m->radius), bottom = (int)ceilf(m->y + m->radius);
    for (int y = top < 0 ? 0 : top; y <= bottom && y < shot->height; y++) {
        for (int x = left < 0 ? 0 : left; x <= right && x < shot->width; x++) {
            fm_pixel *pixel = &pixels[(size_t)y * shot->width + x];
            float dx = (float)x + 0.5f - m->x, dy = (float)y + 0.5f - m->y;
            float inside = 1 - (dx * dx + dy * dy) / (m->radius * m->radius);
            if (inside > 0 && pixel->distance > m->distance)
                pixel->light =
                    fm_f3_add_scaled(pixel->light, fm_float_min(2 * inside, 1), m->light);
        }
    }
}

// Under water: adds all suspended particles to the pixels.
void fm_pixels_add_motes(const fm_shot *shot, fm_pixel *pixels)
{
    if (!shot->under_water || !(shot->look.motes > 0))
        return;
    for (int i = 0; i < MOTE_COUNT; i++) {
        mote m;
        if (place_mote(shot, i, &m) && m.x > -MARGIN && m.y > -MARGIN &&
            m.x < (float)shot->width + MARGIN && m.y < (float)shot->height + MARGIN)
            draw_mote(shot, &m, pixels);
    }
}
