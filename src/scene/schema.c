/* schema.c -- the one table of settings.
 *
 * Every setting of a scene stands here once: its path in a scene file, its type, default, limits,
 * unit and meaning, and where it is stored. From this table come spate_scene_set and the scene
 * reader, the checks, the text of a resolved scene, `spate help scene` and docs/scene.md. It lists
 * only what works.
 *
 * Settings of one group stand together, and the settings of a list right behind the list:
 * sp_scene_walk relies on it. A setting that one kind of shape cannot do without starts as NaN,
 * "not given". */
#include "schema.h"

#include "timeline.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Limits: `>= POSITIVE` is the same as `> 0`. FAR keeps squares of lengths (m) well inside a
 * double, FAST the velocities and accelerations. */
#define POSITIVE DBL_TRUE_MIN
#define FAR 1e9
#define FAST 1e6
#define SEED_MAX 9007199254740991.0 /* 2^53 - 1: JSON numbers are doubles */

#define KIND(k) (1u << SPATE_SHAPE_##k)
#define ANY 0u /* every kind, and whatever is no shape */
#define PLACED \
    (KIND(BOX) | KIND(SPHERE) | KIND(CAPSULE) | KIND(CYLINDER) | KIND(PLANE) | KIND(MESH))

#define SCALAR(path, name, kind, owner, field, text, value, low, high, unit, used, help) \
    {                                                                                    \
        .setting = {path, name, text, unit, low, high, "", help}, .type = kind,          \
        .offset = offsetof(owner, field), .initial = {value}, .kinds = used              \
    }
