// SPDX-License-Identifier: MIT
// loader.c: the fm_mesh_loader for files: meshes from OBJ, animations from OBJ sequences, PC2, MDD.
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Reads a mesh with at least 3 points and a face from an OBJ file.
static bool read_mesh(void *context, const char *path, fm_mesh_data *mesh, fm_error *err)
{
    (void)context;
    fm_obj obj = {0};
    *mesh = (fm_mesh_data){0};
    bool good = err->status == FM_OK && fm_obj_read(path, &obj, err);
    if (good && (obj.mesh.point_count < 3 || obj.mesh.face_count < 1))
        good = fm_fail_content(err, FM_BAD_VALUE, path, "mesh",
                               "a mesh needs 3 points and a face, this has %d and %d",
                               obj.mesh.point_count, obj.mesh.face_count);
    if (good) {
        *mesh = obj.mesh;
        obj.mesh = (fm_mesh_data){0};
    }
    fm_obj_destroy(&obj);
    return good;
}

// A path with a frame number in its file name, such as "walk.%04d.obj".
typedef struct pattern {
    char folder[FM_PATH_SIZE];
    char before[FM_PATH_SIZE]; // file name before the number: "walk."
    const char *after;         // file name after the number: ".obj"
    int digits;                // least number of digits, padded with zeros: 4
} pattern;

// Splits a path with one %d, %4d or %04d in its file name. Returns false and fills err for any
// other path.
static bool parse_pattern(const char *path, pattern *p, fm_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *percent = strchr(name, '%'), *at = percent ? percent + 1 : NULL;
    if (at && *at == '0')
        at++;
    p->digits = 1;
    if (at && *at >= '1' && *at <= '9')
        p->digits = *at++ - '0';
    if (!at || *at != 'd' || strchr(at, '%') || strlen(path) >= FM_PATH_SIZE) {
        fm_fail_content(err, FM_BAD_VALUE, path, "files",
                        "the name needs one number, as in walk.%%04d.obj");
        return false;
    }
    snprintf(p->folder, sizeof p->folder, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    if (slash == path)
        snprintf(p->folder, sizeof p->folder, "/");
    snprintf(p->before, sizeof p->before, "%.*s", (int)(percent - name), name);
    p->after = at + 1;
    return true;
}

// The frame number in a file name that matches the pattern, or -1.
static int match_name(const pattern *p, const char *name)
{
    size_t length = strlen(p->before), digits = 0;
    if (strncmp(name, p->before, length) != 0)
        return -1;
    const char *number = name + length;
    digits = strspn(number, "0123456789");
    enum { DIGITS_MAX = 9 }; // so that the number fits an int
    if (digits < (size_t)p->digits || digits > DIGITS_MAX || strcmp(number + digits, p->after) != 0)
        return -1;
    if (digits > (size_t)p->digits && number[0] == '0') // %0*d writes no such zeros
        return -1;
    return atoi(number);
}

// Finds the smallest frame number and the count of the files that match the pattern. The numbers
// must be consecutive.
static bool find_numbers(const pattern *p, const char *path, int *first, int *count, fm_error *err)
{
    DIR *folder = opendir(p->folder);
    if (!folder) {
        fm_fail_file(err, p->folder, "open", errno);
        return false;
    }
    int last = -1;
    *count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        int number = match_name(p, entry->d_name);
        if (number < 0)
            continue;
        *first = *count == 0 || number < *first ? number : *first;
        last = number > last ? number : last;
        ++*count;
    }
    closedir(folder);
    if (*count == 0) {
        fm_fail_content(err, FM_INPUT_OUTPUT, path, "files", "there are none of this name");
        return false;
    }
    if (last - *first + 1 != *count)
        return fm_fail_content(err, FM_INPUT_OUTPUT, path, "files",
                               "from %d to %d there should be %d, and %d are there", *first, last,
                               last - *first + 1, *count);
    return true;
}

// Reads an animation from numbered OBJ files, each with vertex_count points.
static bool read_sequence(const char *path, int vertex_count, fm_frame_data *frames, fm_error *err)
{
    pattern *p = calloc(1, sizeof *p);
    if (!p)
        return fm_fail_no_memory(err, "sequence", sizeof *p);
    int first = 0, count = 0;
    bool good = parse_pattern(path, p, err) && find_numbers(p, path, &first, &count, err);
    size_t values = 3 * (size_t)vertex_count;
    if (good) {
        *frames = (fm_frame_data){.frame_count = count, .vertex_count = vertex_count, .step = 1};
        frames->positions = calloc((size_t)count, values * sizeof(float));
        good = frames->positions != NULL;
        if (!good)
            fm_fail_no_memory(err, "sequence", values * sizeof(float));
    }
    for (int i = 0; i < count && good; i++) {
        char file[2 * FM_PATH_SIZE + 16];
        fm_obj obj = {0};
        snprintf(file, sizeof file, "%s/%s%0*d%s", p->folder, p->before, p->digits, first + i,
                 p->after);
        good = fm_obj_read(file, &obj, err);
        if (good && obj.mesh.point_count != vertex_count)
            good = fm_fail_content(err, FM_BAD_VALUE, file, "points", "%d, the mesh has %d",
                                   obj.mesh.point_count, vertex_count);
        for (int k = 0; k < vertex_count && good; k++) {
            float *to = frames->positions + (size_t)i * values + 3 * (size_t)k;
            to[0] = (float)obj.mesh.points[k].x;
            to[1] = (float)obj.mesh.points[k].y;
            to[2] = (float)obj.mesh.points[k].z;
        }
        fm_obj_destroy(&obj);
    }
    free(p);
    return good;
}

// Reads an animation of a mesh with vertex_count points from a point cache or a sequence of OBJ
// files.
static bool read_frames(void *context, const char *path, fm_frames_format format, int vertex_count,
                        fm_frame_data *frames, fm_error *err)
{
    (void)context;
    *frames = (fm_frame_data){0};
    bool good = err->status == FM_OK &&
                (format == FM_FRAMES_PC2   ? fm_pc2_read(path, frames, err)
                 : format == FM_FRAMES_MDD ? fm_mdd_read(path, frames, err)
                                           : read_sequence(path, vertex_count, frames, err));
    if (good && frames->vertex_count != vertex_count)
        good = fm_fail_content(err, FM_BAD_VALUE, path, "points", "%d, the mesh has %d",
                               frames->vertex_count, vertex_count);
    if (!good) {
        free(frames->positions);
        *frames = (fm_frame_data){0};
    }
    return good;
}

static bool read_weights(void *context, const char *path, const char *property, int vertex_count,
                         double *weights, fm_error *err)
{
    (void)context;
    return fm_ply_read_property(path, property, vertex_count, weights, err);
}

// The loader that reads meshes, animations and weights from files; images need libpng.
const fm_mesh_loader *fm_file_loader(void)
{
    static const fm_mesh_loader loader = {
        .read_mesh = read_mesh, .read_frames = read_frames, .read_weights = read_weights};
    return &loader;
}
