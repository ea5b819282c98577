// SPDX-License-Identifier: MIT
// point_cache_read.c: reads the positions in PC2 and MDD files; pc2.c and mdd.c give the formats.
//
// The size of a file must be exactly what its counts of samples and points imply, and every number
// finite. MDD has a time for each sample; these must be equally spaced to 1 % of the spacing.
#include "io/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_MAX = 2000000000, // bytes, largest file
    PC2_HEADER = 32,       // bytes of the header of a PC2 file
    MDD_HEADER = 8,        // bytes before the times of an MDD file
    COUNT_MAX = 1 << 27,   // points per sample
};
// largest deviation of a time from even spacing: relative to the spacing, and, for the rounding
// error of floats, relative to the time
static const double SPACING_TOLERANCE = 0.01, TIME_TOLERANCE = 1e-6;

// Fills err: a number in the file is out of range. Returns false.
static bool fail_number(fm_error *err, const char *path, const char *field, double value,
                        const char *allowed)
{
    return fm_fail_content(err, FM_BAD_VALUE, path, field, "%.9g, allowed is %s", value, allowed);
}

// A 32-bit word at `bytes`.
static uint32_t read_word(const char *bytes, bool big_endian)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return big_endian ? __builtin_bswap32(word) : word;
}

// A 32-bit float at `bytes`.
static float read_float(const char *bytes, bool big_endian)
{
    uint32_t word = read_word(bytes, big_endian);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// Checks the numbers of samples (animation frames) and points.
static bool check_counts(const char *path, int32_t samples, int32_t points, fm_error *err)
{
    if (samples < 1)
        return fail_number(err, path, "samples", samples, "1 or more");
    if (points < 1 || points > COUNT_MAX)
        return fail_number(err, path, "points", points, "1 to 2^27");
    return true;
}

// Reads the positions of all samples; `bytes` must hold exactly these.
static bool read_positions(const char *bytes, size_t size, bool big_endian, const char *path,
                           fm_frame_data *frames, fm_error *err)
{
    uint64_t values = 3 * (uint64_t)frames->frame_count * (uint64_t)frames->vertex_count;
    uint64_t needed = values * sizeof(float);
    if (needed != size)
        return fm_fail_content(err, FM_BAD_VALUE, path, "positions",
                               "%zu bytes are there, %d samples of %d points need %llu", size,
                               frames->frame_count, frames->vertex_count,
                               (unsigned long long)needed);
    frames->positions = malloc(size);
    if (!frames->positions)
        return fm_fail_no_memory(err, "point cache", size);
    for (uint64_t i = 0; i < values; i++) {
        float value = read_float(bytes + i * sizeof value, big_endian);
        if (!isfinite(value)) {
            uint64_t point = i / 3;
            fm_fail_content(err, FM_BAD_VALUE, path, "positions", "%g at point %llu of sample %llu",
                            (double)value,
                            (unsigned long long)(point % (uint64_t)frames->vertex_count),
                            (unsigned long long)(point / (uint64_t)frames->vertex_count));
            free(frames->positions);
            frames->positions = NULL;
            return false;
        }
        frames->positions[i] = value;
    }
    return true;
}

// Parses the contents of a PC2 file. On success the caller frees frames->positions.
bool fm_pc2_parse(const char *bytes, size_t size, const char *path, fm_frame_data *frames,
                  fm_error *err)
{
    *frames = (fm_frame_data){0};
    if (err->status != FM_OK)
        return false;
    if (size < PC2_HEADER || memcmp(bytes, "POINTCACHE2", 12) != 0)
        return fm_fail_content(err, FM_BAD_VALUE, path, "header",
                               "not a PC2 file: it begins with POINTCACHE2");
    // the offsets follow from the sizes of the members that pc2.c lists
    int32_t version = (int32_t)read_word(bytes + 12, false);
    int32_t points = (int32_t)read_word(bytes + 16, false);
    double start = read_float(bytes + 20, false), step = read_float(bytes + 24, false);
    int32_t samples = (int32_t)read_word(bytes + 28, false);
    if (version != 1)
        return fail_number(err, path, "version", version, "1");
    if (!check_counts(path, samples, points, err))
        return false;
    if (!isfinite(start) || fabs(start) > 1e9)
        return fail_number(err, path, "start", start, "-1e9 to 1e9 frames");
    if (!(step > 1e-6 && step < 1e6))
        return fail_number(err, path, "step", step, "1e-6 to 1e6 frames");
    frames->frame_count = samples;
    frames->vertex_count = points;
    frames->first = start;
    frames->step = step;
    return read_positions(bytes + PC2_HEADER, size - PC2_HEADER, false, path, frames, err);
}

// Reads the times of an MDD file, checks that they are equally spaced, and sets frame rate and
// first frame.
static bool read_times(const char *bytes, const char *path, fm_frame_data *frames, fm_error *err)
{
    int last = frames->frame_count - 1;
    double first = read_float(bytes, true), end = read_float(bytes + 4 * (size_t)last, true);
    double spacing = last > 0 ? (end - first) / last : 0; // s
    if (last > 0 && !(spacing > 1e-6 && spacing < 1e6))
        return fail_number(err, path, "times", spacing,
                           "1e-6 to 1e6 s from one sample to the next");
    for (int i = 0; i <= last; i++) {
        double time = read_float(bytes + 4 * (size_t)i, true);
        if (!(fabs(time - first - i * spacing) <=
              SPACING_TOLERANCE * spacing + TIME_TOLERANCE * fabs(time)))
            return fm_fail_content(err, FM_BAD_VALUE, path, "times",
                                   "%.9g s at sample %d, %.9g s would be even", time, i,
                                   first + i * spacing);
    }
    frames->fps = last > 0 ? 1 / spacing : 0;
    frames->first = first * frames->fps;
    return true;
}

// Parses the contents of an MDD file. On success the caller frees frames->positions.
bool fm_mdd_parse(const char *bytes, size_t size, const char *path, fm_frame_data *frames,
                  fm_error *err)
{
    *frames = (fm_frame_data){0};
    if (err->status != FM_OK)
        return false;
    if (size < MDD_HEADER)
        return fm_fail_content(err, FM_BAD_VALUE, path, "header", "%zu bytes are no MDD file",
                               size);
    int32_t samples = (int32_t)read_word(bytes, true), points = (int32_t)read_word(bytes + 4, true);
    if (!check_counts(path, samples, points, err))
        return false;
    size_t times = sizeof(float) * (size_t)samples;
    if (size - MDD_HEADER < times)
        return fm_fail_content(err, FM_BAD_VALUE, path, "times", "%zu of %zu bytes are there",
                               size - MDD_HEADER, times);
    frames->frame_count = samples;
    frames->vertex_count = points;
    frames->step = 1;
    return read_times(bytes + MDD_HEADER, path, frames, err) &&
           read_positions(bytes + MDD_HEADER + times, size - MDD_HEADER - times, true, path, frames,
                          err);
}

// Reads a file and parses its contents.
static bool read_file(const char *path, fm_frame_data *frames, fm_error *err,
                      bool (*parse)(const char *bytes, size_t size, const char *path,
                                    fm_frame_data *frames, fm_error *err))
{
    size_t size;
    char *bytes = fm_file_read(path, FILE_MAX, &size, err);
    bool good = bytes && parse(bytes, size, path, frames, err);
    free(bytes);
    return good;
}

// Reads a PC2 file. On success the caller frees frames->positions.
bool fm_pc2_read(const char *path, fm_frame_data *frames, fm_error *err)
{
    return read_file(path, frames, err, fm_pc2_parse);
}

// Reads an MDD file. On success the caller frees frames->positions.
bool fm_mdd_read(const char *path, fm_frame_data *frames, fm_error *err)
{
    return read_file(path, frames, err, fm_mdd_parse);
}
