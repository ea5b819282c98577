// SPDX-License-Identifier: MIT
// picture_setting.c: writes and reads the data that a renderer needs beside the frames of a run:
// camera, look (style and colours), colliders and figures.
//
//   DIR/setting.json      camera and look of the scene; every figure; every collider that is
//                         visible, followed by the camera, or a plane that does not move; without
//                         free bodies (a mass and no motion), which have frames of their own
//   DIR/colliders/3.obj   triangles of collider 3, if it is a mesh, in body coordinates
//   DIR/colliders/3.pc2   the frames of its animation
//   DIR/poses.csv         one row per frame: x y z and qx qy qz qw of every collider in
//                         setting.json that has a motion
//
// All files but poses.csv are written before the first frame, and again on resume with the same
// bytes. Numbers have 17 digits, so that reading them gives the same doubles. A figure is stored as
// its definition, because its poses follow from the definition and the time.
#include "io/picture_setting.h"

#include "motion/figure.h"
#include "world/world.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    FORMAT = 1,            // version of setting.json
    FILE_MAX = 1 << 28,    // bytes
    INDEX_LIMIT = 1000000, // indices of poses are below this
};

// JSON keys of the members of the definition, of shapes, figures and mesh animations.
static const fm_json_field camera_numbers[] = {
    {"position", offsetof(fm_picture_setting_def, camera.position), 3},
    {"target", offsetof(fm_picture_setting_def, camera.target), 3},
    {"up", offsetof(fm_picture_setting_def, camera.up), 3},
    {NULL, 0, 0}};

static const fm_json_field shape_numbers[] = {{"centre", offsetof(fm_shape, centre), 3},
                                              {"normal", offsetof(fm_shape, normal), 3},
                                              {"start", offsetof(fm_shape, start), 3},
                                              {"end", offsetof(fm_shape, end), 3},
                                              {"radius", offsetof(fm_shape, radius), 1},
                                              {"end_radius", offsetof(fm_shape, end_radius), 1},
                                              {"half_size", offsetof(fm_shape, half_size), 3},
                                              {"rotation", offsetof(fm_shape, rotation), 4},
                                              {NULL, 0, 0}};

static const fm_json_field figure_numbers[] = {{"height", offsetof(fm_figure_def, height), 1},
                                               {"origin", offsetof(fm_figure_def, origin), 3},
                                               {"facing", offsetof(fm_figure_def, facing), 1},
                                               {"hips", offsetof(fm_figure_def, hips), 1},
                                               {"waist", offsetof(fm_figure_def, waist), 1},
                                               {"chest", offsetof(fm_figure_def, chest), 1},
                                               {"limbs", offsetof(fm_figure_def, limbs), 1},
                                               {"start", offsetof(fm_figure_def, start), 1},
                                               {"ramp", offsetof(fm_figure_def, ramp), 1},
                                               {"speed", offsetof(fm_figure_def, walk.speed), 1},
                                               {"stride", offsetof(fm_figure_def, walk.stride), 1},
                                               {"tempo", offsetof(fm_figure_def, dance.tempo), 1},
                                               {"energy", offsetof(fm_figure_def, dance.energy), 1},
                                               {NULL, 0, 0}};

static const fm_json_field animation_numbers[] = {{"fps", offsetof(fm_collider_mesh, fps), 1},
                                                  {"start", offsetof(fm_collider_mesh, start), 1},
                                                  {NULL, 0, 0}};

// Indexed by the values of fm_shape_kind, fm_figure_motion and fm_interpolation.
static const char *const shape_names[] = {"plane",    "sphere", "capsule",   "box",
                                          "cylinder", "cone",   "ellipsoid", "mesh"};
static const char *const motion_names[] = {"stand", "walk", "dance"};
static const char *const interpolation_names[] = {"linear", "smooth", "spline"};

enum { SHAPES = 8, MOTIONS = 3, INTERPOLATIONS = 3 }; // lengths of these arrays

// Writes `, "key": "text"`.
static void write_string(fm_writer *w, const char *key, const char *text)
{
    fm_writer_print(w, ", \"%s\": ", key);
    fm_json_write_string(w, text);
}

