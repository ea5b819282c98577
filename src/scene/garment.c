// SPDX-License-Identifier: MIT
// garment.c: what tubes, meshes and seams need beyond their tables: files of meshes read, and
// places on a cloth (rows, edges, particles) checked against what it is made of.
#include "cloth/cloth.h"
#include "motion/motion.h"
#include "scene/scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MESH_BYTES_MAX = 1 << 28, PATH_SIZE = 4096 };

static int grid_columns(const fm_scene_cloth *cloth)
{
    return cloth->kind == FM_CLOTH_TUBE ? cloth->tube.columns : cloth->sheet.columns;
}

static int grid_rows(const fm_scene_cloth *cloth)
{
    return cloth->kind == FM_CLOTH_TUBE ? cloth->tube.rows : cloth->sheet.rows;
}

int fm_garment_count(const fm_scene_cloth *cloth)
{
    return cloth->kind == FM_CLOTH_MESH ? cloth->mesh.point_count
                                        : grid_columns(cloth) * grid_rows(cloth);
}

int fm_border_particles(const fm_scene_cloth *cloth, const fm_scene_border *border, int *list)
{
    int columns = grid_columns(cloth), rows = grid_rows(cloth);
    int row = border->row, column = border->column;
    bool along = border->kind == FM_SCENE_PIN_ROW;
    if (border->kind == FM_SCENE_PIN_PARTICLES) {
        if (list)
            memcpy(list, border->particles.data, (size_t)border->particles.count * sizeof *list);
        return border->particles.count;
    }
    if (border->kind == FM_SCENE_PIN_EDGE) {
        along = border->edge == FM_EDGE_TOP || border->edge == FM_EDGE_BOTTOM;
        row = border->edge == FM_EDGE_BOTTOM ? rows - 1 : 0;
        column = border->edge == FM_EDGE_RIGHT ? columns - 1 : 0;
    }
    int count = along ? columns : rows;
    for (int i = 0; i < count && list; i++)
        list[i] = along ? row * columns + i : i * columns + column;
    return count;
}

int *fm_seam_vertices(const fm_scene_cloth *cloth, const fm_scene_seam *seam, int *count,
                      fm_error *err)
{
    *count = fm_border_particles(cloth, &seam->from, NULL);
    int *both = malloc(2 * (size_t)*count * sizeof *both + 1);
    if (!both) {
        fm_fail_no_memory(err, "scene", 2 * (size_t)*count * sizeof *both);
        return NULL;
    }
    fm_border_particles(cloth, &seam->from, both);
    fm_border_particles(cloth, &seam->to, both + *count);
    for (int i = 0, j = *count - 1; i < j && seam->reverse; i++, j--) {
        int swap = both[*count + i];
        both[*count + i] = both[*count + j], both[*count + j] = swap;
    }
    return both;
}

// Pairs of vertices that seams weld, of all of them.
static int *list_welds(const fm_scene_cloth *cloth, int *count, fm_error *err)
{
    const fm_scene_seam *seams = cloth->seams.data;
    size_t room = 1;
    for (int i = 0; i < cloth->seams.count; i++)
        room += seams[i].weld ? (size_t)fm_border_particles(cloth, &seams[i].from, NULL) : 0;
    int *pairs = malloc(2 * room * sizeof *pairs);
    *count = 0;
    if (!pairs)
        fm_fail_no_memory(err, "scene", 2 * room * sizeof *pairs);
    for (int i = 0; i < cloth->seams.count && pairs && err->status == FM_OK; i++) {
        int n = 0, *both = seams[i].weld ? fm_seam_vertices(cloth, &seams[i], &n, err) : NULL;
        for (int k = 0; k < n && both; k++, ++*count)
            pairs[2 * *count] = both[k], pairs[2 * *count + 1] = both[n + k];
        free(both);
    }
    return pairs;
}

