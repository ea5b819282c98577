// SPDX-License-Identifier: MIT
// reference.c: docs/scenes.md, from the tables.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

static const char introduction[] =
    "# Scene files\n"
    "\n"
    "<!-- Made from the tables in src/scene by fm_scene_reference. Do not edit: change the tables. "
    "-->\n"
    "\n"
    "A scene is a YAML file that says what is simulated. Units are SI, y is up. This is all it "
    "takes:\n"
    "\n"
    "```yaml\n"
    "about: A towel swung back and forth under water\n"
    "source: our own\n"
    "world: { frames: 240, fps: 24 }\n"
    "motions:\n"
    "  swing: { sine: { axis: [0, 0, 1], amplitude: 0.06, period: 2.4 } }\n"
    "bodies:\n"
    "  towel:\n"
    "    cloth:\n"
    "      material: cotton-towel\n"
    "      sheet: { columns: 21, rows: 31, width: 0.4, height: 0.6 }\n"
    "      pins: [{ edge: top, motion: swing }]\n"
    "probes:\n"
    "  tip: { body: towel, at: [0.5, 1] }\n"
    "```\n"
    "\n"
    "`fathom check FILE` names every mistake with its line and column, `fathom describe KEY` says "
    "what "
    "a key means,\n`fathom schema` prints a JSON Schema: editors that have it complete and check "
    "keys "
    "while you type.\n"
    "\n"
    "- **Numbers** are written `12`, `0.5`, `1.0e-3`; without units, without quotes.\n"
    "- **Words** are those listed; truths are `true` and `false` and nothing else.\n"
    "- **Names** of bodies, fluids, motions, colliders and probes have letters, digits, `-` and "
    "`_`.\n"
    "- **Rotations** are an axis and an angle in degrees: `{ axis: [0, 1, 0], angle: 90 }`. Angles "
    "of motions and of the\n  camera are in degrees too; phases, which go into a sine, in "
    "radians.\n"
    "- **Defaults** hold for what is left out. Where none is given below, nothing happens.\n"
    "- **One of**: of the keys marked so, exactly one is given.\n"
    "- Anchors, aliases, tags and several documents, which YAML has, are refused.\n"
    "\n"
    "**extend**: a file that says `extend: swing.yaml` begins as a copy of that file (found "
    "relative "
    "to itself). What it\nsays is laid over it: mappings key by key, lists and single values as a "
    "whole; "
    "a `turn` replaces a `sine`.\n"
    "\n"
    "**Settings**: `--set PATH=VALUE` changes one value of a scene on the command line, as "
    "`--set bodies.towel.cloth.density=1200`\nor `--set bodies.towel.cloth.pins.0.release=2`; "
    "elements of lists are counted from 0. VALUE is YAML and is laid over what\nis there, as an "
    "extending file would be. A new body, motion, collider or probe is given as a whole:\n"
    "`--set 'colliders.ball={sphere: {radius: 0.1}}'`.\n";

static void add_row(fm_text *text, const fm_table *table, const fm_entry *entry,
                    const void *defaults)
{
    fm_text value = {0};
    fm_text_add(text, "| `%s` | ", entry->key);
    fm_entry_add_type(text, entry);
    if (!entry->choice || entry->type == FM_KEY_MAPPING)
        fm_entry_add_default(&value, entry, defaults);
    const char *state = entry->needed ? "needed" : entry->choice ? "one of" : "";
    if (entry->choice || entry->needed || !value.size)
        fm_text_add(text, " | %s |", state);
    else
        fm_text_add(text, " | `%s` |", value.data);
    fm_text_add(text, " %s |\n", entry->about);
    free(value.data);
    (void)table;
}

static void add_section(fm_text *text, const fm_table *table, const void *defaults,
                        const char *path, int level);

// Tables that several keys share are told once, at the first.
typedef struct told {
    const fm_table *tables[64];
    int count;
} told;

static bool tell_once(told *all, const fm_table *table)
{
    for (int i = 0; i < all->count; i++) {
        if (all->tables[i] == table)
            return false;
    }
    if (all->count < 64)
        all->tables[all->count++] = table;
    return true;
}

static void add_below(fm_text *text, told *all, const fm_table *table, const void *defaults,
                      const char *path, int level)
{
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        if (!entry->table || !tell_once(all, entry->table))
            continue;
        bool items = entry->type == FM_KEY_NAMED || entry->type == FM_KEY_LIST;
        fm_text name = {0};
        fm_text_add(&name, "%s%s%s%s", path, *path ? "." : "", entry->key,
                    entry->type == FM_KEY_NAMED  ? ".NAME"
                    : entry->type == FM_KEY_LIST ? ".N"
                                                 : "");
        void *own = items ? fm_table_make_defaults(entry->table) : NULL;
        const void *object = items ? own : (const char *)defaults + entry->offset;
        if (name.data && object) {
            add_section(text, entry->table, object, name.data, level);
            if (!entry->table->borrows)
                add_below(text, all, entry->table, object, name.data, level + (level < 4));
        }
        free(own);
        free(name.data);
    }
}

static void add_section(fm_text *text, const fm_table *table, const void *defaults,
                        const char *path, int level)
{
    fm_text_add(text, "\n%.*s %s\n\n%s\n\n", level, "######", path, table->about);
    fm_text_add(text, "| key | what it is | default | meaning |\n|---|---|---|---|\n");
    for (int i = 0; i < table->count; i++)
        add_row(text, table, &table->entries[i], defaults);
}

char *fm_scene_reference(void)
{
    fm_text text = {0};
    told all = {0};
    void *defaults = fm_table_make_defaults(&fm_scene_table);
    if (!defaults)
        return NULL;
    fm_text_add(&text, "%s", introduction);
    add_section(&text, &fm_scene_table, defaults, "Sections", 2);
    add_below(&text, &all, &fm_scene_table, defaults, "", 2);
    add_section(&text, &fm_rotation_table, defaults, "rotation", 2);
    free(defaults);
    return fm_text_take(&text, NULL);
}
