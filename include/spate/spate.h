/* spate.h -- spate, a PIC/FLIP fluid simulator: scenes and simulations. spate_io.h has the files.
 *
 * A program makes a scene (a plain struct, every field with a default), creates a simulation from
 * it, and steps it:
 *
 *     spate_scene *scene = spate_scene_create();
 *     scene->dim = 2;
 *     scene->domain.size[0] = 2; scene->domain.size[1] = 1; scene->domain.cells = 128;
 *     spate_shape *column = spate_scene_add_shape(scene, SPATE_LIST_FILL);
 *     column->shape = SPATE_SHAPE_BOX; ...
 *     spate_sim *sim = spate_sim_create(scene, NULL, &error);
 *     while (spate_sim_frame(sim) < 120)
 *         if (spate_sim_step_frame(sim, &error) != SPATE_OK) ...
 *
 * Units are SI: metres, seconds, kilograms, pascals; in 2D amounts are per metre of depth. Vectors
 * have three numbers; in 2D the third is ignored and reads as 0. Axes: -x left, +x right, -y
 * bottom, +y top, -z back, +z front. Angles are degrees.
 *
 * Functions that can fail return a spate_status (or NULL) and fill a spate_error if one is given;
 * NaN and infinity are refused. The library never prints and never exits; warnings go to the log
 * callback of spate_options. A simulation may be used from one thread at a time; different
 * simulations are independent.
 *
 * What may change. Until 1.0 the soname is 0.MINOR: a program finds a library of its own minor
 * version or none, and spate_sim_create refuses another one. Inside a minor version
 *   - structs that begin with `size` may get members at their end. The caller's header says how
 *     large they are: spate_x_default() sets it in what is handed in, and functions that fill one
 *     are inline calls of the function of the same name with _sized. Do not set `size` by hand.
 *   - spate_scene and what it is made of (shapes, keyframes, channels, gauges) stay as they are:
 *     callers walk through their arrays. So do spate_error, spate_value and spate_solid_id, which
 *     have nothing to grow.
 *   - structs that the library makes and the caller only reads through a pointer (spate_setting,
 *     spate_stat, spate_surface) may get members at their end.
 *
 * libspate needs libc, libm and threads; built with the device cuda, libstdc++ as well. */
#ifndef SPATE_H
#define SPATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spate/stats.h>

#define SPATE_VERSION "0.2.0"
#define SPATE_VERSION_MAJOR 0
#define SPATE_VERSION_MINOR 2
#define SPATE_VERSION_PATCH 0
#define SPATE_VERSION_NUMBER \
    (SPATE_VERSION_MAJOR * 10000 + SPATE_VERSION_MINOR * 100 + SPATE_VERSION_PATCH)

#if defined(__GNUC__)
#define SPATE_API __attribute__((visibility("default")))
#else
#define SPATE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ status, errors, log */

typedef enum spate_status {
    SPATE_OK = 0,
    SPATE_ERROR_SIMULATION, /* the run itself failed: a solve without convergence, a NaN */
    SPATE_ERROR_USAGE,      /* an argument that makes no sense */
    SPATE_ERROR_SCENE,      /* a setting that is wrong; `where` names it */
    SPATE_ERROR_FILE,       /* reading or writing failed */
    SPATE_ERROR_MEMORY,     /* not enough memory */
    SPATE_ERROR_DEVICE,     /* no such device */
    SPATE_ERROR_STOPPED     /* a callback ended the step */
} spate_status;

typedef struct spate_error {
    spate_status status;
    char where[256];   /* the setting ("solids[2].radius"), file or stage; may be empty */
    char message[512]; /* what is wrong and what to do; further problems of a scene in lines of
                          their own, "setting: message" */
} spate_error;

typedef enum spate_log_level { SPATE_LOG_INFO, SPATE_LOG_WARNING } spate_log_level;

/* `where` as in spate_error, possibly empty; `message` without a newline. */
typedef void spate_log_fn(void *user, spate_log_level level, const char *where,
                          const char *message);

/* The version of the library that is linked (SPATE_VERSION, SPATE_VERSION_NUMBER are those of the
 * header). */
SPATE_API const char *spate_version(void);
SPATE_API int spate_version_number(void);

/* Frees text that the library has handed out; NULL is nothing. */
SPATE_API void spate_free(void *memory);

/* For bindings of other languages that lend memory to C programs: a function to give along for the
 * end of the loan. Sets the int64_t right before `loan` to 1; any thread may call it. */
SPATE_API void spate_loan_end(void *loan);

/* Where the library gets its memory, all of it but that of Jansson and libpng: `alloc` returns
 * `size` bytes aligned as malloc does, all 0 (as calloc: large blocks fresh from the system need
 * not be touched), or NULL; `release` takes back what it gave. Any thread may call them. Both NULL:
 * calloc and free. Refused (SPATE_ERROR_USAGE) while the library holds memory. */
typedef void *spate_alloc_fn(void *user, size_t size);
typedef void spate_release_fn(void *user, void *memory, size_t size);
SPATE_API spate_status spate_set_allocator(spate_alloc_fn *alloc, spate_release_fn *release,
                                           void *user, spate_error *error);

/* The instruction set that simulations use here: "base", "x86-64-v3" (AVX2) or "x86-64-v4"
 * (AVX-512), the best that library and processor have; results are the same bits. SPATE_CPU=base
 * or v3 in the environment asks for a lesser one. */
SPATE_API const char *spate_instruction_set(void);

/* ------------------------------------------------------------------ scene */

typedef enum spate_shape_kind {
    SPATE_SHAPE_BOX,      /* min, max */
    SPATE_SHAPE_SPHERE,   /* center, radius (2D: a disc) */
    SPATE_SHAPE_CAPSULE,  /* from, to, radius */
    SPATE_SHAPE_CYLINDER, /* from, to, radius, flat ends (2D: a rectangle about the line from-to) */
    SPATE_SHAPE_PLANE, /* point, normal: the half space behind the plane, opposite to the normal */
    SPATE_SHAPE_MESH,  /* mesh (3D only): a closed triangle mesh */
    SPATE_SHAPE_PARTICLES /* points: only in fills; particles as they are, with their velocities */
} spate_shape_kind;

