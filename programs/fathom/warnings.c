// SPDX-License-Identifier: MIT
// warnings.c: warnings on stderr about slow frames, light, overstretched or pierced cloth, implicit
// solves that did not converge, halted contact, and fluids more viscous than asked for.
#include "warnings.h"
#include "command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// l/l0 - 1 of an edge beyond which a warning is printed: no fabric stretches to twice its length.
static const double STRETCH_LIMIT = 1;
// Weight of a cloth in a particle fluid below which a warning is printed, in weights of a layer of
// that fluid one spacing thick. A sheet ten spacings wide sinks at a third of the speed of a plate
// with these (docs/coupling.md).
static const double WEIGHT_LIMIT = 0.05, WEIGHT_LIMIT_CONSTANT_DENSITY = 0.5;

// Warns when a frame would need an extreme number of substeps (forecast.endless).
void warn_of_slow_frames(fm_world *world, double frame_seconds)
{
    fm_error err = {0}; // ignored: the simulation reports the same errors
    fm_forecast forecast = fm_world_forecast(world, frame_seconds, &err);
    if (forecast.endless)
        print_error("warning: a frame may take very long. %s.", forecast.text);
}

// Warns of a cloth without pins that is coupled two-way with particles too large for its weight in
// the fluid.
static void warn_of_light_cloth(fm_cloth *cloth, fm_object *medium)
{
    const fm_cloth_def c = fm_cloth_definition(cloth);
    const fm_particles_def f = fm_particles_definition(fm_object_particles(medium));
    double weight = fabs(c.density - f.density) * c.thickness; // kg/m^2, or lift
    // `automatic` does not take constant density for light cloth
    bool constant = f.method == FM_SPH_CONSTANT_DENSITY;
    double limit = constant ? WEIGHT_LIMIT_CONSTANT_DENSITY : WEIGHT_LIMIT;
    double least = limit * f.density * f.spacing; // kg/m^2
    if (weight >= least)
        return;
    bool sinks = c.density >= f.density;
    print_error("warning: %s weighs %.3g kg/m^2 %s %s, where particles slow down what weighs less "
                "than %.3g kg/m^2: it %s too slowly. A spacing of %.2g m instead of %.3g m would "
                "do%s; a grid fluid does not need it.",
                fm_cloth_name(cloth), weight, sinks ? "in" : "less than", fm_object_name(medium),
                least, sinks ? "sinks" : "rises", weight / (limit * f.density), f.spacing,
                constant ? ", and method: weakly-compressible needs a tenth of the weight" : "");
}

void warn_of_light_cloths(fm_world *world)
{
    for (int i = 0; i < fm_world_cloth_count(world); i++) {
        fm_cloth *cloth = fm_world_cloth(world, i);
        fm_object *medium = fm_world_find_two_way_medium(fm_cloth_object(cloth));
        if (medium && fm_object_particles(medium) && fm_cloth_pinned_count(cloth) == 0)
            warn_of_light_cloth(cloth, medium);
    }
}

// The distance from its centre to the surface is half the thickness of a solid. Meshes whose centre
// is not inside, such as a glass, are not judged.
void warn_of_thin_colliders(fm_world *world)
{
    for (int i = 0; i < fm_world_object_count(world); i++) {
        fm_liquid *liquid = fm_object_liquid(fm_world_object(world, i));
        for (int k = 0; liquid && k < fm_world_collider_count(world); k++) {
            const fm_collider *c = fm_world_collider(world, k);
            double spacing = fm_liquid_definition(liquid).grid.spacing;
            double inside = -fm_collider_distance(c, fm_collider_position(c), 0, NULL, NULL, NULL);
            if (inside > 0 && 2 * inside < spacing)
                print_error("warning: %s is %.3g m thick, less than a cell of %s: %.3g m. "
                            "The liquid may pass it.",
                            fm_collider_name(c), 2 * inside,
                            fm_object_name(fm_world_object(world, i)), spacing);
        }
    }
}

