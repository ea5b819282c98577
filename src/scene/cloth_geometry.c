// SPDX-License-Identifier: MIT
// cloth_geometry.c: particle numbers of rows, edges and seams of a cloth, mesh files of cloths, and
// the checks of pins and seams against the size of the cloth.
#include "cloth/cloth.h"
#include "motion/motion.h"
#include "scene/cloth_kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MESH_BYTES_MAX = 1 << 28, // size of a mesh file
    PATH_SIZE = 4096,         // bytes of a path
};

// Columns of particles of a sheet or tube.
static int count_columns(const fm_scene_cloth *cloth)
{
    return cloth->kind == FM_CLOTH_TUBE ? cloth->tube.columns : cloth->sheet.columns;
}

// Rows of particles of a sheet or tube.
static int count_rows(const fm_scene_cloth *cloth)
{
    return cloth->kind == FM_CLOTH_TUBE ? cloth->tube.rows : cloth->sheet.rows;
}

// Number of particles of a sheet or tube, or of vertices of a mesh.
int fm_scene_cloth_point_count(const fm_scene_cloth *cloth)
{
    return cloth->kind == FM_CLOTH_MESH ? cloth->mesh.mesh.point_count
                                        : count_columns(cloth) * count_rows(cloth);
}

// Writes the particles of one side of a seam, in order, to `list` unless it is NULL. Returns their
// number.
int fm_scene_cloth_list_border(const fm_scene_cloth *cloth, const fm_scene_border *border,
                               int *list)
{
    int columns = count_columns(cloth), rows = count_rows(cloth);
    int row = border->row, column = border->column;
    bool along_row = border->kind == FM_SCENE_PIN_ROW;
    if (border->kind == FM_SCENE_PIN_PARTICLES) {
        if (list)
            memcpy(list, border->particles.data, (size_t)border->particles.count * sizeof *list);
        return border->particles.count;
    }
    if (border->kind == FM_SCENE_PIN_GROUP) {
        const fm_vertex_group *group = fm_scene_mesh_find_group(&cloth->mesh, border->group);
        if (list && group)
            memcpy(list, group->vertices, (size_t)group->count * sizeof *list);
        return group ? group->count : 0;
    }
    if (border->kind == FM_SCENE_PIN_EDGE) {
        along_row = border->edge == FM_EDGE_TOP || border->edge == FM_EDGE_BOTTOM;
        row = border->edge == FM_EDGE_BOTTOM ? rows - 1 : 0;
        column = border->edge == FM_EDGE_RIGHT ? columns - 1 : 0;
    }
    int count = along_row ? columns : rows;
    for (int i = 0; i < count && list; i++)
        list[i] = along_row ? row * columns + i : i * columns + column;
    return count;
}

// The vertices of a seam: *count of its side `from`, then as many of its side `to`. The caller
// frees the array.
int *fm_scene_cloth_list_seam(const fm_scene_cloth *cloth, const fm_scene_seam *seam, int *count,
                              fm_error *err)
{
    *count = fm_scene_cloth_list_border(cloth, &seam->from, NULL);
    int *both = malloc(2 * (size_t)*count * sizeof *both + 1);
    if (!both) {
        fm_fail_no_memory(err, "scene", 2 * (size_t)*count * sizeof *both);
        return NULL;
    }
    fm_scene_cloth_list_border(cloth, &seam->from, both);
    fm_scene_cloth_list_border(cloth, &seam->to, both + *count);
    for (int i = 0, j = *count - 1; i < j && seam->reverse; i++, j--) {
        int swap = both[*count + i];
        both[*count + i] = both[*count + j], both[*count + j] = swap;
    }
    return both;
}

// The pairs of vertices that the seams of a cloth weld: `count` pairs. The caller frees the array.
static int *list_welds(const fm_scene_cloth *cloth, int *count, fm_error *err)
{
    const fm_scene_seam *seams = cloth->seams.data;
    size_t most = 1; // pairs
    for (int i = 0; i < cloth->seams.count; i++)
        most += seams[i].weld ? (size_t)fm_scene_cloth_list_border(cloth, &seams[i].from, NULL) : 0;
    int *pairs = malloc(2 * most * sizeof *pairs);
    *count = 0;
    if (!pairs)
        fm_fail_no_memory(err, "scene", 2 * most * sizeof *pairs);
    for (int i = 0; i < cloth->seams.count && pairs && err->status == FM_OK; i++) {
        // the n vertices of one side of the seam, then the n of the other
        int n = 0,
            *both = seams[i].weld ? fm_scene_cloth_list_seam(cloth, &seams[i], &n, err) : NULL;
        for (int k = 0; k < n && both; k++, ++*count)
            pairs[2 * *count] = both[k], pairs[2 * *count + 1] = both[n + k];
        free(both);
    }
    return pairs;
}

