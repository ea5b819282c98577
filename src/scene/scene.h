// SPDX-License-Identifier: MIT
// scene.h: internal header of the scene module, which turns a YAML file into a world.
//
//     read_yaml   YAML text -> tree of nodes with line and column   (the only user of libyaml)
//     merge       the file, the files it extends and the --set settings -> one tree
//     decode      tree + key tables -> fm_scene; every mistake is recorded on the way
//     build       fm_scene -> fm_world
//
// Only kinds.c names the kinds of objects (cloth, particle fluid). The help of `fathom describe`,
// the JSON Schema and docs/scenes.md are generated from the same key tables.
#ifndef FATHOM_SCENE_SCENE_H
#define FATHOM_SCENE_SCENE_H

#include "core/core.h"
#include "motion/motion.h"
#include "object/object.h"

#include <fathom/collide.h>
#include <fathom/couple.h>
#include <fathom/figure.h>
#include <fathom/loader.h>
#include <fathom/memory.h>
#include <fathom/scene.h>
#include <fathom/world.h>
#include <sys/types.h>

enum {
    FM_SCENE_BYTES_MAX = 16 << 20, // size of one file
    FM_SCENE_NODES_MAX = 1000000,  // YAML values in all files together
    FM_SCENE_DEPTH_MAX = 64,       // levels of nested mappings and lists
    FM_SCENE_KEYS_MAX = 4096,      // keys in one mapping
    FM_SCENE_EXTENDS_MAX = 16,     // length of a chain of files that extend each other
    FM_SCENE_MISTAKES_MAX = 1000,  // mistakes kept; reading stops at the next one
    FM_SCENE_OBJECTS_MAX = 1024,   // names in one list of names
    FM_SCENE_NAME_MAX = 40,        // bytes in the name of a body, motion, collider or probe
};

// text.c: a string buffer that grows, number formatting, UTF-8 decoding, edit distance.
typedef struct fm_text {
    char *data;            // NULL while empty, else ended by a zero byte
    size_t size, capacity; // bytes used without the zero byte, bytes allocated
    bool failed;           // out of memory: later additions are ignored
} fm_text;

