// SPDX-License-Identifier: MIT
// towel.c: simulates one towel and records its centre line 60 times per second.
#include "towel.h"

// The towel with the given drag model and dashpots in the springs.
fm_cloth_def towel_cloth_def(fm_drag_model model)
{
    fm_cloth_def def = fixture_perfect_cloth(); // the cotton towel
    def.name = "towel";
    def.drag.model = model;
    def.drag.viscous = def.drag.normal = 1;
    def.damping.coefficient = TOWEL_DAMPING;
    def.bend.damping.coefficient = 0; // as in the papers
    return def;
}

// A swing of the top edge normal to the cloth.
towel_run towel_default_swing(const fm_cloth_def *cloth, int columns, int rows)
{
    return (towel_run){.cloth = *cloth,
                       .columns = columns,
                       .rows = rows,
                       .axis = {0, 0, 1},
                       .amplitude = 0.05,
                       .period = 0.8,
                       .duration = 8};
}

// A half derivative over the last `steps` substeps, by the quadrature rule of [OKRC10] eq. (6).
fm_recall towel_window_memory(int steps)
{
    fm_recall memory = towel_full_memory();
    memory.kind = FM_RECALL_STEPS;
    memory.rule = FM_RULE_COIMBRA;
    memory.steps = steps;
    return memory;
}

// A half derivative over the whole past.
fm_recall towel_full_memory(void)
{
    return (fm_recall){.kind = FM_RECALL_FULL,
                       .steps = 3,
                       .seconds = 1,
                       .fading = 1,
                       .tolerance = 1e-4,
                       .horizon = 100};
}

// A half derivative over the past, weighted by e^(-t/fading_time).
fm_recall towel_fading_memory(double fading_time)
{
    fm_recall memory = towel_full_memory();
    memory.kind = FM_RECALL_FADING;
    memory.fading = fading_time;
    return memory;
}

// Makes the springs' damping and the drag half derivatives over the part of the past `memory`.
// damping, history: their coefficients.
void towel_set_half_derivatives(fm_cloth_def *cloth, fm_recall memory, double damping,
                                double history)
{
    cloth->damping.coefficient = damping;
    cloth->damping.order = 0.5;
    cloth->damping.memory = memory;
    cloth->drag.history.coefficient = history;
    cloth->drag.history.order = 0.5;
    cloth->drag.history.memory = memory;
}

// The towel with half derivatives in drag and damping over the part of the past `memory`.
fm_cloth_def towel_fractional_cloth_def(fm_recall memory)
{
    fm_cloth_def def = towel_cloth_def(FM_DRAG_PUBLISHED);
    def.drag.viscous = 2;
    def.drag.normal = 0;
    towel_set_half_derivatives(&def, memory, TOWEL_HALF_DAMPING, 20);
    return def;
}

// Parameters with the best scores in the sweeps of cloth-swing.c. "its dashpots" replaces the half
// derivative D of "u = 3" by 0.0664 v, its value over three steps of 1.11 ms at constant velocity
// v. "full" is the second best of its sweep (score 3.043 after 3.045), since the best one has the
// smallest coefficient of history drag that the sweep allows.
static const struct {
    const char *name;
    fm_drag_model drag;
    double viscous, normal; // N s/m per m^2, drag coefficients
    double damping;         // of the springs: N s/m, or N s^(1/2)/m for half derivatives
    double history;         // N s^(1/2)/m per m^2, of the half-derivative drag
} tuned[TOWEL_MODELS] = {
    [TOWEL_BOTH] = {"viscous and normal", FM_DRAG_BOTH, 0.3, 4.17, 0.028, 0},
    [TOWEL_VISCOUS] = {"viscous", FM_DRAG_VISCOUS, 4.17, 0, 0.0145, 0},
    [TOWEL_NORMAL] = {"normal", FM_DRAG_NORMAL, 0, 4.17, 0.00104, 0},
    [TOWEL_PAPER] = {"u = 3 by the paper", FM_DRAG_PUBLISHED, 4.17, 0, 0.0145, 1},
    [TOWEL_3_STEPS] = {"u = 3", FM_DRAG_PUBLISHED, 1.12, 0, 0.2, 41.7},
    [TOWEL_DASHPOTS] = {"its dashpots", FM_DRAG_VISCOUS, 3.89, 0, 0.0133, 0},
    [TOWEL_FADING] = {"fading 0.3 s", FM_DRAG_PUBLISHED, 2.16, 0, 0.2, 4.17},
    [TOWEL_WHOLE_PAST] = {"full", FM_DRAG_PUBLISHED, 1.12, 0, 0.2, 8.05},
    [TOWEL_PHYSICAL] = {"physical, one layer", FM_DRAG_PHYSICAL, 0, 0, 0.028, 0},
    [TOWEL_DEFAULT] = {"physical, as it is", FM_DRAG_PHYSICAL, 0, 0, 0.028, 0},
};

