// SPDX-License-Identifier: MIT
// scene.h: the inside of scenes: from text to nodes, from nodes and tables to values, to a world.
//
//     reader   text -> nodes, each with its place          (libyaml is seen there only)
//     merge    extended files and settings -> one tree
//     decode   tree + tables -> fm_scene, mistakes on the way
//     build    fm_scene -> world
//
// Texts for people (describe, schema, reference) are made from the same tables.
#ifndef FATHOM_SCENE_SCENE_H
#define FATHOM_SCENE_SCENE_H

#include "core/core.h"
#include "motion/motion.h"

#include <fathom/cloth.h>
#include <fathom/collide.h>
#include <fathom/couple.h>
#include <fathom/figure.h>
#include <fathom/loader.h>
#include <fathom/particles.h>
#include <fathom/scene.h>
#include <fathom/world.h>
#include <sys/types.h>

enum {
    FM_SCENE_BYTES_MAX = 16 << 20, // of one file
    FM_SCENE_NODES_MAX = 1000000,  // of all files together
    FM_SCENE_DEPTH_MAX = 64,       // of nesting
    FM_SCENE_KEYS_MAX = 4096,      // in one mapping
    FM_SCENE_EXTENDS_MAX = 16,     // one file extending the next
    FM_SCENE_REMARKS_MAX = 1000,   // after that it stops looking
    FM_SCENE_OBJECTS_MAX = 1024,   // motions, bodies, fluids, colliders, probes
    FM_SCENE_NAME_MAX = 40,        // bytes in the name of a body, a motion...
};

// text.c: text that grows, and words about words.
typedef struct fm_text {
    char *data; // NULL or ended by a zero
    size_t size, room;
    bool failed; // out of memory: what was added after that is lost
} fm_text;

