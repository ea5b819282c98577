// SPDX-License-Identifier: MIT
// wrinkle-hanger.c: does a cloth on a hanger wrinkle more with the weight beta of fluidity? Table 1
// and figures 1 to 9 of [MES].
//
// A closed slab with gas, or an open sheet, falls over a bar and comes to rest. Measured at the
// end: root mean square of the mean curvature, and roughness: the distance from the surface
// smoothed over 3 cm. Radius, k, mu, masses and step are not published: they are swept. Controls
// that could give the same picture without fluidity (beta = 0): as much energy of random motion at
// the start as fluidity puts into the body, and a tenth or a hundredth of the bending rigidity.
// Bodies that do not come to rest (more than 0.1 J after 0.6 s) are measured at that moment.
// Momentum: a free sheet, compressed unevenly, for 0.1 s: largest change of momentum over the sum
// of the magnitudes of the points' momenta.
#include "soft.h"

#include <stdio.h>

static const double MODULUS = 20, BENDING = 1e-6, RADIUS = 0.035, SMOOTHING = 0.03;
static const double SLOWING = 4; // 1/s, rate at which drag slows down free motion

typedef struct hanging {
    int level;   // of the slab; 0: a sheet
    double edge; // of the sheet, m
    double beta, radius, stiffness, viscosity;
    fm_fluidity_form form;
    int dimensions;
    double bending; // N m
    double noise;   // J, of random motion at the start
} hanging;

typedef struct outcome {
    fm_soft_measure surface;
    double energy;  // J, potential: springs, bending, gas and weight
    double kinetic; // J, at the end
    double height;  // m, mean height at the end; the bar is at -0.02
    double time; // s, of the measurement: the end, or when the body turned out not to come to rest
} outcome;

// Random velocities with the kinetic energy `noise`.
static void add_noise(experiment *e, fm_cloth *cloth, double noise)
{
    int count;
    fm_cloth_positions(cloth, &count);
    fm_vec3 *v = experiment_alloc(e, (size_t)count, sizeof *v);
    double *mass = experiment_alloc(e, (size_t)count, sizeof *mass), sum = 0;
    if (!v || !mass || !fm_cloth_read_field(cloth, "mass", mass, experiment_error(e)))
        return;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            double scale = pass ? sqrt(noise / sum) : 1;
            v[i] = (fm_vec3){scale * soft_scatter(3u * (unsigned)i),
                             scale * soft_scatter(3u * (unsigned)i + 1),
                             scale * soft_scatter(3u * (unsigned)i + 2)};
            if (!pass)
                sum += 0.5 * mass[i] * (v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
        }
    fm_cloth_set_velocities(cloth, v, experiment_error(e));
}

// Fluidity of a case, and the gas of a slab.
static fm_soft_def define_soft(const hanging *h)
{
    fm_soft_def soft = fm_default_soft_def();
    soft.beta = h->beta;
    soft.fluidity.radius = h->radius, soft.fluidity.stiffness = h->stiffness;
    soft.fluidity.viscosity = h->viscosity;
    soft.fluidity.form = h->form;
    soft.fluidity.dimensions = h->dimensions;
    soft.smoothing = SMOOTHING;
    if (h->level > 0) {
        soft.gas.kind = FM_GAS_SEALED, soft.gas.pressure = 5, soft.gas.ambient = 0;
        soft.gas.density = 0;
    }
    return soft;
}

// m, mean height of the points.
static double find_height(fm_cloth *cloth)
{
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i].y;
    return sum / count;
}

// Advances for two seconds; ends early if the body does not come to rest. A falling body has up to
// 0.2 J, one that hangs less than 0.01 J after 0.6 s. Returns the time, s.
static double advance_until_rest(experiment *e, fm_world *world)
{
    const double END = experiment_quick(e) ? 0.1 : 2, PIECE = 0.1, SETTLED = 0.6; // s
    double t = 0;
    while (t < END - 0.5 * PIECE && !experiment_failed(e)) {
        soft_advance(e, world, PIECE);
        t += PIECE;
        double energy = fm_world_report(world).kinetic_energy; // J
        if (energy > 1 || (t > SETTLED && energy > 0.1))
            break;
    }
    return t;
}

