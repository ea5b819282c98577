// SPDX-License-Identifier: MIT
// io_fixture.h: example surfaces, scratch directories and file contents for the tests of src/io.
#ifndef FATHOM_TESTS_UNIT_IO_FIXTURE_H
#define FATHOM_TESTS_UNIT_IO_FIXTURE_H

#include "check.h"
#include "io/io.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64]; // path of a temporary directory for the running test

// Setup function of a test: creates the scratch directory.
static int create_scratch(void **state)
{
    (void)state;
    strcpy(scratch, "/tmp/fathom-io-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

// Teardown function of a test.
static int remove_scratch(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

// The path of a file in the scratch directory; valid until it has been called eight times more.
static inline const char *in_scratch(const char *name)
{
    static char path[8][512];
    static int next;
    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", scratch, name);
    return path[next];
}

// Number of files in a directory; hidden files are not counted.
static inline int count_files(const char *directory)
{
    int count = 0;
    DIR *folder = opendir(directory);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

// The contents of a file; the caller frees them.
static inline char *read_bytes(const char *path, size_t *size)
{
    fm_error err = {0};
    char *bytes = fm_file_read(path, 1 << 28, size, &err);
    assert_good(bytes, &err);
    return bytes;
}

static inline bool have_same_bytes(const char *a, const char *b)
{
    size_t a_size, b_size;
    char *x = read_bytes(a, &a_size), *y = read_bytes(b, &b_size);
    bool same = a_size == b_size && memcmp(x, y, a_size) == 0;
    free(x);
    free(y);
    return same;
}

// A surface of two quadrilaterals and a triangle with two fields; its points rise with `time`, s.
static inline fm_surface *create_roof(const char *name, double time)
{
    static const float points[7][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0.5f, 1}, {1, 0.5f, 1},
                                       {0, 0, 2}, {1, 0, 2}, {2, 0.1f, 1}};
    static const int corners[] = {0, 2, 3, 1, 2, 4, 5, 3, 3, 5, 6}, start[] = {0, 4, 8, 11};
    const fm_surface_field fields[] = {{"velocity", 3, NULL}, {"stretch", 1, NULL}};
    fm_error err = {0};
    fm_surface *s = fm_surface_create(name, &(fm_mesh_size){.points = 7, .faces = 3, .corners = 11},
                                      fields, 2, &err);
    assert_non_null(s);
    memcpy(s->face_points, corners, sizeof corners);
    memcpy(s->face_start, start, sizeof start);
    s->time = time;
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < 3; k++) {
            s->points[3 * i + k] = points[i][k] + (k == 1 ? (float)(0.1 * time * i) : 0);
            s->fields[0].values[3 * i + k] = k == 1 ? 0.1f * (float)i : 0;
        }
        s->fields[1].values[i] = 1.0f / 3 * (float)i;
    }
    return s;
}

// Asserts that two surfaces have the same mesh, points and fields, bit by bit.
static inline void assert_same_surface(const fm_surface *a, const fm_surface *b)
{
    assert_true(fm_surface_same_mesh(a, b));
    assert_memory_equal(a->points, b->points, 12 * (size_t)a->point_count);
    assert_int_equal(a->field_count, b->field_count);
    for (int i = 0; i < a->field_count; i++) {
        const fm_surface_field *f = &a->fields[i], *g = &b->fields[i];
        assert_string_equal(f->name, g->name);
        assert_int_equal(f->components, g->components);
        assert_memory_equal(f->values, g->values,
                            4 * (size_t)f->components * (size_t)a->point_count);
    }
}

// Writes frames first to last of the surface of create_roof, as an object with this name, into
// DIR/frames.
static inline void write_frames_of_roof(const char *directory, const char *name, int first,
                                        int last, double fps)
{
    fm_error err = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/frames", directory);
    assert_true(fm_directory_create(path, &err));
    for (int i = first; i <= last; i++) {
        fm_surface *roof = create_roof(name, i / fps);
        snprintf(path, sizeof path, "%s/frames/%s.%06d.vtp", directory, name, i);
        assert_true(fm_vtk_write(path, roof, false, &err));
        fm_surface_destroy(roof);
    }
}

#endif
