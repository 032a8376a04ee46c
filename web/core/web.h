/* web.h -- the functions that the page calls: one scene being built, one simulation.
 *
 * JavaScript parses the JSON and hands over (path, value) pairs, as the command's reader does; both
 * ask the same table (src/scene/schema.c) what a path means, so both give the same errors. A module
 * holds one draft scene and one simulation; a new simulation takes the place of the old one only
 * when it has been made.
 *
 * Functions that can fail return a spate_status; web_error_where and web_error_message then say
 * what is wrong. Larger results stand in memory of the module, at addresses that the functions
 * return, until the next call. */
#ifndef SPATE_WEB_H
#define SPATE_WEB_H

#include <spate/spate.h>

#include <emscripten.h>

/* ---- errors and warnings */
const char *web_error_where(void);
const char *web_error_message(void);
/* One per line, "where: message"; empties the list. */
const char *web_warnings(void);

/* ---- the table of settings, as JSON text */
const char *web_schema(void);

/* ---- the draft (draft.c) */
spate_status web_draft_begin(void);
/* What a path names: 0 nothing, 1 a group, 2 an item of a list, 3 a setting, 4 a list. */
int web_draft_node(const char *path);
spate_status web_draft_number(const char *path, double value);
spate_status web_draft_bool(const char *path, int value);
spate_status web_draft_string(const char *path, const char *value);
spate_status web_draft_vector(const char *path, const double *values, int count);
spate_status web_draft_clear(const char *list);
spate_status web_draft_append(const char *list);
/* The error for a path that names nothing, and for a value of a wrong type ("null", "an object").
 */
spate_status web_draft_unknown(const char *path);
spate_status web_draft_wrong_type(const char *path, const char *got);
/* Gives the shape at `path` ("solids[2]") its triangles. */
spate_status web_draft_mesh(const char *path, const double *vertices, int vertex_count,
                            const uint32_t *triangles, int triangle_count);
const spate_scene *web_draft_scene(void);

/* ---- the simulation (web.c); those below need one */
/* keep: a scene of the same tank goes on with the particles that are there. */
spate_status web_create(int threads, int keep);
spate_status web_step(void);
/* A step cut into its stages: web_stage runs the one that web_next_stage names. */
spate_status web_stage(void);
int web_next_stage(void);
const char *web_stage_what(int stage); /* what it does, in a line */
/* Keeps div u before and after PRESSURE as web_step runs (2D; see web_field). */
void web_watch_divergence(int on);
const char *web_hash(void);
/* Numbers of the frame under way, in the order of web_stats_names (one per line). */
const double *web_stats(void);
const char *web_stats_names(void);
/* Time, frame, steps, particles, dt of the last step: what every picture needs. */
const double *web_clock(void);

/* The sets of particles, "fluid" first, as JSON text: the name of each, its classes, and its
 * columns with their number of components and whether they are integers. */
const char *web_particle_sets(void);
/* How many particles the set has, and the addresses of their columns: x y z vx vy vz (z: 0 in 2D),
 * id, and the components of the columns of web_particle_sets in their order. NULL: no such set. */
const uint32_t *web_particles(const char *set);
/* address, bytes per value, count x y z, stride x y z; NULL if there is no such field. "div_before"
 * and "div_after" beside those of spate_sim_field_view: cells, NaN where there is no liquid or a
 * solid cuts the cell. */
const int32_t *web_field(const char *name);
double web_cell_size(void);
double web_size(int axis); /* m, of the domain; along z in 2D: a cell */
int web_dim(void);
/* Particles per cell, as a field of bytes like "type" (2D and 3D). */
const int32_t *web_ppc(void);

/* ---- hands (hands.c) */
void web_stir(double x, double y, double z, double radius, double vx, double vy, double vz);
/* Fills free places inside a sphere with new particles; how many. */
int web_pour(double x, double y, double z, double radius, double vx, double vy, double vz);
int web_erase(double x, double y, double z, double radius);
/* A solid sphere, or a capsule from a to b; its id, or -1. */
int web_add_ball(double x, double y, double z, double radius);
int web_add_bar(double ax, double ay, double bx, double by, double radius);
spate_status web_move_solid(int id, double x, double y, double z);
spate_status web_remove_solid(int id);
/* The solid at a point, or within `reach` of it; -1: none. */
int web_find_solid(double x, double y, double z, double reach);
void web_gravity(double x, double y, double z);

extern spate_sim *web_sim;
extern spate_error web_error;

#endif