// Fills `mesh` with the scaled, rotated and moved vertices of a cloth's mesh file, and the pairs of
// vertices that seams weld.
bool fm_scene_cloth_create_mesh(const fm_scene_cloth *cloth, fm_cloth_mesh *mesh, fm_error *err)
{
    const fm_scene_mesh *from = &cloth->mesh;
    size_t count = (size_t)from->mesh.point_count;
    fm_pose pose = fm_pose_identity();
    pose.position = from->origin;
    pose.rotation = from->rotation;
    fm_quat_normalize(&pose.rotation);
    fm_vec3 *positions = malloc((count + 1) * sizeof *positions);
    if (!positions)
        fm_fail_no_memory(err, "scene", count * sizeof *positions);
    for (size_t i = 0; i < count && positions; i++)
        positions[i] = fm_pose_apply(&pose, fm_scale(from->mesh.points[i], from->scale));
    *mesh = (fm_cloth_mesh){.positions = positions,
                            .vertex_count = from->mesh.point_count,
                            .triangles = from->mesh.face_points,
                            .triangle_count = from->mesh.face_count,
                            .corner_uv = from->mesh.corner_uv,
                            .weld = from->weld,
                            .velocity = from->velocity};
    mesh->welds = list_welds(cloth, &mesh->weld_count, err);
    return err->status == FM_OK;
}

// Frees the arrays that fm_scene_cloth_create_mesh allocated.
void fm_scene_cloth_destroy_mesh(fm_cloth_mesh *mesh)
{
    free((void *)mesh->positions);
    free((void *)mesh->welds);
}

// A part of a cloth that a pin, a seam or a map of the strain limiting (particles that count as
// fixed during a contact) refers to.
typedef struct cloth_place {
    const fm_node *node;       // value of the pin, seam or map in the scene file
    const char *path;          // for messages: "bodies.c.cloth.pins[2]"
    int kind;                  // fm_scene_pin_kind: which of the members below is used
    int edge, row, column;     // fm_edge; numbers from 0
    const fm_items *particles; // array of int: numbers of particles
    const char *group;         // name of a group of vertices
} cloth_place;

// Refuses a row or column number `value`, given under `key`, that is not below `count`. what:
// "rows" or "columns".
static void check_index(fm_decoder *d, const cloth_place *s, const char *key, int value,
                        const char *what, int count)
{
    if (value >= count)
        fm_loader_add_mistake(d->loader, fm_node_find_place(s->node, key, NULL, NULL),
                              "%s.%s is %d, allowed is 0 to %s - 1 = %d", s->path, key, value, what,
                              count - 1);
}

// Refuses particle numbers that are not below `count`.
static void check_particles(fm_loader *loader, const cloth_place *s, int count)
{
    const int *particles = s->particles->data;
    fm_place place = fm_node_find_place(s->node, "particles", NULL, NULL);
    for (int i = 0; i < s->particles->count; i++) {
        if (particles[i] >= count) {
            fm_loader_add_mistake(loader, place, "%s.particles has %d, allowed is 0 to %d", s->path,
                                  particles[i], count - 1);
            return;
        }
    }
}