#define NUMBER(path, owner, field, value, low, high, unit, help) \
    SCALAR(path, "number", SP_NUMBER, owner, field, #value, value, low, high, unit, ANY, help)
#define INTEGER(path, owner, field, value, low, high, unit, help) \
    SCALAR(path, "integer", SP_INTEGER, owner, field, #value, value, low, high, unit, ANY, help)
#define BOOL(path, owner, field, value, used, help) \
    SCALAR(path, "bool", SP_BOOL, owner, field, #value, value, 0, 1, "", used, help)
#define STRING(path, owner, field, value, used, help)                                             \
    {                                                                                             \
        .setting = {path, "string", value, "", -INFINITY, INFINITY, "", help}, .type = SP_STRING, \
        .offset = offsetof(owner, field), .size = (int)sizeof(((owner *)0)->field), .kinds = used \
    }
#define ENUM(path, owner, field, value, names, help)                                      \
    {                                                                                     \
        .setting = {path, "enum", "\"" value "\"", "", -INFINITY, INFINITY, names, help}, \
        .type = SP_ENUM, .offset = offsetof(owner, field)                                 \
    }
#define SIDE(path, axis, end, flat, help)                                                    \
    {                                                                                        \
        .setting =                                                                           \
            {path, "enum", "\"wall\"", "", -INFINITY, INFINITY, "wall|open|periodic", help}, \
        .type = SP_ENUM, .offset = offsetof(spate_scene, domain.sides[axis][end]),           \
        .only_3d = !(flat)                                                                   \
    }
#define WALL_NAMES "slip|no_slip|rough"
#define WALL(path, axis, end, flat, help)                                                 \
    {                                                                                     \
        .setting = {path, "enum", "\"slip\"", "", -INFINITY, INFINITY, WALL_NAMES, help}, \
        .type = SP_ENUM, .offset = offsetof(spate_scene, domain.wall[axis][end]),         \
        .only_3d = !(flat)                                                                \
    }
#define ROUGHNESS(path, axis, end, flat, help)                                           \
    {                                                                                    \
        .setting = {path, "number", "0", "m", 0, FAR, "", help}, .type = SP_NUMBER,      \
        .offset = offsetof(spate_scene, domain.roughness[axis][end]), .only_3d = !(flat) \
    }
#define VECTOR(path, name, kind, owner, field, text, y, bound, unit, used, help)      \
    {                                                                                 \
        .setting = {path, name, text, unit, -(bound), bound, "", help}, .type = kind, \
        .offset = offsetof(owner, field), .initial = {0, y, 0}, .kinds = used         \
    }
#define ZEROS(path, owner, field, bound, unit, used, help) \
    VECTOR(path, "vector", SP_VECTOR, owner, field, "[0, 0, 0]", 0, bound, unit, used, help)
#define ROTATION(path, owner, field, used, help) \
    VECTOR(path, "rotation", SP_ROTATION, owner, field, "[0, 0, 0]", 0, 1e6, "degrees", used, help)
#define LIST(path, owner, field, items, most, help)                              \
    {                                                                            \
        .setting = {path, "list", "[]", "", 0, most, "", help}, .type = SP_LIST, \
        .offset = offsetof(owner, field), .item = items                          \
    }

/* Settings of shapes that start as "not given". */
#define NEEDED(path, name, kind, field, lowest, unit_name, used, text)                     \
    {                                                                                      \
        .setting = {path, name, "", unit_name, lowest, FAR, "", text}, .type = kind,       \
        .offset = offsetof(spate_shape, field), .initial = {NAN, NAN, NAN}, .kinds = used, \
        .needed = true                                                                     \
    }
#define POINT(path, field, used, help) \
    NEEDED(path, "vector", SP_VECTOR, field, -FAR, "m", used, help)

/* Settings of gauges that start as "not given"; check_gauges.c knows which kind needs which. */
#define GAUGE_POINT(path, field, text)                                                     \
    {                                                                                      \
        .setting = {path, "vector", "", "m", -FAR, FAR, "", text}, .type = SP_VECTOR,      \
        .offset = offsetof(spate_gauge, field), .initial = {NAN, NAN, NAN}, .needed = true \
    }

#define ROUND_KINDS (KIND(SPHERE) | KIND(CAPSULE) | KIND(CYLINDER))
#define AXIS_KINDS (KIND(CAPSULE) | KIND(CYLINDER))

/* A shape that stands several times in its list. */
#define REPEAT_ROWS(list)                                                    \
    INTEGER(list ".repeat.count", spate_shape, repeat.count, 1, 1, 4096, "", \
            "how many there are, the shape itself included"),                \
        ZEROS(list ".repeat.step", spate_shape, repeat.step, FAR, "m", ANY,  \
              "from each to the next")
#define START_ROW(list, help) NUMBER(list ".start", spate_shape, start, 0, 0, FAR, "s", help)
#define UNTIL_ROW(list) \
    NUMBER(list ".until", spate_shape, until, 0, 0, FAR, "s", "when it closes; 0: never")

/* What all shapes have. `list` is "solids[]", `names` its kinds, `files` those that come from a
 * file. */
#define PLACE_ROWS(list, names, files, from_file)                                                  \
    STRING(list ".name", spate_shape, name, "\"\"", ANY,                                           \
           "for messages; no two shapes may share one"),                                           \
        ENUM(list ".shape", spate_shape, shape, "box", names, "which kind of shape"),              \
        POINT(list ".min", min, KIND(BOX), "box: the lower corner"),                               \
        POINT(list ".max", max, KIND(BOX), "box: the upper corner"),                               \
        POINT(list ".center", center, KIND(SPHERE), "sphere (2D: disc): its centre"),              \
        NEEDED(list ".radius", "number", SP_NUMBER, radius, POSITIVE, "m", ROUND_KINDS,            \
               "sphere, capsule, cylinder: the radius"),                                           \
        POINT(list ".from", from, AXIS_KINDS,                                                      \
              "capsule, cylinder (2D: rectangle about a line): one end of the axis"),              \
        POINT(list ".to", to, AXIS_KINDS, "capsule, cylinder: the other end of the axis"),         \
        POINT(list ".point", point, KIND(PLANE),                                                   \
              "plane: any point on it; the shape is the half space behind the plane"),             \
        NEEDED(list ".normal", "vector", SP_VECTOR, normal, -FAR, "", KIND(PLANE),                 \
               "plane: the direction it faces, of any length but 0"),                              \
        STRING(list ".file", spate_shape, file, "", files, from_file),                             \
        SCALAR(list ".scale", "number", SP_NUMBER, spate_shape, scale, "1", 1, POSITIVE, FAR, "m", \
               KIND(MESH), "mesh: metres per unit of the file"),                                   \
        ZEROS(list ".position", spate_shape, position, FAR, "m", KIND(MESH),                       \
              "mesh: where the origin of the file goes"),                                          \
        ROTATION(list ".rotation", spate_shape, rotation, PLACED,                                  \
                 "about the shape's centre (a mesh: the origin of its file), by x, then y, then "  \
                 "z; 2D: one number"),                                                             \
        BOOL(list ".invert", spate_shape, invert, false, PLACED,                                   \
             "true: everything outside the shape instead of inside"),                              \
        REPEAT_ROWS(list)

/* Values of channels, of what is in a shape or of what a source does. */
#define VALUE(path, field, lowest, unit_name, text)                                           \
    {                                                                                         \
        .setting = {path, "number", "", unit_name, lowest, 1e6, "", text}, .type = SP_NUMBER, \
        .offset = offsetof(spate_shape, field), .initial = {NAN}, .needed = true              \
    }
#define VALUE_ROWS(list, least, smoke_unit, heat_unit, of)                                         \
    VALUE(list ".smoke", smoke, least, smoke_unit, of),                                            \
        VALUE(list ".temperature", temperature, least, heat_unit, of),                             \
        LIST(list ".channels", spate_shape, values, SP_ITEM_VALUE, 16,                             \
             "the same of other channels"),                                                        \
        STRING(list ".channels[].name", spate_channel_value, name, "\"\"", ANY, "of the channel"), \
    {                                                                                              \
        .setting = {list ".channels[].value",                                                      \
                    "vector",                                                                      \
                    "[0]",                                                                         \
                    "",                                                                            \
                    -1e30,                                                                         \
                    1e30,                                                                          \
                    "",                                                                            \
                    "as many numbers as the channel has components"},                              \
        .type = SP_VECTOR, .offset = offsetof(spate_channel_value, value), .size = 4,              \
        .parts = SP_PARTS_VALUE                                                                    \
    }
#define CONTENT_ROWS(list) \
    VALUE_ROWS(list, 0, "kg/m^3", "K", "of what is in it; not given: none, and fluid.temperature")

#define SOLID_NAMES "box|sphere|capsule|cylinder|plane|mesh"
#define MESH_FILE "mesh (3D): a closed mesh, OBJ, STL or PLY, relative to the folder of the scene"

static const sp_row rows[] = {
    STRING("name", spate_scene, name, "\"untitled\"", ANY, "a title, for people"),
    {.setting = {"domain.size", "vector", "", "m", 1e-6, 1e6, "",
                 "size of the box of the simulation; two numbers make a 2D scene, three a 3D one"},
     .type = SP_VECTOR,
     .offset = offsetof(spate_scene, domain.size)},
    INTEGER(
        "domain.cells", spate_scene, domain.cells, 64, 1, 16384, "",
        "cells along the longest side; a wall may stand between two faces of cells, a periodic side not"),
    NUMBER("domain.cell_size", spate_scene, domain.cell_size, 0, 0, 1e6, "m",
           "size of a cell, instead of `cells`; 0: from `cells`"),
    SIDE("domain.sides.left", 0, 0, true,
         "the side at low x: `open` lets liquid leave, `periodic` comes in pairs"),
    SIDE("domain.sides.right", 0, 1, true, "the side at high x"),
    SIDE("domain.sides.bottom", 1, 0, true, "the side at low y"),
    SIDE("domain.sides.top", 1, 1, true, "the side at high y"),
    SIDE("domain.sides.back", 2, 0, false, "the side at low z (3D)"),
    SIDE("domain.sides.front", 2, 1, false, "the side at high z (3D)"),
    WALL(
        "domain.wall.left", 0, 0, true,
        "how a side that is a wall drags: `rough` by the log law, `no_slip` holds a layer of a cell"),
    WALL("domain.wall.right", 0, 1, true, "the same of the side at high x"),
    WALL("domain.wall.bottom", 1, 0, true, "the same of the side at low y"),
    WALL("domain.wall.top", 1, 1, true, "the same of the side at high y"),
    WALL("domain.wall.back", 2, 0, false, "the same of the side at low z (3D)"),
    WALL("domain.wall.front", 2, 1, false, "the same of the side at high z (3D)"),
    ROUGHNESS("domain.roughness.left", 0, 0, true,
              "of a rough wall: sand roughness k_s, about 2.5 times the grains on it"),
    ROUGHNESS("domain.roughness.right", 0, 1, true, "the same of the side at high x"),
    ROUGHNESS("domain.roughness.bottom", 1, 0, true, "the same of the side at low y"),
    ROUGHNESS("domain.roughness.top", 1, 1, true, "the same of the side at high y"),
    ROUGHNESS("domain.roughness.back", 2, 0, false, "the same of the side at low z (3D)"),
    ROUGHNESS("domain.roughness.front", 2, 1, false, "the same of the side at high z (3D)"),
    INTEGER("frames", spate_scene, frames, 120, 0, 1000000, "", "how many frames to simulate"),
    NUMBER("fps", spate_scene, fps, 30, 1e-6, 1e6, "1/s", "frames per second"),
    VECTOR("gravity", "vector", SP_VECTOR, spate_scene, gravity, "[0, -9.81, 0]", -9.81, FAST,
           "m/s^2", ANY, "acceleration of everything"),

    ENUM("fluid.kind", spate_scene, fluid.kind, "liquid", "liquid|gas",
         "a liquid ends at a surface; a gas fills all that is open, and rises where it is warm"),
    INTEGER("fluid.particles_per_axis", spate_scene, fluid.particles_per_axis, 0, 0, 16, "",
            "particles along each axis of a cell: 2 gives 4 per cell in 2D, 8 in 3D; 0: 2, of a "
            "gas in 2D 3"),
    NUMBER("fluid.jitter", spate_scene, fluid.jitter, 0.5, 0, 1, "",
           "placing of new particles: 0 a lattice .. 1 anywhere in their share of the cell"),
    SCALAR("fluid.seed", "integer", SP_SEED, spate_scene, fluid.seed, "1", 1, 0, SEED_MAX, "", ANY,
           "of the jitter; another number gives another placing"),
    NUMBER("fluid.temperature", spate_scene, fluid.temperature, 293.15, POSITIVE, 1e6, "K",
           "at the start, and of what flows in"),
    NUMBER("fluid.expansion", spate_scene, fluid.expansion, 0, 0, 1, "1/K",
           "how much lighter a kelvin makes it; 0: of a gas 1 / temperature, of a liquid nothing"),
    NUMBER("fluid.density", spate_scene, fluid.density, 0, 0, 1e6, "kg/m^3",
           "mass per volume; 0: 1000, of a gas 1.2"),
    ENUM(
        "fluid.transfer", spate_scene, fluid.transfer, "auto", "flip|pic|apic|aflip|auto",
        "how velocities go between particles and grid; apic, aflip: with gradients; auto: flip, of a gas aflip"),
    NUMBER(
        "fluid.flip_ratio", spate_scene, fluid.flip_ratio, 0.97, 0, 1, "",
        "flip, aflip: share of FLIP in a step of flip_step, 0 PIC (calm) .. 1 pure FLIP (lively, noisy)"),
    NUMBER(
        "fluid.flip_step", spate_scene, fluid.flip_step, 0.01, 0, 1e3, "s",
        "flip, aflip: step that flip_ratio is meant for, shorter ones damp less; 0: the share of every step"),
    ENUM("fluid.kernel", spate_scene, fluid.kernel, "linear", "linear|quadratic|cubic",
         "shape of the transfer weights: wider is smoother and slower"),
    ENUM("fluid.kernel_to_grid", spate_scene, fluid.kernel_to_grid, "same",
         "same|linear|quadratic|cubic",
         "weights from the particles to the grid, if not the same as those of the way back"),
    BOOL("fluid.free_flight", spate_scene, fluid.free_flight, true, ANY,
         "particles that touch no liquid obey gravity alone; false: the grid moves them too"),
    BOOL("fluid.reseed", spate_scene, fluid.reseed, false, ANY,
         "add and remove particles where cells hold too few or too many; of a liquid only inside"),
    INTEGER("fluid.reseed_min", spate_scene, fluid.reseed_min, 0, 0, 4096, "",
            "reseed: cells with fewer particles are filled up; 0: 3/8 of a full cell"),
    INTEGER("fluid.reseed_max", spate_scene, fluid.reseed_max, 0, 0, 65536, "",
            "reseed: cells with more particles are thinned; 0: 3/2 of a full cell"),

    NUMBER("time.cfl", spate_scene, time.cfl, 0, 0, 100, "cells",
           "how far the fastest fluid may move in a step; 0: 2, of a gas 1"),
    NUMBER("time.dt", spate_scene, time.dt, 0, 0, 1e6, "s",
           "longest step, a frame being split evenly; 0: from `cfl`"),
    INTEGER("time.min_substeps", spate_scene, time.min_substeps, 1, 1, 1000000, "",
            "fewest steps per frame"),
    INTEGER("time.max_substeps", spate_scene, time.max_substeps, 64, 1, 1000000, "",
            "most steps per frame; beyond it steps get longer than `cfl` asks for"),
    ENUM("time.advection", spate_scene, time.advection, "rk3", "euler|rk2|rk3|rk4",
         "how particles follow the flow: the order of the integrator"),

    ENUM("pressure.solver", spate_scene, pressure.solver, "multigrid",
         "multigrid|pcg|gauss_seidel|jacobi",
         "how the pressure is found; to jacobi and gauss_seidel `max_iterations` is a budget"),
    ENUM("pressure.solids", spate_scene, pressure.solids, "cut", "cut|voxel",
         "cut: solids cut cells where they are; voxel: a cell is solid or not"),
    ENUM("pressure.surface", spate_scene, pressure.surface, "ghost", "ghost|voxel",
         "ghost: p = 0 where the surface is; voxel: p = 0 in cells without particles"),
    NUMBER("pressure.tolerance", spate_scene, pressure.tolerance, 1e-4, 1e-12, 1, "",
           "share of a cell's volume that may be lost in a step"),
    INTEGER("pressure.max_iterations", spate_scene, pressure.max_iterations, 1000, 1, 1000000, "",
            "most iterations of a solve"),
    NUMBER("pressure.relaxation", spate_scene, pressure.relaxation, 0, 0, 1.99, "",
           "weight of jacobi, over-relaxation of gauss_seidel; 0: 0.8 and 1.7"),
    ENUM("pressure.on_failure", spate_scene, pressure.on_failure, "warn", "warn|error",
         "jacobi and gauss_seidel that reach `max_iterations`: go on, or stop"),
    BOOL("pressure.warm_start", spate_scene, pressure.warm_start, true, ANY,
         "start from the pressure of the last step; false: from zero"),
    BOOL("pressure.fixed_iterations", spate_scene, pressure.fixed_iterations, false, ANY,
         "jacobi and gauss_seidel: do `max_iterations` whatever the residual"),
    BOOL("pressure.contact", spate_scene, pressure.contact, true, ANY,
         "water may separate from walls that air can reach; false: suction holds it"),

    ENUM("volume.method", spate_scene, volume.method, "auto", "none|push|density|both|shift|auto",
         "what spreads particles: push-apart, density projection, both; in a gas shift; auto: "
         "density, of a gas shift"),
    NUMBER("volume.separation", spate_scene, volume.separation, 0.9, 0, 1, "",
           "push: distance that pairs are moved apart to, in particle spacings (dx / "
           "particles_per_axis)"),

    BOOL(
        "whitewater.on", spate_scene, whitewater.on, false, ANY,
        "foam, spray and bubbles, made where the liquid breaks, carried by it and never acting on it"),
    NUMBER(
        "whitewater.spacing", spate_scene, whitewater.spacing, 0, 0, FAR, "m",
        "how fine it is: half of it gives eight times as many particles (2D: four); 0: half a cell"),
    NUMBER(
        "whitewater.detail", spate_scene, whitewater.detail, 0, 0, FAR, "m",
        "size of the crests and swirls that make it: larger gives calm patches; 2, 4, 6 or 8 cells; 0: 4 spacings"),
    NUMBER(
        "whitewater.rate", spate_scene, whitewater.rate, 8, 0, 1e6, "1/s",
        "how much of it: where the liquid is at its wildest, grains made in a second for each grain's room"),
    NUMBER("whitewater.crest", spate_scene, whitewater.crest, 0.5, 0, 1e3, "",
           "share of breaking crests and of tips of splashes; 0: none from there"),
    NUMBER("whitewater.air", spate_scene, whitewater.air, 1, 0, 1e3, "",
           "share of air that is beaten in, where streams meet and shear; 0: none from there"),
    NUMBER("whitewater.speed_low", spate_scene, whitewater.speed_low, 0.2, 0, FAST, "m/s",
           "slower liquid makes none"),
    NUMBER("whitewater.speed_high", spate_scene, whitewater.speed_high, 3, 0, FAST, "m/s",
           "faster liquid makes no more; its whitewater lives longest"),
    NUMBER("whitewater.curvature_low", spate_scene, whitewater.curvature_low, 0.4, 0, 1e3, "",
           "crests that are rounder, curvature times detail, make none"),
    NUMBER("whitewater.curvature_high", spate_scene, whitewater.curvature_high, 1, 0, 1e3, "",
           "sharper crests make no more"),
    NUMBER(
        "whitewater.strain_low", spate_scene, whitewater.strain_low, 15, 0, 1e6, "1/s",
        "where streams meet or shear less, no air is beaten in; `spate run` ends with what the cells had"),
    NUMBER("whitewater.strain_high", spate_scene, whitewater.strain_high, 40, 0, 1e6, "1/s",
           "beyond it there is no more"),
    NUMBER("whitewater.life_min", spate_scene, whitewater.life_min, 0.5, 0, 1e6, "s",
           "age that whitewater of slow liquid gets"),
    NUMBER("whitewater.life_max", spate_scene, whitewater.life_max, 6, 0, 1e6, "s",
           "age that whitewater of fast liquid gets: trails of foam grow longer with it"),
    NUMBER("whitewater.radius_min", spate_scene, whitewater.radius_min, 0.0002, 1e-5, 1, "m",
           "of the smallest drops and bubbles: they hang in the air and in the water like a mist"),
    NUMBER("whitewater.radius_max", spate_scene, whitewater.radius_max, 0.003, 1e-5, 1, "m",
           "of the largest: they fall and rise quickly"),
    NUMBER("whitewater.margin", spate_scene, whitewater.margin, 0, 0, FAR, "m",
           "none is made nearer to walls and solids"),
    INTEGER("whitewater.max_particles", spate_scene, whitewater.max_particles, 10000000, 1,
            2000000000, "", "the most there may be; beyond it all are thinned evenly"),
    SCALAR("whitewater.seed", "integer", SP_SEED, spate_scene, whitewater.seed, "1", 1, 0, SEED_MAX,
           "", ANY, "another number gives other grains of the same whitewater"),
    ZEROS("whitewater.wind", spate_scene, whitewater.wind, FAST, "m/s", ANY,
          "velocity of the air: it carries spray away, the smaller the drops the more"),
    BOOL("whitewater.spray.on", spate_scene, whitewater.spray.on, true, ANY, "drops in the air"),
    NUMBER("whitewater.spray.ageing", spate_scene, whitewater.spray.ageing, 0.2, 0, 1e3, "",
           "how fast spray ages, against the clock; 0: it lives until it falls back"),
    NUMBER("whitewater.spray.drag", spate_scene, whitewater.spray.drag, 1, 0, 1e3, "",
           "of the air, against that of real drops: more gives a slow mist, 0 flies like stones"),
    BOOL("whitewater.foam.on", spate_scene, whitewater.foam.on, true, ANY,
         "what floats on the surface"),
    NUMBER("whitewater.foam.ageing", spate_scene, whitewater.foam.ageing, 1, 0, 1e3, "",
           "how fast foam ages, against the clock; crowded foam ages down to a tenth of that"),
    NUMBER(
        "whitewater.foam.adhesion", spate_scene, whitewater.foam.adhesion, 0.05, 1e-4, 1e3, "s",
        "time in which foam comes to the surface: shorter clings, longer lets it lag behind in steep waves"),
    NUMBER(
        "whitewater.foam.crowd_low", spate_scene, whitewater.foam.crowd_low, 20, 0, 1e6, "",
        "grains in a cube of two spacings (2D: a third) from which foam keeps itself: streaks last"),
    NUMBER("whitewater.foam.crowd_high", spate_scene, whitewater.foam.crowd_high, 45, 0, 1e6, "",
           "from which it ages slowest"),
    BOOL("whitewater.bubbles.on", spate_scene, whitewater.bubbles.on, true, ANY,
         "what is under water"),
    NUMBER("whitewater.bubbles.ageing", spate_scene, whitewater.bubbles.ageing, 0.25, 0, 1e3, "",
           "how fast bubbles age, against the clock"),
    NUMBER("whitewater.bubbles.drag", spate_scene, whitewater.bubbles.drag, 1, 0, 1e3, "",
           "of the water, against that of real bubbles: more follows every swirl, less overshoots"),
    NUMBER(
        "whitewater.bubbles.buoyancy", spate_scene, whitewater.bubbles.buoyancy, 1, -1e3, 1e3, "",
        "speed at which bubbles rise, against that of real ones of their size; 0: they stay in the water"),
    BOOL("whitewater.dust.on", spate_scene, whitewater.dust.on, false, ANY,
         "silt that fast water stirs up from the floor"),
    NUMBER("whitewater.dust.rate", spate_scene, whitewater.dust.rate, 4, 0, 1e6, "1/s",
           "how much of it, as `whitewater.rate`"),
    NUMBER("whitewater.dust.ageing", spate_scene, whitewater.dust.ageing, 1, 0, 1e3, "",
           "how fast dust ages, against the clock"),
    NUMBER("whitewater.dust.speed_low", spate_scene, whitewater.dust.speed_low, 0.3, 0, FAST, "m/s",
           "slower water beside the floor stirs none"),
    NUMBER("whitewater.dust.speed_high", spate_scene, whitewater.dust.speed_high, 2, 0, FAST, "m/s",
           "faster water stirs no more"),
    NUMBER("whitewater.dust.size", spate_scene, whitewater.dust.size, 0.0001, 1e-6, 0.1, "m",
           "of its grains: coarse ones settle at once, fine ones cloud the water"),
    LIST("whitewater.kill", spate_scene, whitewater.kill, SP_ITEM_SHAPE, 4096,
         "shapes that remove the whitewater in them, and leave the liquid"),
    PLACE_ROWS("whitewater.kill[]", SOLID_NAMES, KIND(MESH), MESH_FILE),

    LIST("fill", spate_scene, fill, SP_ITEM_SHAPE, 4096, "shapes filled with liquid at the start"),
    PLACE_ROWS(
        "fill[]", SOLID_NAMES "|particles", KIND(MESH) | KIND(PARTICLES),
        "mesh (3D): a closed mesh, OBJ, STL or PLY; particles: a PLY; relative to the folder of the scene"),
    ZEROS("fill[].velocity", spate_shape, velocity, FAST, "m/s", PLACED,
          "of the liquid at the start"),
    START_ROW("fill[]", "when it appears; cells that hold liquid then get only what they lack"),
    ENUM("fill[].sampling", spate_shape, sampling, "cells",
         "cells|grid|jittered_grid|random|blue_noise",
         "cells: by particles_per_axis; else `count` particles in a box, wherever the cells are"),
    INTEGER("fill[].count", spate_shape, count, 0, 0, 1000000000, "",
            "particles; grid, jittered_grid: rounded up to a whole number along each axis"),
    NUMBER("fill[].jitter", spate_shape, jitter, 0, 0, 1, "",
           "jittered_grid: how far they stray, of the box's size / particles along it"),
    SCALAR("fill[].seed", "integer", SP_SEED, spate_shape, seed, "1", 1, 0, SEED_MAX, "", ANY,
           "jittered_grid, random, blue_noise: another number gives another placing"),
    INTEGER("fill[].candidates", spate_shape, candidates, 30, 1, 1000, "",
            "blue_noise: places tried around each particle"),
    ENUM("fill[].initial.kind", spate_shape, initial.kind, "uniform",
         "uniform|rotation|shear|standing_wave|solitary_wave",
         "a formula for its velocity, beside `velocity`"),
    ZEROS("fill[].initial.center", spate_shape, initial.center, FAR, "m", ANY,
          "rotation, shear: where nothing moves; waves: below a crest, on the bed"),
    VECTOR("fill[].initial.spin", "rotation", SP_ROTATION, spate_shape, initial.spin, "[0, 0, 0]",
           0, FAST, "rad/s", ANY, "rotation: rate about each axis; 2D: one number"),
    NUMBER("fill[].initial.length", spate_shape, initial.length, 0, 0, FAR, "m",
           "shear: height over `center` at which it is `velocity`; standing wave: its length"),
    NUMBER("fill[].initial.height", spate_shape, initial.height, 0, 0, FAR, "m",
           "waves: of the crest over the water at rest"),
    NUMBER("fill[].initial.depth", spate_shape, initial.depth, 0, 0, FAR, "m",
           "waves: of the water at rest"),
    CONTENT_ROWS("fill[]"),

    LIST("solids", spate_scene, solids, SP_ITEM_SHAPE, 4096, "obstacles"),
    PLACE_ROWS("solids[]", SOLID_NAMES, KIND(MESH), MESH_FILE),
    ZEROS("solids[].velocity", spate_shape, velocity, FAST, "m/s", PLACED,
          "the solid drifts with it, on top of its motion"),
    ENUM("solids[].wall", spate_shape, wall, "slip", WALL_NAMES,
         "how it drags: `rough` by the log law, `no_slip` holds a layer of a cell"),
    NUMBER("solids[].roughness", spate_shape, roughness, 0, 0, FAR, "m",
           "of a rough wall: sand roughness k_s, about 2.5 times the grains on it"),
    NUMBER("solids[].whitewater", spate_shape, whitewater, 1, 0, 1e3, "",
           "how much whitewater comes beside it, a factor; 0: none within `whitewater.detail`"),
    LIST("solids[].motion", spate_shape, motion, SP_ITEM_KEYFRAME, 100000,
         "keyframes in order of time; at rest before the first and after the last"),
    NUMBER("solids[].motion[].time", spate_keyframe, time, 0, -FAR, FAR, "s",
           "when the solid is there"),
    ZEROS("solids[].motion[].position", spate_keyframe, position, FAR, "m", ANY,
          "displacement from where the shape was placed"),
    ROTATION("solids[].motion[].rotation", spate_keyframe, rotation, ANY,
             "on top of the shape's own rotation; 2D: one number; less than 180 between keys"),

    LIST("inflows", spate_scene, inflows, SP_ITEM_SHAPE, 4096, "shapes kept full of new liquid"),
    PLACE_ROWS("inflows[]", SOLID_NAMES, KIND(MESH), MESH_FILE),
    ZEROS("inflows[].velocity", spate_shape, velocity, FAST, "m/s", PLACED,
          "of the liquid it emits"),
    START_ROW("inflows[]", "when it opens"),
    UNTIL_ROW("inflows[]"),
    NUMBER("inflows[].flow", spate_shape, flow, 0, 0, FAST, "m^3/s (2D: m^2/s)",
           "how much it gives, in the direction of `velocity`, whose size follows; 0: by velocity"),
    CONTENT_ROWS("inflows[]"),

    LIST("outflows", spate_scene, outflows, SP_ITEM_SHAPE, 4096,
         "shapes that remove the liquid in them"),
    PLACE_ROWS("outflows[]", SOLID_NAMES, KIND(MESH), MESH_FILE),
    START_ROW("outflows[]", "when it opens"),
    UNTIL_ROW("outflows[]"),
    NUMBER("outflows[].level", spate_shape, level, 0, 0, FAR, "m",
           "takes only what stands above this height over the bottom of the domain; 0: everything"),

    LIST("sources", spate_scene, sources, SP_ITEM_SHAPE, 4096,
         "shapes in which channels are held or fed: a fire, a chimney, a dye"),
    PLACE_ROWS("sources[]", SOLID_NAMES, KIND(MESH), MESH_FILE),
    START_ROW("sources[]", "when it begins"),
    UNTIL_ROW("sources[]"),
    ENUM("sources[].mode", spate_shape, mode, "hold", "hold|rate",
         "hold: what is in it has the values; rate: it gains them per second"),
    VALUE_ROWS("sources[]", -1e6, "kg/m^3 (rate: per second)", "K (rate: K/s)",
               "that it holds or gives; not given: it leaves it alone"),

    LIST("tracers", spate_scene, tracers, SP_ITEM_SHAPE, 4096,
         "shapes in which points begin that the fluid carries: dye, path lines"),
    PLACE_ROWS("tracers[]", SOLID_NAMES, KIND(MESH), MESH_FILE),
    NUMBER("tracers[].spacing", spate_shape, spacing, 0, 0, FAR, "m",
           "how far the points are apart; 0: half a cell"),
    NUMBER("tracers[].rate", spate_shape, rate, 0, 0, 1e6, "1/s",
           "how often the shape is filled, each point at moments of its own; 0: once"),
    START_ROW("tracers[]", "when it is filled, or begins to be"),
    UNTIL_ROW("tracers[]"),
    NUMBER("tracers[].life", spate_shape, life, 0, 0, FAR, "s",
           "after which a point is gone; 0: never"),

    LIST("gauges", spate_scene, gauges, SP_ITEM_GAUGE, 1024,
         "instruments, read at every step into gauges.csv"),
    STRING("gauges[].name", spate_gauge, name, "\"\"", ANY,
           "of its columns in gauges.csv; empty: gauges[0], gauges[1], ..."),
    ENUM(
        "gauges[].kind", spate_gauge, kind, "height",
        "height|pressure|velocity|flux|force|moment|front|slice|channel",
        "what it measures: m, Pa, m/s, m^3/s, N, N m, m; slice: files of a plane; channel: its own "
        "unit"),
    GAUGE_POINT("gauges[].at", at,
                "height: the foot of the column of liquid; pressure, velocity, channel: where; "
                "moment: about it"),
    STRING("gauges[].channel", spate_gauge, channel, "\"\"", ANY,
           "channel: which one; flux: what is carried through, instead of the fluid"),
    NUMBER("gauges[].radius", spate_gauge, radius, 0, 0, FAR, "m",
           "pressure, channel: of the footprint that the mean is taken over; 0: a point"),
    GAUGE_POINT("gauges[].min", min,
                "flux, slice: lower corner of a rectangle (2D: end of a line); front: of its box, "
                "else the domain"),
    GAUGE_POINT("gauges[].max", max,
                "the upper corner; flux, slice: equal to min along the axis across the rectangle"),
    STRING("gauges[].solid", spate_gauge, solid, "\"\"", ANY,
           "force, moment: on the solid of this name, or solids[0], solids[1], ..."),
    ENUM("gauges[].axis", spate_gauge, axis, "x", "x|-x|y|-y|z|-z",
         "front: the way that it goes, across gravity"),
    NUMBER("gauges[].depth", spate_gauge, depth, 0, 0, FAR, "m",
           "front: the foremost place at which the liquid is this deep; 0: a cell"),

    LIST("keyframes", spate_scene, keyframes, SP_ITEM_KEY, 100000,
         "settings that change while it runs: linear between the keys of one setting, in order"),
    STRING("keyframes[].setting", spate_key, setting, "\"\"", ANY,
           "gravity, fluid.flip_ratio, domain.roughness.<side>, inflows[k].velocity or .flow, "
           "sources[k].smoke"),
    NUMBER("keyframes[].time", spate_key, time, 0, 0, FAR, "s", "when it has that value"),
    {.setting = {"keyframes[].value", "vector", "[0, 0, 0]", "", -FAR, FAR, "",
                 "in the unit of the setting, and as many numbers as it has"},
     .type = SP_VECTOR,
     .offset = offsetof(spate_key, value),
     .size = 3,
     .parts = SP_PARTS_KEY},

    LIST("channels", spate_scene, channels, SP_ITEM_CHANNEL, 16,
         "quantities that particles carry, written with them"),
    STRING(
        "channels[].name", spate_channel, name, "", ANY,
        "letters, digits and _; `age` (s) and `source` (which fill or inflow) are kept up to date by spate"),
    INTEGER("channels[].components", spate_channel, components, 1, 1, 4, "",
            "how many numbers it has"),
    /* sums of it over the particles of a cell are float32, too */
    {.setting = {"channels[].initial", "vector", "[0, 0, 0, 0]", "", -1e30, 1e30, "",
                 "value of new particles, one number per component; those not given are 0"},
     .type = SP_VECTOR,
     .offset = offsetof(spate_channel, initial),
     .size = 4,
     .parts = SP_PARTS_CHANNEL},
    ENUM("channels[].transfer", spate_channel, transfer, "auto", "none|pic|flip|auto",
         "none: carried; pic: averaged over the grid; flip: takes its change; auto: none, in a gas "
         "flip"),
    NUMBER("channels[].pic_time", spate_channel, pic_time, 0, 0, FAR, "s",
           "flip: in which it mixes as with pic; 0: never"),
    NUMBER("channels[].dissipation", spate_channel, dissipation, 0, 0, FAR, "s",
           "in which it falls to 1/e by itself; 0: never"),
    BOOL("channels[].pic", spate_channel, pic, false, ANY, "true: the same as `transfer` pic"),

    ENUM("output.particles", spate_scene, output.particles, "auto", "ply|vtk|usd|none|auto",
         "format of the particle files; render, mesh and export read `ply`; auto: ply, of a gas "
         "none"),
    ENUM("output.volume", spate_scene, output.volume, "auto", "none|vdb|vtk|auto",
         "format of the fields on a grid: level set, velocity; vdb: 3D only; auto: none, of a gas "
         "vtk"),
    ENUM("output.mesh", spate_scene, output.mesh, "none", "none|ply",
         "format of the files of the liquid's surface (2D: its outline)"),
    INTEGER("output.mesh_resolution", spate_scene, output.mesh_resolution, 2, 1, 4, "",
            "of the surface: cells of its lattice along a cell; more is finer and slower"),
    NUMBER("output.mesh_gap", spate_scene, output.mesh_gap, 0, 0, 0.1, "cells",
           "that the surface keeps from solids and walls: a hair, for liquid in glass"),
    STRING("output.attributes", spate_scene, output.attributes, "\"velocity id channels\"", ANY,
           "of particles: words out of velocity, id, speed, vorticity, channels (all of them) and "
           "names of channels"),
    INTEGER("output.every", spate_scene, output.every, 1, 1, 1000000, "frames",
            "between files of particles and volumes"),
    INTEGER("output.checkpoint_every", spate_scene, output.checkpoint_every, 10, 0, 1000000,
            "frames", "between checkpoints; 0: only by time (60 s)"),
    NUMBER("output.gauge_rate", spate_scene, output.gauge_rate, 0, 0, 1e6, "1/s",
           "rows of gauge_samples.csv, the gauges at a fixed rate; 0: no such file"),
    BOOL("output.preview", spate_scene, output.preview, true, ANY,
         "whether to draw pictures: preview.mp4 of all frames, preview.png of the last one"),
    INTEGER("output.preview_height", spate_scene, output.preview_height, 360, 0, 2160, "pixels",
            "height of the film preview.mp4, its width being 16/9 of that; 0: no film"),
};

int sp_row_count(void)
{
    return COUNT(rows);
}

const sp_row *sp_row_at(int index)
{
    return index >= 0 && index < COUNT(rows) ? &rows[index] : NULL;
}

int spate_setting_count(void)
{
    return COUNT(rows);
}

const spate_setting *spate_setting_at(int index)
{
    const sp_row *row = sp_row_at(index);
    return row ? &row->setting : NULL;
}

sp_node sp_schema_find(const char *path, const sp_row **row)
{
    size_t length = strlen(path);
    sp_node node = length == 0 ? SP_NODE_GROUP : SP_NODE_NONE;
    for (int k = 0; k < COUNT(rows); k++) {
        const char *other = rows[k].setting.path;
        if (strncmp(path, other, length) != 0)
            continue;
        if (other[length] == 0) {
            if (row)
                *row = &rows[k];
            return SP_NODE_ROW;
        }
        if (length > 0 && other[length] == '.')
            node = path[length - 1] == ']' ? SP_NODE_ITEM : SP_NODE_GROUP;
    }
    return node;
}

/* Whether the row at `path` belongs to the owner that `prefix` ("" or "solids[].") names. */
static bool owned_by(const char *path, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 && !strstr(path + length, "[]");
}

static void set_default(const sp_row *row, void *at)
{
    const char *text = row->setting.fallback;
    size_t length = strlen(text);
    switch (row->type) {
    case SP_NUMBER: *(double *)at = row->initial[0]; break;
    case SP_INTEGER: *(int *)at = (int)row->initial[0]; break;
    case SP_SEED: *(uint64_t *)at = (uint64_t)row->initial[0]; break;
    case SP_BOOL: *(bool *)at = row->initial[0] != 0; break;
    case SP_STRING: /* the default is written with its quotes */
        snprintf(at, (size_t)row->size, "%.*s", length < 2 ? 0 : (int)length - 2,
                 length < 2 ? "" : text + 1);
        break;
    case SP_VECTOR:
    case SP_ROTATION:
        for (int k = 0; k < (row->size ? row->size : 3); k++)
            ((double *)at)[k] = row->size ? 0 : row->initial[k];
        break;
    case SP_ENUM: {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)length - 2, text + 1);
        *(int *)at = sp_choice_index(row, name);
        break;
    }
    case SP_LIST: break; /* a fresh owner is all zeros: no items */
    }
}

void sp_schema_defaults(const char *prefix, void *owner)
{
    for (int k = 0; k < COUNT(rows); k++)
        if (owned_by(rows[k].setting.path, prefix))
            set_default(&rows[k], (char *)owner + rows[k].offset);
}

int sp_row_numbers(const sp_row *row, int dim)
{
    if (row->size > 0)
        return -1;
    return row->type == SP_ROTATION && dim == 2 ? 1 : dim;
}

/* How many there ought to be. */
static int wanted_numbers(const sp_row *row, const void *owner, int dim)
{
    int count = 0;
    switch (row->parts) {
    case SP_PARTS_AXES: return sp_row_numbers(row, dim);
    case SP_PARTS_CHANNEL: count = ((const spate_channel *)owner)->components; break;
    case SP_PARTS_VALUE: count = sp_row_stored(row, owner); break;
    case SP_PARTS_KEY: count = sp_key_numbers(owner, dim); break;
    }
    return count < 1 ? 1 : count > row->size ? row->size : count;
}

int sp_row_stored(const sp_row *row, const void *owner)
{
    const double *v = (const double *)((const char *)owner + row->offset);
    int count = row->size;
    while (sp_row_has_gaps(row) && count > 1 && isnan(v[count - 1]))
        count--;
    return count;
}

int sp_row_given_numbers(const sp_row *row, const void *owner, int dim)
{
    const double *v = (const double *)((const char *)owner + row->offset);
    if (row->type == SP_NUMBER)
        return 1;
    if (row->size == 0)
        return sp_row_numbers(row, dim);
    int stored = sp_row_stored(row, owner), count = wanted_numbers(row, owner, dim);
    for (int k = count; k < stored; k++)
        if (v[k] != 0 || signbit(v[k]))
            count = k + 1;
    return count < stored ? count : stored;
}

/* The k-th of the names separated by '|'; NULL behind the last. */
static const char *choice_at(const char *choices, int index, int *length)
{
    if (index < 0)
        return NULL;
    for (; index > 0; index--) {
        choices = strchr(choices, '|');
        if (!choices)
            return NULL;
        choices++;
    }
    *length = (int)strcspn(choices, "|");
    return choices;
}

int sp_choice_index(const sp_row *row, const char *name)
{
    int length;
    const char *choice;
    for (int k = 0; (choice = choice_at(row->setting.choices, k, &length)); k++)
        if (strlen(name) == (size_t)length && strncmp(choice, name, (size_t)length) == 0)
            return k;
    return -1;
}

bool sp_choice_name(const sp_row *row, int index, char *name, size_t size)
{
    int length;
    const char *choice = choice_at(row->setting.choices, index, &length);
    if (choice)
        snprintf(name, size, "%.*s", length, choice);
    return choice != NULL;
}

void sp_row_choices(const sp_row *row, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (const char *c = row->setting.choices; *c && used + 3 < size; c++) {
        if (*c != '|')
            text[used++] = *c;
        else
            text[used++] = ',', text[used++] = ' ';
        text[used] = 0;
    }
}
