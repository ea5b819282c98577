// SPDX-License-Identifier: MIT
// liquids.c: liquids by name: density, viscosity and surface tension at 20 degrees Celsius, and the
// look in pictures. Values from tables; syrup is maple syrup, paint is emulsion paint. Paint and
// milk are shear-thinning, the values are those of slow flow.
#include "scene/scene.h"

#include <string.h>

// Transmittances refer to `depth` metres of the liquid. fluid: colour of an opaque liquid. Honey is
// clearer than that of a jar, so that a tank of it is amber and not red; clear-honey is that of
// acacia.
static const fm_scene_liquid liquids[] = {
    {"none", 0, 0, 0, {0, 0, 0}, 1, {0, 0, 0}, 0, 0},
    {"water", 1000, 1.0e-3, 0.072, {0, 0, 0}, 1, {0, 0, 0}, 0.5, 0},
    {"sea", 1025, 1.1e-3, 0.073, {0.30, 0.68, 0.66}, 0.15, {0, 0, 0}, 1, 0},
    {"milk", 1030, 2.0e-3, 0.047, {0, 0, 0}, 1, {0.93, 0.91, 0.86}, 0, 0},
    {"oil", 920, 0.08, 0.033, {0.93, 0.83, 0.32}, 0.05, {0, 0, 0}, 0, 0},
    {"honey", 1420, 10, 0.06, {0.975, 0.87, 0.25}, 0.03, {0, 0, 0}, 0, 0},
    {"clear-honey", 1420, 10, 0.06, {0.99, 0.96, 0.66}, 0.03, {0, 0, 0}, 0, 0},
    {"syrup", 1330, 0.2, 0.07, {0.78, 0.38, 0.10}, 0.03, {0, 0, 0}, 0, 0},
    {"paint", 1300, 1, 0.035, {0, 0, 0}, 1, {0.06, 0.22, 0.62}, 0, 0},
    {"mercury", 13546, 1.53e-3, 0.485, {0, 0, 0}, 1, {0.55, 0.56, 0.58}, 0, 0.75},
};

// Name of the liquid with this number; NULL after the last.
const char *fm_scene_liquid_name(int index)
{
    return index >= 0 && index < COUNT(liquids) ? liquids[index].name : NULL;
}

// The liquid with this number.
const fm_scene_liquid *fm_scene_find_liquid(int index)
{
    return &liquids[index > 0 && index < COUNT(liquids) ? index : 0];
}

// Number of the liquid that the scene shows: look.liquid, or the key `liquid` of its first fluid
// that has one. 0: none.
int fm_scene_shown_liquid(const fm_scene *scene)
{
    if (scene->look.liquid > 0)
        return scene->look.liquid;
    const fm_node *fluids = fm_node_find(scene->root, "fluids");
    for (const fm_node *fluid = fluids ? fluids->first : NULL; fluid; fluid = fluid->next) {
        for (const fm_node *kind = fluid->first; kind; kind = kind->next) {
            const fm_node *word = fm_node_find(kind, "liquid");
            for (int i = 1; word && i < COUNT(liquids); i++)
                if (strcmp(word->text, liquids[i].name) == 0)
                    return i;
        }
    }
    return 0;
}