typedef enum spate_side { SPATE_SIDE_WALL, SPATE_SIDE_OPEN, SPATE_SIDE_PERIODIC } spate_side;
typedef enum spate_wall {
    SPATE_WALL_SLIP,
    SPATE_WALL_NO_SLIP, /* the liquid within a cell of the wall has its velocity */
    SPATE_WALL_ROUGH    /* drag by the log law, with a roughness in metres */
} spate_wall;
typedef enum spate_fluid_kind {
    SPATE_FLUID_LIQUID, /* ends at a surface, and gravity acts on all of it */
    SPATE_FLUID_GAS     /* fills all that is open; only heat and smoke make it rise and sink */
} spate_fluid_kind;
typedef enum spate_transfer {
    SPATE_TRANSFER_FLIP,
    SPATE_TRANSFER_PIC,
    SPATE_TRANSFER_APIC,
    SPATE_TRANSFER_AFLIP, /* FLIP whose particles also carry the gradient of the velocity */
    SPATE_TRANSFER_AUTO
} spate_transfer;
typedef enum spate_kernel {
    SPATE_KERNEL_LINEAR,
    SPATE_KERNEL_QUADRATIC,
    SPATE_KERNEL_CUBIC
} spate_kernel;
typedef enum spate_kernel_to_grid { /* that of P2G alone */
                                    SPATE_KERNEL_TO_GRID_SAME,
                                    SPATE_KERNEL_TO_GRID_LINEAR,
                                    SPATE_KERNEL_TO_GRID_QUADRATIC,
                                    SPATE_KERNEL_TO_GRID_CUBIC
} spate_kernel_to_grid;
typedef enum spate_advection {
    SPATE_ADVECTION_EULER,
    SPATE_ADVECTION_RK2,
    SPATE_ADVECTION_RK3,
    SPATE_ADVECTION_RK4
} spate_advection;
typedef enum spate_solver {
    SPATE_SOLVER_MULTIGRID,
    SPATE_SOLVER_PCG,
    SPATE_SOLVER_GAUSS_SEIDEL,
    SPATE_SOLVER_JACOBI
} spate_solver;
typedef enum spate_solid_model { SPATE_SOLID_MODEL_CUT, SPATE_SOLID_MODEL_VOXEL } spate_solid_model;
typedef enum spate_surface_model {
    SPATE_SURFACE_MODEL_GHOST,
    SPATE_SURFACE_MODEL_VOXEL
} spate_surface_model;
typedef enum spate_on_failure { SPATE_ON_FAILURE_WARN, SPATE_ON_FAILURE_ERROR } spate_on_failure;
typedef enum spate_volume_method {
    SPATE_VOLUME_NONE,
    SPATE_VOLUME_PUSH,    /* push-apart: pairs of particles that are too close */
    SPATE_VOLUME_DENSITY, /* density projection: cells that hold too many or too few */
    SPATE_VOLUME_BOTH,
    SPATE_VOLUME_SHIFT, /* of a gas: particles move from full cells to empty ones */
    SPATE_VOLUME_AUTO
} spate_volume_method;
typedef enum spate_output_particles {
    SPATE_OUTPUT_PARTICLES_PLY,
    SPATE_OUTPUT_PARTICLES_VTK,
    SPATE_OUTPUT_PARTICLES_USD,
    SPATE_OUTPUT_PARTICLES_NONE,
    SPATE_OUTPUT_PARTICLES_AUTO
} spate_output_particles;
typedef enum spate_output_volume {
    SPATE_OUTPUT_VOLUME_NONE,
    SPATE_OUTPUT_VOLUME_VDB,
    SPATE_OUTPUT_VOLUME_VTK,
    SPATE_OUTPUT_VOLUME_AUTO
} spate_output_volume;
typedef enum spate_output_mesh { SPATE_OUTPUT_MESH_NONE, SPATE_OUTPUT_MESH_PLY } spate_output_mesh;

typedef struct spate_mesh spate_mesh;     /* a closed triangle mesh, see spate_mesh_create */
typedef struct spate_points spate_points; /* a set of particles, see spate_points_create */

/* One key of a motion. Between keys the pose is interpolated, before the first and after the last
 * it rests. */
typedef struct spate_keyframe {
    double time;        /* s */
    double position[3]; /* m, displacement from where the shape was placed */
    double rotation[3]; /* degrees about x, then y, then z, on top of the shape's own; 2D:
                           rotation[2] */
} spate_keyframe;

/* How the particles of a fill are placed. */
typedef enum spate_sampling {
    SPATE_SAMPLING_CELLS,         /* particles_per_axis along each axis of a cell */
    SPATE_SAMPLING_GRID,          /* box: a lattice over the box, its faces included */
    SPATE_SAMPLING_JITTERED_GRID, /* the same, each moved by chance */
    SPATE_SAMPLING_RANDOM,        /* box: anywhere */
    SPATE_SAMPLING_BLUE_NOISE     /* box: anywhere, but not close to each other */
} spate_sampling;

/* The velocity of a fill at its start, on top of `velocity`. */
typedef enum spate_initial {
    SPATE_INITIAL_UNIFORM,
    SPATE_INITIAL_ROTATION,      /* spin, about center */
    SPATE_INITIAL_SHEAR,         /* `velocity` grows with the height over center, 1 at `length` */
    SPATE_INITIAL_STANDING_WAVE, /* along x, in the moment when the surface is flat */
    SPATE_INITIAL_SOLITARY_WAVE  /* along x, with its surface */
} spate_initial;

/* A shape, and what it means to the list it stands in: a fill (liquid at the start), a solid, an
 * inflow or an outflow. Lengths that a shape needs start as NaN, "not given". */
typedef enum spate_source_mode {
    SPATE_SOURCE_HOLD, /* what is in the shape has the value */
    SPATE_SOURCE_RATE  /* what is in it gains so much in a second */
} spate_source_mode;
/* A value of a channel, by its name. Numbers that the channel has no component for are NaN. */
typedef struct spate_channel_value {
    char name[32];
    double value[4];
} spate_channel_value;

typedef struct spate_shape {
    char name[64];          /* for messages and gauges; empty: fill[0], solids[2], ... */
    spate_shape_kind shape; /* default box */
    double min[3], max[3];  /* m, box */
    double center[3];       /* m, sphere */
    double radius;          /* m, sphere, capsule, cylinder */
    double from[3], to[3];  /* m, capsule, cylinder: the ends of the axis */
    double point[3];        /* m, plane */
    double normal[3];       /* plane; any length but 0 */
    char file[512];         /* mesh, particles: where it came from */
    double scale;           /* mesh: file units to metres; default 1 */
    double position[3];     /* m, mesh: where the origin of the file goes; default 0 */
    double rotation[3];     /* degrees about x, then y, then z, about the shape's centre, a mesh
                               about the origin of its file; 2D: rotation[2] */
    bool invert;            /* inside becomes outside; default false */
    double velocity[3]; /* m/s; fill: at the start; solid: constant, on top of its motion; inflow:
                           of what it emits */
    spate_wall wall;    /* solids: how their surface drags the liquid; default slip */
    double roughness;   /* m, solids with a rough wall: Nikuradse's sand roughness k_s */
    double whitewater;  /* solids: how much whitewater comes beside it, a factor; default 1 */
    spate_keyframe *motion; /* solids; motion_count keys in order of time; owned by the scene */
    int motion_count;
    double start; /* s; fills: when it appears; inflows, outflows, tracers: when it opens; default 0
                   */
    double until; /* s; inflows, outflows, tracers: when it closes; 0 (default): never */
    double flow;  /* m^3/s (2D: m^2/s); inflows: how much it gives, in the direction of velocity; 0
                     (default): by velocity */
    double level; /* m; outflows: takes only while the liquid above and below it stands higher than
                     this over the domain's low side; 0 (default): always */
    spate_source_mode mode; /* sources; default hold */
    double smoke;           /* kg/m^3; fills, inflows: of what is in it; sources: that they hold, or
                               give in a second; NaN (default): not named */
    double temperature;     /* K; likewise, sources of mode rate K/s */
    spate_channel_value *values; /* of other channels, likewise; owned by the scene */
    int value_count;
    struct {
        int count;      /* how many there are, the shape itself included; default 1 */
        double step[3]; /* m, from each to the next */
    } repeat;
    spate_sampling sampling; /* fills; default cells */
    int count;               /* fills with another sampling: particles; default 0 */
    double jitter;           /* jittered_grid: 0 .. 1 of box size / particles along it; default 0 */
    uint64_t seed;           /* of their random numbers; default 1 */
    int candidates;          /* blue_noise: places tried around each point; default 30 */
    struct {
        spate_initial kind; /* default uniform */
        double center[3];   /* m; rotation, shear: where it is 0; waves: a crest (standing: where
                               the surface will be highest), on the bed */
        double spin[3];     /* rad/s about x, y, z; 2D: spin[2] */
        double length;      /* m; shear; standing wave: the wave's */
        double height;      /* m; standing wave: crest over rest, solitary wave: likewise */
        double depth;       /* m; waves: of the water at rest */
    } initial;              /* fills */
    double spacing;         /* m; tracers: of the points; 0 (default): half a cell */
    double rate;            /* 1/s; tracers: how often the shape is filled; 0 (default): once */
    double life;            /* s; tracers: after which they are gone; 0 (default): never */
    spate_mesh *mesh;       /* SPATE_SHAPE_MESH; owned by the scene */
    spate_points *points;   /* SPATE_SHAPE_PARTICLES; owned by the scene */
} spate_shape;

