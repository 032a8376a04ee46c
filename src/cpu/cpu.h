/* cpu.h -- what the files of the CPU offer each other.
 *
 * A file with vector code includes simd.h; it is built once per instruction set, and its functions
 * are DEV(name). The others are built once, and theirs are X(name); they reach the first kind
 * through the device (device.c), which knows them all. */
#ifndef SPATE_CPU_CPU_H
#define SPATE_CPU_CPU_H

#include "state/device.h"

extern const X(device) DEV(device); /* device.c */

/* A function of src/stages that has no vector code: it is built once for all instruction sets. */
#define ONCE(name) SP_DEVICE_NAME_2(DIM, base, name)

typedef struct X(exec) X(exec); /* exec.h */

/* The cells of a tile, row by row: c is the index of a cell, `cell`, an int[DIM], its coordinates;
 * the second one without these. */
#define FOR_CELLS(g, tile, c, cell)                                                            \
    for (int first_[DIM], r_ = (X(tile_cell)(g, tile, first_), 0); r_ < TILE_ROWS; r_++)       \
        for (size_t i_ = 0, c = (X(row_cell)(first_, r_, cell), X(index)(g, cell)); i_ < TILE; \
             i_++, c++, cell[0]++)
#define FOR_INDICES(g, tile, c)                                               \
    for (size_t base_ = X(tile_index)(g, tile), r_ = 0; r_ < TILE_ROWS; r_++) \
        for (size_t i_ = 0, c = base_ + X(row_offset)(g, (int)r_); i_ < TILE; i_++, c++)

/* ---- SORT: sort.c, tiles.c */
typedef struct X(flight) X(flight); /* kernels/flight.h */
/* false: nothing has moved since the last time, and nothing is done. The arena is to have 4 bytes
 * for each tile and thread, as much once more for each tile, and tile_scratch for each thread.
 * flight: what particles in free flight are known by, which are put behind the tiles; NULL: none
 * is. */
bool DEV(sort_particles)(X(particles) *p, const X(cell_list) *list, const X(flight) *flight,
                         sp_pool *pool, sp_arena arena);
size_t DEV(sort_scratch)(void);
/* After SORT: the rows of cells of a tile that hold particles, low .. high along y and z. */
void DEV(rows_with_particles)(const X(sim) *s, int tile, int low[3], int high[3]);
void X(list_tiles)(X(tiles) *t, const X(grid) *g); /* from `start`: state and the lists */
/* list_tiles, and cells hold nothing in tiles that are left; again: from another `start`. */
void X(update_tiles)(const X(cell_list) *list, sp_pool *pool, sp_arena arena);
void X(update_tiles_again)(const X(cell_list) *list, sp_pool *pool, sp_arena arena);
/* After it: tiles that are active or border no more; returns how many. */
int X(list_left)(const X(tiles) *t, const X(grid) *g, int *left);
void X(clear_left)(X(sim) *s); /* in these: the arrays that follow the liquid */

/* flight.c: inside SORT, with the particles in `order`; scratch: 4 bytes for each tile. */
X(flight) DEV(flight_of)(const X(sim) *s);
void DEV(set_flying_apart)(X(particles) *p, const X(cell_list) *list, const X(flight) *flight,
                           uint32_t *scratch, sp_pool *pool, sp_arena arena);

/* ---- SOLIDS: solids.c */
void X(update_solids)(X(sim) *s, double dt);
void X(lay_solids)(X(sim) *s); /* the part of it that writes the grid, from the poses as they are */
float X(face_velocity)(const X(sim) *s, const int cell[DIM], int d,
                       double dt); /* of the nearest solid at a face */

/* ---- P2G: p2g.c, p2g_linear.c, p2g_affine.c */
void DEV(particles_to_grid)(X(sim) *s);
/* Inside P2G and SURFACE: adds the sums of a tile's particles, linear kernel, to u and weight if
 * `faces`, and those of their number at the middles of cells to `density` if that is not NULL. The
 * scratch is that of one worker. */
void DEV(p2g_linear)(X(sim) *s, int tile, void *scratch, bool faces, float *density);
/* The same with the particles' gradients, for all faces. */
void DEV(p2g_affine)(X(sim) *s, int tile, void *scratch, float *density);
size_t DEV(affine_scratch)(void);
/* Bytes that a worker needs for what it does with a tile in SORT and P2G; a multiple of 64. */
size_t DEV(tile_scratch)(void);

/* ---- SURFACE: deposit.c */
/* The array that gets the sums of particles at the cell centres: `density`, or phi if there is no
 * density; NULL if nobody needs the sums. */
float *DEV(density_sums)(X(sim) *s);

/* ---- EXTRAPOLATE */
void DEV(extrapolate)(X(sim) *s, double dt);

/* ---- G2P: g2p.c, g2p_field.c, momentum.c */
void DEV(carry_kick)(X(sim) *s, double dt); /* the field that particles read */
void DEV(grid_to_particles)(X(sim) *s, double dt);
uint64_t DEV(count_unsound)(const X(sim) *s, int tile); /* what MOST_SPEED refuses */
size_t DEV(patch_scratch)(void); /* bytes per worker for the patches of a tile: G2P, ADVECT */
/* What G2P hands back, measured in the first step of a frame. */
void DEV(before_transfer)(X(sim) *s, double dt, double momentum[DIM]);
void DEV(after_transfer)(X(sim) *s, double dt, const double momentum[DIM]);
double DEV(max_speed)(X(sim) *s);

/* ---- SEPARATE: push/, density.c */
size_t DEV(push_scratch)(const spate_scene *scene); /* bytes that a worker needs in the arena */
double DEV(push_apart)(X(sim) *s);
int DEV(project_density)(X(sim) *s);

/* ---- ADVECT: advect.c, advect_lanes.c */
/* transfer: with the particles' part of G2P, which needs can_transfer_late. */
spate_status DEV(advect_particles)(X(sim) *s, double dt, bool transfer, spate_error *error);
bool X(can_transfer_late)(const X(sim) *s);
void DEV(advect_set)(X(sim) *s, X(set) *set, double dt); /* of a set, with the fluid */

/* ---- TRACERS: trace.c */
spate_status DEV(trace)(X(sim) *s, double dt, spate_error *error);

/* ---- WHITEWATER: whitewater.c, whitewater_emit.c, band.c */
spate_status DEV(whitewater)(X(sim) *s, double dt, spate_error *error);
/* width: cells, half of it; seeds: scratch, a value for each tile. */
void DEV(make_band)(X(sim) *s, uint32_t *seeds, float width);
/* New ones at the end of the set, with room made for them. */
struct X(obstacles);
spate_status DEV(emit_whitewater)(X(sim) *s, const struct X(obstacles) *obstacles,
                                  spate_error *error);

/* ---- statistics: spacing.c */
void X(measure_spacing)(X(sim) *s, X(census) *census); /* of sorted particles */

#endif