// A group of vertices must exist: of the mesh, or of a painted map.
static void check_group(fm_loader *loader, const fm_scene_cloth *cloth, const cloth_place *s)
{
    const fm_scene_mesh *mesh = &cloth->mesh;
    const fm_scene_map *maps = cloth->painted.data;
    fm_text names = {0};
    bool found = fm_scene_mesh_find_group(mesh, s->group) != NULL;
    for (int i = 0; i < mesh->group_count && !found; i++)
        fm_text_add(&names, "%s%s", names.data ? ", " : "", mesh->groups[i].name);
    for (int i = 0; i < cloth->painted.count && !found; i++) {
        found = maps[i].name && strcmp(maps[i].name, s->group) == 0;
        if (maps[i].name)
            fm_text_add(&names, "%s%s", names.data ? ", " : "", maps[i].name);
    }
    if (found) {
        free(names.data);
        return;
    }
    char shown[64];
    fm_loader_add_mistake(loader, fm_node_find_place(s->node, "group", NULL, NULL),
                          "%s.group is \"%s\", %s%s", s->path, fm_text_shorten(shown, s->group),
                          names.data ? "allowed are "
                                     : "but the cloth has no groups of vertices: meshes, fabrics "
                                       "and soft bodies have them",
                          names.data ? names.data : "");
    free(names.data);
}

// Rows, columns, edges and corners must exist: meshes have none, tubes have no sides and corners.
static void check_grid_place(fm_decoder *d, const fm_scene_cloth *cloth, const cloth_place *s)
{
    static const char *const keys[] = {"", "edge", "row", "column", "corner", "particles"};
    bool grid = s->kind >= FM_SCENE_PIN_EDGE && s->kind <= FM_SCENE_PIN_CORNER;
    bool tube = cloth->kind == FM_CLOTH_TUBE, mesh = cloth->kind == FM_CLOTH_MESH;
    bool needs_sides =
        s->kind == FM_SCENE_PIN_CORNER || (s->kind == FM_SCENE_PIN_EDGE && s->edge >= FM_EDGE_LEFT);
    if (grid && mesh)
        fm_loader_add_mistake(d->loader, fm_node_find_place(s->node, keys[s->kind], NULL, NULL),
                              "%s.%s: a mesh has no %s; use particles", s->path, keys[s->kind],
                              keys[s->kind]);
    else if (needs_sides && tube)
        fm_loader_add_mistake(d->loader, fm_node_find_place(s->node, keys[s->kind], NULL, NULL),
                              "%s.%s: a tube has only a top and a bottom edge, rows and columns",
                              s->path, keys[s->kind]);
    if (mesh)
        return;
    if (s->kind == FM_SCENE_PIN_ROW)
        check_index(d, s, "row", s->row, "rows", count_rows(cloth));
    if (s->kind == FM_SCENE_PIN_COLUMN)
        check_index(d, s, "column", s->column, "columns", count_columns(cloth));
}

// Checks the part of the cloth that element `index` of `list` ("pins", "seams", ...) refers to, or
// its member `key` unless that is NULL.
static void check_place(fm_decoder *d, const fm_scene_cloth *cloth, cloth_place s, const char *list,
                        int index, const char *key)
{
    char path[320]; // long enough for a decoder's path and the list
    snprintf(path, sizeof path, "%s.%s[%d]%s%s", d->path, list, index, key ? "." : "",
             key ? key : "");
    s.path = path;
    bool lists_particles = s.kind == FM_SCENE_PIN_PARTICLES;
    if (s.kind == FM_SCENE_PIN_GROUP && s.group &&
        (cloth->kind != FM_CLOTH_MESH || cloth->mesh.mesh.points))
        check_group(d->loader, cloth, &s);
    if (lists_particles && s.particles->count < 1)
        fm_loader_add_mistake(d->loader, fm_node_find_place(s.node, "particles", NULL, NULL),
                              "%s.particles is an empty list", path);
    else if (lists_particles && (cloth->kind != FM_CLOTH_MESH || cloth->mesh.mesh.points))
        check_particles(d->loader, &s, fm_scene_cloth_point_count(cloth));
    if (!cloth->mesh.mesh.points)
        check_grid_place(d, cloth, &s);
}

// The part of a cloth that one side of a seam refers to. key: "from" or "to".
static cloth_place describe_border(const fm_scene_seam *seam, const char *key,
                                   const fm_scene_border *b)
{
    return (cloth_place){.node = fm_node_find(seam->item.node, key),
                         .kind = b->kind,
                         .edge = b->edge,
                         .row = b->row,
                         .column = b->column,
                         .particles = &b->particles,
                         .group = b->group};
}