/* A quantity that particles carry beside position and velocity: sorted, saved, hashed and written
 * with them. "age" (s) and "source" (index of the fill, or number of fills + index of the inflow)
 * are kept by the simulation; any other name starts at `initial` and belongs to the user. */
typedef enum spate_channel_transfer {
    SPATE_CHANNEL_NONE, /* carried unchanged */
    SPATE_CHANNEL_PIC,  /* averaged over the grid in every step: it spreads like dye */
    SPATE_CHANNEL_FLIP, /* particles take what changes on the grid, and keep what is their own */
    SPATE_CHANNEL_AUTO
} spate_channel_transfer;
typedef struct spate_channel {
    char name[32];
    int components;                  /* 1..4; default 1 */
    double initial[4];               /* default 0 */
    spate_channel_transfer transfer; /* default auto: none, in a gas flip */
    double pic_time;    /* s, flip: in which it spreads as with pic; 0 (default): never */
    double dissipation; /* s, in which it falls to 1/e; 0 (default): never */
    bool pic;           /* true: the same as transfer pic */
} spate_channel;

/* An instrument that is read at every step. Lengths that a kind needs start as NaN, "not given". */
typedef enum spate_gauge_kind {
    SPATE_GAUGE_HEIGHT, /* m: liquid in the column above `at`, against gravity (+y without gravity)
                         */
    SPATE_GAUGE_PRESSURE, /* Pa at `at`, the mean over a footprint of `radius`; 0 where there is no
                             liquid */
    SPATE_GAUGE_VELOCITY, /* m/s, one value per axis, at `at`; 0 where there is no liquid */
    SPATE_GAUGE_FLUX, /* m^3/s (2D: m^2/s) through the rectangle min..max, positive along the + axis
                       */
    SPATE_GAUGE_FORCE,  /* N (2D: N/m), one value per axis: of the liquid's pressure on `solid` */
    SPATE_GAUGE_MOMENT, /* N m, one value per axis (2D: N, one value): torque of that about `at` */
    SPATE_GAUGE_FRONT, /* m: the foremost place along `axis` at which the liquid is `depth` deep, in
                          the box min..max */
    SPATE_GAUGE_SLICE, /* no value: velocity, pressure and level set on the rectangle or line
                          min..max, which `spate run` writes with every frame */
    SPATE_GAUGE_CHANNEL /* `channel` at `at`, the mean over a footprint of `radius`, in its unit
                           (temperature: K); 0 where nothing is */
} spate_gauge_kind;
typedef enum spate_direction {
    SPATE_DIRECTION_X,
    SPATE_DIRECTION_MINUS_X,
    SPATE_DIRECTION_Y,
    SPATE_DIRECTION_MINUS_Y,
    SPATE_DIRECTION_Z,
    SPATE_DIRECTION_MINUS_Z
} spate_direction;
typedef struct spate_gauge {
    char name[64];         /* of its columns in gauges.csv; empty: gauges[0], gauges[1], ... */
    spate_gauge_kind kind; /* default height */
    double at[3];          /* m; height, pressure, velocity, moment, channel */
    char channel[32]; /* channel: which one, "dye[1]" its second component; flux: what is carried
                         through, and not the fluid itself */
    double radius;    /* m; pressure, channel: of the footprint, a disc on a wall or solid within a
                         cell, a ball    elsewhere; default 0, a point */
    double min[3], max[3]; /* m; flux: corners of a rectangle, equal along the axis that the flux
                              goes along; slice: of a rectangle or a line; front: of the box that
                              it is looked for in, not given: the domain */
    char solid[64];        /* force, moment: the name of a solid, or solids[0], solids[1], ... */
    spate_direction axis;  /* front: the way it goes, across gravity; default x */
    double depth;          /* m, front: of the liquid; 0 (default): a cell */
} spate_gauge;

/* The value of a setting at a time, of those that may change while it runs: linear between the keys
 * of a setting, constant before the first and after the last. */
typedef struct spate_key {
    char setting[64]; /* its path: "gravity", "fluid.flip_ratio", "inflows[0].velocity", ... */
    double time;      /* s */
    double value[3];  /* in the setting's unit; scalars: value[0]. In a value from a file or from
                         spate_scene_set, numbers that were not given are NaN */
} spate_key;

typedef struct spate_shape_list {
    spate_shape *items;
    int count;
} spate_shape_list;

