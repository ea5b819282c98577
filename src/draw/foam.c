// SPDX-License-Identifier: MIT
// foam.c: foam and spray of a fluid, from the positions and velocities of its particles in frames.
//
// A particle entrains air where fluid moves against itself at the surface. After [IAAT12], with the
// neighbours j of particle i within R spacings and r, v their position and velocity relative to i,
//
//     u = sum_j w |v| (1 - v.r / (|v| |r|)) / sum_j w,     w = 1 - (|r| / R)^3
//     air = smoothstep(SLOW, FAST, u) e,    e = smoothstep(CALM, CREST, |sum_j w r| / (R sum_j w))
//
// e is 0 inside the fluid and 1 at crests and edges. The fill of a particle is sum_j w relative to
// that of a regular lattice: particles with little fill are spray. The renderer adds up the air of
// the last frames for each particle (render/draw_foam.c): that is its foam. Nothing is simulated.
//
// A particle with foam becomes up to POINTS_MAX white points around it, moved towards the surface;
// a particle of spray becomes DROPS points strewn along its path. Their places follow from the id
// of the particle, so that they move with it from frame to frame.
//
//   u  m/s    r  spacings    air, e, fill  0 to 1
//
// [IAAT12] Ihmsen, Akinci, Akinci, Teschner: Unified spray, foam and air bubbles for particle-based
//          fluids. The Visual Computer 28, 2012.
#include "draw/draw.h"

#include <assert.h>
#include <string.h>

enum {
    POINTS_MAX = 10,           // of a particle full of foam
    DROPS = 7,                 // of a particle of spray
    PARTICLES_PER_BLOCK = 512, // of a task
};
static const double R = 2;                           // spacings
static const double SLOW = 0.25, FAST = 1.2;         // m/s
static const double CALM = 0.06, CREST = 0.2;        // parts of R
static const double SPREAD = 0.7, LIFT = 0.5;        // spacings: around the particle, outwards
static const double SMALLEST = 0.05, LARGEST = 0.16; // spacings, radii of points
static const double PATH = 0.012;                    // s of the path along which spray is strewn

// The particles of a frame in units of the spacing, and the results.
typedef struct search {
    const float *velocities;
    const double *x, *y, *z;
    fm_cell_list cells;
    fm_foam_particle *found;
} search;

// Sums over the neighbours of a particle.
typedef struct sums {
    double weight, against, x, y, z;
} sums;

// Adds the particles of a bucket to the sums of particle i.
static void add_bucket(const search *job, int i, int bucket, sums *s)
{
    const fm_cell_list *cells = &job->cells;
    const float *v = job->velocities + 3 * (size_t)i;
    for (int n = cells->start[bucket]; n < cells->start[bucket + 1]; n++) {
        int j = cells->order[n];
        double x = job->x[j] - job->x[i], y = job->y[j] - job->y[i], z = job->z[j] - job->z[i];
        double square = x * x + y * y + z * z;
        if (square >= R * R || j == i)
            continue;
        const float *o = job->velocities + 3 * (size_t)j;
        double u[3] = {(double)o[0] - v[0], (double)o[1] - v[1], (double)o[2] - v[2]};
        double r = sqrt(square), w = 1 - square * r / (R * R * R);
        double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        double apart = r > 0 ? (u[0] * x + u[1] * y + u[2] * z) / r : 0;
        s->weight += w;
        s->against += w * (speed - apart);
        s->x += w * x, s->y += w * y, s->z += w * z;
    }
}

// 0 below `low`, 1 above `high`, and a smooth cubic in between.
static double smoothstep(double low, double high, double x)
{
    return (double)fm_float_smoothstep((float)low, (float)high, (float)x);
}

// Finds air, fill and normal of the particles [first, last).
static void find_range(void *context, int first, int last)
{
    search *job = context;
    for (int i = first; i < last; i++) {
        int bucket[27];
        int count = fm_cell_list_find_buckets_around(&job->cells, job->cells.cell[i], bucket);
        sums s = {0};
        for (int k = 0; k < count; k++)
            add_bucket(job, i, bucket[k], &s);
        const double full = 2 * FM_PI * R * R * R / 3; // the integral of w
        double w = s.weight > 0 ? 1 / s.weight : 0;
        double offset = w * sqrt(s.x * s.x + s.y * s.y + s.z * s.z);
        double exposed = smoothstep(CALM, CREST, offset / R);
        double scale = offset > 0 ? -exposed * w / offset : 0;
        job->found[i] = (fm_foam_particle){
            .air = (float)(exposed * smoothstep(SLOW, FAST, w * s.against)),
            .fill = (float)fm_double_min(1, s.weight / full),
            .normal = {(float)(scale * s.x), (float)(scale * s.y), (float)(scale * s.z)}};
    }
}

