// SPDX-License-Identifier: MIT
// kinds.c: the kinds of objects that a scene can contain, one table row each. It holds nothing
// else, so that a program with kinds of its own can link its version of these tables instead.
#include "rigid/ball.h"
#include "scene/cloth_kind.h"
#include "scene/fabric_kind.h"
#include "scene/fluid_kind.h"
#include "scene/grid_kind.h"
#include "scene/line_kind.h"
#include "scene/liquid_kind.h"
#include "scene/soft_kind.h"
#include "scene/thickening_kind.h"

static const fm_entry body_entries[] = {
    {"cloth", FM_KEY_MAPPING, .table = &fm_cloth_table, .object = &fm_scene_cloth_kind,
     .choice = true, .kind = 1, .about = "a cloth"},
    {"line", FM_KEY_MAPPING, .table = &fm_line_table, .object = &fm_scene_line_kind, .choice = true,
     .kind = 3, .about = "cords, ropes or hair"},
    {"load", FM_KEY_MAPPING, .table = &fm_load_table, .object = &fm_scene_load_kind, .choice = true,
     .kind = 4, .about = "a ball that hangs on lines"},
    {"fabric", FM_KEY_MAPPING, .table = &fm_fabric_table, .object = &fm_scene_fabric_kind,
     .choice = true, .kind = 2, .about = "a fabric: point masses and springs on a mesh"},
    {"soft", FM_KEY_MAPPING, .table = &fm_soft_table, .object = &fm_scene_soft_kind, .choice = true,
     .kind = 5, .about = "a soft body: a skin with gas, fluidity or struts inside"},
};

const fm_table fm_body_table = {
    .name = "body",
    .about = "A body that is simulated. Its files carry its name.",
    .size = sizeof(fm_scene_object),
    .entries = body_entries,
    .count = COUNT(body_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_object, choice),
};

static const fm_entry fluid_entries[] = {
    {"sph", FM_KEY_MAPPING, .table = &fm_sph_table, .object = &fm_scene_sph_kind, .choice = true,
     .kind = 1, .about = "a particle fluid (smoothed particle hydrodynamics)"},
    {"grid", FM_KEY_MAPPING, .table = &fm_grid_table, .object = &fm_scene_grid_kind, .choice = true,
     .kind = 2, .about = "a fluid on a staggered grid that fills its domain"},
    {"liquid", FM_KEY_MAPPING, .table = &fm_liquid_table, .object = &fm_scene_liquid_kind,
     .choice = true, .kind = 4, .about = "a liquid with a free surface on a staggered grid"},
    {"thickening", FM_KEY_MAPPING, .table = &fm_thickening_table,
     .object = &fm_scene_thickening_kind, .choice = true, .kind = 3,
     .about = "a viscoelastic particle fluid that hardens when it is stirred, as cornstarch"},
};

const fm_table fm_fluid_table = {
    .name = "fluid",
    .about = "A fluid that is simulated. Its files carry its name.",
    .size = sizeof(fm_scene_object),
    .entries = fluid_entries,
    .count = COUNT(fluid_entries),
    .has_kind = true,
    .kind_offset = offsetof(fm_scene_object, choice),
};

const fm_scene_kind fm_scene_free_collider_kind = {.type = &fm_ball_type, .section = "colliders"};
