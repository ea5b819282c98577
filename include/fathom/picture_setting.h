// SPDX-License-Identifier: MIT
// picture_setting.h: the camera and the look that a scene chooses for pictures of its runs.
#ifndef FATHOM_PICTURE_SETTING_H
#define FATHOM_PICTURE_SETTING_H

#include <fathom/vec.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// All zero: the scene chooses nothing, and the renderer uses its defaults.
typedef struct fm_picture_setting_def {
    struct {
        bool given;                   // the scene places the camera; false: the renderer does
        fm_vec3 position, target, up; // m; up is a direction
        double field_of_view;         // rad, vertical
        const char *follow;           // name of a collider the camera moves with; NULL: none
    } camera;
    struct {
        const char *style; // "underwater", "studio" or "sky"; NULL: the renderer's default
        // whether the colours below are set
        bool has_cloth, has_lines, has_background, has_floor, has_water, has_fluid;
        fm_vec3 cloth, lines, background, floor; // sRGB, 0 to 1
        fm_vec3 fluid;                           // sRGB, of an opaque fluid
        fm_vec3 water;          // transmittance of 1 m of water for red, green and blue, 0 to 1
        double particles;       // drawn radius / true radius of fluid particles; 0 means 1
        double foam;            // factor on the amount of foam and spray of fluids; 0: none
        double stripes, checks; // periods of a woven pattern (fathom/draw.h); 0: none
        fm_vec3 pattern;        // sRGB, its colour
        double mirror; // share of the light that a metallic fluid reflects; 0: not metallic
    } look;
} fm_picture_setting_def;

#ifdef __cplusplus
}
#endif

#endif
