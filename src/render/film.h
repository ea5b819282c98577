// SPDX-License-Identifier: MIT
// film.h: what a film takes from the scene of a run.
#ifndef FATHOM_RENDER_FILM_H
#define FATHOM_RENDER_FILM_H

#include <fathom/render.h>

// What the scene of a run says about pictures, and the colliders in it. A run without a scene, or
// with one that cannot be read any more, is drawn without.
typedef struct fm_setting fm_setting;
fm_setting *fm_setting_open(const char *directory);
void fm_setting_close(fm_setting *setting); // NULL is fine
// Each changes nothing where the scene is silent, and gives false then.
bool fm_setting_camera(const fm_setting *setting, fm_camera *camera);
// Moves a camera as far as what the scene says it follows has come.
void fm_setting_follow(const fm_setting *setting, double time, fm_camera *camera);
bool fm_setting_style(const fm_setting *setting, fm_style *style);
bool fm_setting_cloth(const fm_setting *setting, fm_color *color);
double fm_setting_particles(const fm_setting *setting); // how large fluids' are drawn
bool fm_setting_background(const fm_setting *setting, fm_color *color);
bool fm_setting_water(const fm_setting *setting, fm_color *clear);
bool fm_setting_floor(const fm_setting *setting, double *height); // a level plane, figures' feet
bool fm_setting_draw(const fm_setting *setting, double time, fm_drawing *drawing, fm_error *err);

#endif
