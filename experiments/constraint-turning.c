// SPDX-License-Identifier: MIT
// constraint-turning.c: directional enforcement under wind and current that turn.
//
// [OZG13] 6.5.1 says that its corrections follow gravity and were not tested with several forces
// that vary. Here a sheet of canvas (hanging.h, 1 m, 31 x 31) is held by its top edge, by its left
// edge or by two corners, in a flow that turns about the vertical once in four seconds and swells
// by half with a period of 2.6 s:
//
//   wind      air at 10 m/s, whose force is about that of gravity
//   current   water at 0.8 m/s, where the weight is nearly carried and the flow decides
//
// Enforcement: none; iterative, 20 passes; the list of [OZG13], made for rows, for gravity and for
// the sum of weight, buoyancy and drag as it turns; our directional method. All at 1/960 s with
// threshold 0. The flow is turbulent (a tenth of its speed); means over three seeds. Measured over
// the last four of six seconds, one turn, 60 times per second:
//
//   stretch   median and largest of the largest l/l0 - 1 of any stretch spring
//   mean      mean of |l/l0 - 1|
//   lost      runs that diverged or stretched beyond three times the length; the other columns are
//             those of the runs that were not lost
//
// [OZG13] in docs/references.md
#include "hanging.h"

enum { METHODS = 6, HOLDS = 3, FLOWS = 2, SEEDS = 3, SAMPLES = 240 };
static const char *const method_names[METHODS] = {
    "none", "iterative 20", "list by rows", "list by gravity", "list by force", "directional 2"};
static const char *const hold_names[HOLDS] = {"top", "left", "corners"};
static const char *const flow_names[FLOWS] = {"wind", "current"};
static const double speeds[FLOWS] = {10, 0.8}; // m/s
static const double LOST = 2;                  // l/l0 - 1

// Results of the runs of one cell of the table.
typedef struct outcome {
    double median, largest, mean; // of the runs that were not lost
    int runs, lost;
} outcome;

// The turning, swelling flow. context: its speed, m/s.
static fm_vec3 turning_flow(void *context, fm_vec3 position, double time)
{
    const double two_pi = 6.28318530717958648;
    (void)position;
    double speed = *(const double *)context * (1 + 0.5 * sin(two_pi * time / 2.6));
    double angle = two_pi * time / 4;
    return (fm_vec3){speed * sin(angle), 0, speed * cos(angle)};
}

// Canvas with one of the methods of enforcement.
static fm_cloth_def turning_cloth_def(int method)
{
    static const fm_enforcement_direction directions[] = {FM_ALONG_ROWS, FM_ALONG_GRAVITY,
                                                          FM_ALONG_FORCE};
    fm_cloth_def def = hanging_cloth_def(FM_ENFORCE_NONE, 1);
    if (method == 1)
        def = hanging_cloth_def(FM_ENFORCE_ITERATIVE, 20);
    if (method == 5)
        def = hanging_cloth_def(FM_ENFORCE_DIRECTIONAL, 2);
    if (method >= 2 && method <= 4) {
        def = hanging_cloth_def(FM_ENFORCE_PUBLISHED, 1);
        def.enforcement.visits = 3;
        def.enforcement.direction = directions[method - 2];
    }
    def.time_step = 1 / 960.0;
    return def;
}

// Pins the edge or the corners that hold the cloth.
static void pin_cloth(fm_cloth *cloth, int hold, fm_error *err)
{
    if (hold < 2) {
        fm_cloth_pin_edge(cloth, hold == 0 ? FM_EDGE_TOP : FM_EDGE_LEFT, NULL, err);
        return;
    }
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_LEFT, NULL, err);
    fm_cloth_pin_corner(cloth, FM_CORNER_TOP_RIGHT, NULL, err);
}