void fm_text_add(fm_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fm_text_add_bytes(fm_text *text, const char *bytes, size_t size);
void fm_text_add_number(fm_text *text, double value); // shortest digits that parse back exactly
void fm_text_add_quoted(fm_text *text, const char *value); // "..." as YAML and JSON quote it
char *fm_text_detach(fm_text *text, fm_error *err);        // caller frees; NULL: out of memory
// Copies at most 48 bytes of `value` for a message; unprintable characters become '?', and "..."
// marks a cut.
const char *fm_text_shorten(char shown[64], const char *value);
// Damerau-Levenshtein distance: the insertions, deletions, substitutions and swaps of neighbouring
// letters that turn `one` into `other`.
int fm_text_edit_distance(const char *one, const char *other);
// Decodes the first code point of `bytes`. Returns its length in bytes, 0 for invalid UTF-8.
int fm_text_decode_utf8(const unsigned char *bytes, size_t size, unsigned *point);
bool fm_text_is_allowed_in_yaml(unsigned point); // without an escape sequence
bool fm_text_is_line_break(unsigned point);      // the line ends that libyaml counts

// A text that holds YAML: a scene file, a text in memory or the value of a --set setting.
typedef struct fm_source {
    const char *name;   // the file name, or "--set PATH=VALUE", for messages
    const char *folder; // folder of relative file names; empty or ends with '/'
    const char *text;   // NULL for a setting, which has no lines to show
    size_t size;        // bytes of text
    int order;          // position in the order of reading; mistakes are sorted by it
    dev_t device;       // device and inode identify the file, to find cycles of `extend`
    ino_t inode;
    const struct fm_source *extended_by; // the file that extends this one; NULL for the scene file
} fm_source;

// A position in a scene file. Line and column count from 1, columns in characters; both are 0 in a
// --set setting.
typedef struct fm_place {
    const fm_source *source;
    int line, column;
} fm_place;

// The kinds of YAML values: a single value, a mapping of keys, or a list.
typedef enum fm_node_kind { FM_NODE_SCALAR, FM_NODE_MAPPING, FM_NODE_LIST } fm_node_kind;

// A node of the tree that a YAML text is parsed into: a single value, a mapping or a list.
typedef struct fm_node {
    fm_node_kind kind;
    bool quoted;                  // scalar: written in quotes
    const char *text;             // scalar: its text; "" for other kinds
    fm_place place;               // where the value is in the scene file
    const char *key;              // key of this node in its parent mapping, else NULL
    fm_place key_place;           // where the key is; without a key, the same as place
    struct fm_node *first, *last; // children
    struct fm_node *next;         // next child of the same parent
    int count;                    // number of children
} fm_node;

// A mistake found in a scene file.
typedef struct fm_mistake {
    fm_place place;
    const char *text; // message for the user
    int number;       // index in the order in which mistakes were found
} fm_mistake;

// State while a scene is read. Everything is allocated in the scene's arena.
typedef struct fm_loader {
    fm_arena *arena;
    char *block;                  // rest of the arena block that small allocations share
    size_t block_left;            // bytes left in `block`
    fm_error err;                 // out of memory, or the scene file cannot be read
    int node_count, source_count; // nodes created, and texts read, so far
    fm_mistake *mistakes;
    int mistake_count; // mistakes found; only the first FM_SCENE_MISTAKES_MAX are stored
} fm_loader;

// Zeroed memory; NULL with loader->err set when there is none.
void *fm_loader_alloc(fm_loader *loader, size_t count, size_t size);
char *fm_loader_copy_text(fm_loader *loader, const char *text, size_t size);

// diagnostics.c: records mistakes and reports them.
void fm_loader_add_mistake(fm_loader *loader, fm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool fm_loader_has_too_many_mistakes(const fm_loader *loader); // then reading stops
// Calls `report` for every mistake, sorted by file, line and column, and fills err. False if there
// was a mistake.
bool fm_loader_report_mistakes(fm_loader *loader, fm_diagnostic_function *report, void *context,
                               fm_error *err);
// Writes "FILE:LINE:COLUMN", or "FILE" for a place without a line.
void fm_place_format(fm_place place, char *text, size_t size);

// nodes.c: operations on the tree of nodes.
fm_node *fm_node_create(fm_loader *loader, fm_node_kind kind, fm_place place);
void fm_node_append(fm_node *parent, fm_node *child);
fm_node *fm_node_find(const fm_node *mapping, const char *key); // NULL: no such key
void fm_node_add_names(const fm_node *mapping, fm_text *text);  // appends "; there are a, b"
void fm_node_remove(fm_node *parent, const fm_node *child);
bool fm_node_is_empty(const fm_node *node);         // `key:` without a value
const char *fm_node_kind_text(const fm_node *node); // "a list", "a mapping", ..., for messages
void fm_node_check_duplicates(fm_loader *loader, const fm_node *mapping);

// read_yaml.c: reads and parses YAML. All three functions return NULL after recording a mistake.
// extended_at: place of the key `extend` in the file extended_by.
fm_source *fm_source_read_file(fm_loader *loader, const char *path, const fm_source *extended_by,
                               fm_place extended_at);
fm_source *fm_source_create_from_text(fm_loader *loader, const char *name, const char *folder,
                                      const char *text, size_t size);
fm_node *fm_source_parse(fm_loader *loader, const fm_source *source, const char *text, size_t size);

// Key tables: one per mapping of a scene file. Each key is declared once, in its table.
//
// The type of a key says how its value is written; the comments give the C type of the stored
// value.
typedef enum fm_key_type {
    FM_KEY_NUMBER,      // double
    FM_KEY_INTEGER,     // int
    FM_KEY_BOOLEAN,     // bool
    FM_KEY_WORD,        // int: index of the word in the list of allowed words
    FM_KEY_WORDS,       // fm_items of int: one word or a list of words
    FM_KEY_TEXT,        // const char *
    FM_KEY_FILE,        // const char *: absolute path; written relative to the scene file
    FM_KEY_VECTOR,      // fm_vec3
    FM_KEY_PROBE_POINT, // fm_probe_point
    FM_KEY_ROTATION,    // fm_quat; written as a mapping with the keys of fm_rotation_table
    FM_KEY_INTEGERS,    // fm_items of int: one number or a list of numbers
    FM_KEY_NAME,        // const char *: name of an object in the section `section`
    FM_KEY_NAMES,       // fm_items of fm_item: a list of such names
    FM_KEY_MAPPING,     // struct at the offset, with the keys of `table`
    FM_KEY_NAMED,       // fm_items of structs of table->size: mappings under user-chosen names
    FM_KEY_LIST,        // fm_items of structs of table->size: a list of mappings
} fm_key_type;

// A decoded list. The type of the elements is given where the list is declared.
typedef struct fm_items {
    void *data;
    int count; // elements
} fm_items;

// First member of every element of FM_KEY_NAMED and FM_KEY_LIST: the element's name and YAML node.
typedef struct fm_item {
    const char *name;    // key in a mapping by name; NULL in a list
    const fm_node *node; // its value in the scene file
} fm_item;

// Range of the numbers that a key allows.
typedef struct fm_range {
    double low, high;         // both 0: from -1e9 to 1e9
    bool low_open, high_open; // the end itself is not allowed
} fm_range;

typedef struct fm_table fm_table;
typedef struct fm_decoder fm_decoder;
typedef struct fm_scene_kind fm_scene_kind;

// One key of a table.
typedef struct fm_entry {
    const char *key;
    fm_key_type type;
    size_t offset;    // bytes from the start of the struct that the table decodes into
    const char *unit; // unit in the file; NULL: none
    // range of numbers, or of the number of elements of FM_KEY_NAMED and FM_KEY_LIST
    fm_range range;
    bool needed;     // the key must be given
    bool choice;     // exactly one of the keys of the table with this flag must be given
    int kind;        // choice: code of this key, stored at the table's kind_offset when it is given
    bool not_hashed; // does not change the results of a run, so it is left out of the scene hash
    bool not_stored; // checked, but its value is stored nowhere
    bool nonzero;    // vector: [0, 0, 0] is not allowed
    bool automatic;  // number: the word `auto` stands for -1
    double scale;    // factor from the unit in the file to SI; 0 means 1
    const char *const *words;          // allowed words, ended by NULL
    const char *(*word_at)(int index); // allowed words that come from the library; NULL at the end
    // keys of the mapping, or of each element of FM_KEY_NAMED and FM_KEY_LIST
    const fm_table *table;
    const fm_scene_kind *object; // the mapping describes a world object of this kind and is decoded
                                 // into a struct of its own; NULL: no object
    const char *section;         // names: the sections they may come from, as "bodies, fluids"
    void (*apply)(void *object); // called with the decoded struct after the value was stored
    void (*explain)(fm_text *text); // appends more help to fm_scene_describe
    const char *about;              // one-line help
} fm_entry;

// The keys of one mapping of a scene file, and the struct that they are decoded into.
struct fm_table {
    const char *name, *about; // for documentation: name of the mapping, and what it describes
    // bytes of the struct for one element; 0 when the table decodes into an outer struct
    size_t size;
    const fm_entry *entries; // [count] the keys
    int count;
    // a word that may replace the whole mapping, as in `memory: full`; it stores 0 at kind_offset
    const char *word;
    bool has_kind; // an int at kind_offset stores which of the keys with `choice` was given
    bool documented_elsewhere; // docs/scenes.md lists the tables below it under another key
    size_t kind_offset;
    void (*set_defaults)(void *object); // fills the struct with default values; may be NULL
    // Checks keys against each other; called after every key was found good by itself.
    void (*check)(fm_decoder *decoder, const fm_node *node, const void *object);
};

extern const fm_table fm_scene_table, fm_rotation_table, fm_shape_table; // in scene_table.c
extern const fm_table fm_body_table, fm_fluid_table;                     // in kinds.c
extern const fm_table fm_coupling_table;                                 // in coupling.c
extern const fm_table fm_figure_table;                                   // in figures.c
// Keys that say how far back a fractional derivative looks; in memory_keys.c, decode into an
// fm_recall.
extern const fm_table fm_memory_keys_table;

// Splits "woman.left_thigh" into the name of a figure and a bone; false for any other text.
bool fm_scene_split_bone_name(const char *text, char figure[FM_SCENE_NAME_MAX + 1], fm_bone *bone);
const fm_entry *fm_table_find(const fm_table *table, const char *key);
const char *fm_entry_word(const fm_entry *entry, int index);     // NULL after the last word
int fm_entry_find_word(const fm_entry *entry, const char *word); // index; -1: not an allowed word
void fm_entry_add_range(fm_text *text, const fm_entry *entry);   // "above 0 and at most 1 m"
// The key that `key` is probably a misspelling of; NULL: none is close.
const char *fm_table_find_nearest(const fm_table *table, const char *key);
void fm_table_add_choices(fm_text *text, const fm_table *table); // "sine, turn, keyframes"
double fm_entry_lower_limit(const fm_entry *entry);
double fm_entry_upper_limit(const fm_entry *entry);

// The decoded scene: the structs that the offsets in the tables refer to.

// An object of the world: a body, a fluid, or a collider with a mass.
typedef struct fm_scene_object {
    fm_item item;
    int choice;                // which key of fm_body_table or fm_fluid_table was given
    const fm_scene_kind *kind; // functions of its kind
    void *def;                 // the struct its keys were decoded into; NULL for a collider
} fm_scene_object;

// Decoded keys of a motion along an axis: amplitude sin(2 pi t / period + phase).
typedef struct fm_scene_sine {
    fm_vec3 axis;
    double amplitude, period, phase; // m, s, rad
} fm_scene_sine;

// One element of keyframes.keys.
typedef struct fm_scene_keyframe {
    fm_item item;
    fm_key key;
} fm_scene_keyframe;

// The key that defines a motion.
typedef enum fm_scene_motion_kind {
    FM_SCENE_MOTION_REST,
    FM_SCENE_MOTION_SINE,
    FM_SCENE_MOTION_TURN,
    FM_SCENE_MOTION_KEYFRAMES,
    FM_SCENE_MOTION_COMPOSE,
} fm_scene_motion_kind;

// Decoded keys of motions.NAME.
typedef struct fm_scene_motion {
    fm_item item;
    int kind; // fm_scene_motion_kind
    fm_scene_sine sine;
    fm_turn turn;
    int interpolation; // fm_interpolation, between keyframes
    fm_vec3 pivot;     // m, centre of the rotations of keyframes
    fm_items keys;     // array of fm_scene_keyframe
    fm_items parts; // array of fm_item: names of the motions that FM_SCENE_MOTION_COMPOSE combines
} fm_scene_motion;

// Decoded keys of colliders.NAME.mesh.
typedef struct fm_scene_collider_mesh {
    const char *file; // absolute path
    double scale;     // m per unit of the file
    fm_vec3 origin;   // m, position of the origin of the file
    fm_quat rotation; // about that origin
    double thickness; // m, of an open mesh
} fm_scene_collider_mesh;

// Decoded keys of colliders.NAME.animation.
typedef struct fm_scene_animation {
    int kind;          // 0: no animation, else fm_frames_format + 1
    const char *file;  // absolute path
    double fps;        // frames per second; 0: the rate in the file
    double start;      // s, time of frame 0
    int interpolation; // fm_interpolation, between frames
} fm_scene_animation;

// Decoded keys of one element of `coupling`.
typedef struct fm_scene_coupling {
    fm_item item;
    const char *body, *fluid; // names of the body and of the fluid
    int way;                  // fm_coupling_way
    double resistance;        // Pa s/m
    double quadratic;         // Pa s^2/m^2
    bool follow;              // the box of the fluid follows the body
} fm_scene_coupling;

// Decoded keys of colliders.NAME.
typedef struct fm_scene_collider {
    fm_item item;
    const char *motion;   // name of the motion that it follows; NULL: at rest
    const char *rides_on; // name of the collider whose height it shares; NULL: none
    fm_collider_def def;
    fm_scene_collider_mesh mesh;
    fm_scene_animation animation;
} fm_scene_collider;

// Decoded keys of figures.NAME: a person that wears cloth.
typedef struct fm_scene_figure {
    fm_item item;
    fm_figure_def def;
    double friction; // Coulomb coefficient of the skin
    int look;        // 0: drawn as skin, 1: drawn as bones
} fm_scene_figure;

// Where a probe reads: [u, v] on a body, from 0 to 1, or [x, y, z] in space, m.
typedef struct fm_probe_point {
    int count; // 2: u, v; 3: x, y, z; 0: not given
    double at[3];
} fm_probe_point;

// Decoded keys of probes.NAME: a measurement at every frame.
typedef struct fm_scene_probe {
    fm_item item;
    int choice;          // key that names the object: 1: `body`, 2: `object`
    const char *object;  // name of the measured object
    fm_probe_point at;   // without a point and a particle the probe reads the mean over the object
    int particle;        // number of the particle to read; < 0: not given
    fm_items measures;   // array of int: indices of fields, see fm_scene_field_name
    int default_measure; // index of the field "position", which `measures` points to by default
} fm_scene_probe;

// Decoded keys of `camera`.
typedef struct fm_scene_camera {
    fm_vec3 position, target, up; // m; up is a direction
    double field_of_view;         // rad
    const char *follow;           // name of a collider or bone; NULL: the camera stands still
} fm_scene_camera;

// Decoded keys of `look`, the style of pictures. Colours are 0 to 1.
typedef struct fm_scene_look {
    int style;          // 0: underwater, 1: studio, 2: sky
    fm_vec3 background; // red, green, blue; [0, 0, 0]: not given
    fm_vec3 floor;      // red, green, blue; [0, 0, 0]: not given
    fm_vec3 cloth;      // red, green, blue
    double stripes;     // m, period of stripes along the warp; 0: none
    double checks;      // m, period of checks; 0: none
    fm_vec3 pattern;    // red, green, blue of stripes and checks
    fm_vec3 lines;      // red, green, blue; [0, 0, 0]: not given
    double particles;   // drawn size, as a multiple of the particle size
    int liquid;         // number of a liquid in liquids.c, 0: that of the fluids
    double foam;        // factor on the amount of foam and spray; 0: none
    double mirror;      // share of the light that a metallic fluid reflects; 0: not metallic
    fm_vec3 water; // transmittance of `depth` m of fluid, red, green, blue; [0, 0, 0]: not given
    double depth;  // m
    fm_vec3 fluid; // colour of an opaque fluid; [0, 0, 0]: not given
} fm_scene_look;

// A liquid by name (liquids.c).
typedef struct fm_scene_liquid {
    const char *name;
    double density, viscosity, surface_tension; // kg/m^3, Pa s, N/m
    fm_vec3 water;                              // transmittance of `depth` m; 0: not given
    double depth;                               // m
    fm_vec3 fluid;                              // colour of an opaque liquid; 0: not given
    double foam;
    double mirror; // share of the light that a metallic liquid reflects; 0: not metallic
} fm_scene_liquid;

// A decoded scene.
struct fm_scene {
    const char *about;  // description in one line
    const char *source; // origin of the scene: a paper, or its author
    const char *extend; // scene file that this one extends
    fm_world_def world;
    int frames;                // number of the last frame
    double fps;                // frames per second
    fm_items motions;          // array of fm_scene_motion
    fm_items bodies;           // array of fm_scene_object
    fm_items fluids;           // array of fm_scene_object
    fm_items coupling;         // array of fm_scene_coupling
    fm_items colliders;        // array of fm_scene_collider
    fm_items figures;          // array of fm_scene_figure
    fm_items probes;           // array of fm_scene_probe
    double checkpoint_seconds; // s, simulated time between checkpoints; 0: none
    int checkpoints_kept;      // number of newest checkpoints that are kept
    int check;                 // 1: count intersections of cloth for stats.csv
    fm_items fields;           // array of int: indices of fields to write, see fm_scene_field_name
    fm_scene_camera camera;
    fm_scene_look look;

    fm_arena arena;      // holds everything the pointers above and below refer to
    const fm_node *root; // tree of the scene, with extended files and settings merged
    fm_items objects;    // array of fm_scene_object: all objects, in the order of fm_world_object
    const char *field_names; // names of `fields`, separated by blanks; NULL: not given
    const char *text;        // the merged scene as YAML
    uint64_t hash;           // hash of all keys that influence the results of a run
    const char **columns;    // names of the columns of probes.csv
    int column_count;
};

// merge.c
// Merges the tree `over` into the tree `base`; where both have a value, that of `over` wins. table:
// the keys of both.
void fm_node_merge(const fm_table *table, fm_node *base, fm_node *over);
// Returns the tree of `root` merged over the file that it extends; NULL after a mistake.
fm_node *fm_scene_merge_extended(fm_loader *loader, const fm_source *source, fm_node *root);
// Changes one value of the tree as a setting "PATH=VALUE" says.
void fm_scene_apply_setting(fm_loader *loader, fm_node *root, const char *setting);

// decode.c, decode_values.c: state while the tree of nodes is decoded into structs.
struct fm_decoder {
    fm_loader *loader;
    const fm_node *root; // root of the scene, to look up names
    char path[256];      // path of the mapping that is decoded, for messages: "bodies.towel.cloth"
};

// Decodes a mapping into the struct `object` of the table.
void fm_decoder_decode_mapping(fm_decoder *decoder, const fm_table *table, const fm_node *node,
                               void *object);
// Appends ".key", or "[index]" when key is NULL, to decoder->path. Returns the old length, for
// fm_decoder_leave_path.
size_t fm_decoder_enter_path(fm_decoder *decoder, const char *key, int index);
void fm_decoder_leave_path(fm_decoder *decoder, size_t length);
// Decodes a single value or a list of values and stores it at `at`.
void fm_decoder_decode_value(fm_decoder *decoder, const fm_entry *entry, const fm_node *node,
                             void *at);
// Parses [+-] digits [. digits] [e [+-] digits]. `rest` is the first character that is not part of
// the number; true when that is the end of the text.
bool fm_text_parse_number(const char *text, double *value, const char **rest);

// scene_checks.c: checks that the tables name.
void fm_scene_check_probe_keys(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_scene_check_shape_axis(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_scene_check_collider_keys(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_scene_check_turn_keys(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_scene_check_motion_keys(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_scene_check_all_keys(fm_decoder *decoder, const fm_node *node, const void *object);

// memory_keys.c: refuses a fractional derivative of this order that looks back for the last `steps`
// or `seconds` only, at orders at which the truncation adds energy. `key` is the path of the keys
// `memory` below the decoder's path.
void fm_scene_check_memory_window(fm_decoder *decoder, const char *key, const fm_recall *memory,
                                  double order, fm_place place);
// coupling.c: checks the section `coupling` against the bodies and fluids it names.
void fm_scene_check_couplings(fm_decoder *decoder, const fm_scene *scene);

// The place of node.key.subkey.subsubkey, or of the deepest of them that the file has. Trailing
// keys may be NULL.
fm_place fm_node_find_place(const fm_node *node, const char *key, const char *subkey,
                            const char *subsubkey);

// collider_mesh.c
// The absolute path of the file that a node names; false when it is too long.
bool fm_node_resolve_path(const fm_node *node, char *path, size_t size);
// Reads the mesh of a collider and its animation with `loader` and adds the collider to the world.
bool fm_scene_create_mesh_collider(const fm_scene_collider *collider, const fm_mesh_loader *loader,
                                   fm_world *world, const fm_collider_def *def, fm_error *err);

// objects.c: the objects of a scene and the fields of each kind of object.
bool fm_scene_list_objects(fm_scene *scene, fm_loader *loader); // fills scene->objects
const fm_scene_object *fm_scene_find_object(const fm_scene *scene, const char *name); // or NULL
// Every field named in output.fields must exist in some object of the scene.
void fm_scene_check_output_fields(const fm_scene *scene, fm_loader *loader);
const fm_scene_kind *fm_scene_kind_at(int index); // all kinds of objects; NULL after the last
// The field of that name; NULL: objects of this kind have no such field.
const fm_field *fm_scene_kind_find_field(const fm_scene_kind *kind, const char *name);
// Names of the fields of all kinds, each name once; NULL after the last.
const char *fm_scene_field_name(int index);
void fm_scene_describe_fields(fm_text *text); // name, unit and meaning of each field of each kind

// write_yaml.c: writes the tree as YAML, keys in the order of the tables. for_hash: leaves out the
// keys that are not_hashed.
bool fm_scene_write_yaml(const fm_node *root, bool for_hash, fm_text *text);

// probes.c
// Checks the place and the fields of each probe against the object it names.
void fm_scene_check_probe_targets(const fm_scene *scene, fm_loader *loader);
void fm_scene_name_probe_columns(fm_scene *scene, fm_loader *loader); // fills scene->columns

// describe.c
// Appends the default of a key as YAML; nothing when the key has no default.
void fm_entry_add_default(fm_text *text, const fm_entry *entry, const void *defaults);
void fm_entry_add_type(fm_text *text, const fm_entry *entry); // "number: 0 to 1 m"
// A struct of table->size with the defaults; the caller frees it; NULL: out of memory.
void *fm_table_create_defaults(const fm_table *table);
// True when the entry's table decodes into a struct of its own, not into that of the entry's table.
bool fm_entry_has_own_object(const fm_entry *entry);

// build.c: state while a world is built.
typedef struct fm_builder {
    const fm_scene *scene;
    fm_world *world;
    fm_motion **motions;          // motions in the order of scene->motions; NULL: at rest
    bool *motion_created;         // [i] true: motions[i] has been created
    const fm_mesh_loader *loader; // NULL: mesh files cannot be read
    fm_figure **figures;          // figures in the order of scene->figures
} fm_builder;

// The motion or bone of that name, created on first use; NULL, which is rest, when name is NULL.
fm_motion *fm_builder_find_motion(fm_builder *builder, const char *name, fm_error *err);
// Prefixes the text of err with the place in the scene file of the key that err->field names, as
// "drag.history.order". Parts of that name that the file does not contain are skipped.
void fm_scene_locate_error(fm_error *err, const fm_node *node);

// What the scene module must know about a kind of object. `def` is the struct that the keys of the
// object were decoded into. A function that has nothing to do may be NULL.
struct fm_scene_kind {
    const fm_object_type *type;
    const char *section, *key; // in a scene file the object is written as SECTION.NAME.KEY
    // Creates the object in builder->world.
    void (*build)(fm_builder *builder, const fm_scene_object *object, fm_error *err);
    // Checks the keys of the object against the rest of the scene.
    void (*check)(fm_decoder *decoder, const fm_scene_object *object);
    // Writes what in `def` does not allow this coupling; returns the number of faults.
    int (*find_coupling_faults)(const void *def, fm_coupling_way way, fm_coupling_fault *faults);
    // Reads the files that the object names and checks them; called after all keys were found good.
    void (*load)(fm_loader *loader, const fm_scene_object *object);
    // Adds the contents of those files to the scene hash.
    uint64_t (*hash)(const void *def, uint64_t hash);
    bool (*has_loads)(const void *def); // the object measures loads on walls and colliders
    // For probes: the number of points that `particle` can select; NULL: none.
    int (*count_points)(const void *def);
    // For probes: the reason why the object has no [u, v] coordinates; NULL: it has them.
    const char *(*refuse_uv)(const void *def);
    // For probes: fills the weights of the object's points, which are 0 before, for the point [u,
    // v] or, when at is NULL, for the mean over the object. NULL: all points have the same weight.
    void (*weigh_points)(fm_object *object, const double *at, double *weights, fm_error *err);
};

// kinds.c: the kind of colliders with a mass.
extern const fm_scene_kind fm_scene_free_collider_kind;

// Number of elements of an array of entries.
#define COUNT(entries) ((int)(sizeof(entries) / sizeof *(entries)))

// Initializers of fm_range. WITHIN allows both ends, ABOVE not the lower one, BETWEEN neither.
#define WITHIN(low, high)                                                                          \
    {                                                                                              \
        low, high, false, false                                                                    \
    }
#define ABOVE(low, high)                                                                           \
    {                                                                                              \
        low, high, true, false                                                                     \
    }
#define BETWEEN(low, high)                                                                         \
    {                                                                                              \
        low, high, true, true                                                                      \
    }

#define FM_PROBE_POINT_RANGE WITHIN(-1e6, 1e6) // m, coordinates of a point in space

// liquids.c
const char *fm_scene_liquid_name(int index); // NULL after the last
const fm_scene_liquid *fm_scene_find_liquid(int index);
int fm_scene_shown_liquid(const fm_scene *scene); // number of the liquid in pictures, 0: none

#endif
