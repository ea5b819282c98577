// SPDX-License-Identifier: MIT
// draw_contacts.c: closes the gaps between a drawn fluid and the glass that holds it.
//
// The surface of a fluid is reconstructed from particles and meets a wall only to a fraction of
// their spacing. Refraction shows every such gap as a film of air. Points of the surface that face
// a clear collider and are at most NEAR spacings away from it move INSIDE spacings into it; where
// glass and water overlap, the renderer takes the glass. Points up to FAR spacings away, and those
// that face it in part, move a part of the way: with a sharp limit, the edge of the fluid at the
// glass would have teeth as large as the triangles.
#include "draw/draw.h"
#include "render/film.h"

#include <math.h>

static const double NEAR = 1.2, FAR = 1.8, INSIDE = 0.1; // particle spacings
static const double ACROSS = 0.1, ALONG = 0.6; // cosine of surface normal and way to the glass

// 0 below `low`, 1 above `high`, and a smooth cubic in between.
static double smoothstep(double low, double high, double x)
{
    double t = fmax(0, fmin(1, (x - low) / (high - low)));
    return t * t * (3 - 2 * t);
}

// Closest surface point of a collider to `point`, in the coordinates of the world.
static fm_contact find_contact(const fm_picture_collider *c, const fm_pose *pose, fm_vec3 point)
{
    if (!c->mesh) {
        fm_shape shape = c->pose < 0 ? c->shape : fm_shape_transform(&c->shape, pose);
        return fm_shape_find_contact(&shape, point);
    }
    fm_contact contact = fm_trimesh_find_contact(c->mesh, fm_pose_apply_inverse(pose, point));
    fm_vec3 origin = fm_pose_apply(pose, (fm_vec3){0});
    contact.normal = fm_sub(fm_pose_apply(pose, contact.normal), origin);
    return contact;
}

// Moves the points of a fluid's surface that nearly touch a collider into it.
static void close_gap(const fm_picture_collider *c, const fm_pose *pose, fm_triangle_mesh *mesh)
{
    double spacing = (double)mesh->paint.thickness;
    for (int i = 0; i < mesh->point_count; i++) {
        float *p = mesh->points + 3 * (size_t)i;
        const float *n = mesh->normals + 3 * (size_t)i;
        fm_contact contact = find_contact(c, pose, (fm_vec3){p[0], p[1], p[2]});
        double facing =
            -(n[0] * contact.normal.x + n[1] * contact.normal.y + n[2] * contact.normal.z);
        double near = 1 - smoothstep(NEAR, FAR, contact.distance / spacing);
        double way =
            (contact.distance + INSIDE * spacing) * near * smoothstep(ACROSS, ALONG, facing);
        if (!(way > 0))
            continue;
        p[0] -= (float)(way * contact.normal.x);
        p[1] -= (float)(way * contact.normal.y);
        p[2] -= (float)(way * contact.normal.z);
    }
}

// Closes the gaps between the transparent fluids of the drawing and the clear colliders of a run at
// a frame. To be called before these are drawn.
bool fm_setting_close_gaps(const fm_picture_setting *setting, int frame, double time,
                           fm_drawing *drawing, fm_error *err)
{
    for (int i = 0; setting && i < setting->collider_count; i++) {
        const fm_picture_collider *c = &setting->colliders[i];
        fm_pose pose;
        if (!c->clear || c->hidden)
            continue;
        if (!fm_picture_setting_find_pose(setting, c->pose, frame, &pose, err))
            return false;
        if (c->mesh)
            fm_trimesh_set_time(c->mesh, time);
        for (int k = 0; k < drawing->mesh_count; k++)
            if (drawing->meshes[k].paint.refraction > 0 && drawing->meshes[k].paint.thickness > 0)
                close_gap(c, &pose, &drawing->meshes[k]);
    }
    return err->status == FM_OK;
}