typedef struct spate_scene {
    char name[64]; /* default "untitled" */
    int dim;       /* 2 or 3; the number of components of domain.size in a file; default 3 */
    struct {
        double size[3];         /* m; required */
        int cells;              /* cells along the longest side; default 64 */
        double cell_size;       /* m; 0 (default): from `cells` */
        spate_side sides[3][2]; /* [axis][low, high]; default wall; periodic only in pairs */
        spate_wall wall[3][2];  /* [axis][low, high], of sides that are walls; default slip */
        double roughness[3][2]; /* m, of those that are rough: Nikuradse's sand roughness k_s */
    } domain;
    int frames;        /* default 120 */
    double fps;        /* 1/s; default 30 */
    double gravity[3]; /* m/s^2; default 0, -9.81, 0 */
    struct {
        spate_fluid_kind kind;   /* default liquid */
        int particles_per_axis;  /* of a cell; 0 (default): 2, that of a gas in 2D 3 */
        double jitter;           /* 0 a lattice .. 1 anywhere in the sub-cell; default 0.5 */
        uint64_t seed;           /* of the jitter; default 1 */
        double density;          /* kg/m^3; 0 (default): 1000, of a gas 1.2 */
        double temperature;      /* K, at the start and of what flows in; default 293.15 */
        double expansion;        /* 1/K, by which heat makes it lighter; 0 (default): of a gas 1 /
                                    temperature, of a liquid none */
        spate_transfer transfer; /* default auto: flip, of a gas aflip */
        double flip_ratio;       /* flip, aflip: share of FLIP in a step of flip_step, 0 PIC .. 1;
                                    default 0.97 */
        double flip_step;        /* s; default 0.01; 0: flip_ratio is a share of every step */
        spate_kernel kernel;     /* default linear */
        spate_kernel_to_grid kernel_to_grid; /* that of P2G alone; default same */
        bool free_flight; /* particles that touch no liquid obey gravity alone; default true */
        bool reseed; /* cells are filled up and thinned, of a liquid those inside; default false */
        int reseed_min; /* fill up cells with fewer; 0 (default): 3/8 of a full cell */
        int reseed_max; /* thin cells with more; 0 (default): 3/2 of a full cell */
    } fluid;
    struct {
        double cfl; /* cells per step; 0 (default): 2, of a gas 1 */
        double dt;  /* s; 0 (default): from `cfl`; otherwise the longest step, a frame is split
                       evenly */
        int min_substeps;          /* per frame; default 1 */
        int max_substeps;          /* per frame; default 64 */
        spate_advection advection; /* default rk3 */
    } time;
    struct {
        spate_solver solver;         /* default multigrid */
        spate_solid_model solids;    /* default cut */
        spate_surface_model surface; /* default ghost */
        double tolerance;   /* share of a cell's volume that may be lost in a step; default 1e-4 */
        int max_iterations; /* default 1000 */
        double relaxation;  /* jacobi: weight, gauss_seidel: over-relaxation; 0 (default): 0.8
                               and 1.7 */
        spate_on_failure on_failure; /* jacobi and gauss_seidel at max_iterations; default warn */
        bool warm_start;             /* start from the last step's pressure; default true */
        bool fixed_iterations; /* jacobi, gauss_seidel: max_iterations, no fewer; default false */
        bool contact; /* whether water may separate from walls that air can reach; default true */
    } pressure;
    struct {
        spate_volume_method method; /* how particles are kept at their distance; default auto:
                                       density, of a gas shift */
        double separation; /* push: distance that pairs are moved apart to, in particle spacings
                              (cell size / particles_per_axis); default 0.9 */
    } volume;
    struct {
        bool on;           /* foam, spray, bubbles and dust; default false */
        double spacing;    /* m: numbers go with its inverse cube; 0 (default): half a cell */
        double detail;     /* m: size of what makes whitewater; 0 (default): 4 spacings, at least 2
                              cells */
        double rate;       /* 1/s: times a grain of the spacing's volume is replaced; default 8 */
        double crest, air; /* shares of breaking crests and of trapped air; default 0.5, 1 */
        double speed_low, speed_high;         /* m/s; default 0.2, 3 */
        double curvature_low, curvature_high; /* times detail; default 0.4, 1 */
        double strain_low, strain_high;       /* 1/s; default 15, 40 */
        double life_min, life_max;     /* s, of the calmest and the wildest; default 0.5, 6 */
        double radius_min, radius_max; /* m, of drops and bubbles; default 0.0002, 0.003 */
        double margin;                 /* m, from walls and solids; default 0 */
        int max_particles;             /* default 10 million */
        uint64_t seed;                 /* default 1 */
        double wind[3];                /* m/s, of the air; default 0 */
        struct {
            bool on;       /* default true */
            double ageing; /* seconds of age in a second; default 0.2 */
            double drag;   /* of the air, a factor; default 1 */
        } spray;
        struct {
            bool on;                      /* default true */
            double ageing;                /* default 1 */
            double adhesion;              /* s, in which it comes to the surface; default 0.05 */
            double crowd_low, crowd_high; /* grains in a cube of two spacings; default 20, 45 */
        } foam;
        struct {
            bool on;         /* default true */
            double ageing;   /* default 0.25 */
            double drag;     /* a factor; default 1 */
            double buoyancy; /* a factor of the speed at which they rise; default 1 */
        } bubbles;
        struct {
            bool on;                      /* default false */
            double rate;                  /* 1/s, along the floor; default 4 */
            double ageing;                /* default 1 */
            double speed_low, speed_high; /* m/s along the floor; default 0.3, 2 */
            double size;                  /* m, of its grains; default 0.0001 */
        } dust;
        spate_shape_list kill; /* whitewater in them is removed */
    } whitewater;
    spate_shape_list fill, solids, inflows, outflows, sources, tracers;
    spate_channel *channels;
    int channel_count;
    spate_gauge *gauges;
    int gauge_count;
    spate_key *keyframes;
    int keyframe_count;
    struct {
        spate_output_particles particles; /* default auto: ply, of a gas none */
        spate_output_volume volume;       /* fields on a grid; default auto: none, of a gas vtk */
        spate_output_mesh mesh;           /* surface of the liquid; default none */
        int mesh_resolution;              /* its lattice cells along a cell, 1 .. 4; default 2 */
        double mesh_gap;      /* cells, that it keeps from solids and walls, 0 .. 0.1; default 0 */
        char attributes[256]; /* of particles beside their position: words out of velocity, id,
                                 speed, vorticity, channels and the names of channels; default
                                 "velocity id channels" */
        int every;            /* frames between files of particles and volumes; default 1 */
        int checkpoint_every; /* frames; 0: only by time (60 s); default 10 */
        double gauge_rate;    /* 1/s, rows of gauge_samples.csv; 0: no such file; default 0 */
        bool preview; /* preview.mp4 of all frames, preview.png of the last one; default true */
        int preview_height; /* pixels, of preview.mp4; 0: no film; default 360 */
    } output;
} spate_scene;

typedef enum spate_list {
    SPATE_LIST_FILL,
    SPATE_LIST_SOLIDS,
    SPATE_LIST_INFLOWS,
    SPATE_LIST_OUTFLOWS,
    SPATE_LIST_KILL, /* whitewater.kill */
    SPATE_LIST_SOURCES,
    SPATE_LIST_TRACERS
} spate_list;

/* A scene with all defaults; NULL without memory. */
SPATE_API spate_scene *spate_scene_create(void);
SPATE_API spate_scene *spate_scene_copy(const spate_scene *scene);
SPATE_API void spate_scene_destroy(spate_scene *scene);
/* All defaults, for a shape of the caller's own (spate_sim_add_solid). */
SPATE_API void spate_shape_default(spate_shape *shape);
/* Appends a default shape to a list; the pointer is good until the next one is added to it. NULL
 * without memory. */
SPATE_API spate_shape *spate_scene_add_shape(spate_scene *scene, spate_list list);
SPATE_API spate_keyframe *spate_shape_add_keyframe(spate_shape *shape);
SPATE_API spate_channel_value *spate_shape_add_value(spate_shape *shape);
SPATE_API spate_channel *spate_scene_add_channel(spate_scene *scene);
SPATE_API spate_gauge *spate_scene_add_gauge(spate_scene *scene);
SPATE_API spate_key *spate_scene_add_key(spate_scene *scene);
/* Appends the copies that `repeat` of a shape asks for to their lists, named NAME_2, NAME_3, ...,
 * and sets its count to 1. Scene files are read with it; spate_sim_create does it in its own copy.
 */
SPATE_API spate_status spate_scene_expand(spate_scene *scene, spate_error *error);

typedef enum spate_value_kind {
    SPATE_VALUE_NUMBER,
    SPATE_VALUE_BOOL,
    SPATE_VALUE_STRING,
    SPATE_VALUE_VECTOR
} spate_value_kind;
typedef struct spate_value {
    spate_value_kind kind;
    double number;      /* NUMBER; BOOL: 0 or 1 */
    const char *string; /* STRING */
    double vector[8];   /* VECTOR */
    int count;          /* VECTOR: how many */
} spate_value;

/* Sets one setting by its path in a scene file, e.g. "fluid.flip_ratio" or "solids[2].radius"; an
 * index equal to the length of a list appends. Checks the type and the limits of the setting
 * itself. */
SPATE_API spate_status spate_scene_set(spate_scene *scene, const char *path,
                                       const spate_value *value, spate_error *error);
/* Puts what they stand for in place of the defaults that depend on the kind of the fluid, which are
 * 0 or auto until then. spate_sim_create does it in its own copy: spate_sim_scene shows them. */
SPATE_API spate_status spate_scene_settle(spate_scene *scene, spate_error *error);
/* Checks what one setting alone cannot show: that shapes have what they need, sides come in pairs,
 * sizes fit. Warnings go to `log` (may be NULL). spate_sim_create calls it. */
SPATE_API spate_status spate_scene_check(const spate_scene *scene, spate_log_fn *log, void *user,
                                         spate_error *error);

