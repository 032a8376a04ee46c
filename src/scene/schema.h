/* schema.h -- the table of settings from inside: where each setting lives and how to reach it.
 *
 * A row says where its value is stored relative to its owner: the scene, or the item of the
 * innermost list in its path (a shape, a keyframe, a channel). Readers, writers and checks go
 * through these functions, so that no setting is named twice. */
#ifndef SPATE_SCENE_SCHEMA_H
#define SPATE_SCENE_SCHEMA_H

#include <spate/spate.h>

typedef enum sp_type {
    SP_NUMBER,   /* double */
    SP_INTEGER,  /* int */
    SP_SEED,     /* uint64_t, as far as a double is exact */
    SP_BOOL,     /* bool */
    SP_STRING,   /* char[size] */
    SP_VECTOR,   /* double[3], one number per axis; with `size`: up to that many, see sp_parts */
    SP_ROTATION, /* double[3], degrees; 2D: one number, stored in [2] */
    SP_ENUM,     /* an enum whose values count through `choices` */
    SP_LIST      /* items; `high` is the largest number of them */
} sp_type;

typedef enum sp_item {
    SP_ITEM_SHAPE,
    SP_ITEM_KEYFRAME,
    SP_ITEM_CHANNEL,
    SP_ITEM_GAUGE,
    SP_ITEM_KEY,
    SP_ITEM_VALUE
} sp_item;

/* How many numbers a vector has. */
typedef enum sp_parts {
    SP_PARTS_AXES,    /* one per axis */
    SP_PARTS_CHANNEL, /* as many as its channel has components; those not given are 0 */
    SP_PARTS_VALUE,   /* as many as its channel has components; those not given are NaN */
    SP_PARTS_KEY      /* as many as the setting that its key is for; those not given are NaN, by
                         which the check finds that one is missing */
} sp_parts;

typedef struct sp_row {
    spate_setting setting;
    sp_type type;
    size_t offset;     /* from the owner */
    int size;          /* strings: bytes; vectors: see SP_VECTOR */
    double initial[3]; /* default of numbers and vectors; NaN: not given */
    unsigned kinds; /* of shapes: bit k set if kind k uses this setting; 0: all do, or the owner is
                       no shape */
    bool needed;    /* those kinds cannot do without it */
    bool only_3d;
    sp_parts parts;
    sp_item item; /* lists */
} sp_row;

int sp_row_count(void);
const sp_row *sp_row_at(int index);

/* What a path without numbers ("solids[].radius") names. */
typedef enum sp_node {
    SP_NODE_NONE,
    SP_NODE_GROUP, /* "", "fluid", "domain.sides" */
    SP_NODE_ITEM,  /* "solids[]" */
    SP_NODE_ROW    /* a setting, lists included; *row says which */
} sp_node;
sp_node sp_schema_find(const char *path, const sp_row **row);
/* The same for a path with numbers ("solids[2].radius"). */
sp_node sp_schema_find_place(const char *path, const sp_row **row);
#define SP_OLD_FLUID "liquid" /* the group `fluid` before 0.2: this name is read for good */
/* Copies a path without the numbers between its brackets, the group `fluid` by its present name.
 * False if it is too long or a bracket holds no number. */
bool sp_path_strip(const char *path, char *plain, size_t size);

/* Puts the defaults of all rows directly below `prefix` ("" or "solids[].") into `owner`. */
void sp_schema_defaults(const char *prefix, void *owner);
/* How many numbers a vector or rotation has in a scene of this dimension; -1: any up to `size`. */
int sp_row_numbers(const sp_row *row, int dim);
/* Whether numbers of a row that were not given are NaN. */
static inline bool sp_row_has_gaps(const sp_row *row)
{
    return row->parts == SP_PARTS_KEY || row->parts == SP_PARTS_VALUE;
}
/* How many numbers of a row with `size` are stored: all that there is room for, less those of a key
 * that were not given. */
int sp_row_stored(const sp_row *row, const void *owner);
/* How many numbers a value has. Where that is free, as many as there ought to be, and what else is
 * not 0: a scene that does not pass its check has a text as well. */
int sp_row_given_numbers(const sp_row *row, const void *owner, int dim);
/* Writes the names of an enum as "flip, pic, apic". */
void sp_row_choices(const sp_row *row, char *text, size_t size);
/* Number of `name` among the choices, -1 if it is none; and the other way round (false if out of
 * range). */
int sp_choice_index(const sp_row *row, const char *name);
bool sp_choice_name(const sp_row *row, int index, char *name, size_t size);

/* The error for a value that is wrong in itself. `got`: "a string", "null", ... */
spate_status sp_fail_type(const sp_row *row, int dim, const char *where, const char *got,
                          spate_error *error);
/* The error for a path that names nothing, with a suggestion. */
spate_status sp_fail_unknown(const char *path, spate_error *error);
/* Checks a stored value against the limits of its row. Lengths that are not given (NaN) pass. */
spate_status sp_row_check(const sp_row *row, const void *owner, int dim, const char *where,
                          spate_error *error);
/* Whether a length that starts as "not given" has been given. True for all other settings. */
bool sp_row_given(const sp_row *row, const void *owner);
/* Whether the setting means anything to its owner: false for the radius of a box. */
static inline bool sp_row_used(const sp_row *row, const void *owner)
{
    if (row->kinds == 0)
        return true;
    int kind = (int)((const spate_shape *)owner)->shape;
    return kind >= 0 && kind <= SPATE_SHAPE_PARTICLES && (row->kinds >> kind & 1);
}
/* Whether a setting that only some shapes use (row->kinds) is as it starts, to the last bit. */
bool sp_row_untouched(const sp_row *row, const void *owner);

/* Lists. `owner` holds the list. */
int sp_list_count(const sp_row *row, const void *owner);
void *sp_list_item(const sp_row *row, const void *owner, int index);
void *sp_list_append(const sp_row *row, void *owner); /* NULL without memory */
void sp_list_pop(const sp_row *row, void *owner);     /* removes the last item */

/* The owner of the row that `path` names (existing items only); NULL if there is none. For a path
 * to an item, the owner of the list. */
void *sp_scene_owner(spate_scene *scene, const char *path);
/* Appends an item to the list at `path` ("solids", "solids[2].motion"). */
spate_status sp_scene_append(spate_scene *scene, const char *path, spate_error *error);
/* Empties the list at `path`. */
void sp_scene_clear_list(spate_scene *scene, const char *path);

/* Visits all settings of a scene in the order of the table. Any function but `setting` may be NULL;
 * a status other than SPATE_OK from `setting` ends the walk. `key` is the last part of the path;
 * NULL for the items of a list. */
typedef struct sp_walk {
    spate_status (*setting)(void *user, const sp_row *row, const void *owner, const char *key,
                            const char *path);
    void (*open)(void *user, const char *key, bool list);
    void (*close)(void *user, bool list);
    void *user;
} sp_walk;
spate_status sp_scene_walk(const spate_scene *scene, const sp_walk *walk);

/* The grid that a scene asks for, by the rule that the simulation follows: cells of cell_size if
 * given, else of the longest side / cells; along each axis as many as hold the domain (sides.h), at
 * least 1. As numbers that may be too large for an int. */
double sp_scene_cell_size(const spate_scene *scene);
double sp_scene_cells(const spate_scene *scene, int axis);
/* Checks the settings that the files of a run depend on, and no other: the size of domain, cells
 * and particles, frames, fps. */
spate_status sp_scene_check_size(const spate_scene *scene, spate_error *error);

#endif
