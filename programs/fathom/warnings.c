// SPDX-License-Identifier: MIT
// warnings.c: what a run is told to stderr while it goes on.
#include "warnings.h"
#include "fathom.h"

#include <stdlib.h>

// Edges of twice their length: no fabric stretches so far, so the numbers are not those of one.
static const double TOO_LONG = 1;

void warn_of_endless_frames(fm_world *world, double frame_seconds)
{
    fm_error err = {0}; // what is wrong with a fluid is told when it moves
    fm_forecast forecast = fm_world_forecast(world, frame_seconds, &err);
    if (forecast.endless)
        complain("warning: a frame may not end. %s.", forecast.text);
}

typedef struct stretched {
    int frame_count; // with edges that are too long
    double worst;    // l/l0 - 1
    int worst_frame;
} stretched;

struct stretch_watch {
    int cloth_count;
    stretched cloths[];
};

stretch_watch *watch_stretch(fm_world *world)
{
    int count = fm_world_cloth_count(world);
    stretch_watch *watch = calloc(1, sizeof *watch + (size_t)count * sizeof *watch->cloths);
    if (watch)
        watch->cloth_count = count;
    return watch;
}

// "row 3, column 4" of a sheet or tube, "vertex 17" of a mesh, counted from 0 as in frames.
static void name_place(const fm_cloth *cloth, int particle, char *text, size_t size)
{
    fm_sheet sheet = fm_cloth_sheet(cloth);
    fm_tube tube = fm_cloth_tube(cloth);
    int columns = sheet.columns > 0 ? sheet.columns : tube.columns, count;
    if (columns > 0) {
        snprintf(text, size, "row %d, column %d", particle / columns, particle % columns);
        return;
    }
    const int *vertices = fm_cloth_vertices(cloth, &count);
    int vertex = particle;
    for (int i = count - 1; vertices && i >= 0; i--)
        vertex = vertices[i] == particle ? i : vertex;
    snprintf(text, size, "vertex %d", vertex);
}

static void warn_of_stretch(fm_cloth *cloth, const fm_stretches *s, int frame, double time)
{
    char from[64], to[64];
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    name_place(cloth, s->longest[0], from, sizeof from);
    name_place(cloth, s->longest[1], to, sizeof to);
    complain("warning: %s is overstretched at frame %d (%.4g s): the edge from %s to %s, at "
             "(%.3g, %.3g, %.3g), is %.3g times as long as at rest. A larger stretch.stiffness, "
             "enforcement, a slower motion or a smaller time_step helps.",
             fm_cloth_name(cloth), frame, time, from, to, x[s->longest[0]].x, x[s->longest[0]].y,
             x[s->longest[0]].z, 1 + s->max);
}

void note_stretch(stretch_watch *watch, fm_world *world, int frame, const fm_report *report)
{
    if (!watch || !(report->max_stretch > TOO_LONG))
        return;
    for (int i = 0; i < watch->cloth_count; i++) {
        fm_cloth *cloth = fm_world_cloth(world, i);
        fm_stretches s = fm_cloth_measure_stretches(cloth);
        stretched *c = &watch->cloths[i];
        if (!(s.max > TOO_LONG))
            continue;
        if (c->frame_count++ == 0)
            warn_of_stretch(cloth, &s, frame, fm_world_time(world));
        if (s.max > c->worst) {
            c->worst = s.max;
            c->worst_frame = frame;
        }
    }
}

void sum_up_stretch(const stretch_watch *watch, fm_world *world)
{
    for (int i = 0; watch && i < watch->cloth_count; i++) {
        const stretched *c = &watch->cloths[i];
        if (c->frame_count > 1)
            complain("warning: %s was overstretched in %d frames, worst in frame %d: an edge %.3g "
                     "times as long as at rest.",
                     fm_cloth_name(fm_world_cloth(world, i)), c->frame_count, c->worst_frame,
                     1 + c->worst);
    }
}