/* One row of the table of settings, for help texts and user interfaces. */
typedef struct spate_setting {
    const char *path; /* "fluid.flip_ratio"; list items as "solids[].radius" */
    const char
        *type; /* "number", "integer", "bool", "string", "vector", "rotation", "enum", "list" */
    const char *fallback; /* the default as JSON text; "" if it is required or depends */
    const char *unit;     /* "m", "kg/m^3", ...; "" if none */
    double low, high;     /* limits, -inf and inf where there is none */
    const char *choices;  /* enum: names separated by '|' */
    const char *help;     /* one line */
} spate_setting;
SPATE_API int spate_setting_count(void);
SPATE_API const spate_setting *spate_setting_at(int index);

/* ------------------------------------------------------------------ meshes and point sets */

/* vertices: 3 * vertex_count numbers (m); triangles: 3 * triangle_count vertex indices. The mesh
 * must be closed (each edge between exactly two triangles); it is turned so that its normals point
 * outwards. */
SPATE_API spate_mesh *spate_mesh_create(const double *vertices, size_t vertex_count,
                                        const uint32_t *triangles, size_t triangle_count,
                                        spate_error *error);
SPATE_API spate_mesh *spate_mesh_retain(spate_mesh *mesh); /* one more owner; returns mesh */
SPATE_API void spate_mesh_destroy(spate_mesh *mesh);       /* one owner less */

/* positions: 3 * count (m); velocities: 3 * count (m/s) or NULL for rest. */
SPATE_API spate_points *spate_points_create(const float *positions, const float *velocities,
                                            size_t count, spate_error *error);
SPATE_API spate_points *spate_points_retain(spate_points *points);
SPATE_API void spate_points_destroy(spate_points *points);

/* ------------------------------------------------------------------ surfaces of the liquid */

/* A surface as plain arrays: triangles in 3D, segments in 2D. Made by the library. */
typedef struct spate_surface {
    size_t vertices, triangles;
    float *positions;  /* m, 3 per vertex */
    float *normals;    /* 3 per vertex, of length 1, out of the liquid */
    float *velocities; /* m/s, 3 per vertex; may be NULL */
    uint32_t *indices; /* 3 per triangle, counter-clockwise from outside; 2D: 2 per segment */
    int dim;
} spate_surface;

#define SPATE_SURFACE_RESOLUTION_MAX 4
#define SPATE_SURFACE_GAP_MAX 0.1
typedef struct spate_surface_options {
    uint32_t size;            /* spate_surface_options_default sets it */
    int dim;                  /* 2 or 3; default 3 */
    double cell_size;         /* m, of the simulation; required */
    int particles_per_axis;   /* of a full cell, which says how much volume one has; default 2 */
    int resolution;           /* lattice cells along a cell, 1 .. 4; default 2 */
    double domain[3];         /* m, of the domain, from (0, 0, 0): its walls end the surface, which
                                 lies flat on them; 0 (default): no walls */
    const spate_scene *scene; /* whose solids, as they are at `time`, the surface ends at: where the
                                 liquid touches one it lies on it; NULL (default): no solids */
    double time;              /* s; default 0 */
    int threads;              /* 0 (default): one per core */
    double gap;               /* cells, that the surface keeps from solids and walls, 0 .. 0.1: for
                                 a renderer that must not see liquid and glass in one place;
                                 default 0 */
} spate_surface_options;
SPATE_API void spate_surface_options_default_sized(spate_surface_options *options,
                                                   const spate_scene *scene, size_t size);
/* Those of a scene, which they refer to; NULL: the defaults, without a cell size. */
static inline void spate_surface_options_default(spate_surface_options *options,
                                                 const spate_scene *scene)
{
    spate_surface_options_default_sized(options, scene, sizeof *options);
}
/* The surface of the liquid that these particles are: closed, manifold (every edge between two
 * triangles), with the volume of the particles. positions 3 * count (m), velocities 3 * count (m/s)
 * or NULL. The same for any number of threads. NULL, and why, if there is none. */
SPATE_API spate_surface *spate_surface_create(const float *positions, const float *velocities,
                                              size_t count, const spate_surface_options *options,
                                              spate_error *error);
SPATE_API void spate_surface_destroy(spate_surface *surface);

/* ------------------------------------------------------------------ simulation */

typedef struct spate_sim spate_sim;

/* A host's own scheduler: calls work(args, k) for every k in [0, count), on any threads, and
 * returns when all are done. */
typedef void spate_schedule_fn(void *user, int count, void (*work)(void *args, int k), void *args);

typedef struct spate_options {
    uint32_t size;      /* spate_options_default sets it */
    int threads;        /* 0 (default): one per core */
    const char *device; /* "cpu" (default), "cuda", or "auto": a GPU if one is there */
    spate_log_fn *log;  /* warnings; NULL (default): dropped */
    void *log_user;
    spate_schedule_fn *schedule; /* NULL (default): spate's own threads; not called if `threads` is
                                    1 */
    void *schedule_user;
} spate_options;
SPATE_API void spate_options_default_sized(spate_options *options, size_t size);
static inline void spate_options_default(spate_options *options)
{
    spate_options_default_sized(options, sizeof *options);
}

/* What a scene needs, before anything is allocated. */
typedef struct spate_forecast {
    uint32_t size;      /* in the caller's header */
    int cells[3];       /* per axis; 1 in z in 2D */
    double cell_size;   /* m */
    double domain[3];   /* m, the domain: its walls stand at domain.size; other sides, and
                           all with voxel solids, on the nearest whole number of cells */
    uint64_t particles; /* at the start, exact */
    uint64_t memory;    /* bytes, estimate of the peak of the process; spate_output_forecast of
                           spate_io.h has what files and pictures add to it */
    uint64_t checkpoint_bytes; /* of the two that a run keeps, estimate */
    uint64_t device_memory;    /* bytes in a GPU's memory; 0 on the CPU */
    uint64_t whitewater;       /* particles of it, a rough estimate for a wild scene; 0 without */
    uint64_t tracers;          /* at the end, if none leaves; an estimate */
} spate_forecast;
SPATE_API spate_status spate_scene_forecast_sized(const spate_scene *scene,
                                                  const spate_options *options,
                                                  spate_forecast *forecast, size_t size,
                                                  spate_error *error);
static inline spate_status spate_scene_forecast(const spate_scene *scene,
                                                const spate_options *options,
                                                spate_forecast *forecast, spate_error *error)
{
    return spate_scene_forecast_sized(scene, options, forecast, sizeof *forecast, error);
}

/* `version` is that of the caller's header; another minor version is refused. */
SPATE_API spate_sim *spate_sim_create_versioned(int version, const spate_scene *scene,
                                                const spate_options *options, spate_error *error);
/* options may be NULL. The scene is copied. */
static inline spate_sim *spate_sim_create(const spate_scene *scene, const spate_options *options,
                                          spate_error *error)
{
    return spate_sim_create_versioned(SPATE_VERSION_NUMBER, scene, options, error);
}
SPATE_API void spate_sim_destroy(spate_sim *sim);

/* One step of dt seconds; dt = 0: what spate_sim_next_dt says. */
SPATE_API spate_status spate_sim_step(spate_sim *sim, double dt, spate_error *error);
/* Steps to the next frame boundary. */
SPATE_API spate_status spate_sim_step_frame(spate_sim *sim, spate_error *error);
/* The step that the CFL rule takes from here: the rest of the frame split evenly. */
SPATE_API double spate_sim_next_dt(spate_sim *sim);