// Finds air, fill and normal of all particles. Positions that are not finite count as far away.
bool fm_foam_find_air(const float *points, const float *velocities, int count, double spacing,
                      int threads, fm_foam_particle *found, fm_error *err)
{
    assert(err->status != FM_OK || (points && velocities && found && spacing > 0));
    size_t n = (size_t)count;
    fm_arena arena = {0};
    search job = {.velocities = velocities, .found = found};
    double *place[3];
    for (int a = 0; a < 3; a++)
        place[a] = fm_arena_alloc(&arena, n + 1, sizeof(double), "foam", err);
    fm_cell_list_create(&job.cells, &arena, count + 1, err);
    fm_pool *pool = fm_pool_create(threads == 0 ? fm_pool_processor_count() : threads, err);
    if (err->status == FM_OK) {
        for (size_t i = 0; i < n; i++)
            for (size_t a = 0; a < 3; a++) {
                double x = (double)points[3 * i + a] / spacing;
                place[a][i] = fabs(x) < 1e8 ? x : 1e8;
            }
        job.x = place[0], job.y = place[1], job.z = place[2];
        fm_cell_list_build(&job.cells, R, count, job.x, job.y, job.z);
        fm_parallel_for(pool, count, PARTICLES_PER_BLOCK, find_range, &job);
    }
    fm_pool_destroy(pool);
    fm_arena_destroy(&arena);
    return err->status == FM_OK;
}

// Number of points of particle i: the expected number, rounded up or down at random.
static int count_points(const fm_foam_def *def, int i, fm_rng *rng)
{
    double wanted = def->spray[i] ? DROPS : POINTS_MAX * (double)def->foam[i];
    double count = floor(def->amount * wanted + fm_rng_uniform(rng));
    return (int)fm_double_min(count, 100);
}

// Places one point of particle i: x, y, z and radius, m.
static void place_point(const fm_foam_def *def, int i, fm_rng *rng, float point[4])
{
    double offset[3] = {0}, square = 2;
    while (square > 1) { // in a ball
        square = 0;
        for (int a = 0; a < 3; a++) {
            offset[a] = 2 * fm_rng_uniform(rng) - 1;
            square += offset[a] * offset[a];
        }
    }
    double size = fm_rng_uniform(rng), path = PATH * (fm_rng_uniform(rng) - 0.5);
    for (int a = 0; a < 3; a++) {
        size_t at = 3 * (size_t)i + (size_t)a;
        double x = (double)def->points[at] + SPREAD * def->spacing * offset[a];
        if (def->spray[i])
            x += path * (double)def->velocities[at];
        else
            x += LIFT * def->spacing * (double)def->found[i].normal[a];
        point[a] = (float)x;
    }
    point[3] = (float)(def->spacing * (SMALLEST + (LARGEST - SMALLEST) * size * size));
}

// White, nearly without gloss.
static fm_paint find_foam_paint(void)
{
    fm_color white = fm_color_from_srgb(0.95, 0.97, 0.98);
    return (fm_paint){.front = white, .back = white, .gloss = 0.1f};
}

// Adds the points of foam and spray to the drawing.
bool fm_drawing_add_foam(fm_drawing *drawing, const fm_foam_def *def, fm_error *err)
{
    assert(err->status != FM_OK || (drawing && def));
    fm_sphere_list *spheres = fm_drawing_append_spheres(drawing, err);
    size_t total = 0;
    for (int pass = 0; pass < 2 && err->status == FM_OK; pass++) {
        if (pass == 1) {
            spheres->paint = find_foam_paint();
            spheres->points =
                fm_arena_alloc(&drawing->arena, 4 * total + 4, sizeof(float), "drawing", err);
        }
        for (int i = 0; i < def->count && err->status == FM_OK; i++) {
            fm_rng rng = {((uint64_t)def->ids[i] + 1) * 0x9e3779b97f4a7c15u};
            int count = count_points(def, i, &rng);
            if (!fm_drawing_point_is_finite(def->points + 3 * (size_t)i))
                continue;
            total += (size_t)count;
            for (int k = 0; k < count && pass == 1; k++)
                place_point(def, i, &rng, spheres->points + 4 * (size_t)spheres->count++);
        }
    }
    return err->status == FM_OK;
}
