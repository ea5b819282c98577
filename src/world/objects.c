// SPDX-License-Identifier: MIT
// objects.c: worlds, and what is made in them.
#include "motion/figure.h"
#include "world/world.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const object = "world";

fm_world_def fm_default_world_def(void)
{
    return (fm_world_def){
        .medium = {.density = 1000, .viscosity = 1.0e-3},
        .gravity = {0, -9.81, 0},
    };
}

static bool check_def(fm_world_def *def, fm_error *err)
{
    const fm_medium *m = &def->medium;
    if (!(m->density >= 0 && m->density <= 1e5))
        return fm_fail_number(err, object, "medium.density", m->density, "0 to 1e5 kg/m^3");
    if (!(m->viscosity >= 0 && m->viscosity <= 1e6))
        return fm_fail_number(err, object, "medium.viscosity", m->viscosity, "0 to 1e6 Pa s");
    double g = def->gravity.x + def->gravity.y + def->gravity.z;
    if (!isfinite(g))
        return fm_fail_number(err, object, "gravity", g, "finite numbers");
    if (def->threads < 0 || def->threads > 256)
        return fm_fail_number(err, object, "threads", def->threads, "0 (all processors) to 256");
    return fm_flow_check(&def->medium.flow, err);
}

static fm_pool *make_pool(const fm_world_def *def, fm_error *err)
{
    if (def->tasks.run)
        return fm_pool_create_hosted(def->tasks.run, def->tasks.host,
                                     def->tasks.thread_count > 0 ? def->tasks.thread_count : 1,
                                     err);
    return fm_pool_create(def->threads > 0 ? def->threads : fm_processor_count(), err);
}

fm_world *fm_world_create(const fm_world_def *def, fm_error *err)
{
    if (err->status != FM_OK)
        return NULL;
    assert(def);
    fm_world_def checked = *def;
    if (!check_def(&checked, err))
        return NULL;
    fm_world *world = fm_alloc_aligned(1, sizeof *world);
    if (!world) {
        fm_fail_no_memory(err, object, sizeof *world);
        return NULL;
    }
    world->def = checked;
    world->pool = make_pool(&checked, err);
    if (!world->pool) {
        free(world);
        return NULL;
    }
    return world;
}

void fm_world_destroy(fm_world *world)
{
    if (!world)
        return;
    for (int i = 0; i < world->cloth_count; i++)
        fm_cloth_free(world->cloths[i]);
    fm_touch_drop(world);
    fm_couple_free(world);
    for (int i = 0; i < world->fluid_count; i++)
        fm_particles_free(world->fluids[i]);
    fm_pool_destroy(world->pool);
    fm_arena_free(&world->arena);
    free(world->solids);
    free(world);
}

fm_surroundings fm_world_surroundings(fm_world *world)
{
    return (fm_surroundings){
        .gravity = world->def.gravity,
        .medium = world->def.medium,
        .colliders = world->colliders,
        .collider_count = world->collider_count,
        .placed = world->placed,
        .pool = world->pool,
        .stop = &world->stop,
    };
}

fm_surroundings fm_cloth_surroundings(fm_world *world, const fm_cloth *cloth)
{
    fm_surroundings around = fm_world_surroundings(world);
    around.medium = fm_couple_medium(world, cloth);
    around.pool = fm_pool_for_work(world->pool, fm_cloth_substep_ns(cloth));
    return around;
}

void fm_world_set_stop(fm_world *world, bool (*asked)(void *context), void *context)
{
    world->stop = (fm_stop){.asked = asked, .context = context};
}

int fm_world_cloth_count(const fm_world *world)
{
    assert(world);
    return world->cloth_count;
}

fm_cloth *fm_world_cloth(fm_world *world, int index)
{
    assert(world);
    return index >= 0 && index < world->cloth_count ? world->cloths[index] : NULL;
}

int fm_world_collider_count(const fm_world *world)
{
    assert(world);
    return world->collider_count;
}

const fm_collider *fm_world_collider(const fm_world *world, int index)
{
    assert(world);
    return index >= 0 && index < world->collider_count ? world->colliders[index] : NULL;
}

int fm_world_particles_count(const fm_world *world)
{
    assert(world);
    return world->fluid_count;
}

fm_particles *fm_world_particles(fm_world *world, int index)
{
    assert(world);
    return index >= 0 && index < world->fluid_count ? world->fluids[index] : NULL;
}

double fm_world_time(const fm_world *world)
{
    assert(world);
    return world->time;
}

