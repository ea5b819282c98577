// SPDX-License-Identifier: MIT
// reference_page.c: generates docs/scenes.md from the key tables.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

static const char introduction[] =
    "# Scene files\n"
    "\n"
    "<!-- Generated from the tables in src/scene by `fathom describe --markdown`. Do not edit. "
    "-->\n"
    "\n"
    "A scene is a YAML file that describes a simulation. Units are SI, y is up. A complete "
    "example:\n"
    "\n"
    "```yaml\n"
    "about: A towel swung back and forth under water\n"
    "source: our own\n"
    "world: { frames: 240, fps: 24 }\n"
    "motions:\n"
    "  swing: { sine: { axis: [0, 0, 1], amplitude: 0.04, period: 2 } }\n"
    "bodies:\n"
    "  towel:\n"
    "    cloth:\n"
    "      material: cotton-towel\n"
    "      sheet: { columns: 21, rows: 31, width: 0.4, height: 0.6 }\n"
    "      density: 1250 # kg/m^3, wet\n"
    "      pins: [{ edge: top, motion: swing }]\n"
    "probes:\n"
    "  tip: { body: towel, at: [0.5, 1] }\n"
    "```\n"
    "\n"
    "- `fathom check FILE` lists all mistakes in a scene, each with line and column.\n"
    "- `fathom describe KEY` explains a key.\n"
    "- `fathom schema` prints a JSON Schema, with which editors complete and check keys.\n"
    "\n"
    "## Notation\n"
    "\n"
    "- **Numbers** are written `12`, `0.5`, `1.0e-3`, without units and without quotes.\n"
    "- **Words** must be one of the words listed. Booleans are `true` and `false` only.\n"
    "- **Names** of bodies, fluids, motions, colliders and probes consist of letters, digits, `-` "
    "and\n  `_`.\n"
    "- **Rotations** are an axis and an angle: `{ axis: [0, 1, 0], angle: 90 }`. Angles are in "
    "degrees,\n  phases of sines in radians.\n"
    "- **Defaults** apply to keys that are left out. A key without a default has no effect when "
    "left out.\n"
    "- **One of**: exactly one of the keys marked so must be given.\n"
    "- Anchors, aliases, tags and several documents in one file are not allowed.\n"
    "\n"
    "## Extending a file\n"
    "\n"
    "With `extend: swing.yaml` a scene starts as a copy of that file, whose name is relative to "
    "the\nscene file. The keys of the scene are then merged into the copy: mappings key by key, "
    "while lists\nand single values are replaced. Of keys that exclude each other the new one "
    "replaces the old one:\n`turn` replaces `sine`.\n"
    "\n"
    "## Settings on the command line\n"
    "\n"
    "`--set PATH=VALUE` changes one value of a scene, for example "
    "`--set bodies.towel.cloth.density=1200`\nor `--set bodies.towel.cloth.pins.0.release=2`; list "
    "elements are counted from 0. VALUE is YAML and\nis merged as the keys of an extending file "
    "are. A new body, motion, collider or probe is given as\na whole: "
    "`--set 'colliders.ball={sphere: {radius: 0.1}}'`.\n";

// Appends one row of a table of docs/scenes.md: key, type, default, meaning.
static void add_row(fm_text *text, const fm_table *table, const fm_entry *entry,
                    const void *defaults)
{
    fm_text value = {0};
    fm_text_add(text, "| `%s` | ", entry->key);
    fm_entry_add_type(text, entry);
    if (!entry->choice || entry->type == FM_KEY_MAPPING)
        fm_entry_add_default(&value, entry, defaults);
    const char *state = entry->needed ? "required" : entry->choice ? "one of" : "";
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

// Tables that have a section already: a table that several keys share is documented once, under the
// first key.
enum { DOCUMENTED_MAX = 64 }; // further tables may be documented twice
typedef struct documented_tables {
    const fm_table *tables[DOCUMENTED_MAX];
    int count;
} documented_tables;

// Adds a key table to the list of documented tables; false when it was in the list.
static bool add_documented(documented_tables *all, const fm_table *table)
{
    for (int i = 0; i < all->count; i++) {
        if (all->tables[i] == table)
            return false;
    }
    if (all->count < DOCUMENTED_MAX)
        all->tables[all->count++] = table;
    return true;
}

// Writes the sections of the tables below a table.
static void add_subsections(fm_text *text, documented_tables *all, const fm_table *table,
                            const void *defaults, const char *path, int level)
{
    for (int i = 0; i < table->count; i++) {
        const fm_entry *entry = &table->entries[i];
        if (!entry->table || !add_documented(all, entry->table))
            continue;
        bool own = fm_entry_has_own_object(entry);
        fm_text name = {0};
        fm_text_add(&name, "%s%s%s%s", path, *path ? "." : "", entry->key,
                    entry->type == FM_KEY_NAMED  ? ".NAME"
                    : entry->type == FM_KEY_LIST ? ".N"
                                                 : "");
        void *created = own ? fm_table_create_defaults(entry->table) : NULL;
        const void *object = own ? created : (const char *)defaults + entry->offset;
        if (name.data && object) {
            add_section(text, entry->table, object, name.data, level);
            if (!entry->table->documented_elsewhere)
                add_subsections(text, all, entry->table, object, name.data, level + (level < 4));
        }
        free(created);
        free(name.data);
    }
}

// Appends a paragraph, wrapped at 100 columns.
static void add_paragraph(fm_text *text, const char *words)
{
    enum { COLUMNS = 100 };
    size_t column = 0;
    while (*words) {
        size_t size = strcspn(words, " ");
        bool wraps = column > 0 && column + 1 + size > COLUMNS;
        fm_text_add(text, "%s%.*s", column == 0 ? "" : wraps ? "\n" : " ", (int)size, words);
        column = column == 0 || wraps ? size : column + 1 + size;
        words += size + (words[size] == ' ');
    }
    fm_text_add(text, "\n\n");
}

// Appends a section of docs/scenes.md: heading, description and the rows of a key table. path: the
// heading; level: its depth.
static void add_section(fm_text *text, const fm_table *table, const void *defaults,
                        const char *path, int level)
{
    fm_text_add(text, "\n%.*s %s\n\n", level, "######", path);
    add_paragraph(text, table->about);
    fm_text_add(text, "| key | type | default | meaning |\n|---|---|---|---|\n");
    for (int i = 0; i < table->count; i++)
        add_row(text, table, &table->entries[i], defaults);
}

// The Markdown text of docs/scenes.md; the caller frees it; NULL: out of memory.
char *fm_scene_reference(void)
{
    fm_text text = {0};
    documented_tables all = {0};
    void *defaults = fm_table_create_defaults(&fm_scene_table);
    if (!defaults)
        return NULL;
    fm_text_add(&text, "%s", introduction);
    add_section(&text, &fm_scene_table, defaults, "Sections of a scene", 2);
    add_subsections(&text, &all, &fm_scene_table, defaults, "", 2);
    add_section(&text, &fm_rotation_table, defaults, "rotation", 2);
    free(defaults);
    return fm_text_detach(&text, NULL);
}
