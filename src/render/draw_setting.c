// SPDX-License-Identifier: MIT
// draw_setting.c: draws the colliders and figures of a run's setting.json and moves its camera.
#include "draw/draw.h"
#include "render/film.h"

#include <math.h>
#include <string.h>

// Smallest y component of the unit normal of a plane that counts as a floor: less than 8 degrees of
// slope.
static const double HORIZONTAL = 0.99;

// Moves a camera by the horizontal displacement of the collider it follows. Vertical motion is
// ignored: the bobbing of a walking figure must not shake the camera.
bool fm_setting_move_camera(const fm_picture_setting *setting, int frame, fm_camera *camera,
                            fm_error *err)
{
    fm_pose pose;
    if (setting->followed_pose < 0)
        return true;
    if (!fm_picture_setting_find_pose(setting, setting->followed_pose, frame, &pose, err))
        return false;
    fm_vec3 displacement = fm_sub(fm_pose_apply(&pose, camera->target),
                                  fm_pose_apply(&setting->start, camera->target));
    displacement.y = 0;
    camera->position = fm_add(camera->position, displacement);
    camera->target = fm_add(camera->target, displacement);
    return true;
}

// Height, m, of the first fixed horizontal plane, or else of the lowest feet of figures; false:
// none.
bool fm_setting_find_floor(const fm_picture_setting *setting, double *height)
{
    for (int i = 0; setting && i < setting->collider_count; i++) {
        const fm_picture_collider *collider = &setting->colliders[i];
        if (collider->shape.kind == FM_SHAPE_PLANE && collider->shape.normal.y > HORIZONTAL &&
            collider->pose < 0) {
            *height = collider->shape.centre.y;
            return true;
        }
    }
    int figures = setting ? setting->figure_count : 0;
    for (int i = 0; i < figures; i++) {
        double feet = fm_figure_definition(setting->figures[i]).origin.y;
        *height = i == 0 ? feet : fmin(*height, feet);
    }
    return figures > 0;
}

// Adds the dots of a ball: caps of six spheres inside it, of 0.825 radii with centres 0.195 radii
// from its own, which rise above it by 0.02 radii in circles of 0.4 radii.
static bool draw_dots(const fm_shape *ball, const fm_pose *pose, fm_drawing *drawing, fm_error *err)
{
    const fm_vec3 axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    enum { DOTS = sizeof axes / sizeof *axes };
    float centres[3 * DOTS], radii[DOTS];
    for (int i = 0; i < DOTS; i++) {
        fm_vec3 x = fm_pose_apply(pose, fm_add_scaled(ball->centre, axes[i], 0.195 * ball->radius));
        centres[3 * i] = (float)x.x, centres[3 * i + 1] = (float)x.y,
                    centres[3 * i + 2] = (float)x.z;
        radii[i] = 0.825f * (float)ball->radius;
    }
    fm_paint paint = fm_paint_solid();
    paint.front = paint.back = fm_color_from_srgb(0.96, 0.94, 0.88);
    return fm_drawing_add_spheres(drawing, centres, radii, DOTS, &paint, err);
}

// True if the object with this name is a ball that fm_setting_draw draws.
bool fm_setting_draws_ball(const fm_picture_setting *setting, const char *name)
{
    for (int i = 0; setting && i < setting->collider_count; i++) {
        const fm_picture_collider *collider = &setting->colliders[i];
        if (collider->is_ball && collider->name && strcmp(collider->name, name) == 0)
            return true;
    }
    return false;
}

// Adds a collider in the given pose to the drawing. time: s, for an animated mesh.
static bool draw_collider(const fm_picture_collider *collider, const fm_pose *pose, double time,
                          fm_drawing *drawing, fm_error *err)
{
    fm_paint paint = collider->clear ? fm_paint_glass() : fm_paint_solid();
    if (collider->has_color)
        paint.front = paint.back =
            fm_color_from_srgb(collider->color.x, collider->color.y, collider->color.z);
    if (collider->mesh) {
        fm_trimesh_set_time(collider->mesh, time);
        return fm_drawing_add_trimesh(drawing, collider->mesh, pose, &paint, err);
    }
    fm_shape shape =
        collider->pose < 0 ? collider->shape : fm_shape_transform(&collider->shape, pose);
    return fm_drawing_add_shape(drawing, &shape, &paint, err) &&
           (!collider->is_ball || draw_dots(&collider->shape, pose, drawing, err));
}

// Adds all visible colliders and figures of a run at a frame to the drawing.
bool fm_setting_draw(const fm_picture_setting *setting, int frame, double time, fm_drawing *drawing,
                     fm_error *err)
{
    for (int i = 0; setting && i < setting->collider_count; i++) {
        const fm_picture_collider *collider = &setting->colliders[i];
        fm_pose pose;
        if (!collider->hidden &&
            (!fm_picture_setting_find_pose(setting, collider->pose, frame, &pose, err) ||
             !draw_collider(collider, &pose, time, drawing, err)))
            return false;
    }
    fm_paint paint = fm_paint_figure();
    for (int i = 0; setting && i < setting->figure_count; i++) {
        const fm_figure *figure = setting->figures[i];
        if (!fm_figure_definition(figure).bare &&
            !fm_drawing_add_figure(drawing, figure, time, &paint, err))
            return false;
    }
    return err->status == FM_OK;
}
