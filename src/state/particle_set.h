/* particle_set.h -- the particles of one moment: the one type in which a simulation shows them,
 * snapshots and particle files bring them, and surfaces, pictures and writers get them.
 *
 * A simulation may have several sets of particles. A set has a name, and columns of its own beside
 * place, velocity and id. */
#ifndef SPATE_STATE_PARTICLE_SET_H
#define SPATE_STATE_PARTICLE_SET_H

#include "kernels/sets.h"
#include "scene/attributes.h"
#include "set_kind.h"
#include "set_list.h"

#define SP_WHITEWATER "whitewater"

/* One attribute of all particles; a value has four bytes. */
typedef struct sp_column {
    char name[40];
    int components;        /* 1..4 */
    bool integer;          /* uint32_t; otherwise float */
    const void *values[4]; /* of each component; NULL: all 0 */
    float origin;          /* of floats: what values are counted from; sp_column_read adds it */
} sp_column;

typedef struct sp_particles {
    const sp_set_kind *kind; /* of its set; NULL: these are no particles of a set */
    int frame;
    double time;                          /* s */
    spate_particles_view view;            /* v and id may be NULL: all 0 */
    sp_column columns[SP_MAX_ATTRIBUTES]; /* those that it has beside the view's: channels */
    int column_count;
    /* Arrays of its own, one after the other, those of x first; NULL: all are somebody else's. */
    uint32_t *memory;
    size_t capacity; /* values */
} sp_particles;

/* A column more, without values yet. */
sp_column *sp_particles_add_column(sp_particles *particles, const char *name, int components,
                                   bool integer);
/* By name, "velocity" and "id" among them; components 0: there is none. */
sp_column sp_particles_column(const sp_particles *particles, const char *name);

/* Values of particles begin .. begin + count - 1, the first components of each together. */
void sp_column_read(const sp_column *column, int components, size_t begin, size_t count,
                    void *values);
/* The same of positions (m) and velocities (m/s), 3 floats each. */
void sp_particles_positions(const sp_particles *particles, size_t begin, size_t count,
                            float *positions);
void sp_particles_velocities(const sp_particles *particles, size_t begin, size_t count,
                             float *velocities);

/* Memory of its own for so many values, kept from one time to the next; it holds no particles then.
 * The first time it must be all zero. `what` names what there is no memory for. */
spate_status sp_particles_reserve(sp_particles *particles, size_t values, const char *what,
                                  spate_error *error);
/* A copy of all columns into memory of its own. */
spate_status sp_particles_copy(sp_particles *to, const sp_particles *from, const char *what,
                               spate_error *error);
void sp_particles_clear(sp_particles *particles);

/* The particles of a simulation as they are, good until it changes; they own no memory. false:
 * there is no such set. */
bool sp_sim_particles(spate_sim *sim, const char *set, sp_particles *out);

/* The definition of a set by its number, whether or not a simulation has it. */
const sp_set_kind *sp_set_kind_of(int dim, int number);

/* The sets beside the fluid at one moment, each under its number; without a kind: there is none. */
typedef struct sp_particle_sets {
    sp_particles of[SET_COUNT];
} sp_particle_sets;
/* Those of a simulation as they are, like sp_sim_particles. */
static inline void sp_sim_particle_sets(spate_sim *sim, sp_particle_sets *out)
{
    *out = (sp_particle_sets){.of = {{.kind = NULL}}};
    for (int k = SET_FLUID + 1; k < SET_COUNT; k++)
        sp_sim_particles(sim, sp_set_name(k), &out->of[k]);
}
/* A copy of each into memory of its own. */
spate_status sp_particle_sets_copy(sp_particle_sets *to, const sp_particle_sets *from,
                                   spate_error *error);
void sp_particle_sets_clear(sp_particle_sets *sets);

/* A snapshot: the fluid of a moment in memory apart from the simulation, which goes on. Devices
 * with a memory of their own have this: the copy to the host runs beside the next steps. A
 * simulation has one snapshot at a time.
 *
 * Begins to copy; what it says is good until the next one, or the end of the simulation, and may be
 * read after sp_snapshot_wait. false: there is none on this device, or no memory for it; the
 * simulation itself is to be read then. */
bool sp_snapshot_begin(spate_sim *sim, sp_particles *out);
/* Until the copy is there; false: the device has failed. The only function of a simulation that may
 * be called from another thread while it steps. */
bool sp_snapshot_wait(spate_sim *sim);

#endif
