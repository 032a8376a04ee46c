/* stats.h -- the numbers of a frame, listed once.
 *
 *     STAT(type, name, unit, when, help)
 *
 * spate.h makes struct spate_stats of this list, and everything that shows, saves or sums the
 * numbers goes through it or through its run-time form (spate_stat_info): stats.csv, whose columns
 * have these names in this order, checkpoints, the web page. A new number is one row here and the
 * code that computes it.
 *
 * type: int, uint64_t or double. `when` says how the number comes about:
 *
 *     MADE      from the clock or from other rows, when it is asked for
 *     RUN       counted since the start
 *     FRAME     counted, or the largest, since the start of the frame
 *     MEASURED  from particles and grid as they are; spate_sim_stats only, not spate_sim_progress
 *
 * Amounts are SI; in 2D m^3 is m^2, and what has a mass is per metre of depth. Interior cells are
 * those with particles in all cells around them and no solid near; how full they are is said
 * against particles_per_axis^dim, a cell at rest (8 in 3D with 2 per axis). */
#ifndef SPATE_STATS_H
#define SPATE_STATS_H

/* clang-format off */
#define SPATE_STATS(STAT) \
    STAT(int,      frame,              "",       MADE,     "frames completed") \
    STAT(double,   time,               "s",      MADE,     "time since the start") \
    STAT(int,      substeps,           "",       FRAME,    "steps of the frame") \
    STAT(double,   cfl,                "cells",  FRAME,    "largest CFL number of the frame's steps") \
    STAT(uint64_t, particles,          "",       MEASURED, "particles") \
    STAT(uint64_t, flying,             "",       MEASURED, "of these, in free flight: they touch no liquid") \
    STAT(uint64_t, seeded,             "",       RUN,      "particles at the start") \
    STAT(uint64_t, added,              "",       RUN,      "particles added by inflows, by spate_sim_add_particles and by reseeding") \
    STAT(uint64_t, added_reseed,       "",       RUN,      "of these, by reseeding") \
    STAT(uint64_t, removed,            "",       MADE,     "particles removed, the sum of the five below") \
    STAT(uint64_t, removed_open,       "",       RUN,      "through open sides") \
    STAT(uint64_t, removed_outflow,    "",       RUN,      "in outflows") \
    STAT(uint64_t, removed_crushed,    "",       RUN,      "by closing solids that left no free place") \
    STAT(uint64_t, removed_user,       "",       RUN,      "by spate_sim_remove_particles") \
    STAT(uint64_t, removed_reseed,     "",       RUN,      "by reseeding") \
    STAT(uint64_t, liquid_cells,       "",       MEASURED, "cells that hold particles") \
    STAT(double,   ppc_mean,           "",       MEASURED, "particles per liquid cell") \
    STAT(uint64_t, ppc_max,            "",       MEASURED, "the most particles of a cell") \
    STAT(uint64_t, interior_empty,     "",       MEASURED, "interior cells without a particle") \
    STAT(uint64_t, interior_few,       "",       MEASURED, "interior cells less than 3/8 full (3D: 1, 2)") \
    STAT(uint64_t, interior_low,       "",       MEASURED, "interior cells less than 3/4 full (3D: 3 .. 5)") \
    STAT(uint64_t, interior_good,      "",       MEASURED, "interior cells up to twice full (3D: 6 .. 16)") \
    STAT(uint64_t, interior_crowded,   "",       MEASURED, "interior cells with more") \
    STAT(double,   interior_mean,      "",       MEASURED, "particles per interior cell") \
    STAT(uint64_t, interior_max,       "",       MEASURED, "the most particles of an interior cell") \
    STAT(double,   volume,             "m^3",    MEASURED, "inside the level set, solids excluded (voxel surface: of the liquid cells), and of particles in free flight") \
    STAT(double,   volume_particles,   "m^3",    MEASURED, "particles times their volume") \
    STAT(double,   max_speed,          "m/s",    MEASURED, "of the fastest particle") \
    STAT(double,   momentum_x,         "kg m/s", MEASURED, "momentum along x") \
    STAT(double,   momentum_y,         "kg m/s", MEASURED, "momentum along y") \
    STAT(double,   momentum_z,         "kg m/s", MEASURED, "momentum along z") \
    STAT(double,   kinetic_energy,     "J",      MEASURED, "kinetic energy") \
    STAT(double,   potential_energy,   "J",      MEASURED, "potential energy against the domain corner") \
    STAT(double,   divergence_before,  "",       FRAME,    "max |div u| dt over liquid cells before the solve, largest of the frame") \
    STAT(double,   divergence_after,   "",       FRAME,    "the same after the solve") \
    STAT(int,      solver_iterations,  "",       FRAME,    "of all pressure solves of the frame") \
    STAT(int,      density_iterations, "",       FRAME,    "of all solves of the density projection of the frame") \
    STAT(double,   solver_residual,    "",       FRAME,    "max |r| dt, largest of the frame: share of a cell's volume") \
    STAT(int,      solver_failures,    "",       FRAME,    "solves of the frame that did not converge") \
    STAT(int,      converged,          "",       MADE,     "1 if all solves of the frame converged") \
    STAT(double,   momentum_lost,      "1/s",    FRAME,    "in the first step of the frame: share of the momentum (the sum of its sizes) that particles do not get back from the grid") \
    STAT(double,   slip_p999,          "m/s",    FRAME,    "in the first step of the frame: difference of the liquid's stored velocities from their ways over dt, the 99.9th percentile (to 1/8 of an octave)") \
    STAT(double,   slip_max,           "m/s",    FRAME,    "the same, the largest") \
    STAT(uint64_t, collisions,         "",       FRAME,    "particles stopped at a solid") \
    STAT(uint64_t, long_pushes,        "",       FRAME,    "of these, moved more than half a cell farther than they or the solid went") \
    STAT(uint64_t, in_solid,           "",       MEASURED, "particles inside a solid, by the exact shapes; 0") \
    STAT(double,   separate_energy,    "J",      FRAME,    "potential energy that SEPARATE added by its moves") \
    STAT(double,   min_distance,       "m",      MEASURED, "between any two particles, if below a tenth of the spacing at rest; else the smallest that 4096 or more of them have") \
    STAT(double,   overlaps,           "",       MEASURED, "share of particles, of 4096 or more, that have another one closer than half the separation distance") \
    STAT(uint64_t, spray,              "",       MADE,     "whitewater in the air") \
    STAT(uint64_t, foam,               "",       MADE,     "whitewater on the surface") \
    STAT(uint64_t, bubbles,            "",       MADE,     "whitewater under the surface") \
    STAT(uint64_t, dust,               "",       MADE,     "silt that was stirred up") \
    STAT(uint64_t, whitewater_emitted, "",       MADE,     "whitewater of all classes that came since the start") \
    STAT(uint64_t, whitewater_aged,    "",       MADE,     "and that reached the end of its life") \
    STAT(uint64_t, whitewater_merged,  "",       MADE,     "fell back into the liquid, slowly") \
    STAT(uint64_t, whitewater_left,    "",       MADE,     "left through open sides, outflows and kill zones") \
    STAT(uint64_t, whitewater_crushed, "",       MADE,     "was left no place by solids") \
    STAT(uint64_t, whitewater_thinned, "",       MADE,     "was too much, by whitewater.max_particles") \
    STAT(uint64_t, whitewater_off,     "",       MADE,     "became of a class that is off") \
    STAT(uint64_t, allocations,        "",       RUN,      "memory allocations inside steps") \
    STAT(double,   background_pressure, "Pa",    RUN,      "gas: change of the pressure in the largest room that is closed, since that was closed: moving solids take volume from it or give it some")
/* clang-format on */

#endif