// Drops the body over the bar and measures it two seconds later.
static outcome hang(experiment *e, const hanging *h)
{
    outcome result = {0};
    fm_world *world = soft_create_world(e, -9.81);
    fm_collider_def bar = fm_default_collider_def();
    bar.shape = (fm_shape){.kind = FM_SHAPE_CAPSULE,
                           .start = {-0.25, -0.02, 0},
                           .end = {0.25, -0.02, 0},
                           .radius = 0.009};
    bar.friction = 0.4;
    fm_collider_create(world, &bar, experiment_error(e));
    fm_cloth_def def = soft_skin(MODULUS, h->bending);
    def.drag.model = FM_DRAG_PUBLISHED; // brings the body to rest, the same for every substep
    def.drag.viscous = SLOWING * def.density * def.thickness;
    def.drag.normal = def.drag.history.coefficient = 0;
    def.contact.enabled = true; // cells are larger than the bar
    def.contact.friction = 0.4;
    fm_soft_def soft = define_soft(h);
    fm_mesh_shape shape = soft_slab_or_sheet(h->level, h->edge);
    fm_cloth *cloth = soft_create(e, world, &def, &soft, &shape);
    if (cloth) {
        if (h->noise > 0)
            add_noise(e, cloth, h->noise);
        result.time = advance_until_rest(e, world);
        fm_report report = fm_world_report(world);
        result.surface = fm_cloth_measure_soft(cloth, experiment_error(e));
        result.energy = report.potential_energy, result.kinetic = report.kinetic_energy;
        result.height = find_height(cloth);
    }
    fm_world_destroy(world);
    return result;
}

static void write_case(experiment_table *table, const char *series, const hanging *h, outcome o)
{
    experiment_write_row(table, "%s,%s,%d,%g,%s,%g,%g,%g,%d,%g,%.6g,%.6g,%.6g,%.6g,%.6g,%.3g",
                         series, h->level > 0 ? "slab" : "sheet", h->level, h->beta,
                         h->form == FM_FLUIDITY_PRINTED ? "printed" : "symmetric", h->radius,
                         h->stiffness, h->viscosity, h->dimensions, h->bending, o.surface.curvature,
                         1e3 * o.surface.roughness, o.energy, o.kinetic, o.height, o.time);
}

// The bodies at two resolutions: cells of about 15 and 7.5 mm.
static hanging choose_body(experiment *e, bool slab, bool fine)
{
    hanging h = {.radius = RADIUS, .stiffness = 20, .dimensions = 2, .bending = BENDING};
    bool quick = experiment_quick(e);
    h.level = slab ? (quick ? 1 : fine ? 3 : 2) : 0;
    h.edge = quick ? 0.04 : fine ? 0.01 : 0.02;
    h.radius = quick ? 0.08 : RADIUS;
    return h;
}