void fm_text_add(fm_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fm_text_add_bytes(fm_text *text, const char *bytes, size_t size);
void fm_text_add_number(fm_text *text, double value);      // the shortest that reads back the same
void fm_text_add_quoted(fm_text *text, const char *value); // "..." for YAML and JSON
char *fm_text_take(fm_text *text, fm_error *err);          // for free(); NULL when out of memory
// At most 60 bytes of `value` fit to be shown in a message.
const char *fm_text_shown(char shown[64], const char *value);
// How many letters must be inserted, removed, changed or swapped to make one the other.
int fm_text_distance(const char *one, const char *other);
// One code point from a valid or invalid UTF-8 text: its length in bytes, 0 when it is invalid.
int fm_text_decode(const unsigned char *bytes, size_t size, unsigned *point);
bool fm_text_is_allowed(unsigned point); // in a scene as it is; others need an escape
bool fm_text_is_break(unsigned point);   // ends a line, as libyaml counts them

// Nodes: what a YAML text holds, with its places.
typedef struct fm_source {
    const char *name;   // as messages say it
    const char *folder; // extends are looked for here
    const char *text;   // NULL for settings
    size_t size;
    int order;                         // of reading: mistakes are sorted by it
    dev_t device;                      // of its file
    ino_t inode;                       //
    const struct fm_source *wanted_by; // that extends it; NULL for the scene's own file
} fm_source;

// Lines and columns from 1; 0 where there are none, as for settings. Columns count characters.
typedef struct fm_place {
    const fm_source *source;
    int line, column;
} fm_place;

typedef enum fm_node_kind { FM_NODE_SCALAR, FM_NODE_MAPPING, FM_NODE_LIST } fm_node_kind;

typedef struct fm_node {
    fm_node_kind kind;
    bool quoted;      // scalar
    const char *text; // scalar
    fm_place place;
    const char *key; // in a mapping
    fm_place key_place;
    struct fm_node *first, *last, *next; // children; next of its parent's
    int count;                           // of children
} fm_node;

// What reading a scene works with. Everything is allocated in the scene's arena.
typedef struct fm_mistake {
    fm_place place;
    const char *text;
    int number; // in the order they were found
} fm_mistake;

typedef struct fm_loader {
    fm_arena *arena;
    char *room; // for small pieces
    size_t room_left;
    fm_error err; // no memory, or a file that cannot be read
    int node_count, source_count;
    fm_mistake *mistakes;
    int mistake_count; // may exceed FM_SCENE_REMARKS_MAX, which are kept
} fm_loader;

void *fm_loader_alloc(fm_loader *loader, size_t count, size_t size); // zeroed; NULL: loader->err
char *fm_loader_copy(fm_loader *loader, const char *text, size_t size);

// remarks.c
void fm_complain(fm_loader *loader, fm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool fm_loader_is_full(const fm_loader *loader); // of mistakes: no use to look for more
// Hands every mistake over, in the order of the files, and fills err. False if there was any.
bool fm_loader_report(fm_loader *loader, fm_remark_function *remark, void *context, fm_error *err);
// "FILE:LINE:COLUMN", or what there is of it.
void fm_place_text(fm_place place, char *text, size_t size);

// nodes.c
fm_node *fm_node_create(fm_loader *loader, fm_node_kind kind, fm_place place);
void fm_node_append(fm_node *parent, fm_node *child);
fm_node *fm_node_find(const fm_node *mapping, const char *key); // NULL if not there
void fm_node_add_names(const fm_node *mapping, fm_text *text);  // "; there are a, b", if any
void fm_node_remove(fm_node *parent, const fm_node *child);
bool fm_node_is_empty(const fm_node *node);         // a key with nothing behind it
const char *fm_node_kind_text(const fm_node *node); // "a list"
void fm_node_check_duplicates(fm_loader *loader, const fm_node *mapping);

// reader.c: NULL when there was a mistake. A file is read to the end, or not at all.
fm_source *fm_source_open(fm_loader *loader, const char *path, const fm_source *wanted_by,
                          fm_place wanted_at);
fm_source *fm_source_of_text(fm_loader *loader, const char *name, const char *folder,
                             const char *text, size_t size);
fm_node *fm_source_read(fm_loader *loader, const fm_source *source, const char *text, size_t size);

// Tables. One per kind of object; each key is written down there and nowhere else.
typedef enum fm_key_type {
    FM_KEY_NUMBER,   // double
    FM_KEY_INTEGER,  // int
    FM_KEY_BOOLEAN,  // bool
    FM_KEY_WORD,     // int, the word's index
    FM_KEY_WORDS,    // fm_items of int: one word or a list of them
    FM_KEY_TEXT,     // const char *
    FM_KEY_FILE,     // const char *: its whole path; written relative to the file it stands in
    FM_KEY_VECTOR,   // fm_vec3
    FM_KEY_PAIR,     // double[2]
    FM_KEY_ROTATION, // fm_quat, written as the table fm_rotation_table says
    FM_KEY_INTEGERS, // fm_items of int: one or a list of them
    FM_KEY_NAME,     // const char *: a key of `section`
    FM_KEY_NAMES,    // fm_items of fm_thing: a list of them
    FM_KEY_MAPPING,  // `table` at the offset
    FM_KEY_NAMED,    // fm_items of table->size: names chosen by the user
    FM_KEY_LIST,     // fm_items of table->size
} fm_key_type;

typedef struct fm_items {
    void *data;
    int count;
} fm_items;

// What every element of named and listed items begins with.
typedef struct fm_thing {
    const char *name;
    const fm_node *node;
} fm_thing;

typedef struct fm_range {
    double low, high; // both 0: any number up to 1e9
    bool low_open, high_open;
} fm_range;

typedef struct fm_table fm_table;
typedef struct fm_decoder fm_decoder;

typedef struct fm_entry {
    const char *key;
    fm_key_type type;
    size_t offset;
    const char *unit;
    fm_range range;
    bool needed;
    bool choice;                       // one of several in its table, of which exactly one is given
    int kind;                          // choice: what the table's kind becomes
    bool aside;                        // does not change what a run writes: not in the hash
    bool unstored;                     // checked, decoded nowhere
    bool direction;                    // vector: not zero
    double scale;                      // from the file's unit to SI; 0 is 1
    const char *const *words;          // ended by NULL
    const char *(*word_at)(int index); // the same, where the library knows them
    const fm_table *table;
    const char *section;         // names: of the scene
    void (*after)(void *object); // when given and good
    const char *about;
} fm_entry;

struct fm_table {
    const char *name, *about;
    size_t size; // of the object, for elements
    const fm_entry *entries;
    int count;
    const char *word; // may stand for the whole mapping: kind becomes 0
    bool has_kind;    // an int at kind_offset says which choice was made
    bool borrows;     // its tables belong to another, where the reference tells them
    size_t kind_offset;
    void (*set_defaults)(void *object);
    // What keys must satisfy together; called when each is good by itself.
    void (*check)(fm_decoder *decoder, const fm_node *node, const void *object);
};

extern const fm_table fm_scene_table, fm_rotation_table, fm_shape_table; // tables.c
extern const fm_table fm_cloth_table;                                    // cloth_table.c
extern const fm_table fm_figure_table;                                   // figures.c
// "woman.left_thigh": the figure's name and the bone; false when it is not of that form.
bool fm_split_bone_name(const char *text, char figure[FM_SCENE_NAME_MAX + 1], fm_bone *bone);
extern const fm_table fm_fluid_table, fm_coupling_table; // fluid_table.c
extern const fm_table fm_recall_table;                   // cloth_table.c, of an fm_recall
const fm_entry *fm_table_find(const fm_table *table, const char *key);
const char *fm_entry_word(const fm_entry *entry, int index);          // NULL after the last
int fm_entry_word_index(const fm_entry *entry, const char *word);     // -1 if there is none
void fm_entry_add_range(fm_text *text, const fm_entry *entry);        // "above 0 and at most 1 m"
const char *fm_table_nearest(const fm_table *table, const char *key); // NULL if none is near
void fm_table_add_choices(fm_text *text, const fm_table *table);      // "sine, turn"
double fm_range_low(const fm_entry *entry);
double fm_range_high(const fm_entry *entry);

// A scene, decoded: what the tables' offsets point into.
typedef struct fm_scene_sine {
    fm_vec3 axis;
    double amplitude, period, phase;
} fm_scene_sine;

typedef struct fm_scene_key {
    fm_thing thing;
    fm_key key;
} fm_scene_key;

typedef enum fm_scene_motion_kind {
    FM_SCENE_REST,
    FM_SCENE_SINE,
    FM_SCENE_TURN,
    FM_SCENE_KEYFRAMES,
    FM_SCENE_COMPOSE,
} fm_scene_motion_kind;

typedef struct fm_scene_motion {
    fm_thing thing;
    int kind;
    fm_scene_sine sine;
    fm_turn turn;
    int interpolation;
    fm_vec3 pivot;
    fm_items keys;  // fm_scene_key
    fm_items parts; // fm_thing
} fm_scene_motion;

typedef enum fm_scene_pin_kind {
    FM_SCENE_PIN_EDGE = 1,
    FM_SCENE_PIN_ROW,
    FM_SCENE_PIN_COLUMN,
    FM_SCENE_PIN_CORNER,
    FM_SCENE_PIN_PARTICLES,
    FM_SCENE_PIN_WITHIN,
    FM_SCENE_PIN_ABOVE,
} fm_scene_pin_kind;

typedef struct fm_scene_pin {
    fm_thing thing;
    int kind, edge, row, column, corner;
    fm_items particles; // int
    fm_shape within;
    double above; // m
    const char *motion;
    double release;
} fm_scene_pin;

typedef struct fm_scene_map {
    fm_thing thing;
    int kind;           // FM_SCENE_PIN_PARTICLES or _WITHIN
    fm_items colliders; // fm_thing
    fm_items particles; // int
    fm_shape within;
} fm_scene_map;
// One side of a seam; kind is one of the first three pins' or PARTICLES.
typedef struct fm_scene_border {
    int kind, edge, row, column;
    fm_items particles; // int
} fm_scene_border;

typedef struct fm_scene_seam {
    fm_thing thing;
    fm_scene_border from, to;
    double start, time;
    bool reverse, weld;
} fm_scene_seam;

// A mesh file; what is read of it stays as it is in the file.
typedef struct fm_scene_mesh {
    const char *file;
    double scale, weld;
    fm_vec3 origin, velocity;
    fm_quat rotation;
    const fm_vec3 *points;
    const int *triangles;
    const int *point_lines, *triangle_lines; // in the file
    int point_count, triangle_count;
    uint64_t hash; // of the bytes of the file
} fm_scene_mesh;

typedef struct fm_scene_cloth {
    int kind; // fm_cloth_kind
    int material;
    fm_cloth_def def;
    fm_sheet sheet;
    fm_tube tube;
    fm_scene_mesh mesh;
    fm_items seams; // fm_scene_seam
    fm_items pins;  // fm_scene_pin
    fm_items maps;  // fm_scene_map
} fm_scene_cloth;

typedef enum fm_scene_body_kind { FM_SCENE_CLOTH = 1 } fm_scene_body_kind;

typedef struct fm_scene_body {
    fm_thing thing;
    int kind;
    fm_scene_cloth cloth;
} fm_scene_body;

typedef struct fm_scene_solid {
    const char *file;
    double scale;
    fm_vec3 origin;
    fm_quat rotation;
    double thickness;
} fm_scene_solid;

typedef struct fm_scene_animation {
    int kind; // 0: none, else one more than the fm_frames_format
    const char *file;
    double fps; // 0: what the file says
    double start;
    int interpolation;
} fm_scene_animation;
typedef enum fm_scene_fluid_kind { FM_SCENE_SPH = 1 } fm_scene_fluid_kind;

typedef struct fm_scene_fluid {
    fm_thing thing;
    int kind;
    fm_particles_def def;
    const char *motion; // of the domain
    fm_items boxes;     // fm_scene_fluid_box
    fm_items sources;   // fm_scene_nozzle
    fm_items sinks;     // fm_scene_sink
    fm_items pushes;    // fm_scene_push
} fm_scene_fluid;

typedef struct fm_scene_fluid_box {
    fm_thing thing;
    fm_fluid_box box;
    int seed;
} fm_scene_fluid_box;

typedef struct fm_scene_nozzle {
    fm_thing thing;
    fm_fluid_source source;
} fm_scene_nozzle;

typedef struct fm_scene_sink {
    fm_thing thing;
    fm_fluid_sink sink;
} fm_scene_sink;

typedef struct fm_scene_push {
    fm_thing thing;
    fm_fluid_push push;
} fm_scene_push;

typedef struct fm_scene_coupling {
    fm_thing thing;
    const char *body, *fluid;
    int way; // fm_coupling_way
} fm_scene_coupling;

typedef struct fm_scene_collider {
    fm_thing thing;
    const char *motion;
    fm_collider_def def;
    fm_scene_solid mesh;
    fm_scene_animation animation;
} fm_scene_collider;

typedef struct fm_scene_figure {
    fm_thing thing;
    fm_figure_def def;
    double friction;
    int look; // 1: its bones
} fm_scene_figure;

typedef struct fm_scene_probe {
    fm_thing thing;
    const char *body;
    double at[2];      // < 0: the whole body
    int particle;      // < 0: none
    fm_items measures; // int, of fm_cloth_fields
    int default_measure;
} fm_scene_probe;

typedef struct fm_scene_camera {
    fm_vec3 position, target, up;
    double field_of_view; // rad
    const char *follow;   // a collider
} fm_scene_camera;

typedef struct fm_scene_look {
    int style;
    fm_vec3 background; // 0 0 0: not said
    fm_vec3 cloth;
    double particles; // size, in their own
    fm_vec3 water;    // 0 0 0: not said
} fm_scene_look;

struct fm_scene {
    const char *about, *source, *extend;
    fm_world_def world;
    int frames;
    double fps;
    fm_items motions;   // fm_scene_motion
    fm_items bodies;    // fm_scene_body
    fm_items fluids;    // fm_scene_fluid
    fm_items coupling;  // fm_scene_coupling
    fm_items colliders; // fm_scene_collider
    fm_items figures;   // fm_scene_figure
    fm_items probes;    // fm_scene_probe
    double checkpoint_seconds;
    int checkpoints_kept;
    int check;       // 1: intersections
    fm_items fields; // int, of fm_cloth_fields
    int default_fields[2];
    fm_scene_camera camera;
    fm_scene_look look;

    fm_arena arena; // everything above, and the nodes
    const fm_node *root;
    const char *field_names, *text;
    uint64_t hash;
    const char **columns; // of probes
    int column_count;
};

// merge.c
void fm_merge(const fm_table *table, fm_node *base, fm_node *over); // over wins, base is the result
fm_node *fm_extend(fm_loader *loader, const fm_source *source, fm_node *root);
void fm_apply_setting(fm_loader *loader, fm_node *root, const char *setting);

// decode.c, values.c
struct fm_decoder {
    fm_loader *loader;
    const fm_node *root;
    char path[256]; // "bodies.towel.cloth"
};

void fm_decode(fm_decoder *decoder, const fm_table *table, const fm_node *node, void *object);
// The key, and its place in the path of messages; returns the length to cut back to.
size_t fm_decoder_enter(fm_decoder *decoder, const char *key, int index);
void fm_decoder_leave(fm_decoder *decoder, size_t length);
void fm_decode_value(fm_decoder *decoder, const fm_entry *entry, const fm_node *node, void *at);
bool fm_read_number(const char *text, double *value, const char **rest); // our grammar, not libc's
// checks.c: for the tables
void fm_check_recall(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_check_cloth(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_check_fractional(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_check_probe(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_check_axis(fm_decoder *decoder, const fm_node *node, const void *object); // of a shape
void fm_check_collider(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_check_turn(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_check_motion(fm_decoder *decoder, const fm_node *node, const void *object);
void fm_check_scene(fm_decoder *decoder, const fm_node *node, const void *object);

// A key below `node`, or below that, or the key of `node` itself; trailing ones may be NULL.
fm_place fm_find_place(const fm_node *node, const char *one, const char *other, const char *third);

// garment.c: tubes, meshes and seams.
void fm_check_garment(fm_decoder *decoder, const fm_node *node, const fm_scene_cloth *cloth);
// Reads the files of meshes and checks what depends on them; once all else is good.
void fm_scene_load_meshes(fm_scene *scene, fm_loader *loader);
// The particles of a border, in order; gives their number, writes when `list` is not NULL.
int fm_border_particles(const fm_scene_cloth *cloth, const fm_scene_border *border, int *list);
// Particles of a sheet or a tube, vertices of a mesh once it is loaded.
int fm_garment_count(const fm_scene_cloth *cloth);
// The two sides of a seam, one behind the other, `count` each; free() it.
int *fm_seam_vertices(const fm_scene_cloth *cloth, const fm_scene_seam *seam, int *count,
                      fm_error *err);
// A mesh as it is placed in the scene, welds of seams included; close it, whatever comes back.
bool fm_garment_mesh_open(const fm_scene_cloth *cloth, fm_cloth_mesh *mesh, fm_error *err);
void fm_garment_mesh_close(fm_cloth_mesh *mesh);
// files.c. The whole path of the file that a node names; false when it is too long.
bool fm_file_path(const fm_node *node, char *path, size_t size);
bool fm_scene_make_mesh(const fm_scene_collider *collider, const fm_mesh_loader *loader,
                        fm_world *world, const fm_collider_def *def, fm_error *err);

// write.c: the tree as YAML, in the order of the tables. hashed: without what is aside.
bool fm_scene_write(const fm_node *root, bool hashed, fm_text *text);
// probes.c: the names of the columns
void fm_scene_name_columns(fm_scene *scene, fm_loader *loader);
// describe.c: the default of a key, as YAML; nothing when there is none
void fm_entry_add_default(fm_text *text, const fm_entry *entry, const void *defaults);
void fm_entry_add_type(fm_text *text, const fm_entry *entry); // "number, m, 0 to 1"
void *fm_table_make_defaults(const fm_table *table);          // for free(); NULL: no memory

// For the tables.
#define COUNT(entries) ((int)(sizeof(entries) / sizeof *(entries)))

// Ranges: both ends allowed, the lower one not, neither.
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

#endif