// The overstretched and the pierced frames of one cloth.
typedef struct cloth_frames {
    int stretched;     // frames with an edge beyond STRETCH_LIMIT
    double longest;    // largest l/l0 - 1
    int longest_frame; // frame in which it occurred
    int pierced;       // frames with stitches through a cloth
    int last_pierced;  // the last of them
    int most_pierced;  // largest number of stitches through a cloth in one frame
    int failures;      // solves of an implicit integrator that did not converge
    int failed_frames; // frames with such solves
} cloth_frames;

struct frame_watch {
    int halted; // substeps with halted contact
    int cloth_count;
    cloth_frames cloths[]; // [cloth_count] in the order of fm_world_cloth
};

// A watch of all cloths of the world; NULL when out of memory.
frame_watch *create_frame_watch(fm_world *world)
{
    int count = fm_world_cloth_count(world);
    frame_watch *watch = calloc(1, sizeof *watch + (size_t)count * sizeof *watch->cloths);
    if (watch)
        watch->cloth_count = count;
    return watch;
}

void print_integrators(fm_world *world)
{
    for (int i = 0; i < fm_world_cloth_count(world); i++) {
        const fm_cloth *cloth = fm_world_cloth(world, i);
        if (fm_cloth_integrator_reason(cloth)[0])
            printf("%s: integrator %s\n", fm_cloth_name(cloth), fm_cloth_integrator_reason(cloth));
    }
    for (int i = 0; i < fm_world_particle_fluid_count(world); i++) {
        fm_particles *fluid = fm_world_particle_fluid(world, i);
        if (fm_particles_method_reason(fluid)[0])
            printf("%s: method %s\n", fm_object_name(fm_particles_object(fluid)),
                   fm_particles_method_reason(fluid));
    }
}

// Effective viscosity / viscosity of the definition beyond which a warning is printed.
static const double VISCOSITY_LIMIT = 2;

// Warns of particle fluids that lost energy as if they were much more viscous than asked for.
static void warn_of_viscosity(fm_world *world)
{
    for (int i = 0; i < fm_world_particle_fluid_count(world); i++) {
        fm_particles *fluid = fm_world_particle_fluid(world, i);
        const fm_particles_def def = fm_particles_definition(fluid);
        double viscosity = fm_particles_effective_viscosity(fluid);
        if (viscosity > VISCOSITY_LIMIT * def.viscosity)
            print_error("warning: %s lost energy like a fluid of %.2g Pa s, not of %.2g Pa s: the "
                        "motion has details that a spacing of %.3g m cannot carry. A finer one "
                        "loses less.",
                        fm_object_name(fm_particles_object(fluid)), viscosity, def.viscosity,
                        def.spacing);
    }
}

// Writes "row 3, column 4" for a particle of a sheet or tube, "vertex 17" for one of a mesh;
// counted from 0.
static void name_particle(const fm_cloth *cloth, int particle, char *text, size_t size)
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

// Prints a warning about the most stretched edge of a cloth. s: stretches l/l0 - 1 of its edges;
// time: s.
static void warn_of_stretch(fm_cloth *cloth, const fm_stretches *s, int frame, double time)
{
    char from[64], to[64];
    int count;
    const fm_vec3 *x = fm_cloth_positions(cloth, &count);
    name_particle(cloth, s->longest[0], from, sizeof from);
    name_particle(cloth, s->longest[1], to, sizeof to);
    print_error(
        "warning: %s is overstretched at frame %d (%.4g s): the edge from %s to %s, at "
        "(%.3g, %.3g, %.3g), is %.3g times its rest length. Try a larger stretch.stiffness, "
        "enforcement, a slower motion or a smaller time_step.",
        fm_cloth_name(cloth), frame, time, from, to, x[s->longest[0]].x, x[s->longest[0]].y,
        x[s->longest[0]].z, 1 + s->max);
}

// Warns the first time a cloth is overstretched; later only counts frames and keeps the worst.
static void watch_stretch(cloth_frames *c, fm_cloth *cloth, int frame, double time)
{
    fm_stretches s = fm_cloth_measure_stretches(cloth);
    if (!(s.max > STRETCH_LIMIT))
        return;
    if (c->stretched++ == 0)
        warn_of_stretch(cloth, &s, frame, time);
    if (s.max > c->longest) {
        c->longest = s.max;
        c->longest_frame = frame;
    }
}