// The world of one flow: air or water that turns, with turbulence. speed: must outlive the world.
static fm_world *create_world(int flow, double *speed, int seed, fm_error *err)
{
    fm_world_def def = flow == 0 ? fixture_air_def(1) : fixture_water_def(1);
    def.medium.flow.kind = FM_FLOW_FUNCTION;
    def.medium.flow.function = turning_flow;
    def.medium.flow.context = speed;
    def.medium.flow.turbulence =
        (fm_turbulence){.intensity = 0.1 * *speed, .length = 0.5, .seed = seed};
    return fixture_create_world(def, err);
}

// Simulates one cloth and adds its stretch to the outcome.
static void simulate(experiment *e, int flow, int hold, int method, int seed, outcome *out)
{
    bool quick = experiment_quick(e);
    int n = quick ? 11 : 31, samples = quick ? 6 : SAMPLES, before = quick ? 0 : 120, kept = 0;
    fm_error err = {0};
    double speed = speeds[flow];
    fm_world *world = create_world(flow, &speed, seed, &err);
    fm_cloth_def def = turning_cloth_def(method);
    fm_sheet sheet = fixture_tilted_sheet(n, n, 1, 0);
    fm_cloth *cloth = fm_cloth_create_sheet(world, &def, &sheet, &err);
    if (err.status == FM_OK)
        pin_cloth(cloth, hold, &err);
    double sorted[SAMPLES] = {0}, mean = 0, largest = 0;
    for (int k = 0; k < before + samples && err.status == FM_OK && largest < LOST; k++) {
        fm_report report = fm_world_advance(world, 1 / 60.0, &err);
        largest = fmax(k == before ? 0 : largest, report.max_stretch);
        if (k < before || err.status != FM_OK)
            continue;
        int i = kept++; // insertion keeps the samples sorted
        for (; i > 0 && sorted[i - 1] > report.max_stretch; i--)
            sorted[i] = sorted[i - 1];
        sorted[i] = report.max_stretch;
        mean += report.mean_strain / samples;
    }
    fm_world_destroy(world);
    if (err.status != FM_OK && err.status != FM_DIVERGED)
        experiment_fail(e, err.status, "%s", err.text);
    out->runs++;
    if (err.status != FM_OK || largest >= LOST) {
        out->lost++;
        return;
    }
    out->median += sorted[kept / 2];
    out->largest += largest;
    out->mean += mean;
}

// Reports one cell of the table.
static void report(experiment *e, experiment_table *table, int flow, int hold, int method,
                   const outcome *o)
{
    int held = o->runs - o->lost;
    double median = held ? o->median / held : NAN, largest = held ? o->largest / held : NAN,
           mean = held ? o->mean / held : NAN;
    experiment_write_row(table, "%s,%s,%s,%.4g,%.4g,%.4g,%d,%d", flow_names[flow], hold_names[hold],
                         method_names[method], median, largest, mean, o->lost, o->runs);
    if (held)
        experiment_add_named_result(e, NAN, 100 * median, "%", "%s, %s, %s: stretch, median",
                                    flow_names[flow], hold_names[hold], method_names[method]);
    experiment_add_named_result(e, NAN, o->lost, "", "%s, %s, %s: runs lost", flow_names[flow],
                                hold_names[hold], method_names[method]);
}

int main(int argc, char **argv)
{
    int status;
    experiment *e =
        experiment_open(argc, argv, "constraint-turning",
                        "Enforcement of lengths under wind and current that turn.", &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "turning.csv", "flow,held,method,stretch_median,stretch_max,mean_strain,lost,runs");
    int seeds = experiment_quick(e) ? 1 : SEEDS;
    for (int i = 0; i < FLOWS * HOLDS * METHODS && !experiment_failed(e); i++) {
        int flow = i / (HOLDS * METHODS), hold = i / METHODS % HOLDS, method = i % METHODS;
        outcome o = {0};
        for (int seed = 1; seed <= seeds; seed++)
            simulate(e, flow, hold, method, seed, &o);
        report(e, table, flow, hold, method, &o);
    }
    return experiment_close(e);
}