// Number of colliders of the world, with those that are only drawn.
static int count_pictured(const fm_world *world)
{
    return world->collider_count + world->shown_count;
}

// Collider i of them.
static const fm_collider *pictured(const fm_world *world, int i)
{
    const int solid = world->collider_count;
    return i < solid ? world->colliders[i] : world->shown[i - solid];
}

// The moving collider that the camera follows, or NULL.
static const fm_collider *find_followed(const fm_world *world, const fm_picture_setting_def *def)
{
    for (int i = 0; i < count_pictured(world) && def->camera.given && def->camera.follow; i++)
        if (strcmp(pictured(world, i)->name, def->camera.follow) == 0)
            return pictured(world, i)->motion ? pictured(world, i) : NULL;
    return NULL;
}

// True if the scene gives the collider a colour.
static bool has_color(const fm_collider *c)
{
    return c->color.x > 0 || c->color.y > 0 || c->color.z > 0;
}

// True for balls with a mass and no motion.
static bool is_free_ball(const fm_collider *c)
{
    return c->rigid && !c->rigid->rides;
}

// True for free balls without a colour: they are drawn from the frames of their object. One with a
// colour is drawn as a collider, with dots that show how it rolls.
static bool is_plain_ball(const fm_collider *c)
{
    return is_free_ball(c) && !has_color(c);
}

// True if the collider has columns in poses.csv: it moves, and is visible or followed by the
// camera.
static bool has_pose(const fm_collider *collider, const fm_collider *followed)
{
    if (is_plain_ball(collider))
        return false;
    return (collider->motion || collider->rigid) && (!collider->hidden || collider == followed);
}

// Lists the colliders whose poses are written to poses.csv, in the order of its columns; moving may
// be NULL. Returns their number.
int fm_picture_setting_list_moving(const fm_world *world, const fm_picture_setting_def *def,
                                   const fm_collider **moving)
{
    const fm_collider *followed = find_followed(world, def);
    int count = 0;
    for (int i = 0; i < count_pictured(world); i++) {
        if (has_pose(pictured(world, i), followed)) {
            if (moving)
                moving[count] = pictured(world, i);
            count++;
        }
    }
    return count;
}

// Position and rotation (x y z qx qy qz qw) of a moving collider at `time`, s.
void fm_picture_setting_read_pose(const fm_collider *collider, double time,
                                  double values[FM_POSE_NUMBERS])
{
    fm_pose pose = fm_collider_pose(collider, time);
    memcpy(values, &pose.position, 3 * sizeof *values);
    memcpy(values + 3, &pose.rotation, 4 * sizeof *values);
}

// The pose with the position and rotation x y z qx qy qz qw.
static fm_pose create_pose(const double values[FM_POSE_NUMBERS])
{
    fm_pose pose = fm_pose_identity();
    memcpy(&pose.position, values, 3 * sizeof *values);
    memcpy(&pose.rotation, values + 3, 4 * sizeof *values);
    return pose;
}

// Writes the camera of the scene, if it has one. followed: the moving collider that the camera
// follows, or NULL; followed_pose: index of its pose in poses.csv.
static void write_camera(fm_writer *w, const fm_world *world, const fm_picture_setting_def *def,
                         const fm_collider *followed, int followed_pose)
{
    if (!def->camera.given)
        return;
    fm_writer_print(w, ",\n  \"camera\": {\"field_of_view\": %.17g", def->camera.field_of_view);
    fm_json_write_fields(w, camera_numbers, def);
    if (followed) {
        double start[FM_POSE_NUMBERS];
        fm_picture_setting_read_pose(followed, 0, start);
        write_string(w, "follow", followed->name);
        fm_writer_print(w, ", \"pose\": %d", followed_pose);
        fm_json_write_numbers(w, "start", start, FM_POSE_NUMBERS);
    } else if (def->camera.follow && fm_world_find_object((fm_world *)world, def->camera.follow)) {
        write_string(w, "follow", def->camera.follow); // its frames say where it is
    }
    fm_writer_print(w, "}");
}