// beta from 0 to 4 on one body; then the controls without fluidity. Fine meshes and the printed
// form get three values of beta.
static void sweep_beta(experiment *e, experiment_table *table, bool slab, bool fine,
                       fm_fluidity_form form)
{
    static const double all[] = {0, 0.5, 1, 2, 4}, some[] = {0, 1, 4};
    bool few = fine || form == FM_FLUIDITY_PRINTED;
    const double *betas = few ? some : all;
    int count = few ? 3 : 5;
    const char *body = slab ? "slab" : "sheet";
    hanging h = choose_body(e, slab, fine);
    h.form = form;
    double least = 0, energy[2] = {0, 0};
    outcome o[5] = {0};
    for (int i = 0; i < count && !experiment_failed(e); i++) {
        h.beta = betas[i];
        o[i] = hang(e, &h);
        write_case(table, fine ? "beta-fine" : "beta", &h, o[i]);
        least = i > 0 ? fmin(least, o[i].surface.curvature - o[i - 1].surface.curvature) : 0;
        energy[0] = i == 0 ? o[i].energy : energy[0], energy[1] = i == 3 ? o[i].energy : energy[1];
    }
    const char *name = form == FM_FLUIDITY_PRINTED ? "printed" : "symmetric";
    for (int i = 0; i < count && !experiment_failed(e); i++)
        experiment_add_named_result(e, NAN, o[i].surface.curvature, "1/m",
                                    "%s%s, %s, beta %g: curvature", body, fine ? ", fine" : "",
                                    name, betas[i]);
    experiment_add_named_result(e, 1, least >= 0, "", "%s%s, %s: curvature grows with every beta",
                                body, fine ? ", fine" : "", name);
    if (fine || form == FM_FLUIDITY_PRINTED)
        return;
    h.beta = 0;
    for (int control = 0; control < 3 && !experiment_failed(e); control++) {
        h.noise = control == 0 ? fabs(energy[1] - energy[0]) : 0;
        h.bending = control == 0 ? BENDING : control == 1 ? BENDING / 10 : BENDING / 100;
        outcome c = hang(e, &h);
        write_case(table, control == 0 ? "noise" : "bending", &h, c);
        experiment_add_named_result(e, NAN, c.surface.curvature, "1/m", "%s, beta 0, %s: curvature",
                                    body,
                                    control == 0   ? "energy of noise as beta 2"
                                    : control == 1 ? "bending / 10"
                                                   : "bending / 100");
    }
}

// Radius, k, mu and normalisation at beta = 2; the printed form with viscosity, and with a smaller
// k.
static void sweep_parameters(experiment *e, experiment_table *table)
{
    for (int i = 0; i < 10 && !experiment_failed(e); i++) {
        hanging h = choose_body(e, true, false);
        h.beta = 2;
        h.radius *= i == 1 ? 0.7 : i == 2 ? 1.4 : 1;
        h.stiffness *= i == 3 ? 0.25 : i == 4 ? 4 : i == 9 ? 0.05 : 1;
        h.viscosity = i == 5 || i == 7 || i == 9 ? 0.05 : i == 8 ? 0.5 : 0;
        h.form = i > 6 ? FM_FLUIDITY_PRINTED : FM_FLUIDITY_SYMMETRIC;
        h.dimensions = i == 6 ? 3 : 2;
        if (experiment_quick(e) && i > 1)
            break;
        outcome o = hang(e, &h);
        write_case(table, "parameters", &h, o);
        experiment_add_named_result(e, NAN, o.surface.curvature, "1/m",
                                    "slab, %s, beta 2, radius %g m, k %g, mu %g, %dD: curvature",
                                    i > 6 ? "printed" : "symmetric", h.radius, h.stiffness,
                                    h.viscosity, h.dimensions);
    }
}

// Largest change of the momentum of a free sheet along x, divided by the sum of the magnitudes of
// the momenta of its points along x.
static double measure_drift(experiment *e, fm_fluidity_form form)
{
    fm_world *world = soft_create_world(e, 0);
    hanging h = choose_body(e, false, false);
    h.beta = 1, h.form = form;
    fm_cloth_def def = soft_skin(MODULUS, 0);
    fm_soft_def soft = define_soft(&h);
    fm_mesh_shape shape = soft_slab_or_sheet(0, h.edge);
    fm_cloth *cloth = soft_create(e, world, &def, &soft, &shape);
    int count = cloth ? fm_cloth_particle_count(cloth) : 0;
    double worst = 0, *mass = experiment_alloc(e, (size_t)count + 1, sizeof *mass);
    fm_vec3 *v = experiment_alloc(e, (size_t)count + 1, sizeof *v);
    const fm_vec3 *x = cloth ? fm_cloth_positions(cloth, NULL) : NULL;
    for (int i = 0; i < count && x && v; i++) // an uneven compression along x
        v[i] = (fm_vec3){-40 * x[i].x * x[i].x, 0, 0};
    if (mass && v && cloth)
        fm_cloth_read_field(cloth, "mass", mass, experiment_error(e));
    double start = 0;
    for (int i = 0; i < count && mass && v; i++)
        start += mass[i] * v[i].x;
    if (cloth && v)
        fm_cloth_set_velocities(cloth, v, experiment_error(e));
    for (int n = 0; n < 20 && cloth && mass && !experiment_failed(e); n++) {
        fm_world_advance(world, 0.005, experiment_error(e));
        const fm_vec3 *now = fm_cloth_velocities(cloth, NULL);
        double sum = 0, size = 0;
        for (int i = 0; i < count; i++)
            sum += mass[i] * now[i].x, size += mass[i] * fabs(now[i].x);
        worst = fmax(worst, fabs(sum - start) / size);
    }
    fm_world_destroy(world);
    return worst;
}