/* The stages of a step, in order: "sort", "solids", "p2g", ...; docs/code.md has them all. */
SPATE_API int spate_stage_count(void);
SPATE_API const char *spate_stage_name(int stage); /* "" if there is none */
SPATE_API const char *spate_stage_what(int stage); /* what it does, in a line; likewise */
SPATE_API int spate_stage_find(const char *name);  /* -1 if there is none */
/* Seconds that a stage took in the frame under way or just completed. */
SPATE_API double spate_sim_stage_seconds(const spate_sim *sim, int stage);
/* Runs one stage of a step alone, for teaching and tests. In order, the stages are a step; time
 * moves on after the last. In spate_sim_step ADVECT may do what G2P does for each particle, with
 * the same bits; alone, each stage does all that is its own. */
SPATE_API spate_status spate_sim_run_stage(spate_sim *sim, int stage, double dt,
                                           spate_error *error);
/* Called by spate_sim_step after each of its stages (of a step that is cut in halves, after those
 * of every part). It may look at the simulation by views, samples and forces, and must not change
 * it but by spate_sim_velocity_edit. Not 0: the step ends with SPATE_ERROR_STOPPED; the simulation
 * is then inside a step and is to be destroyed or loaded from a checkpoint. NULL: none. */
typedef int spate_stage_fn(void *user, spate_sim *sim, int stage);
SPATE_API void spate_sim_set_stage_callback(spate_sim *sim, spate_stage_fn *fn, void *user);
/* Length (s) of the step under way, of its part where it is cut in halves; after it, of the last
 * one; 0 before the first. */
SPATE_API double spate_sim_step_dt(const spate_sim *sim);
/* Forces of the host's own: the velocities of the faces along `axis` (0, 1 or 2), laid out as the
 * field view of "u", "v" or "w" says, to write to inside of a stage callback or between stages that
 * are run one by one, until the next stage. What is added after the stage "surface" acts as gravity
 * does: the stage "forces" then closes walls and prescribes what solids and inflows do, and the
 * pressure answers. Particles in free flight do not feel it. NULL, and why, outside of a step. */
SPATE_API float *spate_sim_velocity_edit(spate_sim *sim, int axis, spate_error *error);

SPATE_API int spate_sim_dim(const spate_sim *sim);
SPATE_API double spate_sim_time(const spate_sim *sim);    /* s */
SPATE_API int spate_sim_frame(const spate_sim *sim);      /* frames completed */
SPATE_API uint64_t spate_sim_steps(const spate_sim *sim); /* steps taken in all */
/* Whether the simulation stands at a frame boundary (not inside a frame). */
SPATE_API bool spate_sim_at_frame(const spate_sim *sim);
SPATE_API const spate_scene *spate_sim_scene(const spate_sim *sim);
SPATE_API const char *spate_sim_device(const spate_sim *sim);
/* The devices of this build, "cpu" first: fills up to `capacity` names, returns how many there are.
 */
SPATE_API int spate_device_list(const char **names, int capacity);
/* Whether this machine can run one; `note` says what it is, or what is missing. */
SPATE_API bool spate_device_available(const char *name, char *note, size_t size);
SPATE_API uint64_t spate_sim_device_bytes(const spate_sim *sim); /* of a GPU; 0 on the CPU */
SPATE_API int spate_sim_threads(const spate_sim *sim);
/* Hash of the state of all particles; their order does not matter. */
SPATE_API uint64_t spate_sim_hash(spate_sim *sim);

/* ------------------------------------------------------------------ changes while it runs */

/* Positions in m, velocities in m/s, both 3 * count; velocities may be NULL. Particles inside
 * solids or outside the domain are left out; *added (may be NULL) is how many were taken. */
SPATE_API spate_status spate_sim_add_particles(spate_sim *sim, const float *positions,
                                               const float *velocities, size_t count, size_t *added,
                                               spate_error *error);
SPATE_API spate_status spate_sim_remove_particles(spate_sim *sim, const spate_shape *inside,
                                                  size_t *removed, spate_error *error);

/* A solid of a simulation. The generation tells it from others that had the same index before or
 * get it later; an id whose solid was removed is refused. {0, 0} is no solid. */
typedef struct spate_solid_id {
    uint32_t index, generation;
} spate_solid_id;
/* Those of the scene have the indices 0, 1, ... in its order, those added later the first that are
 * free. `count` is one more than the highest index; `at` is false where there is none now. */
SPATE_API int spate_sim_solid_count(const spate_sim *sim);
SPATE_API bool spate_sim_solid_at(const spate_sim *sim, int index, spate_solid_id *id);
/* By the name that its shape has; false if there is none. */
SPATE_API bool spate_sim_solid_find(const spate_sim *sim, const char *name, spate_solid_id *id);
/* The solid's motion and velocity start when it is added; what is inside it is pushed out, or
 * removed as crushed. id may be NULL. */
SPATE_API spate_status spate_sim_add_solid(spate_sim *sim, const spate_shape *shape,
                                           spate_solid_id *id, spate_error *error);
/* The pose that the solid reaches at the end of the next step: displacement (m) and rotation
 * (degrees) from where it was placed. Its surface velocity follows from the way it has to go. Ends
 * its keyframes. */
SPATE_API spate_status spate_sim_move_solid(spate_sim *sim, spate_solid_id id,
                                            const double position[3], const double rotation[3],
                                            spate_error *error);
SPATE_API spate_status spate_sim_remove_solid(spate_sim *sim, spate_solid_id id,
                                              spate_error *error);
SPATE_API spate_status spate_sim_set_gravity(spate_sim *sim, const double gravity[3],
                                             spate_error *error);
/* Adds `velocity` (m/s) to all particles inside a sphere, fading to 0 at its rim. */
SPATE_API spate_status spate_sim_add_impulse(spate_sim *sim, const double center[3], double radius,
                                             const double velocity[3], spate_error *error);
/* Closes or opens inflow number `inflow` of the scene, from the next step on. All are open at the
 * start; checkpoints keep it. */
SPATE_API spate_status spate_sim_set_inflow(spate_sim *sim, int inflow, bool on,
                                            spate_error *error);
SPATE_API bool spate_sim_inflow_is_on(const spate_sim *sim, int inflow);

/* ------------------------------------------------------------------ looking at it */

/* Sets of particles: "fluid", and with tracers "tracers", with whitewater "whitewater". */
SPATE_API int spate_sim_particle_set_count(const spate_sim *sim);
SPATE_API const char *spate_sim_particle_set_name(const spate_sim *sim, int set); /* NULL: none */
/* 0 if there is no such set. */
SPATE_API size_t spate_sim_particles_count(const spate_sim *sim, const char *set);
/* Hash of a set; that of "fluid" is spate_sim_hash. 0 if there is no such set. */
SPATE_API uint64_t spate_sim_particles_hash(spate_sim *sim, const char *set);

#define SPATE_STAT_NAME 32 /* bytes of a name in stats.csv */
/* The numbers of a set that rides on the fluid, by `stat` from 0 on: how many particles there are
 * of each class, then those that came and went since the start, by cause. `name` is their column in
 * stats.csv, of SPATE_STAT_NAME bytes at most. false: there is no such set, or no more numbers. */
SPATE_API bool spate_sim_particles_stat(const spate_sim *sim, const char *set, int stat, char *name,
                                        size_t size, uint64_t *value);

/* Copies in SI, 3 * count floats each; positions m, velocities m/s. Any pointer may be NULL. false
 * if there is no such set. */
SPATE_API bool spate_sim_particles_read(spate_sim *sim, const char *set, float *positions,
                                        float *velocities, uint32_t *ids);

/* Zero-copy look at the particles; good until the next call that changes the simulation. Position
 * in metres of particle k along axis d: origin[d] + scale * x[d][k]. In 2D x[2] and v[2] are NULL.
 */