// Writes the style of the picture and the colours that the scene sets.
static void write_look(fm_writer *w, const fm_picture_setting_def *def)
{
    fm_writer_print(w, ",\n  \"look\": {\"particles\": %.17g", def->look.particles);
    if (def->look.foam > 0)
        fm_json_write_numbers(w, "foam", &def->look.foam, 1);
    if (def->look.mirror > 0)
        fm_json_write_numbers(w, "mirror", &def->look.mirror, 1);
    if (def->look.stripes > 0)
        fm_json_write_numbers(w, "stripes", &def->look.stripes, 1);
    if (def->look.checks > 0)
        fm_json_write_numbers(w, "checks", &def->look.checks, 1);
    if (def->look.stripes > 0 || def->look.checks > 0)
        fm_json_write_numbers(w, "pattern", &def->look.pattern.x, 3);
    if (def->look.style)
        write_string(w, "style", def->look.style);
    if (def->look.has_cloth)
        fm_json_write_numbers(w, "cloth", &def->look.cloth.x, 3);
    if (def->look.has_lines)
        fm_json_write_numbers(w, "lines", &def->look.lines.x, 3);
    if (def->look.has_background)
        fm_json_write_numbers(w, "background", &def->look.background.x, 3);
    if (def->look.has_floor)
        fm_json_write_numbers(w, "floor", &def->look.floor.x, 3);
    if (def->look.has_water)
        fm_json_write_numbers(w, "water", &def->look.water.x, 3);
    if (def->look.has_fluid)
        fm_json_write_numbers(w, "fluid", &def->look.fluid.x, 3);
    fm_writer_print(w, "}");
}