// Checks that the rows, columns, edges and particles exist that pins, seams and maps (sets of
// particles that strain limiting treats as fixed) refer to.
static void check_places(fm_decoder *d, const fm_scene_cloth *cloth)
{
    const fm_scene_pin *pins = cloth->pins.data;
    for (int i = 0; i < cloth->pins.count; i++) {
        cloth_place s = {.node = pins[i].item.node,
                         .kind = pins[i].kind,
                         .edge = pins[i].edge,
                         .row = pins[i].row,
                         .column = pins[i].column,
                         .particles = &pins[i].particles,
                         .group = pins[i].group};
        check_place(d, cloth, s, "pins", i, NULL);
    }
    const fm_scene_enforcement_map *maps = cloth->maps.data;
    for (int i = 0; i < cloth->maps.count; i++) {
        cloth_place s = {
            .node = maps[i].item.node, .kind = maps[i].kind, .particles = &maps[i].particles};
        check_place(d, cloth, s, "enforcement.maps", i, NULL);
    }
    const fm_scene_seam *seams = cloth->seams.data;
    for (int i = 0; i < cloth->seams.count; i++) {
        check_place(d, cloth, describe_border(&seams[i], "from", &seams[i].from), "seams", i,
                    "from");
        check_place(d, cloth, describe_border(&seams[i], "to", &seams[i].to), "seams", i, "to");
    }
}

// Checks that both sides of each seam have the same number of particles: of seams between groups
// once the mesh is loaded, of others when the scene is decoded.
static void check_seams(fm_decoder *d, const fm_scene_cloth *cloth, bool loaded)
{
    const fm_scene_seam *seams = cloth->seams.data;
    for (int i = 0; i < cloth->seams.count; i++) {
        const fm_node *node = seams[i].item.node;
        bool grouped =
            seams[i].from.kind == FM_SCENE_PIN_GROUP || seams[i].to.kind == FM_SCENE_PIN_GROUP;
        if (grouped != loaded)
            continue;
        int from = fm_scene_cloth_list_border(cloth, &seams[i].from, NULL);
        int to = fm_scene_cloth_list_border(cloth, &seams[i].to, NULL);
        if (from != to)
            fm_loader_add_mistake(
                d->loader, fm_node_find_place(node, "to", NULL, NULL),
                "%s.seams[%d].to has %d particles, it must have as many as from: %d", d->path, i,
                to, from);
        if (seams[i].weld && cloth->kind != FM_CLOTH_MESH)
            fm_loader_add_mistake(d->loader, fm_node_find_place(node, "weld", NULL, NULL),
                                  "%s.seams[%d].weld is only allowed on meshes", d->path, i);
    }
}

// Checks that the rows, columns and particles exist that pins, seams and maps of the strain
// limiting refer to.
void fm_scene_check_cloth_places(fm_decoder *d, const fm_node *node, const fm_scene_cloth *cloth)
{
    int before = d->loader->mistake_count;
    check_places(d, cloth);
    if (d->loader->mistake_count == before)
        check_seams(d, cloth, false);
    if (cloth->painted.count > 0 && cloth->kind != FM_CLOTH_MESH)
        fm_loader_add_mistake(d->loader, fm_node_find_place(node, "maps", NULL, NULL),
                              "%s.maps: painted maps are only allowed on a mesh", d->path);
    if (cloth->def.bend.model == FM_BEND_SPRINGS && cloth->kind != FM_CLOTH_SHEET)
        fm_loader_add_mistake(
            d->loader, fm_node_find_place(node, "bend", "model", NULL),
            "%s.bend.model is springs, which is only allowed on sheets; use rigidity", d->path);
}

void fm_scene_check_mesh_places(fm_loader *loader, const char *path, const fm_scene_cloth *cloth)
{
    fm_decoder d = {.loader = loader};
    snprintf(d.path, sizeof d.path, "%s", path);
    int before = loader->mistake_count;
    check_places(&d, cloth);
    if (loader->mistake_count == before)
        check_seams(&d, cloth, true);
}

// The corner at which a polygon is split into triangles: a quadrilateral along its shorter
// diagonal, any other polygon as a fan from corner 0.
static int choose_split_corner(const fm_vec3 *points, const int *corner, int corners)
{
    if (corners != 4)
        return 0;
    double length[2]; // m^2, squared lengths of the diagonals
    for (int k = 0; k < 2; k++) {
        fm_vec3 diagonal = fm_sub(points[corner[k]], points[corner[k + 2]]);
        length[k] = fm_dot(diagonal, diagonal);
    }
    return length[1] < length[0];
}

