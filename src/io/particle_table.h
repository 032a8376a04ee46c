/* particle_table.h -- the particles of one frame on their way to a file: a list of attributes,
 * whose values come from a simulation or were read from a particle file of a run.
 *
 * Writers ask for the values of a range of particles at a time, so that a frame of a running
 * simulation is never copied as a whole. */
#ifndef SPATE_IO_PARTICLE_TABLE_H
#define SPATE_IO_PARTICLE_TABLE_H

#include "scene/attributes.h"
#include "state/snapshot.h"

typedef struct sp_particle_table sp_particle_table;
typedef struct sp_attribute sp_attribute;

/* Values of particles begin .. begin + count - 1, the components of a particle together. */
typedef void sp_fill_fn(const sp_particle_table *table, const sp_attribute *attribute, size_t begin,
                        size_t count, void *values);

struct sp_attribute {
    char name[40];         /* "position" (always the first), "velocity", "id", a channel's, ... */
    int components;        /* 1..4 */
    bool integer;          /* uint32_t; otherwise float */
    sp_fill_fn *fill;      /* NULL: `block` holds them all */
    void *block;           /* owned by the table */
    const void *column[4]; /* for `fill` */
};

struct sp_particle_table {
    size_t count;
    int dim;
    int frame;
    double time;            /* s */
    double fps;             /* frames per second */
    double cell_size;       /* m */
    double size[3];         /* m, of the domain, whose corner is the origin; 0 along z in 2D */
    int cells[3];           /* of the domain; 1 along z in 2D */
    int particles_per_axis; /* of a full cell */
    double radius;          /* m, of a particle */
    sp_attribute attributes[SP_MAX_ATTRIBUTES + 1];
    int attribute_count;
    double origin[3], scale; /* positions in the columns of a simulation, in metres */
    spate_field_view u[3];   /* face velocities of a simulation, for the vorticity */
};

/* Particles handled at a time by writers, and room for their values. */
enum { SP_TABLE_BLOCK = 4096 };
typedef union sp_particle_table_buffer {
    float numbers[4 * SP_TABLE_BLOCK];
    uint32_t integers[4 * SP_TABLE_BLOCK];
} sp_particle_table_buffer;

/* What the scene alone says: dimension, cells, sizes, radius. The table is empty. */
sp_particle_table sp_particle_table_of_scene(const spate_scene *scene);
/* The particles of a simulation with the attributes that its scene asks for; good until it changes.
 */
spate_status sp_particle_table_of_sim(sp_particle_table *table, spate_sim *sim, spate_error *error);
/* The same from a snapshot of a simulation of the scene; good until that changes. Not with an
 * attribute that needs the grid, see below. */
spate_status sp_particle_table_of_snapshot(sp_particle_table *table, const spate_scene *scene,
                                           const sp_snapshot *snapshot, spate_error *error);
/* Whether the scene asks for an attribute that is taken from the grid: the vorticity. */
bool sp_particle_table_needs_grid(const spate_scene *scene);
/* All attributes of a particle file of a run; `scene` is that of the run. */
spate_status sp_particle_table_read(sp_particle_table *table, const spate_scene *scene, int frame,
                                    const char *path, spate_error *error);
/* Whether a particle file is there as a whole, by its header and size. */
spate_status sp_particle_table_probe(const char *path, spate_error *error);
/* Keeps only the attributes named in `words` (and the position); `speed` is made from the velocity
 * if it is not there. */
spate_status sp_particle_table_choose(sp_particle_table *table, const char *words,
                                      spate_error *error);
void sp_particle_table_clear(sp_particle_table *table);

/* NULL if there is none of that name. */
const sp_attribute *sp_particle_table_find(const sp_particle_table *table, const char *name);
/* Values of a range of particles; points into the table or into `buffer`. At most SP_TABLE_BLOCK.
 */
const void *sp_particle_table_values(const sp_particle_table *table, const sp_attribute *attribute,
                                     size_t begin, size_t count, sp_particle_table_buffer *buffer);
/* The box around all particles, grown by `margin` (m); 0 0 0 without particles. */
void sp_particle_table_bounds(const sp_particle_table *table, double margin, float low[3],
                              float high[3]);

#endif
