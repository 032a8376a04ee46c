/* particle_table.h -- what is to be written of the particles of a frame: a list of attributes,
 * whose values are columns of a set of particles or follow from these.
 *
 * Writers ask for the values of a range of particles at a time, so that a frame of a running
 * simulation is never copied as a whole. */
#ifndef SPATE_IO_PARTICLE_TABLE_H
#define SPATE_IO_PARTICLE_TABLE_H

#include "state/particle_set.h"

typedef struct sp_particle_table sp_particle_table;
typedef struct sp_attribute sp_attribute;

/* Values of particles begin .. begin + count - 1, the components of a particle together. */
typedef void sp_fill_fn(const sp_particle_table *table, const sp_attribute *attribute, size_t begin,
                        size_t count, void *values);

struct sp_attribute {
    char name[40];  /* "position" (always the first), "velocity", "id", a channel's, ... */
    int components; /* 1..4 */
    bool integer;   /* uint32_t; otherwise float */
    sp_fill_fn *fill;
};

struct sp_particle_table {
    const sp_particles *particles; /* which must outlive it */
    sp_attribute attributes[SP_MAX_ATTRIBUTES + 1];
    int attribute_count;
    int dim;
    double fps;             /* frames per second */
    double cell_size;       /* m */
    double size[3];         /* m, of the domain, whose corner is the origin; 0 along z in 2D */
    int cells[3];           /* of the domain; 1 along z in 2D */
    int particles_per_axis; /* of a full cell */
    double radius;          /* m, of a particle */
    spate_field_view u[3];  /* face velocities of a simulation, for the vorticity */
};

/* Particles handled at a time by writers, and room for their values. */
enum { SP_TABLE_BLOCK = 4096 };
typedef union sp_particle_table_buffer {
    float numbers[4 * SP_TABLE_BLOCK];
    uint32_t integers[4 * SP_TABLE_BLOCK];
} sp_particle_table_buffer;

/* How many particles the block has that starts at `begin`; 0: there are no more. */
static inline size_t sp_particle_table_block(const sp_particle_table *table, size_t begin)
{
    size_t left = table->particles->view.count - begin;
    return left < SP_TABLE_BLOCK ? left : SP_TABLE_BLOCK;
}

/* What the scene alone says: dimension, cells, sizes, radius. No particles, no attributes. */
sp_particle_table sp_particle_table_of_scene(const spate_scene *scene);
/* The attributes that the scene asks for. One that is taken from the grid needs
 * sp_particle_table_use_grid too. */
spate_status sp_particle_table_of_particles(sp_particle_table *table, const spate_scene *scene,
                                            const sp_particles *particles, spate_error *error);
/* Of a set beside the fluid: velocity, id, and all columns that output has. */
void sp_particle_table_of_set(sp_particle_table *table, const spate_scene *scene,
                              const sp_particles *particles);
/* Whether the scene asks for an attribute that is taken from the grid: the vorticity. */
bool sp_particle_table_needs_grid(const spate_scene *scene);
/* The grid of the simulation whose particles these are, if the table needs it; good until the
 * simulation changes. */
void sp_particle_table_use_grid(sp_particle_table *table, spate_sim *sim);
/* All of that of a simulation as it is; fills `particles` too. Good until it changes. */
spate_status sp_particle_table_of_sim(sp_particle_table *table, sp_particles *particles,
                                      spate_sim *sim, spate_error *error);
/* A particle file of a run into `particles` (sp_particles_reserve), and all attributes that it has;
 * `scene` is that of the run. */
spate_status sp_particle_table_read(sp_particle_table *table, sp_particles *particles,
                                    const spate_scene *scene, int frame, const char *path,
                                    spate_error *error);
/* Whether a particle file is there as a whole, by its header and size. */
spate_status sp_particle_table_probe(const char *path, spate_error *error);
/* An attribute more: position, a column of the particles, or what follows from these. */
void sp_particle_table_add(sp_particle_table *table, const char *name, int components);
/* Keeps only the attributes named in `words` (and the position); `speed` is made from the velocity
 * if it is not there. */
spate_status sp_particle_table_choose(sp_particle_table *table, const char *words,
                                      spate_error *error);

/* NULL if there is none of that name. */
const sp_attribute *sp_particle_table_find(const sp_particle_table *table, const char *name);
/* Values of a range of particles, at most SP_TABLE_BLOCK, in `buffer`, which it returns. */
const void *sp_particle_table_values(const sp_particle_table *table, const sp_attribute *attribute,
                                     size_t begin, size_t count, sp_particle_table_buffer *buffer);
/* The box around all particles, grown by `margin` (m); 0 0 0 without particles. */
void sp_particle_table_bounds(const sp_particle_table *table, double margin, float low[3],
                              float high[3]);

#endif
