/* set_kind.h -- the definition of a set of particles, as far as it has no dimension, and its
 * ledger: every particle that came or went, by class and cause. */
#ifndef SPATE_STATE_SET_KIND_H
#define SPATE_STATE_SET_KIND_H

#include <spate/spate.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A column beside those of fields.def; in X(particles) its components are the next of own[]. */
typedef struct sp_set_column {
    const char *name; /* in files and pictures; NULL: they do not have it */
    int components;
    bool integer; /* uint32_t, otherwise float */
    float origin; /* what values are counted from: K of a temperature */
} sp_set_column;

/* The same of a row COLUMN(name, shape, type, output, ...): an integer type turns 0.5 into 0. */
#define SET_COLUMN(shape, type, output)                                              \
    {                                                                                \
        .name = (output), .components = POINTERS_##shape, .integer = (type)0.5f == 0 \
    }

/* How a class looks in pictures: its particles stand for patches, whose radius is measured in
 * spacings of the set. */
typedef enum sp_set_drawing {
    LOOK_OVER,   /* on the surface */
    LOOK_STREAK, /* in the air, drawn out along its way */
    LOOK_THROUGH /* in the liquid, which takes its light */
} sp_set_drawing;
typedef struct sp_set_look {
    float size, cover;           /* in perspective: radius of a patch; how much of it is covered */
    float flat_size, flat_cover; /* likewise in 2D */
    float color[3];
    sp_set_drawing how;
} sp_set_look;

/* That of a row CLASS(NAME, stat, ...). */
#define SET_LOOK(size, cover, flat_size, flat_cover, red, green, blue, how, what) \
    {                                                                             \
        size, cover, flat_size, flat_cover, {red, green, blue}, how               \
    }

/* What a ledger counts, for each class. Counts with one column stand together. */
typedef struct sp_set_count {
    const char *stat; /* the column of stats.csv, behind the name of the set; NULL: it has none */
    int sign;         /* +1: particles become of the class, -1: they cease to be */
} sp_set_count;

#define SP_SET_CLASSES 4
#define SP_SET_COUNTS 16
typedef struct sp_set_ledger {
    int64_t counts[SP_SET_CLASSES][SP_SET_COUNTS]; /* since the start */
} sp_set_ledger;

typedef struct sp_set_kind {
    const char *name;
    const sp_set_column *columns; /* those that it has in every scene */
    int column_count;
    const char *const *classes; /* columns of stats.csv: how many there are of each */
    const sp_set_look *looks;   /* of the classes */
    double (*spacing)(const spate_scene *scene, double dx); /* m, of looks; NULL: dx / 2 */
    int class_count;
    int class_column; /* of own[]: the class of each particle; negative: all are of class 0 */
    const sp_set_count *counts; /* none: the ledger is elsewhere */
    int count_count;
    int crushed;        /* the count of those that solids left no place */
    size_t saved_bytes; /* of the set's `state`, its first: what the next step starts from */
} sp_set_kind;

/* The column by which particles differ in class; NULL: all are of class 0. */
static inline const char *sp_set_class_column(const sp_set_kind *kind)
{
    int pointer = 0, k = 0;
    while (k < kind->column_count && pointer < kind->class_column)
        pointer += kind->columns[k++].components;
    return kind->class_column >= 0 && k < kind->column_count ? kind->columns[k].name : NULL;
}

/* How many particles of class n there are, by the ledger. */
static inline int64_t sp_set_booked(const sp_set_kind *kind, const sp_set_ledger *ledger, int n)
{
    int64_t sum = 0;
    for (int k = 0; k < kind->count_count; k++)
        sum += kind->counts[k].sign * ledger->counts[n][k];
    return sum;
}

#endif
