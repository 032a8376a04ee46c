/* stages.h -- the stages that are written once. Every device compiles src/stages/NAME.c with its
 * own exec.h and so has its own version of these functions. device.c of each device calls them. On
 * the CPU a function is DEV(name), for each instruction set, or ONCE(name), if all functions of its
 * file do without vectors. */
#ifndef SPATE_STAGES_STAGES_H
#define SPATE_STAGES_STAGES_H

#include "kernels/census.h"
#include "kernels/fields.h"

#ifdef __cplusplus
extern "C" {
#endif

struct X(step_info);    /* kernels/step_info.h */
struct X(walls);        /* kernels/walls.h */
struct X(contact);      /* kernels/contact.h */
struct X(gauge_job);    /* kernels/gauges.h */
struct X(channel_step); /* kernels/channels.h */
struct X(outflows);     /* kernels/emit.h */
struct X(inflow);       /* kernels/emit.h */
struct X(newcomers);    /* kernels/particle.h */
struct X(reseeding);    /* kernels/reseed.h */
struct X(pruning);      /* kernels/reseed.h */

/* ---- whole stages: those that kernels/stages.def lists as MAP, in the files of their names */
#define STAGE_MAP(name) void DEV(name)(X(exec) *e, const struct X(step_info) *step);
#define STAGE_DEVICE(name)
#define STAGE_HOST(name)
#define STAGE_SIM(name)
#define STAGE(NAME, name, by, ...) STAGE_##by(name)
#include "kernels/stages.def"
#undef STAGE_MAP
#undef STAGE_DEVICE
#undef STAGE_HOST
#undef STAGE_SIM

/* ---- SURFACE: surface.c */
void DEV(update_level_set)(X(exec) *e); /* phi from the sorted particles */

/* ---- FORCES: forces.c, walls.c */
void DEV(prescribe_inflow)(X(exec) *e); /* sets the velocities of inflow cells, if there are any */
void DEV(drag_at_walls)(X(exec) *e, const struct X(walls) *walls);

/* ---- PRESSURE: contact.c. part finds the cells that separate from a wall and returns the largest
 * CONTACT_... of all cells; part_walls sets the velocities of the wall faces that liquid leaves. */
int DEV(part)(X(exec) *e, const struct X(contact) *how);
void DEV(part_walls)(X(exec) *e);

/* ---- EXTRAPOLATE: extrapolate_solids.c, after the velocity has been extended */
void DEV(extrapolate_solids)(X(exec) *e, double dt);

/* ---- G2P, EMIT and statistics: channels.c. sum_channel: over `count` particles from `first` on,
 * or over the DEAD ones of them; measure_channels: of sorted particles, and makes the cells' values
 * anew. */
void DEV(bring_back_channels)(X(exec) *e, const struct X(channel_step) *how);
double DEV(sum_channel)(X(exec) *e, int column, uint32_t first, uint32_t count, bool dead);
void DEV(measure_channels)(X(exec) *e, double particles[CHANNEL_COLUMNS],
                           double cells[GRID_COLUMNS]);

/* ---- SEPARATE: shift.c, the displacement of a gas */
void DEV(find_shift)(X(exec) *e, float share);

/* ---- EMIT: emit.c, reseed.c. find_newcomers and count_reseeded return how many particles come,
 * and the functions that put them want room for so many, as `what` says; drain and thin_cells mark
 * particles DEAD and return how many. */
uint32_t ONCE(drain)(X(exec) *e, const struct X(outflows) *outflows);
uint32_t ONCE(find_newcomers)(X(exec) *e, const struct X(inflow) *inflow, size_t places);
void ONCE(put_newcomers)(X(exec) *e, const struct X(inflow) *inflow, size_t places);
uint32_t ONCE(count_reseeded)(X(exec) *e, const struct X(reseeding) *how);
void ONCE(put_reseeded)(X(exec) *e, const struct X(reseeding) *how,
                        const struct X(newcomers) *what);
uint32_t ONCE(thin_cells)(X(exec) *e, const struct X(reseeding) *how);
uint32_t ONCE(prune_cells)(X(exec) *e, const struct X(pruning) *how);

/* ---- TRACERS: tracers.c, for state/tracers.c; p: the tracers. remember: before they move; note:
 * after it, marks those DEAD that are gone. */
struct X(tracing);     /* kernels/tracers.h */
struct X(new_tracers); /* kernels/tracers.h */
struct X(lost_tracers) DEV(note_tracers)(X(exec) *e, const X(particles) *p,
                                         const struct X(tracing) *how);
void DEV(remember_tracers)(X(exec) *e, const X(particles) *p, const struct X(tracing) *how);
uint32_t DEV(count_tracers)(X(exec) *e, const struct X(tracing) *how,
                            const struct X(new_tracers) *what);
void DEV(put_tracers)(X(exec) *e, const X(particles) *p, const struct X(tracing) *how,
                      const struct X(new_tracers) *what);

/* ---- after a step: gauges.c fills job->parts[0 .. parts - 1] */
void ONCE(take_gauges)(X(exec) *e, const struct X(gauge_job) *job, size_t parts);

/* ---- statistics of sorted particles: stats.c */
X(cell_census) ONCE(count_cells)(X(exec) *e);
double ONCE(measure_volume)(X(exec) *e); /* in cells; makes phi anew; 0 without a level set */
/* laid: phi_solid knows where all solids are now */
X(particle_census) ONCE(measure_particles)(X(exec) *e, const double gravity[3], bool laid);

/* ---- what each device does in its own way */
/* Sums the particles at the centres of the cells of active and border tiles, with linear weights,
 * into `sums`. */
void DEV(sum_density)(X(exec) *e, float *sums);
/* Sums the columns of the sorted particles that the grid holds, and their weights, at the centres
 * of the same cells, into `channel` and `channel_weight`. */
void DEV(deposit)(X(exec) *e);

#ifdef __cplusplus
}
#endif

#endif