int main(int argc, char **argv)
{
    int status;
    experiment *e = experiment_open(argc, argv, "wrinkle-hanger",
                                    "Wrinkles of a cloth on a hanger against the weight of "
                                    "fluidity, with controls.",
                                    &status);
    if (!e)
        return status;
    experiment_table *table = experiment_table_open(
        e, "hanger.csv",
        "series,body,level,beta,form,radius_m,k_m2_s2,mu,dimensions,bending_Nm,curvature_1_m,"
        "roughness_mm,potential_J,kinetic_J,height_m,time_s");
    for (int slab = 1; slab >= 0; slab--)
        sweep_beta(e, table, slab, false, FM_FLUIDITY_SYMMETRIC);
    sweep_parameters(e, table);
    for (int slab = 1; slab >= 0; slab--)
        sweep_beta(e, table, slab, false, FM_FLUIDITY_PRINTED);
    experiment_add_result(e, "momentum drift, symmetric form", NAN,
                          measure_drift(e, FM_FLUIDITY_SYMMETRIC), "");
    experiment_add_result(e, "momentum drift, printed form", NAN,
                          measure_drift(e, FM_FLUIDITY_PRINTED), "");
    for (int slab = 1; slab >= 0 && !experiment_quick(e); slab--) // the longest part
        sweep_beta(e, table, slab, true, FM_FLUIDITY_SYMMETRIC);
    experiment_plot(e, "hanger", "Curvature of a cloth on a bar against the weight of fluidity",
                    "set xlabel 'beta'\nset ylabel 'rms mean curvature, 1/m'\n"
                    "set key outside right top\nset yrange [0:*]\n"
                    "f(s,b,o)=sprintf(\"< awk -F, '$1==\\\"%s\\\" && $2==\\\"%s\\\" && "
                    "$5==\\\"%s\\\"' hanger.csv\",s,b,o)\n"
                    "plot f('beta','slab','symmetric') using 4:11 with linespoints ls 1 title "
                    "'slab', \\\n f('beta','slab','printed') using 4:11 with linespoints ls 2 "
                    "title 'slab, printed form', \\\n f('beta-fine','slab','symmetric') using 4:11 "
                    "with linespoints ls 3 title 'slab, fine', \\\n f('beta','sheet','symmetric') "
                    "using 4:11 with linespoints ls 4 title 'sheet', \\\n "
                    "f('beta','sheet','printed') using 4:11 with linespoints ls 5 title 'sheet, "
                    "printed form', \\\n f('beta-fine','sheet','symmetric') using 4:11 with "
                    "linespoints ls 6 title 'sheet, fine', \\\n f('noise','slab','symmetric') "
                    "using 4:11 with points pt 7 ps 2 title 'slab, control: noise', \\\n "
                    "f('bending','slab','symmetric') using 4:11 with points pt 5 ps 2 title "
                    "'slab, control: bending / 10, / 100'\n");
    return experiment_close(e);
}
