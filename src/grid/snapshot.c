// SPDX-License-Identifier: MIT
// snapshot.c: saves and restores a grid fluid as bytes:
//
//     header | u v w on the faces of the grid | p in its cells | dye in its cells, if there is dye
//     | motions of balls with a mass
//
// Ghost layers follow from these. Faces inside colliders are saved too.
#include "grid/grid.h"

#include <string.h>

typedef struct grid_header {
    char magic[8];
    int32_t version, cells[3], started, dye, shift[3], balls;
    double time, lag, motion[3];
} grid_header;

static const char magic[8] = "fmgrid  ";
enum { VERSION = 5, BALLS_MAX = 100000 };

// The header of a saved fluid.
static grid_header find_header(const fm_grid *g)
{
    grid_header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    for (int a = 0; a < 3; a++)
        h.cells[a] = g->n[a], h.shift[a] = g->shift[a];
    h.motion[0] = g->motion.x, h.motion[1] = g->motion.y, h.motion[2] = g->motion.z;
    h.started = g->started;
    h.dye = g->def.dye.on;
    h.balls = g->ball_count;
    h.time = g->time;
    h.lag = g->lag;
    return h;
}

// The saved arrays: components of the velocity, pressure, dye; their number.
static int list_arrays(const fm_grid *g, double *arrays[5])
{
    for (int a = 0; a < 3; a++)
        arrays[a] = g->u[a];
    arrays[3] = g->p;
    arrays[4] = g->dye.c;
    return g->def.dye.on ? 5 : 4;
}

// Copies the values of component a, or of cells (a > 2), to or from the bytes.
static size_t copy_values(double *values, const fm_grid *g, int a, unsigned char *out,
                          const unsigned char *in)
{
    size_t done = 0, bytes = (size_t)(g->n[0] + (a == 0)) * sizeof(double);
    for (int k = 0; k < g->n[2] + (a == 2); k++)
        for (int j = 0; j < g->n[1] + (a == 1); j++, done += bytes) {
            double *row = values + fm_grid_index(g, 0, j, k);
            if (out)
                memcpy(out + done, row, bytes);
            if (in)
                memcpy(row, in + done, bytes);
        }
    return done;
}

// Writes the state to the buffer and returns its size in bytes; too small a buffer: the size only.
size_t fm_grid_save(const fm_grid *g, void *buffer, size_t size)
{
    grid_header h = find_header(g);
    double *arrays[5];
    int count = list_arrays(g, arrays);
    size_t need = sizeof h;
    for (int a = 0; a < count; a++)
        need += copy_values(arrays[a], g, a, NULL, NULL);
    need += (size_t)g->ball_count * sizeof *g->ball_motions;
    if (!buffer || size < need)
        return need;
    unsigned char *out = buffer;
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    for (int a = 0; a < count; a++)
        out += copy_values(arrays[a], g, a, out, NULL);
    if (g->ball_count > 0)
        memcpy(out, g->ball_motions, (size_t)g->ball_count * sizeof *g->ball_motions);
    return need;
}

// Reads a state that fm_grid_save wrote; one that does not fit this grid is refused.
bool fm_grid_restore(fm_grid *g, const void *buffer, size_t size, fm_error *err)
{
    grid_header h, mine = find_header(g);
    const unsigned char *in = buffer;
    double *arrays[5];
    int count = list_arrays(g, arrays);
    memset(&h, 0, sizeof h);
    memcpy(&h, in, size < sizeof h ? size : sizeof h);
    bool good =
        h.balls >= 0 && h.balls <= BALLS_MAX && fm_grid_reserve_ball_motions(g, h.balls, err);
    g->ball_count = good ? h.balls : g->ball_count;
    if (!good || size != fm_grid_save(g, NULL, 0))
        return fm_fail_number(err, g->object.name, "state size", (double)size, "what was saved");
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != VERSION)
        return fm_fail_number(err, g->object.name, "state version", h.version,
                              "that of this program");
    if (memcmp(h.cells, mine.cells, sizeof h.cells) != 0 ||
        !isfinite(h.time + h.lag + h.motion[0] + h.motion[1] + h.motion[2]) || h.dye != mine.dye)
        return fm_fail_number(err, g->object.name, "state cells", h.cells[0], "those of this grid");
    in += sizeof h;
    for (int a = 0; a < count; a++)
        in += copy_values(arrays[a], g, a, NULL, in);
    if (h.balls > 0)
        memcpy(g->ball_motions, in, (size_t)h.balls * sizeof *g->ball_motions);
    g->time = h.time;
    g->lag = h.lag;
    g->motion = (fm_vec3){h.motion[0], h.motion[1], h.motion[2]};
    fm_grid_set_shift(g, h.shift);
    g->started = h.started;
    return true;
}