// Writes a triangle mesh with the given points as OBJ, with 17 digits.
static bool write_triangles(const char *path, const fm_vec3 *points, const fm_mesh_view *mesh,
                            fm_error *err)
{
    fm_writer *w = fm_writer_open(path, err);
    fm_writer_print(w, FM_OBJ_FIRST_LINE " y up, metres\n");
    for (int i = 0; i < mesh->point_count; i++)
        fm_writer_print(w, "v %.17g %.17g %.17g\n", points[i].x, points[i].y, points[i].z);
    for (int i = 0; i < mesh->face_count; i++) {
        const int *corner = mesh->face_points + 3 * (size_t)i;
        fm_writer_print(w, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    return fm_writer_close(w, false);
}

// Writes the animation frames of a mesh collider as PC2.
static bool write_animation(const char *path, const fm_collider_mesh *def, fm_error *err)
{
    fm_writer *w = fm_writer_open(path, err);
    fm_pc2_write_header(w, def->vertex_count, 1, def->frame_count);
    fm_writer_write(w, def->frames,
                    3 * sizeof(float) * (size_t)def->vertex_count * (size_t)def->frame_count);
    return fm_writer_close(w, false);
}

// Writes a mesh collider as OBJ, and as PC2 if it is animated; number: used in the file names. The
// OBJ of an animated mesh holds the vertices at the start of the animation: the current ones would
// depend on the frame at which a run was resumed.
static bool write_mesh(const char *directory, int number, const fm_trimesh *mesh, fm_error *err)
{
    char path[FM_PATH_SIZE + 64];
    fm_mesh_view view = fm_trimesh_view(mesh);
    fm_collider_mesh def = fm_trimesh_definition(mesh);
    size_t bytes = (size_t)view.point_count * sizeof(fm_vec3);
    snprintf(path, sizeof path, "%s/colliders", directory);
    fm_vec3 *points = fm_directory_create(path, err) ? malloc(bytes) : NULL;
    if (!points)
        return fm_fail_no_memory(err, "setting", bytes);
    memcpy(points, view.points, bytes);
    if (def.frame_count > 0)
        fm_trimesh_read_vertices(mesh, def.start, points);
    snprintf(path, sizeof path, "%s/colliders/%d.obj", directory, number);
    bool good = write_triangles(path, points, &view, err);
    free(points);
    snprintf(path, sizeof path, "%s/colliders/%d.pc2", directory, number);
    return good && (def.frame_count == 0 || write_animation(path, &def, err));
}

// Writes the JSON keys that name the files of a mesh collider.
static void write_mesh_keys(fm_writer *w, int number, const fm_trimesh *mesh)
{
    fm_collider_mesh def = fm_trimesh_definition(mesh);
    fm_writer_print(w, ", \"mesh\": \"colliders/%d.obj\", \"thickness\": %.17g", number,
                    def.thickness);
    if (def.frame_count == 0)
        return;
    fm_writer_print(w, ", \"animation\": {\"frames\": \"colliders/%d.pc2\"", number);
    fm_json_write_fields(w, animation_numbers, &def);
    fm_writer_print(w, ", \"interpolation\": \"%s\"}", interpolation_names[def.interpolation]);
}

// True if setting.json lists the collider. Hidden ones are listed if they have a pose, or if they
// are planes that do not move, which may be the floor.
static bool is_listed(const fm_collider *collider, bool moves)
{
    return !is_plain_ball(collider) &&
           (!collider->hidden || moves ||
            (collider->shape.kind == FM_SHAPE_PLANE && !collider->motion));
}

// Writes the list of colliders, and the mesh files of those that are meshes.
static void write_colliders(fm_writer *w, const char *directory, const fm_world *world,
                            const fm_collider *followed, fm_error *err)
{
    int listed = 0, row = 0;
    fm_writer_print(w, ",\n  \"colliders\": [");
    for (int i = 0; i < count_pictured(world); i++) {
        const fm_collider *collider = pictured(world, i);
        bool moves = has_pose(collider, followed);
        if (!is_listed(collider, moves))
            continue;
        fm_writer_print(w, "%s\n    {\"name\": ", listed++ ? "," : "");
        fm_json_write_string(w, collider->name);
        write_string(w, "shape", shape_names[collider->shape.kind]);
        fm_json_write_fields(w, shape_numbers, &collider->shape);
        if (has_color(collider))
            fm_json_write_numbers(w, "color", &collider->color.x, 3);
        if (moves)
            fm_writer_print(w, ", \"pose\": %d", row++);
        if (collider->mesh && !collider->hidden &&
            write_mesh(directory, listed - 1, collider->mesh, err))
            write_mesh_keys(w, listed - 1, collider->mesh);
        fm_writer_print(w, "%s%s%s}", collider->hidden ? ", \"hidden\": true" : "",
                        collider->clear ? ", \"clear\": true" : "",
                        is_free_ball(collider) ? ", \"ball\": true" : "");
    }
    fm_writer_print(w, "]");
}

// Writes the definitions of all figures.
static void write_figures(fm_writer *w, const fm_world *world)
{
    fm_writer_print(w, ",\n  \"figures\": [");
    for (int i = 0; i < fm_world_figure_count(world); i++) {
        fm_figure_def def = fm_figure_definition(fm_world_figure(world, i));
        fm_writer_print(w, "%s\n    {\"name\": ", i ? "," : "");
        fm_json_write_string(w, def.name);
        write_string(w, "motion", motion_names[def.motion]);
        fm_json_write_fields(w, figure_numbers, &def);
        fm_json_write_numbers(w, "arms", &def.arms, 1);
        fm_writer_print(w, "%s}", def.bare ? ", \"bare\": true" : "");
    }
    fm_writer_print(w, "]");
}

// Writes DIR/setting.json and the mesh files in DIR/colliders.
bool fm_picture_setting_write(const char *directory, const fm_picture_setting_def *def,
                              const fm_world *world, fm_error *err)
{
    char path[FM_PATH_SIZE + 32];
    const fm_collider *followed = find_followed(world, def);
    int followed_pose = 0;
    for (int i = 0; followed && pictured(world, i) != followed; i++)
        followed_pose += has_pose(pictured(world, i), followed);
    snprintf(path, sizeof path, "%s/setting.json", directory);
    fm_writer *w = fm_writer_open(path, err);
    fm_writer_print(w, "{\n  \"format\": %d", FORMAT);
    write_camera(w, world, def, followed, followed_pose);
    write_look(w, def);
    write_colliders(w, directory, world, followed, err);
    write_figures(w, world);
    fm_writer_print(w, "\n}\n");
    return fm_writer_close(w, false);
}

// Reading the files back.

// State of the reader of setting.json.
typedef struct reader {
    const char *directory, *path; // directory of the run, path of setting.json
    fm_picture_setting *setting;
    fm_error *err;
} reader;

// Fills err: a key is missing or has a wrong value. Returns false.
static bool fail_key(reader *r, const char *key)
{
    return fm_fail_content(r->err, FM_BAD_VALUE, r->path, key,
                           "it is missing or wrong: Fathom did not write this");
}

// Reads the members of the struct at `base` that `table` lists, from a JSON object.
static bool read_numbers(reader *r, const char *object, const fm_json_field *table, void *base)
{
    const char *wrong = fm_json_read_fields(object, table, base);
    return !wrong || fail_key(r, wrong);
}

// Reads a string into the setting's arena; NULL if the key is missing.
static const char *read_text(reader *r, const char *object, const char *key)
{
    char *text = fm_json_read_string(fm_json_find_value(object, key), NULL);
    size_t size = text ? strlen(text) + 1 : 0;
    char *kept = text ? fm_arena_alloc(&r->setting->arena, size, 1, "setting", r->err) : NULL;
    if (kept)
        memcpy(kept, text, size);
    free(text);
    return kept;
}

// Reads a string that must be one of `words`; `word` receives its index.
static bool read_word(reader *r, const char *object, const char *key, const char *const *words,
                      int count, int *word)
{
    char *text = fm_json_read_string(fm_json_find_value(object, key), NULL);
    for (*word = 0; text && *word < count && strcmp(text, words[*word]) != 0;)
        ++*word;
    bool good = text && *word < count;
    free(text);
    return good || fail_key(r, key);
}

// Reads an integer >= 0; `index` receives -1 if the key is missing.
static bool read_index(reader *r, const char *object, const char *key, int *index)
{
    const char *value = fm_json_find_value(object, key);
    double number;
    *index = -1;
    if (!value)
        return true;
    if (!fm_json_read_numbers(value, &number, 1) || !(number >= 0 && number < INDEX_LIMIT) ||
        number != (int)number)
        return fail_key(r, key);
    *index = (int)number;
    return true;
}

// Reads a colour; `has` receives whether the key exists.
static bool read_color(reader *r, const char *look, const char *key, bool *has, fm_vec3 *color)
{
    const char *value = fm_json_find_value(look, key);
    *has = value != NULL;
    return !value || fm_json_read_numbers(value, &color->x, 3) || fail_key(r, key);
}

// Reads the camera, the pose at time 0 of the collider it follows, and the look (style and
// colours).
static bool read_camera_and_look(reader *r, const char *json)
{
    fm_picture_setting_def *def = &r->setting->def;
    const char *camera = fm_json_find_value(json, "camera"),
               *look = fm_json_find_value(json, "look");
    double start[FM_POSE_NUMBERS];
    bool has_pattern;
    def->camera.given = camera != NULL;
    def->camera.follow = read_text(r, camera, "follow");
    def->look.style = read_text(r, look, "style");
    if (!read_numbers(r, camera, camera_numbers, def) ||
        !read_index(r, camera, "pose", &r->setting->followed_pose) ||
        !read_color(r, look, "cloth", &def->look.has_cloth, &def->look.cloth) ||
        !read_color(r, look, "pattern", &has_pattern, &def->look.pattern) ||
        !read_color(r, look, "lines", &def->look.has_lines, &def->look.lines) ||
        !read_color(r, look, "background", &def->look.has_background, &def->look.background) ||
        !read_color(r, look, "floor", &def->look.has_floor, &def->look.floor) ||
        !read_color(r, look, "water", &def->look.has_water, &def->look.water) ||
        !read_color(r, look, "fluid", &def->look.has_fluid, &def->look.fluid))
        return false;
    if (camera && !fm_json_read_numbers(fm_json_find_value(camera, "field_of_view"),
                                        &def->camera.field_of_view, 1))
        return fail_key(r, "field_of_view");
    if (!fm_json_read_numbers(fm_json_find_value(look, "particles"), &def->look.particles, 1))
        return fail_key(r, "particles");
    const char *foam = fm_json_find_value(look, "foam");
    if (foam && !fm_json_read_numbers(foam, &def->look.foam, 1))
        return fail_key(r, "foam");
    const char *stripes = fm_json_find_value(look, "stripes"),
               *checks = fm_json_find_value(look, "checks");
    if (stripes && !fm_json_read_numbers(stripes, &def->look.stripes, 1))
        return fail_key(r, "stripes");
    if (checks && !fm_json_read_numbers(checks, &def->look.checks, 1))
        return fail_key(r, "checks");
    const char *mirror = fm_json_find_value(look, "mirror");
    if (mirror && !(fm_json_read_numbers(mirror, &def->look.mirror, 1) && def->look.mirror >= 0 &&
                    def->look.mirror <= 0.99))
        return fail_key(r, "mirror");
    if (r->setting->followed_pose >= 0) {
        if (!fm_json_read_numbers(fm_json_find_value(camera, "start"), start, FM_POSE_NUMBERS))
            return fail_key(r, "start");
        r->setting->start = create_pose(start);
    }
    return r->err->status == FM_OK;
}

// Writes the path of a file in the run's directory.
static void join_path(const reader *r, const char *name, char path[2 * FM_PATH_SIZE])
{
    snprintf(path, 2 * FM_PATH_SIZE, "%s/%s", r->directory, name ? name : "");
}

// Reads the animation of a mesh collider into its definition. frames: receives the positions; the
// caller frees them.
static bool read_animation(reader *r, const char *animation, fm_collider_mesh *def,
                           fm_frame_data *frames)
{
    char path[2 * FM_PATH_SIZE];
    int word;
    const char *name = read_text(r, animation, "frames");
    if (!name)
        return fail_key(r, "frames");
    join_path(r, name, path);
    if (!read_word(r, animation, "interpolation", interpolation_names, INTERPOLATIONS, &word) ||
        !read_numbers(r, animation, animation_numbers, def) ||
        !fm_file_loader()->read_frames(NULL, path, FM_FRAMES_PC2, def->vertex_count, frames,
                                       r->err))
        return false;
    def->frames = frames->positions;
    def->frame_count = frames->frame_count;
    def->interpolation = (fm_interpolation)word;
    return true;
}

// Reads the mesh files of a collider and creates its triangle mesh.
static bool read_mesh(reader *r, const char *object, fm_picture_collider *collider)
{
    char path[2 * FM_PATH_SIZE];
    fm_collider_mesh def = {0};
    fm_mesh_data mesh = {0};
    fm_frame_data frames = {0};
    const char *name = read_text(r, object, "mesh"),
               *animation = fm_json_find_value(object, "animation");
    if (!name || !fm_json_read_numbers(fm_json_find_value(object, "thickness"), &def.thickness, 1))
        return fail_key(r, name ? "thickness" : "mesh");
    join_path(r, name, path);
    bool good = fm_file_loader()->read_mesh(NULL, path, &mesh, r->err);
    good = good && fm_mesh_data_triangulate(&mesh, r->err);
    def.vertices = mesh.points;
    def.vertex_count = mesh.point_count;
    def.triangles = mesh.face_points;
    def.triangle_count = mesh.face_count;
    if (good && (!animation || read_animation(r, animation, &def, &frames)))
        collider->mesh = fm_trimesh_create(&r->setting->arena, &def, path, r->err);
    free(frames.positions);
    fm_mesh_data_destroy(&mesh);
    return r->err->status == FM_OK;
}

// Reads one collider.
static bool read_collider(reader *r, const char *object, fm_picture_collider *collider)
{
    int shape;
    if (!read_word(r, object, "shape", shape_names, SHAPES, &shape) ||
        !read_numbers(r, object, shape_numbers, &collider->shape) ||
        !read_color(r, object, "color", &collider->has_color, &collider->color) ||
        !read_index(r, object, "pose", &collider->pose))
        return false;
    collider->name = read_text(r, object, "name");
    collider->shape.kind = (fm_shape_kind)shape;
    collider->hidden = fm_json_equals_word(fm_json_find_value(object, "hidden"), "true");
    collider->is_ball = fm_json_equals_word(fm_json_find_value(object, "ball"), "true");
    collider->clear = fm_json_equals_word(fm_json_find_value(object, "clear"), "true");
    return shape != FM_SHAPE_MESH || collider->hidden || read_mesh(r, object, collider);
}

// Reads the definition of a figure and creates it.
static bool read_figure(reader *r, const char *object, fm_figure **figure)
{
    fm_figure_def def = fm_default_figure_def();
    const char *arms = fm_json_find_value(object, "arms"); // older runs have none
    int motion;
    def.name = read_text(r, object, "name");
    if (!def.name || !read_word(r, object, "motion", motion_names, MOTIONS, &motion) ||
        !read_numbers(r, object, figure_numbers, &def) ||
        (arms && !fm_json_read_numbers(arms, &def.arms, 1)))
        return fail_key(r, "figures");
    def.motion = (fm_figure_motion)motion;
    def.bare = fm_json_equals_word(fm_json_find_value(object, "bare"), "true");
    *figure = fm_figure_create_in_arena(&r->setting->arena, &def, r->err);
    return *figure != NULL;
}

// Number of items of a JSON array.
static int count_items(const char *array)
{
    int count = 0;
    for (const char *item = fm_json_first_item(array); item; item = fm_json_next_item(item))
        count++;
    return count;
}

// Reads all colliders and figures, and checks the indices of their poses.
static bool read_colliders_and_figures(reader *r, const char *json)
{
    fm_picture_setting *s = r->setting;
    const char *colliders = fm_json_find_value(json, "colliders"),
               *figures = fm_json_find_value(json, "figures");
    if (!colliders || *colliders != '[' || !figures || *figures != '[')
        return fail_key(r, colliders ? "figures" : "colliders");
    size_t collider_count = (size_t)count_items(colliders),
           figure_count = (size_t)count_items(figures);
    s->colliders =
        fm_arena_alloc(&s->arena, collider_count + 1, sizeof *s->colliders, "setting", r->err);
    s->figures =
        fm_arena_alloc(&s->arena, figure_count + 1, sizeof(fm_figure *), "setting", r->err);
    for (const char *at = fm_json_first_item(colliders); at && r->err->status == FM_OK;
         at = fm_json_next_item(at)) {
        fm_picture_collider *collider = &s->colliders[s->collider_count++];
        read_collider(r, at, collider);
        s->pose_count += collider->pose >= 0;
    }
    for (const char *at = fm_json_first_item(figures); at && r->err->status == FM_OK;
         at = fm_json_next_item(at))
        read_figure(r, at, &s->figures[s->figure_count++]);
    for (int i = 0; i < s->collider_count && r->err->status == FM_OK; i++)
        if (s->colliders[i].pose >= s->pose_count)
            fail_key(r, "pose");
    return r->err->status == FM_OK && (s->followed_pose < s->pose_count || fail_key(r, "pose"));
}

// Reads one row of poses.csv: frame, time, and `count` numbers. `end` receives the start of the
// next row. Returns false if the row is wrong or not of `frame`.
static bool read_row(const char *at, int frame, double *values, int count, const char **end)
{
    char *next;
    if (strtol(at, &next, 10) != frame || *next != ',')
        return false;
    fm_text_to_number(next + 1, &next);
    for (int i = 0; i < count; i++) {
        if (*next != ',')
            return false;
        values[i] = fm_text_to_number(next + 1, &next);
    }
    *end = next + 1;
    return *next == '\n';
}

// Reads poses.csv: one row per frame, seven numbers per moving collider. A run that was killed may
// leave an incomplete last row, which is ignored.
static bool read_poses(reader *r)
{
    fm_picture_setting *s = r->setting;
    char path[FM_PATH_SIZE + 32];
    size_t size, rows = 0, numbers_of_row = (size_t)s->pose_count * FM_POSE_NUMBERS;
    if (s->pose_count == 0)
        return true;
    snprintf(path, sizeof path, "%s/poses.csv", r->directory);
    char *text = fm_file_read(path, FILE_MAX, &size, r->err);
    if (!text)
        return false;
    for (const char *c = text; *c; c++)
        rows += *c == '\n';
    s->poses = malloc((rows + 1) * numbers_of_row * sizeof *s->poses);
    if (!s->poses)
        fm_fail_no_memory(r->err, "setting", rows * numbers_of_row * sizeof *s->poses);
    const char *at = strchr(text, '\n');
    at = at ? at + 1 : text + strlen(text);
    s->first_frame = (int)strtol(at, NULL, 10);
    while (s->poses && *at && strchr(at, '\n')) {
        double *row = s->poses + (size_t)s->frame_count * numbers_of_row;
        if (!read_row(at, s->first_frame + s->frame_count, row, (int)numbers_of_row, &at)) {
            fm_fail_content(r->err, FM_BAD_VALUE, path, "row", "that of frame %d is wrong",
                            s->first_frame + s->frame_count);
            break;
        }
        s->frame_count++;
    }
    free(text);
    return r->err->status == FM_OK;
}

// Gives pose number `pose` in the row of `frame`; the identity for -1, a collider that does not
// move.
bool fm_picture_setting_find_pose(const fm_picture_setting *setting, int pose, int frame,
                                  fm_pose *found, fm_error *err)
{
    int row = frame - setting->first_frame;
    *found = fm_pose_identity();
    if (pose < 0)
        return true;
    if (row < 0 || row >= setting->frame_count)
        return fm_fail_content(err, FM_BAD_VALUE, setting->directory, "poses.csv",
                               "there is no row for frame %d", frame);
    size_t at = (size_t)row * (size_t)setting->pose_count + (size_t)pose;
    *found = create_pose(setting->poses + FM_POSE_NUMBERS * at);
    return true;
}

// Checks the text of setting.json and its format version, and reads it and poses.csv.
static bool parse_setting(reader *r, const char *json)
{
    int format;
    if (!fm_json_check(json))
        return fm_fail_content(r->err, FM_BAD_VALUE, r->path, "JSON", "it is damaged");
    if (!read_index(r, json, "format", &format))
        return false;
    if (format != FORMAT)
        return fm_fail_content(r->err, FM_BAD_VALUE, r->path, "format",
                               "it is %d, this version reads %d", format, FORMAT);
    return read_camera_and_look(r, json) && read_colliders_and_figures(r, json) && read_poses(r);
}

// Reads the setting of the run in `directory`. Returns NULL without filling err if there is none.
fm_picture_setting *fm_picture_setting_open(const char *directory, fm_error *err)
{
    char path[FM_PATH_SIZE + 32];
    struct stat file_status;
    size_t size;
    snprintf(path, sizeof path, "%s/setting.json", directory);
    if (err->status != FM_OK || lstat(path, &file_status) != 0)
        return NULL;
    fm_picture_setting *setting = calloc(1, sizeof *setting);
    if (!setting) {
        fm_fail_no_memory(err, "setting", sizeof *setting);
        return NULL;
    }
    snprintf(setting->directory, sizeof setting->directory, "%s", directory);
    reader r = {directory, path, setting, err};
    char *json = fm_file_read(path, FILE_MAX, &size, err);
    bool good = json && parse_setting(&r, json);
    free(json);
    if (good)
        return setting;
    fm_picture_setting_close(setting);
    return NULL;
}

// Frees a setting; accepts NULL.
void fm_picture_setting_close(fm_picture_setting *setting)
{
    if (!setting)
        return;
    free(setting->poses);
    fm_arena_destroy(&setting->arena);
    free(setting);
}