const char *towel_model_name(towel_model model)
{
    return tuned[model].name;
}

// The towel with the best parameters that the sweeps of cloth-swing.c found for a model.
fm_cloth_def towel_tuned_cloth_def(towel_model model)
{
    fm_cloth_def def = towel_cloth_def(tuned[model].drag);
    def.drag.viscous = tuned[model].viscous;
    def.drag.normal = tuned[model].normal;
    def.damping.coefficient = tuned[model].damping;
    if (model == TOWEL_PAPER || model == TOWEL_3_STEPS)
        towel_set_half_derivatives(&def, towel_window_memory(3), tuned[model].damping,
                                   tuned[model].history);
    if (model == TOWEL_FADING)
        towel_set_half_derivatives(&def, towel_fading_memory(0.3), tuned[model].damping,
                                   tuned[model].history);
    if (model == TOWEL_WHOLE_PAST)
        towel_set_half_derivatives(&def, towel_full_memory(), tuned[model].damping,
                                   tuned[model].history);
    if (model == TOWEL_PHYSICAL) { // one layer of water for all waves
        def.drag.pressure = 0.0847;
        def.drag.added_mass = 0.0035;
    }
    return def;
}

// RMS of the velocity dz/dt of the centre line over frames [first, last) and all points, m/s.
static double line_rms_velocity(const deflection *d, int first, int last)
{
    double sum = 0;
    for (int f = first < 1 ? 1 : first; f < last; f++)
        for (int p = 0; p < d->points; p++) {
            const double *z = d->z + (size_t)f * d->points + p;
            sum += (z[0] - z[-d->points]) * (z[0] - z[-d->points]);
        }
    return sqrt(sum / ((double)d->points * (last - first))) / d->dt;
}

// Time (s) after `from` until the RMS velocity of the centre line stays below `share` of its value
// before; INFINITY if it does not.
double towel_decay_time(const towel_record *record, double from, double share)
{
    const deflection *d = &record->line;
    int first = (int)round(from / d->dt), window = (int)round(0.1 / d->dt);
    double limit = share * line_rms_velocity(d, first - 5 * window, first);
    // first frame of a window of 0.1 s; searches backwards for the last window above the limit
    int start = d->frames - window;
    while (start > first && line_rms_velocity(d, start, start + window) < limit)
        start--;
    return start < d->frames - window ? (start - first) * d->dt : INFINITY;
}

// The largest distance (m) that a bump born after the time `from` (s) travels downwards.
double towel_longest_bump_travel(experiment *e, const towel_record *record, double from,
                                 double threshold)
{
    bump_track *tracks;
    const deflection *d = &record->line;
    int count = bumps_track(e, d, (int)round(from / d->dt), threshold, &tracks);
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, tracks[i].to - tracks[i].from);
    return largest;
}

// Writes the deflection z(s,t) of the centre line from the time `begin` (s) on, every other frame.
void towel_write_deflection(experiment *e, const towel_record *record, const char *file,
                            double begin)
{
    experiment_table *table = experiment_table_open(e, file, "time_s,place_m,deflection_m");
    const deflection *d = &record->line;
    int first = (int)round(begin / d->dt);
    for (int f = first; f < d->frames; f += 2)
        for (int p = 0; p < d->points; p++)
            experiment_write_numbers(table, (double[]){(f - first) * d->dt,
                                                       p * d->length / (d->points - 1),
                                                       d->z[(size_t)f * d->points + p]});
}