fm_vec3 fm_world_medium_velocity(const fm_world *world, fm_vec3 position, double time)
{
    assert(world);
    return fm_flow_velocity(&world->def.medium.flow, position, time);
}

// A world that could not be made makes nothing.
static bool ready(const fm_world *world, fm_error *err)
{
    assert(err->status != FM_OK || world);
    return err->status == FM_OK && world;
}

fm_motion *fm_motion_sine(fm_world *world, fm_vec3 axis, double amplitude, double period,
                          fm_error *err)
{
    return fm_motion_sine_phase(world, axis, amplitude, period, 0, err);
}

fm_motion *fm_motion_sine_phase(fm_world *world, fm_vec3 axis, double amplitude, double period,
                                double phase, fm_error *err)
{
    return ready(world, err)
               ? fm_motion_new_sine(&world->arena, axis, amplitude, period, phase, err)
               : NULL;
}

fm_motion *fm_motion_turn(fm_world *world, const fm_turn *turn, fm_error *err)
{
    return ready(world, err) ? fm_motion_new_turn(&world->arena, turn, err) : NULL;
}

fm_motion *fm_motion_keyframes(fm_world *world, const fm_key *keys, int key_count,
                               fm_interpolation interpolation, fm_vec3 pivot, fm_error *err)
{
    return ready(world, err)
               ? fm_motion_new_keyframes(&world->arena, keys, key_count, interpolation, pivot, err)
               : NULL;
}

fm_motion *fm_motion_compose(fm_world *world, const fm_motion *outer, const fm_motion *inner,
                             fm_error *err)
{
    return ready(world, err) ? fm_motion_new_composed(&world->arena, outer, inner, err) : NULL;
}

void fm_world_note_pace(fm_world *world)
{
    for (int i = 0; i < world->cloth_count; i++)
        if (!world->cloths[i]->started)
            world->cloths[i]->uneven = fm_world_follows_fluids(world);
}

// For one more fluid and one more collider than there are.
static bool make_room_for_solids(fm_world *world, fm_error *err)
{
    int needed = 6 * (world->fluid_count + 1) + world->collider_count + 1;
    if (needed <= world->solid_room)
        return true;
    size_t size = 2 * (size_t)needed * sizeof *world->solids;
    fm_placed_collider *larger = realloc(world->solids, size);
    if (!larger)
        return fm_fail_no_memory(err, object, size);
    world->solids = larger;
    world->solid_room = 2 * needed;
    return true;
}

static bool has_room_for_collider(fm_world *world, fm_error *err)
{
    return ready(world, err) &&
           (world->collider_count < FM_WORLD_OBJECTS_MAX ||
            fm_fail_number(err, object, "colliders", world->collider_count + 1, "at most 1024")) &&
           make_room_for_solids(world, err);
}

static fm_collider *take_collider(fm_world *world, fm_collider *collider)
{
    if (!collider)
        return NULL;
    world->colliders[world->collider_count++] = collider;
    fm_touch_drop(world);
    fm_world_note_pace(world);
    return collider;
}

fm_collider *fm_collider_create(fm_world *world, const fm_collider_def *def, fm_error *err)
{
    if (!has_room_for_collider(world, err))
        return NULL;
    return take_collider(world, fm_collider_new(&world->arena, def, err));
}

fm_collider *fm_collider_create_mesh(fm_world *world, const fm_collider_def *def,
                                     const fm_collider_mesh *mesh, fm_error *err)
{
    if (!has_room_for_collider(world, err))
        return NULL;
    return take_collider(world, fm_collider_new_mesh(&world->arena, def, mesh, err));
}

fm_collider *fm_world_find_collider(fm_world *world, const char *name)
{
    assert(world);
    for (int i = 0; i < world->collider_count; i++) {
        if (strcmp(world->colliders[i]->name, name) == 0)
            return world->colliders[i];
    }
    return NULL;
}

fm_figure *fm_figure_create(fm_world *world, const fm_figure_def *def, fm_error *err)
{
    if (!ready(world, err))
        return NULL;
    if (world->figure_count == FM_WORLD_OBJECTS_MAX) {
        fm_fail_number(err, object, "figures", world->figure_count + 1, "at most 1024");
        return NULL;
    }
    fm_figure *figure = fm_figure_new(&world->arena, def, err);
    if (figure)
        world->figures[world->figure_count++] = figure;
    return figure;
}

