// SPDX-License-Identifier: MIT
// setting.c: camera, look and colliders, from the scene that a run was made of.
#include "render/film.h"
#include "scene/scene.h"
#include "world/world.h"

#include <fathom/run.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fm_setting {
    fm_scene *scene;
    fm_world *world;
};

fm_setting *fm_setting_open(const char *directory)
{
    fm_error err = {0};
    fm_setting *setting = calloc(1, sizeof *setting);
    char *text = setting ? fm_run_scene_text(directory, &err) : NULL;
    if (text)
        setting->scene =
            fm_scene_parse(text, strlen(text), directory, ".", NULL, 0, NULL, NULL, &err);
    free(text);
    if (setting && setting->scene)
        setting->world = fm_scene_build_files(setting->scene, 1, fm_file_loader(), &err);
    if (setting && setting->world)
        return setting;
    fm_setting_close(setting);
    return NULL;
}

void fm_setting_close(fm_setting *setting)
{
    if (!setting)
        return;
    fm_world_destroy(setting->world);
    fm_scene_destroy(setting->scene);
    free(setting);
}

static bool is_given(const fm_setting *setting, const char *section, const char *key)
{
    const fm_node *node = setting ? fm_node_find(setting->scene->root, section) : NULL;
    return node && (!key || fm_node_find(node, key));
}

bool fm_setting_camera(const fm_setting *setting, fm_camera *camera)
{
    if (!is_given(setting, "camera", NULL))
        return false;
    const fm_scene_camera *c = &setting->scene->camera;
    *camera = (fm_camera){c->position, c->target, c->up, c->field_of_view, 0, 0};
    return true;
}

// Along the floor only: who walks goes up and down.
void fm_setting_follow(const fm_setting *setting, double time, fm_camera *camera)
{
    const char *name = setting->scene->camera.follow;
    const fm_collider *leader = name ? fm_world_find_collider(setting->world, name) : NULL;
    if (!leader || !leader->motion)
        return;
    fm_pose pose = fm_motion_pose(leader->motion, time), start = fm_motion_pose(leader->motion, 0);
    fm_vec3 way =
        fm_sub(fm_pose_apply(&pose, camera->target), fm_pose_apply(&start, camera->target));
    way.y = 0;
    camera->position = fm_add(camera->position, way);
    camera->target = fm_add(camera->target, way);
}

bool fm_setting_style(const fm_setting *setting, fm_style *style)
{
    if (!is_given(setting, "look", "style"))
        return false;
    *style = setting->scene->look.style == 0 ? FM_STYLE_UNDERWATER : FM_STYLE_STUDIO;
    return true;
}

bool fm_setting_cloth(const fm_setting *setting, fm_color *color)
{
    if (!is_given(setting, "look", "cloth"))
        return false;
    fm_vec3 c = setting->scene->look.cloth;
    *color = fm_color_from_srgb(c.x, c.y, c.z);
    return true;
}

bool fm_setting_background(const fm_setting *setting, fm_color *color)
{
    if (!is_given(setting, "look", "background"))
        return false;
    fm_vec3 c = setting->scene->look.background;
    *color = fm_color_from_srgb(c.x, c.y, c.z);
    return true;
}

double fm_setting_particles(const fm_setting *setting)
{
    return setting ? setting->scene->look.particles : 1;
}

bool fm_setting_water(const fm_setting *setting, fm_color *clear)
{
    if (!is_given(setting, "look", "water"))
        return false;
    fm_vec3 c = setting->scene->look.water;
    *clear = (fm_color){(float)c.x, (float)c.y, (float)c.z};
    return true;
}

bool fm_setting_floor(const fm_setting *setting, double *height)
{
    for (int i = 0; setting && i < setting->world->collider_count; i++) {
        const fm_collider *collider = setting->world->colliders[i];
        if (collider->shape.kind == FM_SHAPE_PLANE && collider->shape.normal.y > 0.99 &&
            !collider->motion) {
            *height = collider->shape.centre.y;
            return true;
        }
    }
    int figures = setting ? fm_world_figure_count(setting->world) : 0;
    for (int i = 0; i < figures; i++) {
        double feet = fm_figure_definition(fm_world_figure(setting->world, i)).origin.y;
        *height = i == 0 ? feet : fmin(*height, feet);
    }
    return figures > 0;
}

bool fm_setting_draw(const fm_setting *setting, double time, fm_drawing *drawing, fm_error *err)
{
    for (int i = 0; setting && i < setting->world->collider_count; i++) {
        const fm_collider *collider = setting->world->colliders[i];
        fm_paint paint = collider->clear ? fm_glass_paint() : fm_solid_paint();
        // one with a mass has frames of its own
        if (!(collider->mass > 0) && !collider->hidden &&
            !fm_drawing_add_collider(drawing, collider, time, &paint, err))
            return false;
    }
    fm_paint paint = fm_figure_paint();
    for (int i = 0; setting && i < fm_world_figure_count(setting->world); i++) {
        const fm_figure *figure = fm_world_figure(setting->world, i);
        if (!fm_figure_definition(figure).bare &&
            !fm_drawing_add_figure(drawing, figure, time, &paint, err))
            return false;
    }
    return err->status == FM_OK;
}