// Largest distance (m) of corresponding points of two centre lines between two times (s).
double towel_largest_distance(const towel_record *a, const towel_record *b, double begin,
                              double end)
{
    double largest = 0;
    int first = (int)round(begin / TOWEL_FRAME), last = (int)round(end / TOWEL_FRAME);
    int points = a->line.points;
    for (int f = first; f <= last && f < a->line.frames && f < b->line.frames; f++)
        for (int p = 0; p < points; p++) {
            fm_vec3 u = a->x[(size_t)f * points + p], v = b->x[(size_t)f * points + p];
            double x = u.x - v.x, y = u.y - v.y, z = u.z - v.z;
            largest = fmax(largest, sqrt(x * x + y * y + z * z));
        }
    return largest;
}

// Measures the bumps on the centre line from the time `from` (s) on.
bump_stats towel_measure_bumps(experiment *e, const towel_run *run, const towel_record *record,
                               double from)
{
    if (record->diverged || experiment_failed(e))
        return (bump_stats){0};
    return bumps_measure(e, &record->line, (int)round(from / TOWEL_FRAME), 0.1 * run->amplitude,
                         run->stop > 0 ? 0 : run->period);
}

// The sinusoidal motion of the top edge, which stops at the time run->stop if that is positive.
static fm_motion *create_motion(fm_world *world, const towel_run *run, fm_error *err)
{
    fm_vec3 axis = run->axis;
    if (run->slice > 0) // turned as the towel
        axis = (fm_vec3){axis.z, axis.y, -axis.x};
    if (run->stop <= 0)
        return fm_motion_sine(world, axis, run->amplitude, run->period, err);
    enum { KEYS = 512 }; // keyframes that sample the sine
    fm_key keys[KEYS] = {{0}};
    for (int i = 0; i < KEYS; i++) {
        double t = run->stop * i / (KEYS - 1);
        double d = run->amplitude * sin(2 * 3.14159265358979323846 * t / run->period);
        keys[i].time = t;
        keys[i].position = (fm_vec3){axis.x * d, axis.y * d, axis.z * d};
    }
    return fm_motion_keyframes(world, keys, KEYS, FM_INTERPOLATE_SPLINE, (fm_vec3){0, 0, 0}, err);
}

// Position of a particle in the frame of a towel that is not turned. A slice is turned by 90
// degrees about y, so that its width is along the z axis of the grid: rows of a grid are along x,
// and the solver is fast if they are long.
static fm_vec3 turn_back(const towel_run *run, fm_vec3 x)
{
    return run->slice > 0 ? (fm_vec3){-x.z, x.y, x.x} : x;
}

// Force along z of the columns of particles below the top edge on the hand, N: their elastic part.
static double find_pull(const towel_run *run, const fm_vec3 *x)
{
    double width = run->slice > 0 ? run->slice : 0.4, sum = 0;
    for (int c = 0; c < run->columns; c++) {
        fm_vec3 a = turn_back(run, x[c]), b = turn_back(run, x[run->columns + c]);
        double length = sqrt(pow(b.x - a.x, 2) + pow(b.y - a.y, 2) + pow(b.z - a.z, 2));
        double share = c == 0 || c == run->columns - 1 ? 0.5 : 1;
        double strain = length * (run->rows - 1) / TOWEL_HEIGHT - 1;
        sum += share * strain * (b.z - a.z) / length;
    }
    return run->cloth.stretch.stiffness * width / (run->columns - 1) * sum;
}