bool fm_garment_mesh_open(const fm_scene_cloth *cloth, fm_cloth_mesh *mesh, fm_error *err)
{
    const fm_scene_mesh *from = &cloth->mesh;
    size_t count = (size_t)from->point_count;
    fm_pose pose = fm_pose_identity();
    pose.position = from->origin;
    pose.rotation = from->rotation;
    fm_quat_make_unit(&pose.rotation);
    fm_vec3 *positions = malloc((count + 1) * sizeof *positions);
    if (!positions)
        fm_fail_no_memory(err, "scene", count * sizeof *positions);
    for (size_t i = 0; i < count && positions; i++)
        positions[i] = fm_pose_apply(&pose, fm_scale(from->points[i], from->scale));
    *mesh = (fm_cloth_mesh){.positions = positions,
                            .vertex_count = from->point_count,
                            .triangles = from->triangles,
                            .triangle_count = from->triangle_count,
                            .weld = from->weld,
                            .velocity = from->velocity};
    mesh->welds = list_welds(cloth, &mesh->weld_count, err);
    return err->status == FM_OK;
}

void fm_garment_mesh_close(fm_cloth_mesh *mesh)
{
    free((void *)mesh->positions);
    free((void *)mesh->welds);
}

// A place on a cloth: kinds, edges, rows and columns as pins and borders have them.
typedef struct spot {
    const fm_node *node;
    const char *path; // "bodies.c.cloth.pins[2]"
    int kind, edge, row, column;
    const fm_items *particles;
} spot;

static void check_limit(fm_decoder *d, const spot *s, const char *key, int value, const char *what,
                        int count)
{
    if (value >= count)
        fm_complain(d->loader, fm_find_place(s->node, key, NULL, NULL),
                    "%s.%s is %d, allowed is 0 to %s - 1 = %d", s->path, key, value, what,
                    count - 1);
}

static void check_particles(fm_loader *loader, const spot *s, int count)
{
    const int *particles = s->particles->data;
    fm_place place = fm_find_place(s->node, "particles", NULL, NULL);
    for (int i = 0; i < s->particles->count; i++) {
        if (particles[i] >= count) {
            fm_complain(loader, place, "%s.particles has %d, allowed is 0 to %d", s->path,
                        particles[i], count - 1);
            return;
        }
    }
}

static void check_spot(fm_decoder *d, const fm_scene_cloth *cloth, const spot *s)
{
    static const char *const keys[] = {"", "edge", "row", "column", "corner", "particles"};
    bool grid = s->kind >= FM_SCENE_PIN_EDGE && s->kind <= FM_SCENE_PIN_CORNER;
    bool tube = cloth->kind == FM_CLOTH_TUBE, mesh = cloth->kind == FM_CLOTH_MESH;
    bool upright =
        s->kind == FM_SCENE_PIN_CORNER || (s->kind == FM_SCENE_PIN_EDGE && s->edge >= FM_EDGE_LEFT);
    if (grid && mesh)
        fm_complain(d->loader, fm_find_place(s->node, keys[s->kind], NULL, NULL),
                    "%s.%s: a mesh has none; particles it has", s->path, keys[s->kind]);
    else if (upright && tube)
        fm_complain(d->loader, fm_find_place(s->node, keys[s->kind], NULL, NULL),
                    "%s.%s: a tube has a top and a bottom, rows and columns only", s->path,
                    keys[s->kind]);
    if (mesh)
        return;
    if (s->kind == FM_SCENE_PIN_ROW)
        check_limit(d, s, "row", s->row, "rows", grid_rows(cloth));
    if (s->kind == FM_SCENE_PIN_COLUMN)
        check_limit(d, s, "column", s->column, "columns", grid_columns(cloth));
}

// Paths are as long as a decoder's.
static void check_spots(fm_decoder *d, const fm_scene_cloth *cloth, spot s, const char *list,
                        int index, const char *key)
{
    char path[320];
    snprintf(path, sizeof path, "%s.%s[%d]%s%s", d->path, list, index, key ? "." : "",
             key ? key : "");
    s.path = path;
    bool given = s.kind == FM_SCENE_PIN_PARTICLES;
    if (given && s.particles->count < 1)
        fm_complain(d->loader, fm_find_place(s.node, "particles", NULL, NULL),
                    "%s.particles is an empty list", path);
    else if (given && (cloth->kind != FM_CLOTH_MESH || cloth->mesh.points))
        check_particles(d->loader, &s, fm_garment_count(cloth));
    if (!cloth->mesh.points)
        check_spot(d, cloth, &s);
}