// Warns of stitches that pull through a cloth.
static void warn_of_piercings(fm_cloth *cloth, const fm_piercings *p, int frame, double time)
{
    char from[64], to[64];
    name_particle(cloth, p->ends[0], from, sizeof from);
    name_particle(cloth, p->ends[1], to, sizeof to);
    print_error(
        "warning: %d stitches of %s pull through a cloth at frame %d (%.4g s). The longest, "
        "from %s to %s, passes through %s at (%.3g, %.3g, %.3g). The seam cannot close "
        "there. Try a start with nothing between the edges, a longer time of the seam, or "
        "a later start for this seam.",
        p->count, fm_cloth_name(cloth), frame, time, from, to, fm_cloth_name(p->through), p->at.x,
        p->at.y, p->at.z);
}

// Counts frames in which stitches pull through a cloth, and warns of the first.
static void watch_stitches(cloth_frames *c, fm_cloth *cloth, int frame, double time)
{
    fm_piercings p = fm_cloth_find_piercings(cloth);
    if (p.count == 0)
        return;
    if (c->pierced++ == 0)
        warn_of_piercings(cloth, &p, frame, time);
    c->last_pierced = frame;
    c->most_pierced = p.count > c->most_pierced ? p.count : c->most_pierced;
}

// Counts solves of an implicit integrator that did not converge, and warns of the first.
static void watch_newton(cloth_frames *c, fm_cloth *cloth, int frame, double time)
{
    fm_newton_report newton = fm_cloth_newton_report(cloth);
    if (newton.failures == 0)
        return;
    if (c->failed_frames++ == 0)
        print_error(
            "warning: %d of %d implicit solves of %s did not converge in frame %d (%.4g s): "
            "%s. The run continues with what they reached. Try a smaller time_step.",
            newton.failures, newton.solves, fm_cloth_name(cloth), frame, time, newton.reason);
    c->failures += newton.failures;
}

// Looks for overstretched and pierced cloths, solves that did not converge, and halted contact
// after a frame.
void update_frame_watch(frame_watch *watch, fm_world *world, int frame, const fm_report *report)
{
    if (!watch)
        return;
    double time = fm_world_time(world);
    for (int i = 0; i < watch->cloth_count; i++) {
        fm_cloth *cloth = fm_world_cloth(world, i);
        if (report->max_stretch > STRETCH_LIMIT)
            watch_stretch(&watch->cloths[i], cloth, frame, time);
        if (report->pierced_count > 0)
            watch_stitches(&watch->cloths[i], cloth, frame, time);
        watch_newton(&watch->cloths[i], cloth, frame, time);
    }
    if (report->halted_count > 0 && watch->halted == 0)
        print_error("warning: contact gave up on %d substeps of frame %d (%.4g s): the cloth stood "
                    "still for a part of them. Try slower motions, a smaller time_step, or more "
                    "room between colliders.",
                    report->halted_count, frame, time);
    watch->halted += report->halted_count;
}

// Prints in how many frames each cloth was overstretched, pierced or not solved, if in several, and
// on how many substeps contact gave up, and which fluids are too viscous.
void print_watch_summary(const frame_watch *watch, fm_world *world)
{
    for (int i = 0; watch && i < watch->cloth_count; i++) {
        const cloth_frames *c = &watch->cloths[i];
        const char *name = fm_cloth_name(fm_world_cloth(world, i));
        if (c->stretched > 1)
            print_error(
                "warning: %s was overstretched in %d frames, worst in frame %d: an edge of %.3g "
                "times its rest length.",
                name, c->stretched, c->longest_frame, 1 + c->longest);
        if (c->pierced > 1)
            print_error("warning: stitches of %s pulled through a cloth in %d frames, the last of "
                        "them frame %d, at most %d stitches at a time.",
                        name, c->pierced, c->last_pierced, c->most_pierced);
        if (c->failed_frames > 1)
            print_error("warning: %d implicit solves of %s did not converge, in %d frames.",
                        c->failures, name, c->failed_frames);
    }
    if (watch && watch->halted > 1)
        print_error("warning: contact gave up on %d substeps in all.", watch->halted);
    warn_of_viscosity(world);
}