// Kinetic energy of the towel, J; particles on its edges have half the mass of the others.
static double find_energy(const towel_run *run, const fm_vec3 *v)
{
    double width = run->slice > 0 ? run->slice : 0.4, sum = 0;
    int columns = run->columns, rows = run->rows;
    for (int i = 0; i < rows * columns; i++) {
        bool side = i % columns == 0 || i % columns == columns - 1;
        bool end = i / columns == 0 || i / columns == rows - 1;
        sum += (side ? 0.5 : 1) * (end ? 0.5 : 1) *
               (v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
    }
    double mass = run->cloth.density * run->cloth.thickness * width * TOWEL_HEIGHT;
    return 0.5 * mass * sum / ((columns - 1) * (rows - 1));
}

// Records the positions and deflections of the middle column of particles.
static void record_frame(const towel_run *run, fm_cloth *cloth, towel_record *out, int frame)
{
    int count, middle = run->columns / 2;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double *z = out->line.z + (size_t)frame * run->rows;
    for (int r = 0; r < run->rows; r++) {
        fm_vec3 p = turn_back(run, x[r * run->columns + middle]);
        z[r] = p.z;
        out->x[(size_t)frame * run->rows + r] = p;
    }
    for (int i = 0; i < count; i++)
        out->mean_z[frame] += turn_back(run, x[i]).z / count;
    out->pull[frame] = find_pull(run, x);
    out->energy[frame] = find_energy(run, fm_cloth_velocities(cloth, &count));
}

// Puts the towel into a closed tank of water of 0.8 m x 1 m x 1 m, its top edge 15 cm below the
// lid; or its slice into one between walls without friction, which it touches.
static void add_water(fm_world *world, fm_cloth *cloth, const towel_run *run, fm_error *err)
{
    bool slice = run->slice > 0;
    double spacing = run->spacing, width = slice ? run->slice : 0.8;
    int across = slice ? 2 : 0; // axis of the width
    fm_grid_def def = fm_default_grid_def();
    def.name = "water";
    def.spacing = spacing;
    def.time_step = run->water_step;
    def.low = slice ? (fm_vec3){-0.5, -0.85, -width / 2} : (fm_vec3){-width / 2, -0.85, -0.5};
    def.cells[0] = def.cells[1] = def.cells[2] = (int)lround(1 / spacing);
    def.cells[across] = (int)lround(width / spacing);
    if (slice)
        def.sides[FM_SIDE_BACK].kind = def.sides[FM_SIDE_FRONT].kind = FM_GRID_SLIP;
    fm_grid *grid = fm_grid_create(world, &def, err);
    if (err->status == FM_OK)
        fm_world_couple_objects(world, fm_cloth_object(cloth), fm_grid_object(grid),
                                FM_COUPLING_TWO_WAY, err);
}

// Fails the experiment if stability allowed only part of the springs' damping to act.
void towel_check_damping(experiment *e, const fm_report *report)
{
    if (report->damping_share < 1)
        experiment_fail(e, FM_BAD_VALUE, "the springs' damping acts by %.3g of what was asked for",
                        report->damping_share);
}

towel_record towel_create_record(experiment *e, const towel_run *run, int frames)
{
    towel_record out = {.line = {.points = run->rows, .length = TOWEL_HEIGHT, .dt = TOWEL_FRAME}};
    out.line.z = experiment_alloc(e, (size_t)frames * run->rows, sizeof *out.line.z);
    out.x = experiment_alloc(e, (size_t)frames * run->rows, sizeof *out.x);
    out.force = experiment_alloc(e, (size_t)frames, sizeof *out.force);
    out.mean_z = experiment_alloc(e, (size_t)frames, sizeof *out.mean_z);
    out.pull = experiment_alloc(e, (size_t)frames, sizeof *out.pull);
    out.energy = experiment_alloc(e, (size_t)frames, sizeof *out.energy);
    return out;
}

// Six times the volume of the tetrahedron a, b, c, d.
static double find_volume(fm_vec3 a, fm_vec3 b, fm_vec3 c, fm_vec3 d)
{
    double bx = b.x - a.x, by = b.y - a.y, bz = b.z - a.z;
    double cx = c.x - a.x, cy = c.y - a.y, cz = c.z - a.z;
    double dx = d.x - a.x, dy = d.y - a.y, dz = d.z - a.z;
    return bx * (cy * dz - cz * dy) + by * (cz * dx - cx * dz) + bz * (cx * dy - cy * dx);
}

// True if an edge of the triangle s passes through the triangle t.
static bool passes_through(const fm_vec3 *x, const int *s, const int *t)
{
    for (int k = 0; k < 3; k++) {
        fm_vec3 a = x[s[k]], b = x[s[(k + 1) % 3]];
        fm_vec3 p = x[t[0]], q = x[t[1]], r = x[t[2]];
        if (find_volume(p, q, r, a) * find_volume(p, q, r, b) >= 0)
            continue;
        double u = find_volume(a, b, p, q), v = find_volume(a, b, q, r),
               w = find_volume(a, b, r, p);
        if ((u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0))
            return true;
    }
    return false;
}

// True if two triangles share a vertex or the boxes around them are apart.
static bool cannot_cross(const fm_vec3 *x, const int *s, const int *t)
{
    fm_vec3 low[2], high[2];
    for (int n = 0; n < 2; n++) {
        const int *f = n == 0 ? s : t;
        low[n] = high[n] = x[f[0]];
        for (int k = 1; k < 3; k++) {
            low[n].x = fmin(low[n].x, x[f[k]].x), high[n].x = fmax(high[n].x, x[f[k]].x);
            low[n].y = fmin(low[n].y, x[f[k]].y), high[n].y = fmax(high[n].y, x[f[k]].y);
            low[n].z = fmin(low[n].z, x[f[k]].z), high[n].z = fmax(high[n].z, x[f[k]].z);
        }
    }
    for (int k = 0; k < 9; k++)
        if (s[k / 3] == t[k % 3])
            return true;
    return low[0].x > high[1].x || low[1].x > high[0].x || low[0].y > high[1].y ||
           low[1].y > high[0].y || low[0].z > high[1].z || low[1].z > high[0].z;
}

// True if the cloth passes through itself: an edge of one triangle through another triangle.
static bool is_crossed(fm_cloth *cloth, fm_error *err)
{
    int triangles, count;
    const int *t = fm_cloth_triangles(cloth, &triangles, err);
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    for (int i = 0; i < triangles && t; i++)
        for (int j = i + 1; j < triangles; j++)
            if (!cannot_cross(x, t + 3 * i, t + 3 * j) &&
                (passes_through(x, t + 3 * i, t + 3 * j) ||
                 passes_through(x, t + 3 * j, t + 3 * i)))
                return true;
    return false;
}

// Simulates the towel under water and records its centre line 60 times per second.
towel_record towel_simulate(experiment *e, const towel_run *run)
{
    int frames = (int)round(run->duration / TOWEL_FRAME) + 1;
    towel_record out = towel_create_record(e, run, frames);
    if (experiment_failed(e))
        return out;
    fm_error err = {0};
    fm_world_def water = fixture_water_def(1);
    if (run->floats)
        water.gravity.y = -water.gravity.y;
    fm_world *world = fixture_create_world(water, &err);
    fixture_towel towel = fixture_default_towel(run->columns, run->rows);
    towel.cloth = run->cloth;
    towel.sheet.origin.x = -towel.sheet.width / 2; // the centre line is at x = 0
    if (run->slice > 0) {
        towel.sheet.width = run->slice;
        towel.sheet.origin = (fm_vec3){0, 0, run->slice / 2};
        towel.sheet.rotation = (fm_quat){.y = sqrt(0.5), .w = sqrt(0.5)};
    }
    towel.motion = create_motion(world, run, &err);
    fm_cloth *cloth = fixture_create_hanging_cloth(world, &towel, &err);
    if (run->spacing > 0)
        add_water(world, cloth, run, &err);
    double start = experiment_read_clock(true);
    for (int f = 0; f < frames && err.status == FM_OK; f++) {
        if (f > 0) {
            fm_report report = fm_world_advance(world, TOWEL_FRAME, &err);
            out.substep = report.substep;
            towel_check_damping(e, &report);
            out.stretch = fmax(out.stretch, report.max_stretch);
        }
        if (err.status == FM_OK) {
            record_frame(run, cloth, &out, f);
            if (run->spacing > 0)
                out.force[f] = experiment_find_quantity(e, fm_cloth_object(cloth),
                                                        run->slice > 0 ? "load_x" : "load_z");
            out.line.frames = f + 1;
            if (run->crossings && f % 6 == 0 && is_crossed(cloth, &err))
                out.crossed += 1.0 / ((frames + 5) / 6);
        }
    }
    out.cpu = experiment_read_clock(true) - start;
    out.diverged = err.status == FM_DIVERGED;
    if (err.status != FM_OK && !out.diverged)
        experiment_fail(e, err.status, "%s", err.text);
    fm_world_destroy(world);
    return out;
}