static spot border_spot(const fm_scene_seam *seam, const char *key, const fm_scene_border *b)
{
    return (spot){.node = fm_node_find(seam->thing.node, key),
                  .kind = b->kind,
                  .edge = b->edge,
                  .row = b->row,
                  .column = b->column,
                  .particles = &b->particles};
}

static void check_places(fm_decoder *d, const fm_scene_cloth *cloth)
{
    const fm_scene_pin *pins = cloth->pins.data;
    for (int i = 0; i < cloth->pins.count; i++) {
        spot s = {.node = pins[i].thing.node,
                  .kind = pins[i].kind,
                  .edge = pins[i].edge,
                  .row = pins[i].row,
                  .column = pins[i].column,
                  .particles = &pins[i].particles};
        check_spots(d, cloth, s, "pins", i, NULL);
    }
    const fm_scene_map *maps = cloth->maps.data;
    for (int i = 0; i < cloth->maps.count; i++) {
        spot s = {
            .node = maps[i].thing.node, .kind = maps[i].kind, .particles = &maps[i].particles};
        check_spots(d, cloth, s, "enforcement.maps", i, NULL);
    }
    const fm_scene_seam *seams = cloth->seams.data;
    for (int i = 0; i < cloth->seams.count; i++) {
        check_spots(d, cloth, border_spot(&seams[i], "from", &seams[i].from), "seams", i, "from");
        check_spots(d, cloth, border_spot(&seams[i], "to", &seams[i].to), "seams", i, "to");
    }
}

static void check_seams(fm_decoder *d, const fm_scene_cloth *cloth)
{
    const fm_scene_seam *seams = cloth->seams.data;
    for (int i = 0; i < cloth->seams.count; i++) {
        const fm_node *node = seams[i].thing.node;
        int from = fm_border_particles(cloth, &seams[i].from, NULL);
        int to = fm_border_particles(cloth, &seams[i].to, NULL);
        if (from != to)
            fm_complain(d->loader, fm_find_place(node, "to", NULL, NULL),
                        "%s.seams[%d].to has %d particles, it must have as many as from: %d",
                        d->path, i, to, from);
        if (seams[i].weld && cloth->kind != FM_CLOTH_MESH)
            fm_complain(d->loader, fm_find_place(node, "weld", NULL, NULL),
                        "%s.seams[%d].weld is for meshes; sheets and tubes are sewn", d->path, i);
    }
}

void fm_check_garment(fm_decoder *d, const fm_node *node, const fm_scene_cloth *cloth)
{
    int before = d->loader->mistake_count;
    check_places(d, cloth);
    if (d->loader->mistake_count == before)
        check_seams(d, cloth);
    if (cloth->def.bend.model == FM_BEND_SPRINGS && cloth->kind != FM_CLOTH_SHEET)
        fm_complain(d->loader, fm_find_place(node, "bend", "model", NULL),
                    "%s.bend.model: springs over two cells are for sheets; rigidity is for all",
                    d->path);
}

// A quadrilateral is cut along its shorter diagonal, others fan out from their first corner.
static int cut_face(const fm_vec3 *points, const int *corner, int corners, int *triangle)
{
    int first = 0;
    if (corners == 4) {
        double length[2];
        for (int k = 0; k < 2; k++) {
            fm_vec3 a = points[corner[k]], b = points[corner[k + 2]];
            double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
            length[k] = x * x + y * y + z * z;
        }
        first = length[1] < length[0];
    }
    for (int k = 1; k + 1 < corners; k++) {
        *triangle++ = corner[first];
        *triangle++ = corner[(first + k) % corners];
        *triangle++ = corner[(first + k + 1) % corners];
    }
    return corners - 2;
}