// Fills the corners of a triangle mesh from the corners of a file's faces. number: the corners of
// the triangles, as numbers of corners of the file; replaced by points. uv: NULL without.
static void take_corners(const fm_mesh_view *from, int *number, float *uv, int corner_count)
{
    for (int i = 0; i < corner_count; i++) {
        if (uv)
            memcpy(uv + 2 * (size_t)i, from->corner_uv + 2 * (size_t)number[i], 2 * sizeof *uv);
        number[i] = from->face_points[number[i]];
    }
}

// Writes the vertices of group g of an OBJ file to `list` unless it is NULL, and returns their
// number: those along its lines, in their order; without lines those of its faces, by number. mark:
// by vertex, not equal to `sign` before.
static int list_group(const fm_obj *obj, int g, int *mark, int sign, int *list)
{
    const fm_mesh_data *m = &obj->mesh;
    int count = 0;
    for (int k = 0; k < 2 * m->line_count; k++)
        if (obj->line_group[k / 2] == g && mark[m->lines[k]] != sign) {
            mark[m->lines[k]] = sign;
            if (list)
                list[count] = m->lines[k];
            count++;
        }
    if (count > 0)
        return count;
    for (int f = 0; f < m->face_count; f++)
        for (int k = m->face_start[f]; k < m->face_start[f + 1] && obj->face_group[f] == g; k++)
            mark[m->face_points[k]] = sign;
    for (int i = 0; i < m->point_count; i++)
        if (mark[i] == sign) {
            if (list)
                list[count] = i;
            count++;
        }
    return count;
}

// Copies the groups of an OBJ file with their vertices, at most FM_VERTEX_GROUPS_MAX.
static void store_groups(fm_loader *loader, const fm_obj *obj, fm_scene_mesh *mesh)
{
    fm_vertex_group *groups = fm_loader_alloc(loader, FM_VERTEX_GROUPS_MAX, sizeof *groups);
    int *mark = fm_loader_alloc(loader, (size_t)obj->mesh.point_count + 1, sizeof *mark);
    for (int g = 0; groups && mark && g < obj->group_count; g++) {
        fm_vertex_group *to = &groups[mesh->group_count];
        if (obj->group_names[g][0] == 0 || mesh->group_count == FM_VERTEX_GROUPS_MAX)
            continue;
        int count = list_group(obj, g, mark, 2 * g + 1, NULL);
        to->vertices = count ? fm_loader_alloc(loader, (size_t)count, sizeof(int)) : NULL;
        if (!to->vertices)
            continue;
        to->count = list_group(obj, g, mark, 2 * g + 2, to->vertices);
        snprintf(to->name, sizeof to->name, "%s", obj->group_names[g]);
        mesh->group_count++;
    }
    mesh->groups = groups;
}

// Copies the mesh of an OBJ file into the scene's arena, split into triangles.
static void store_mesh(fm_loader *loader, const fm_obj *obj, fm_scene_mesh *mesh)
{
    fm_mesh_view from = fm_mesh_data_view(&obj->mesh);
    size_t points = (size_t)from.point_count, most = (size_t)fm_mesh_count_triangles(&from) + 1;
    fm_vec3 *kept = fm_loader_alloc(loader, points + 1, sizeof *kept);
    int *triangles = fm_loader_alloc(loader, 3 * most, sizeof *triangles);
    int *point_row = fm_loader_alloc(loader, points + 1, sizeof *point_row);
    int *row = fm_loader_alloc(loader, most, sizeof *row);
    int *number = fm_loader_alloc(loader, 3 * most, sizeof *number); // of corners of one face
    float *uv = from.corner_uv ? fm_loader_alloc(loader, 6 * most, sizeof *uv) : NULL;
    if (!kept || !triangles || !point_row || !row || !number || (from.corner_uv && !uv))
        return;
    memcpy(kept, from.points, points * sizeof *kept);
    memcpy(point_row, obj->point_row, points * sizeof *point_row);
    int count = 0;
    for (int i = 0; i < from.face_count; i++) {
        int corners;
        const int *corner = fm_mesh_face(&from, i, &corners);
        for (int k = 0; k < corners; k++)
            number[k] = (int)(corner - from.face_points) + k;
        int added =
            fm_mesh_triangulate_face(number, corners, choose_split_corner(kept, corner, corners),
                                     triangles + 3 * (size_t)count);
        for (int k = 0; k < added; k++)
            row[count++] = obj->face_row[i];
    }
    take_corners(&from, triangles, uv, 3 * count);
    store_groups(loader, obj, mesh);
    mesh->mesh = (fm_mesh_view){.points = kept,
                                .point_count = from.point_count,
                                .face_points = triangles,
                                .face_count = count,
                                .corner_uv = uv};
    mesh->point_row = point_row;
    mesh->triangle_row = row;
}

