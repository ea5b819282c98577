// SPDX-License-Identifier: MIT
// picture_setting.h: camera, look, colliders and figures of a run, from DIR/setting.json and
// DIR/poses.csv. Renderers need them beside the frames.
#ifndef FATHOM_IO_PICTURE_SETTING_H
#define FATHOM_IO_PICTURE_SETTING_H

#include "collide/collide.h"
#include "io/io.h"

#include <fathom/picture_setting.h>

enum { FM_POSE_NUMBERS = 7 }; // numbers of a pose in poses.csv: x y z in m, qx qy qz qw

// A collider as a renderer needs it.
typedef struct fm_picture_collider {
    const char *name;
    fm_shape shape;
    bool has_color;
    fm_vec3 color;    // sRGB, 0 to 1
    bool is_ball;     // a ball with a mass, drawn with dots
    fm_trimesh *mesh; // set if the shape is FM_SHAPE_MESH and the collider is visible, else NULL
    bool hidden;      // not drawn
    bool clear;       // drawn as glass
    int pose;         // index of its pose in a row of poses.csv; -1: the collider does not move
} fm_picture_collider;

// Everything that a renderer needs beside the frames of a run.
typedef struct fm_picture_setting {
    fm_arena arena;
    char directory[FM_PATH_SIZE]; // directory of the run
    fm_picture_setting_def def;   // camera and look of the scene
    // index of the pose, in a row of poses.csv, of the collider that the camera follows; -1: none
    int followed_pose;
    fm_pose start; // pose at time 0 of the collider that the camera follows
    fm_picture_collider *colliders;
    int collider_count;
    fm_figure **figures;
    int figure_count;
    double *poses; // poses.csv: [frame_count][pose_count][7], x y z in m, qx qy qz qw
    int first_frame, frame_count; // frames of poses.csv
    int pose_count;               // poses in a row
} fm_picture_setting;

// Writes DIR/setting.json and the mesh files in DIR/colliders.
bool fm_picture_setting_write(const char *directory, const fm_picture_setting_def *def,
                              const fm_world *world, fm_error *err);
// Lists the colliders whose poses are written into poses.csv, in the order of its columns, and
// returns their number. moving: an array for all colliders of the world, or NULL.
int fm_picture_setting_list_moving(const fm_world *world, const fm_picture_setting_def *def,
                                   const fm_collider **moving);
// The pose of a moving collider at a time, s, as the 7 numbers of poses.csv.
void fm_picture_setting_read_pose(const fm_collider *collider, double time,
                                  double values[FM_POSE_NUMBERS]);

// Reads the files back. Returns NULL without filling err if there is no setting.json.
fm_picture_setting *fm_picture_setting_open(const char *directory, fm_error *err);
void fm_picture_setting_close(fm_picture_setting *setting); // accepts NULL
// Gives the pose with index `pose` in the row of `frame`; the identity for index -1.
bool fm_picture_setting_find_pose(const fm_picture_setting *setting, int pose, int frame,
                                  fm_pose *found, fm_error *err);

#endif