static void keep_mesh(fm_loader *loader, const fm_obj *obj, fm_scene_mesh *mesh)
{
    size_t points = (size_t)obj->point_count, room = 1;
    for (int i = 0; i < obj->face_count; i++)
        room += (size_t)(obj->face_start[i + 1] - obj->face_start[i] - 2);
    fm_vec3 *kept = fm_loader_alloc(loader, points + 1, sizeof *kept);
    int *triangles = fm_loader_alloc(loader, 3 * room, sizeof *triangles);
    int *point_lines = fm_loader_alloc(loader, points + 1, sizeof *point_lines);
    int *lines = fm_loader_alloc(loader, room, sizeof *lines);
    if (!kept || !triangles || !point_lines || !lines)
        return;
    memcpy(kept, obj->points, points * sizeof *kept);
    memcpy(point_lines, obj->point_line, points * sizeof *point_lines);
    for (int i = 0; i < obj->face_count; i++) {
        int start = obj->face_start[i], corners = obj->face_start[i + 1] - start;
        int made = cut_face(kept, obj->face_points + start, corners,
                            triangles + 3 * (size_t)mesh->triangle_count);
        for (int k = 0; k < made; k++)
            lines[mesh->triangle_count++] = obj->face_line[i];
    }
    mesh->points = kept;
    mesh->triangles = triangles;
    mesh->point_lines = point_lines;
    mesh->triangle_lines = lines;
    mesh->point_count = obj->point_count;
}

// Where the file is, in full: a run keeps the scene's text and may be resumed from anywhere.
static bool find_file(const fm_node *node, char *path, size_t size, fm_error *err)
{
    const char *name = node->text, *folder = node->place.source->folder;
    bool rooted = name[0] == '/' || folder[0] == '/';
    if (!rooted && !getcwd(path, size))
        return fm_fail_file(err, name, "read", errno);
    size_t used = rooted ? 0 : strlen(path);
    int more = snprintf(path + used, size - used, "%s%s%s", rooted ? "" : "/",
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
        if (obj.face_count < 1)
            fm_complain(loader, node->place, "%s: there are no faces in it", node->text);
        else
            keep_mesh(loader, &obj, mesh);
        const char *full = fm_loader_copy(loader, path, strlen(path));
        if (full)
            node->text = mesh->file = full;
    }
    if (err.status == FM_NO_MEMORY)
        loader->err = err;
    else if (err.status != FM_OK)
        fm_complain(loader, node->place, "%s", err.text);
    fm_obj_free(&obj);
    free(bytes);
}

// Faults of a mesh, the first few of each kind and how many there are.
enum { FAULTS_SHOWN = 3 };
typedef struct fault_list {
    fm_mesh_fault faults[FM_FAULT_KINDS][FAULTS_SHOWN];
    int count[FM_FAULT_KINDS];
} fault_list;

static void keep_fault(void *context, const fm_mesh_fault *fault)
{
    fault_list *list = context;
    int count = list->count[fault->kind]++;
    if (count < FAULTS_SHOWN)
        list->faults[fault->kind][count] = *fault;
}

static void describe_fault(const fm_scene_mesh *mesh, const fm_mesh_fault *f, char *text,
                           size_t size)
{
    const int *points = mesh->point_lines, *faces = mesh->triangle_lines;
    switch (f->kind) {
    case FM_FAULT_CORNERS:
        snprintf(
            text, size,
            "f: it has the vertex of line %d twice, welded vertices counted once; corners must "
            "differ",
            points[f->vertex[0]]);
        break;
    case FM_FAULT_AREA:
        snprintf(text, size, "f: a triangle of it has an area of %g m^2, it must be above 0",
                 f->area);
        break;
    case FM_FAULT_CROWDED:
        snprintf(text, size,
                 "f: its edge between the vertices of lines %d and %d has %d faces, cloth has one "
                 "or two; others are on lines %d and %d",
                 points[f->vertex[0]], points[f->vertex[1]], f->count, faces[f->others[0]],
                 faces[f->others[1]]);
        break;
    case FM_FAULT_FLIPPED:
        snprintf(
            text, size,
            "f: it and the face of line %d, which share the edge between the vertices of lines "
            "%d and %d, have their corners in opposite senses: one of them is flipped",
            faces[f->others[0]], points[f->vertex[0]], points[f->vertex[1]]);
        break;
    case FM_FAULT_LOOSE:
        snprintf(text, size, "v: no face uses this vertex; every vertex of a cloth is in a face");
        break;
    case FM_FAULT_KINDS:
        break;
    }
}