// Writes the absolute path of the file that a node names and checks that it can be a mesh. The path
// is absolute because a run stores it and may be resumed from another folder.
static bool find_file(const fm_node *node, char *path, size_t size, fm_error *err)
{
    const char *name = node->text, *folder = node->place.source->folder;
    bool is_absolute = name[0] == '/' || folder[0] == '/';
    if (!is_absolute && !getcwd(path, size))
        return fm_fail_file(err, name, "read", errno);
    size_t used = is_absolute ? 0 : strlen(path);
    int more = snprintf(path + used, size - used, "%s%s%s", is_absolute ? "" : "/",
                        name[0] == '/' ? "" : folder, name);
    struct stat status;
    if (more < 0 || (size_t)more >= size - used)
        return fm_fail_file(err, name, "read", ENAMETOOLONG);
    if (stat(path, &status) != 0)
        return fm_fail_file(err, name, "read", errno);
    if (!S_ISREG(status.st_mode) || status.st_size > MESH_BYTES_MAX)
        return fm_fail_content(err, FM_INPUT_OUTPUT, name, "file",
                               "it is not a regular file of at most 256 MB");
    return true;
}

// Reads the OBJ file that a node names into `mesh`.
static void load_mesh(fm_loader *loader, fm_node *node, fm_scene_mesh *mesh)
{
    fm_error err = {0};
    fm_obj obj = {0};
    size_t size = 0;
    char path[PATH_SIZE], *bytes = NULL;
    if (find_file(node, path, sizeof path, &err))
        bytes = fm_file_read(path, MESH_BYTES_MAX, &size, &err);
    if (bytes && fm_obj_parse(bytes, size, node->text, &obj, &err)) {
        mesh->hash = fm_hash(bytes, size, 0);
        if (obj.mesh.face_count < 1)
            fm_loader_add_mistake(loader, node->place, "%s: the file has no faces", node->text);
        else
            store_mesh(loader, &obj, mesh);
        const char *full = fm_loader_copy_text(loader, path, strlen(path));
        if (full)
            node->text = mesh->file = full;
    }
    if (err.status == FM_NO_MEMORY)
        loader->err = err;
    else if (err.status != FM_OK)
        fm_loader_add_mistake(loader, node->place, "%s", err.text);
    fm_obj_destroy(&obj);
    free(bytes);
}

enum { FAULTS_SHOWN = 3 }; // faults of one kind that are reported with a line of the mesh file

// Faults of a mesh: the number of each kind, and the first few.
typedef struct fault_list {
    fm_mesh_fault faults[FM_FAULT_KIND_COUNT][FAULTS_SHOWN];
    int count[FM_FAULT_KIND_COUNT];
} fault_list;

// Callback of fm_mesh_find_faults. context: a fault_list.
static void store_fault(void *context, const fm_mesh_fault *fault)
{
    fault_list *list = context;
    int count = list->count[fault->kind]++;
    if (count < FAULTS_SHOWN)
        list->faults[fault->kind][count] = *fault;
}