typedef struct spate_particles_view {
    uint32_t size; /* in the caller's header */
    size_t count;
    double origin[3];
    double scale;
    const float *x[3]; /* cells from the domain corner */
    const float *v[3]; /* m/s */
    const uint32_t *id;
} spate_particles_view;
SPATE_API bool spate_sim_particles_view_sized(spate_sim *sim, const char *set,
                                              spate_particles_view *view, size_t size);
/* false if there is no such set. */
static inline bool spate_sim_particles_view(spate_sim *sim, const char *set,
                                            spate_particles_view *view)
{
    return spate_sim_particles_view_sized(sim, set, view, sizeof *view);
}
/* The columns of a set beside position, velocity and id: of the fluid its channels, of whitewater
 * "type", "age", "life" and "radius". The values of a column are one array for each component.
 * NULL: there is no such set, or no more columns. */
SPATE_API const char *spate_sim_particles_column_name(const spate_sim *sim, const char *set,
                                                      int column);
/* The classes of a set, which its column "type" has by number; NULL: no more of them. */
SPATE_API const char *spate_sim_particles_class_name(const spate_sim *sim, const char *set,
                                                     int number);
/* Zero-copy look at a column, like spate_sim_particles_view. */
typedef struct spate_column_view {
    uint32_t size; /* in the caller's header */
    size_t count;
    int components;        /* 1 .. 4 */
    bool integer;          /* uint32_t; otherwise float */
    double origin;         /* what floats are counted from: K of a temperature */
    const void *values[4]; /* of each component; NULL without particles */
} spate_column_view;
SPATE_API bool spate_sim_particles_column_sized(spate_sim *sim, const char *set, const char *name,
                                                spate_column_view *view, size_t size);
/* false if there is no such set or column. */
static inline bool spate_sim_particles_column(spate_sim *sim, const char *set, const char *name,
                                              spate_column_view *view)
{
    return spate_sim_particles_column_sized(sim, set, name, view, sizeof *view);
}
/* Component arrays of a channel (components pointers are written to `columns`, at most 4); returns
 * the number of components, 0 if there is no such channel. */
SPATE_API int spate_sim_channel_view(spate_sim *sim, const char *name, float *columns[4]);

/* Zero-copy look at a grid field. Value at (i, j, k): data[i * stride[0] + j * stride[1] + k *
 * stride[2]], in the type of the field, for 0 <= i < count[0] and so on. Position in metres of (0,
 * 0, 0): origin; distance of neighbours: cell_size. Names: "u", "v", "w" (face velocities, m/s),
 * "p" (pressure, Pa, cells), "phi" (level set, m, cells: signed distance to the surface, negative
 * in the liquid, cut off at one cell; not with a voxel surface), "solid" (signed distance to
 * solids, m, nodes; negative inside; exact within 4 cells of them and a lower bound beyond), "type"
 * (cells, uint8_t, spate_cell), "open_u", "open_v", "open_w" (open share of the faces, 0 .. 1,
 * while there are solids; all is open where there are none), and the names of the channels that the
 * grid holds (cells; of several components "dye" is the first, "dye[1]" the next; "temperature" in
 * K above fluid.temperature), as they were at the start of the last step, or, after
 * spate_sim_stats, as they are. Far from liquid, where nothing is computed, u, p, phi and type are
 * 0. */
typedef enum spate_cell {
    SPATE_CELL_AIR = 0,
    SPATE_CELL_LIQUID = 1,
    SPATE_CELL_SOLID = 2,
    SPATE_CELL_INFLOW = 3 /* its faces have the velocity of an inflow */
} spate_cell;
typedef struct spate_field_view {
    uint32_t size;        /* in the caller's header */
    const float *values;  /* NULL for "type" */
    const uint8_t *bytes; /* only for "type" */
    int count[3];
    ptrdiff_t stride[3];
    double origin[3];
    double cell_size;
} spate_field_view;
SPATE_API bool spate_sim_field_view_sized(spate_sim *sim, const char *name, spate_field_view *view,
                                          size_t size);
/* false if there is no such field. */
static inline bool spate_sim_field_view(spate_sim *sim, const char *name, spate_field_view *view)
{
    return spate_sim_field_view_sized(sim, name, view, sizeof *view);
}

/* The same arrays in the memory of a GPU that computes the steps: all pointers are the device's,
 * current, with all work on them done, to read until the next call that changes or reads the
 * simulation otherwise. false (0): the steps are the CPU's, there is no such set, channel or field,
 * or the device has failed. "solid" is there while there are solids. */
SPATE_API bool spate_sim_particles_device_view_sized(spate_sim *sim, const char *set,
                                                     spate_particles_view *view, size_t size);
static inline bool spate_sim_particles_device_view(spate_sim *sim, const char *set,
                                                   spate_particles_view *view)
{
    return spate_sim_particles_device_view_sized(sim, set, view, sizeof *view);
}
SPATE_API int spate_sim_channel_device_view(spate_sim *sim, const char *name,
                                            const float *columns[4]);
SPATE_API bool spate_sim_field_device_view_sized(spate_sim *sim, const char *name,
                                                 spate_field_view *view, size_t size);
static inline bool spate_sim_field_device_view(spate_sim *sim, const char *name,
                                               spate_field_view *view)
{
    return spate_sim_field_device_view_sized(sim, name, view, sizeof *view);
}

/* Values at points, positions 3 * count (m): velocity 3 * count (m/s), pressure (Pa) and level set
 * phi (m, within a cell of the surface, cut off beyond; voxel surface: half a cell), count each;
 * any of them may be NULL. Where there is no liquid, and outside the domain, velocity and pressure
 * are 0. They are those that the last step left on the grid. Where there is none, or particles or
 * solids have changed since, or spate_sim_stats has sorted them, particles and solids are laid on
 * the grid first; the pressure stays that of the last step. */
SPATE_API spate_status spate_sim_sample(spate_sim *sim, const double *positions, size_t count,
                                        double *velocity, double *pressure, double *phi,
                                        spate_error *error);
/* What the liquid's pressure does to a solid, from the grid as in spate_sim_sample: the force (N,
 * 2D: N/m) and its torque about a point (m; N m, 2D: N, in torque[2]). `about` NULL: the domain
 * corner. force and torque may be NULL. The drag of walls does not count. */
SPATE_API spate_status spate_sim_solid_force(spate_sim *sim, spate_solid_id id,
                                             const double about[3], double force[3],
                                             double torque[3], spate_error *error);
/* Signed distance (m) to the nearest solid at a point (m), by the exact shapes; negative inside,
 * HUGE_VAL without solids. Walls of the domain do not count. `nearest` (may be NULL) receives it,
 * {0, 0} if there is none. */
SPATE_API double spate_sim_solid_distance(const spate_sim *sim, const double point[3],
                                          spate_solid_id *nearest);
/* The surface of the liquid as it is, at all solids as they are, those added later too. Options
 * (may be NULL): resolution counts; dim, cell_size, scene, time and what else the simulation knows
 * do not. */
SPATE_API spate_surface *spate_sim_surface(spate_sim *sim, const spate_surface_options *options,
                                           spate_error *error);

/* The gauges of the scene. Returns how many values gauge number `gauge` has (1, or one per axis), 0
 * if there is no such gauge, or if it is a slice; values that it has not are 0. They are taken at
 * the end of every step from what is then on the grid: pressure and velocity as that step's
 * projection left them, and the surface that it was done with, which is that of the liquid as the
 * step began; pressures and forces are means over the step, whatever the length of the one before.
 * Before the first step and after spate_sim_load, surface and velocity come from the particles, and
 * the pressure is 0 or that of the checkpoint. */