// Where the mesh is no cloth, by the lines of its file; `name` as the scene has it.
static void check_mesh(fm_loader *loader, const fm_node *node, const char *name,
                       const fm_scene_cloth *cloth)
{
    static const char *const kinds[] = {
        "faces with a vertex twice", "faces without area", "edges with more than two faces",
        "edges whose faces have their corners in opposite senses", "vertices that no face uses"};
    fm_error err = {0};
    fm_cloth_mesh mesh;
    fault_list list = {0};
    char text[300];
    if (fm_garment_mesh_open(cloth, &mesh, &err))
        fm_mesh_find_faults(&mesh, name, keep_fault, &list, &err);
    fm_garment_mesh_close(&mesh);
    for (int kind = 0; kind < FM_FAULT_KINDS; kind++) {
        for (int i = 0; i < list.count[kind] && i < FAULTS_SHOWN; i++) {
            const fm_mesh_fault *fault = &list.faults[kind][i];
            int line = fault->triangle < 0 ? cloth->mesh.point_lines[fault->vertex[0]]
                                           : cloth->mesh.triangle_lines[fault->triangle];
            describe_fault(&cloth->mesh, fault, text, sizeof text);
            fm_complain(loader, node->place, "%s:%d: %s", name, line, text);
        }
        if (list.count[kind] > FAULTS_SHOWN)
            fm_complain(loader, node->place, "%s: there are %d %s in all", name, list.count[kind],
                        kinds[kind]);
    }
    if (err.status == FM_NO_MEMORY)
        loader->err = err;
}

static const fm_scene_body *find_body(const fm_scene *scene, const char *name)
{
    const fm_scene_body *bodies = scene->bodies.data;
    int i = 0;
    while (i < scene->bodies.count && strcmp(bodies[i].thing.name, name) != 0)
        i++;
    return i < scene->bodies.count ? &bodies[i] : NULL;
}

static void check_probes(const fm_scene *scene, fm_loader *loader)
{
    const fm_scene_probe *probes = scene->probes.data;
    for (int i = 0; i < scene->probes.count; i++) {
        const fm_scene_probe *p = &probes[i];
        const fm_scene_body *body = find_body(scene, p->body);
        if (!body)
            continue;
        int count = fm_garment_count(&body->cloth);
        if (p->at[0] >= 0 && body->cloth.kind == FM_CLOTH_MESH)
            fm_complain(loader, fm_find_place(p->thing.node, "at", NULL, NULL),
                        "probes.%s.at is for sheets and tubes; a mesh has particles: `particle: n`",
                        p->thing.name);
        if (p->particle >= count)
            fm_complain(loader, fm_find_place(p->thing.node, "particle", NULL, NULL),
                        "probes.%s.particle is %d, allowed is 0 to %d", p->thing.name, p->particle,
                        count - 1);
    }
}

void fm_scene_load_meshes(fm_scene *scene, fm_loader *loader)
{
    fm_scene_body *bodies = scene->bodies.data;
    for (int i = 0; i < scene->bodies.count; i++) {
        fm_scene_cloth *cloth = &bodies[i].cloth;
        if (cloth->kind != FM_CLOTH_MESH)
            continue;
        const fm_node *mesh = fm_node_find(fm_node_find(bodies[i].thing.node, "cloth"), "mesh");
        fm_node *file = fm_node_find(mesh, "file");
        const char *name = file->text; // as it is given; loading makes it whole
        load_mesh(loader, file, &cloth->mesh);
        if (!cloth->mesh.points)
            continue;
        int before = loader->mistake_count;
        fm_decoder d = {.loader = loader};
        snprintf(d.path, sizeof d.path, "bodies.%s.cloth", bodies[i].thing.name);
        check_places(&d, cloth);
        if (loader->mistake_count == before) // seams are of vertices that there are
            check_mesh(loader, file, name, cloth);
    }
    if (loader->mistake_count == 0)
        check_probes(scene, loader);
}