// Writes the message for a fault of a mesh, with lines of the mesh file.
static void describe_fault(const fm_scene_mesh *mesh, const fm_mesh_fault *f, char *text,
                           size_t size)
{
    const int *points = mesh->point_row, *faces = mesh->triangle_row;
    switch (f->kind) {
    case FM_FAULT_REPEATED_CORNER:
        snprintf(text, size,
                 "f: two corners of the face are the vertex of line %d, or are welded to it; "
                 "corners must "
                 "differ",
                 points[f->vertex[0]]);
        break;
    case FM_FAULT_ZERO_AREA:
        snprintf(text, size,
                 "f: the face has a triangle with an area of %g m^2, it must be above 0", f->area);
        break;
    case FM_FAULT_NON_MANIFOLD:
        snprintf(
            text, size,
            "f: the edge between the vertices of lines %d and %d has %d faces, allowed are one "
            "or two; others are on lines %d and %d",
            points[f->vertex[0]], points[f->vertex[1]], f->count, faces[f->others[0]],
            faces[f->others[1]]);
        break;
    case FM_FAULT_WINDING:
        snprintf(
            text, size,
            "f: this face and the face of line %d share the edge between the vertices of lines "
            "%d and %d, but have opposite orientations: one of them is flipped",
            faces[f->others[0]], points[f->vertex[0]], points[f->vertex[1]]);
        break;
    case FM_FAULT_UNUSED_VERTEX:
        snprintf(text, size,
                 "v: no face uses this vertex; every vertex of a cloth must be in a face");
        break;
    case FM_FAULT_KIND_COUNT:
        break;
    }
}

// Records the faults that make a mesh unusable as cloth, with lines of the mesh file. `name`: the
// file name as written in the scene.
static void check_mesh(fm_loader *loader, const fm_node *node, const char *name,
                       const fm_scene_cloth *cloth)
{
    static const char *const kinds[] = {
        "faces with two equal corners", "faces without area", "edges with more than two faces",
        "edges whose faces have opposite orientations", "vertices that no face uses"};
    fm_error err = {0};
    fm_cloth_mesh mesh;
    fault_list list = {0};
    char text[300];
    if (fm_scene_cloth_create_mesh(cloth, &mesh, &err))
        fm_mesh_find_faults(&mesh, name, store_fault, &list, &err);
    fm_scene_cloth_destroy_mesh(&mesh);
    for (int kind = 0; kind < FM_FAULT_KIND_COUNT; kind++) {
        for (int i = 0; i < list.count[kind] && i < FAULTS_SHOWN; i++) {
            const fm_mesh_fault *fault = &list.faults[kind][i];
            int line = fault->triangle < 0 ? cloth->mesh.point_row[fault->vertex[0]]
                                           : cloth->mesh.triangle_row[fault->triangle];
            describe_fault(&cloth->mesh, fault, text, sizeof text);
            fm_loader_add_mistake(loader, node->place, "%s:%d: %s", name, line, text);
        }
        if (list.count[kind] > FAULTS_SHOWN)
            fm_loader_add_mistake(loader, node->place, "%s: there are %d %s in all", name,
                                  list.count[kind], kinds[kind]);
    }
    if (err.status == FM_NO_MEMORY)
        loader->err = err;
}

// Reads the mesh file that `file` names and checks it, and the pins and seams that refer to it.
// key: of the body.
static void load_and_check(fm_loader *loader, const fm_scene_object *object, const char *key,
                           fm_node *file)
{
    fm_scene_cloth *cloth = object->def;
    const char *name = file->text; // as written; load_mesh replaces file->text by the absolute path
    load_mesh(loader, file, &cloth->mesh);
    if (!cloth->mesh.mesh.points)
        return;
    int before = loader->mistake_count;
    char path[256];
    snprintf(path, sizeof path, "bodies.%s.%s", object->item.name, key);
    fm_scene_check_mesh_places(loader, path, cloth);
    if (loader->mistake_count == before) // check_mesh welds seams, so their vertices must exist
        check_mesh(loader, file, name, cloth);
}

void fm_scene_cloth_load_mesh(fm_loader *loader, const fm_scene_object *object)
{
    const fm_scene_cloth *cloth = object->def;
    if (cloth->kind != FM_CLOTH_MESH)
        return;
    const fm_node *mesh = fm_node_find(fm_node_find(object->item.node, "cloth"), "mesh");
    load_and_check(loader, object, "cloth", fm_node_find(mesh, "file"));
}

void fm_scene_cloth_load_obj(fm_loader *loader, const fm_scene_object *object, const char *key)
{
    const fm_node *mesh = fm_node_find(fm_node_find(object->item.node, key), "mesh");
    load_and_check(loader, object, key, fm_node_find(fm_node_find(mesh, "obj"), "file"));
}