SPATE_API int spate_sim_gauge_count(const spate_sim *sim);
SPATE_API int spate_sim_gauge_read(spate_sim *sim, int gauge, double values[3]);
/* The name that value number `value` of a gauge has as a column of gauges.csv ("H1", "jet_x"), as
 * much of it as fits; false, and "", if there is no such value. 72 bytes are enough. */
SPATE_API bool spate_sim_gauge_column(const spate_sim *sim, int gauge, int value, char *name,
                                      size_t size);
/* The same with unit and place, as the file has it: "H1 [m] at 1.2 0 0.5". 288 bytes are enough. */
SPATE_API bool spate_sim_gauge_heading(const spate_sim *sim, int gauge, int value, char *heading,
                                       size_t size);

/* ------------------------------------------------------------------ statistics */

/* The numbers of a frame; stats.h lists them with units and meaning. */
typedef struct spate_stats {
    uint32_t size; /* of the struct, in the caller's header */
#define SPATE_STAT_MEMBER(type, name, unit, when, help) type name;
    SPATE_STATS(SPATE_STAT_MEMBER)
#undef SPATE_STAT_MEMBER
} spate_stats;

/* One of them, for tables and user interfaces: its column in stats.csv has its name. */
typedef enum spate_stat_type {
    SPATE_STAT_INT,
    SPATE_STAT_UINT64,
    SPATE_STAT_DOUBLE
} spate_stat_type;
typedef enum spate_stat_when {
    SPATE_STAT_MADE,
    SPATE_STAT_RUN,
    SPATE_STAT_FRAME,
    SPATE_STAT_MEASURED
} spate_stat_when; /* see stats.h */
typedef struct spate_stat {
    const char *name, *unit, *help;
    spate_stat_type type;
    spate_stat_when when;
    size_t offset; /* of the member in spate_stats */
} spate_stat;
SPATE_API int spate_stat_count(void);
SPATE_API const spate_stat *spate_stat_info(int stat); /* NULL if there is none */
SPATE_API int spate_stat_find(const char *name);       /* -1 if there is none */
SPATE_API double spate_stats_value(const spate_stats *stats, int stat);

SPATE_API bool spate_sim_stats_sized(spate_sim *sim, spate_stats *stats, size_t size);
SPATE_API void spate_sim_progress_sized(const spate_sim *sim, spate_stats *stats, size_t size);
/* The numbers of the frame under way or just completed. Sorts the particles and walks over them:
 * meant for once a frame. false, and nothing is measured, inside of a stage callback. */
static inline bool spate_sim_stats(spate_sim *sim, spate_stats *stats)
{
    return spate_sim_stats_sized(sim, stats, sizeof *stats);
}
/* The part of them that needs no look at the particles: clock, ledger, solver, collisions; those
 * MEASURED are 0. Costs nothing. */
static inline void spate_sim_progress(const spate_sim *sim, spate_stats *stats)
{
    spate_sim_progress_sized(sim, stats, sizeof *stats);
}

/* Whitewater that came and went since the start, by class and cause. Of each class
 *     spray   = emitted + lifted - landed - removed
 *     foam    = emitted + landed + risen - lifted - dragged - removed
 *     bubbles = emitted + dragged - risen - removed
 *     dust    = emitted - removed */
typedef enum spate_whitewater_class {
    SPATE_WHITEWATER_SPRAY,
    SPATE_WHITEWATER_FOAM,
    SPATE_WHITEWATER_BUBBLE,
    SPATE_WHITEWATER_DUST,
    SPATE_WHITEWATER_CLASSES
} spate_whitewater_class; /* also the values of the attribute "type" of particle files */
typedef enum spate_whitewater_cause {
    SPATE_WHITEWATER_AGED,    /* reached the end of its life */
    SPATE_WHITEWATER_MERGED,  /* spray that fell back slowly; dust that left the water */
    SPATE_WHITEWATER_OPEN,    /* left through an open side */
    SPATE_WHITEWATER_OUTFLOW, /* was in an outflow */
    SPATE_WHITEWATER_KILLED,  /* was in one of whitewater.kill */
    SPATE_WHITEWATER_CRUSHED, /* solids left no place */
    SPATE_WHITEWATER_THINNED, /* beyond whitewater.max_particles */
    SPATE_WHITEWATER_OFF,     /* became of a class that is off */
    SPATE_WHITEWATER_CAUSES
} spate_whitewater_cause;
typedef struct spate_whitewater_ledger {
    uint32_t size; /* in the caller's header */
    uint64_t emitted[SPATE_WHITEWATER_CLASSES];
    uint64_t removed[SPATE_WHITEWATER_CLASSES][SPATE_WHITEWATER_CAUSES];
    uint64_t lifted, landed, risen, dragged; /* foam to spray, spray to foam, bubble to foam, foam
                                                to bubble */
    double keep; /* share that is kept because of whitewater.max_particles; 1: all */
    /* What half, 90 % and 99 % of the cells that could emit do not exceed: those near the surface
     * faster than half of speed_low, of all steps so far; crests: those that go outwards. To choose
     * limits by. */
    double speed[3];     /* m/s */
    double curvature[3]; /* times detail */
    double strain[3];    /* 1/s */
} spate_whitewater_ledger;
SPATE_API bool spate_sim_whitewater_sized(const spate_sim *sim, spate_whitewater_ledger *ledger,
                                          size_t size);
/* false, and all 0, without whitewater. */
static inline bool spate_sim_whitewater(const spate_sim *sim, spate_whitewater_ledger *ledger)
{
    return spate_sim_whitewater_sized(sim, ledger, sizeof *ledger);
}

/* What a channel amounts to, in its unit times m^3 (2D: m^2), and what changed the amount since the
 * start: on the particles it is start + sources + dissipated + mixed + came + left at any time. */
typedef struct spate_channel_sums {
    uint32_t size;     /* in the caller's header */
    double particles;  /* over the particles, each standing for its volume */
    double cells;      /* over the cells; 0 if the grid does not hold it */
    double start;      /* over the particles at the start */
    double sources;    /* that sources gave; of `age`, that time did */
    double dissipated; /* that went by itself: not positive, where the channel is not negative */
    double mixed;      /* that was rounded off where the grid averages */
    double came, left; /* with particles: through inflows and sides, by the caller, by reseeding */
} spate_channel_sums;
SPATE_API bool spate_sim_channel_sums_sized(const spate_sim *sim, const char *name, int component,
                                            spate_channel_sums *sums, size_t size);
/* `particles` and `cells` are those of the last spate_sim_stats. false: there is no such channel or
 * component. */
static inline bool spate_sim_channel_sums(const spate_sim *sim, const char *name, int component,
                                          spate_channel_sums *sums)
{
    return spate_sim_channel_sums_sized(sim, name, component, sums, sizeof *sums);
}

/* ------------------------------------------------------------------ checkpoints */

/* Returns SPATE_OK or SPATE_ERROR_FILE. */
typedef spate_status spate_write_fn(void *user, const void *bytes, size_t size);
typedef spate_status spate_read_fn(void *user, void *bytes, size_t size);

/* Everything that the next step needs, with a layout hash and a checksum. */
SPATE_API spate_status spate_sim_save(spate_sim *sim, spate_write_fn *write, void *user,
                                      spate_error *error);
/* Into a simulation made from the same scene (frames, output, threads and device may differ), to
 * which the same solids have been added and removed, if any were. On failure the simulation must be
 * destroyed. */
SPATE_API spate_status spate_sim_load(spate_sim *sim, spate_read_fn *read, void *user,
                                      spate_error *error);

#ifdef __cplusplus
}
#endif
#endif
