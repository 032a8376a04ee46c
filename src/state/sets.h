/* sets.h -- the sets of particles of a simulation: the fluid, and those of kernels/sets.def, which
 * ride on it.
 *
 * A set provides its definition, X(set_kind): its columns and classes, what its ledger counts, what
 * it keeps beside its particles, and an estimate of how many there will be. Memory, sorting, hash,
 * checkpoints, views, statistics, forecasts and what happens when a solid is added are the same for
 * all sets and loop over X(sim).sets. The kernels of the fluid know its particles as s->particles,
 * and its cell list as s->tiles, s->first and s->count: set 0 points to these. */
#ifndef SPATE_STATE_SETS_H
#define SPATE_STATE_SETS_H

#include "kernels/particles.h"
#include "kernels/sets.h"
#include "kernels/tiles.h"
#include "particle_set.h"
#include "set_kind.h"

struct X(sim);
struct X(set);

/* The definition of a set; the functions may be NULL. */
typedef struct X(set_kind) {
    sp_set_kind base;
    unsigned when; /* WHEN_...: the scenes that have it */
    /* Columns and `state` of a set that is about to get its particles. */
    spate_status (*create)(struct X(sim) *s, struct X(set) *set, spate_error *error);
    void (*destroy)(struct X(set) *set); /* also of what create did not complete */
    /* Particles that are there at the start, once the fluid and the solids are. */
    spate_status (*begin)(struct X(sim) *s, struct X(set) *set, spate_error *error);
    /* Of a checkpoint: whether the saved state and the integers in its columns are in their limits;
     * floats are finite, places inside and classes there. */
    bool (*is_sound)(const struct X(sim) *s, const struct X(set) *set);
    /* For forecasts: roughly how many particles it has, if the fluid has so many. */
    uint64_t (*estimate)(const spate_scene *scene, const X(grid) *g, uint64_t particles);
} X(set_kind);

#define SET(NAME, name, ...) extern const X(set_kind) X(name##_set);
#include "kernels/sets.def"

typedef struct X(set) {
    const X(set_kind) *kind;
    sp_set_column columns[SP_MAX_ATTRIBUTES];
    int column_count;
    X(particles) *particles; /* s->particles of the fluid, `own` of the others */
    unsigned group;          /* GROUP_... of these arrays */
    X(cell_list) cells;      /* the fluid's, or that which all others share while they are sorted */
    sp_set_ledger ledger;    /* of sets other than the fluid, whose ledger is in stats.h */
    void *state;             /* what its stage keeps beside the particles */
    X(particles) own;
} X(set);

const sp_set_kind *X(set_kind_of)(int number); /* SET_..., whether or not there is one */

/* Those that the scene has, in s->sets. */
spate_status X(sets_create)(struct X(sim) *s, spate_error *error);
void X(sets_destroy)(struct X(sim) *s);
spate_status X(sets_begin)(struct X(sim) *s, spate_error *error);
X(set) *X(set_of)(struct X(sim) *s, int number); /* SET_...; NULL: there is none */
void X(set_add_column)(X(set) *set, sp_set_column column);
/* Room for so many more particles, which are to be written: the number and the id of the first. An
 * id is never given twice. */
spate_status X(set_grow)(X(set) *set, uint32_t count, uint32_t *first, uint32_t *first_id,
                         spate_error *error);
uint32_t X(class_of)(const X(set) *set, uint32_t particle);

/* Whether the particles that are there are those that came less those that went, class by class. */
bool X(set_adds_up)(const struct X(sim) *s, const X(set) *set);
/* Removes the particles marked DEAD, to which a solid left no place, and books them. */
void X(set_remove_crushed)(struct X(sim) *s, X(set) *set);

/* `p`, which has the columns of the set, as those see it who know no dimension. */
void X(show_particles)(const struct X(sim) *s, const X(set) *set, const X(particles) *p,
                       sp_particles *out);

/* For forecasts, of the set with this number, if the fluid has so many particles: how many it has,
 * none if the scene does not have it; bytes of a particle in a checkpoint, and in memory. */
uint64_t X(set_estimate)(int number, const spate_scene *scene, const X(grid) *g,
                         uint64_t particles);
uint64_t X(set_saved_bytes)(int number);
uint64_t X(set_bytes)(int number);

#endif