fm_motion *fm_motion_figure(fm_world *world, const fm_figure *figure, fm_bone bone, fm_error *err)
{
    return ready(world, err) ? fm_motion_new_figure(&world->arena, figure, (int)bone, err) : NULL;
}

bool fm_figure_add_colliders(fm_world *world, const fm_figure *figure, double friction,
                             fm_error *err)
{
    assert(err->status != FM_OK || (world && figure));
    for (int bone = 0; bone < FM_BONE_COUNT && err->status == FM_OK; bone++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s%s", figure->name, *figure->name ? "." : "",
                 fm_bone_name((fm_bone)bone));
        fm_collider_def def = {.name = name,
                               .shape = fm_figure_shape(figure, (fm_bone)bone),
                               .friction = friction,
                               .hidden = !figure->def.bare};
        if (figure->def.motion != FM_FIGURE_STAND)
            def.motion = fm_motion_figure(world, figure, (fm_bone)bone, err);
        fm_collider_create(world, &def, err);
    }
    return err->status == FM_OK;
}

int fm_world_figure_count(const fm_world *world)
{
    assert(world);
    return world->figure_count;
}

const fm_figure *fm_world_figure(const fm_world *world, int index)
{
    assert(world);
    return index >= 0 && index < world->figure_count ? world->figures[index] : NULL;
}

static bool has_room(const fm_world *world, fm_error *err)
{
    if (!ready(world, err))
        return false;
    return world->cloth_count < FM_WORLD_OBJECTS_MAX ||
           fm_fail_number(err, object, "cloths", world->cloth_count + 1, "at most 1024");
}

static fm_cloth *take(fm_world *world, fm_cloth *cloth)
{
    if (!cloth)
        return NULL;
    cloth->world = world;
    cloth->time = world->time;
    world->cloths[world->cloth_count++] = cloth;
    fm_touch_drop(world);
    fm_world_note_pace(world);
    return cloth;
}

fm_cloth *fm_cloth_create_sheet(fm_world *world, const fm_cloth_def *def, const fm_sheet *sheet,
                                fm_error *err)
{
    return has_room(world, err)
               ? take(world, fm_cloth_new_sheet(def, sheet, &world->def.medium, err))
               : NULL;
}

fm_cloth *fm_cloth_create_tube(fm_world *world, const fm_cloth_def *def, const fm_tube *tube,
                               fm_error *err)
{
    return has_room(world, err) ? take(world, fm_cloth_new_tube(def, tube, &world->def.medium, err))
                                : NULL;
}

fm_cloth *fm_cloth_create_mesh(fm_world *world, const fm_cloth_def *def, const fm_cloth_mesh *mesh,
                               fm_error *err)
{
    return has_room(world, err) ? take(world, fm_cloth_new_mesh(def, mesh, &world->def.medium, err))
                                : NULL;
}

bool fm_cloth_read_field(fm_cloth *cloth, const char *name, double *values, fm_error *err)
{
    assert(err->status != FM_OK || cloth);
    if (err->status != FM_OK) // the cloth may not exist
        return false;
    fm_surroundings around = fm_cloth_surroundings(cloth->world, cloth);
    return fm_cloth_read(cloth, &around, name, values, err);
}

fm_particles *fm_particles_create(fm_world *world, const fm_particles_def *def, fm_error *err)
{
    if (!ready(world, err))
        return NULL;
    if (world->fluid_count == FM_WORLD_OBJECTS_MAX) {
        fm_fail_number(err, object, "fluids", world->fluid_count + 1, "at most 1024");
        return NULL;
    }
    fm_particles *fluid = make_room_for_solids(world, err) ? fm_particles_new(def, err) : NULL;
    fm_surroundings around = fm_world_surroundings(world);
    if (!fluid || !fm_meshes_check(fluid, &around, err)) {
        fm_particles_free(fluid);
        return NULL;
    }
    fluid->world = world;
    fluid->time = world->time;
    world->fluids[world->fluid_count++] = fluid;
    fm_world_note_pace(world);
    return fluid;
}

bool fm_particles_add_box(fm_particles *fluid, const fm_fluid_box *box, fm_error *err)
{
    assert(err->status != FM_OK || (fluid && box));
    if (err->status != FM_OK) // the fluid may not exist
        return false;
    fm_surroundings around = fm_world_surroundings(fluid->world);
    for (int i = 0; i < around.collider_count; i++)
        around.placed[i] = fm_collider_place(around.colliders[i], fluid->world->time);
    return fm_particles_fill_box(fluid, box, &around, err);
}
