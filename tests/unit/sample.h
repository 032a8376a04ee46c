/* sample.h -- small scenes, checks and streams in memory that the tests of the promises share. */
#ifndef SPATE_TEST_SAMPLE_H
#define SPATE_TEST_SAMPLE_H

#include <spate/spate.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "test.h"
#include "values.h"

/* An empty scene of width x height (x depth) metres with `cells` along the longest side. */
static inline spate_scene *sample_scene(int dim, double width, double height, double depth,
                                        int cells)
{
    spate_scene *scene = spate_scene_create();
    scene->dim = dim;
    scene->domain.size[0] = width;
    scene->domain.size[1] = height;
    scene->domain.size[2] = dim == 3 ? depth : 0;
    scene->domain.cells = cells;
    return scene;
}

static inline spate_shape sample_box_shape(double x0, double y0, double z0, double x1, double y1,
                                           double z1)
{
    spate_shape shape = sample_shape();
    double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
    memcpy(shape.min, low, sizeof low);
    memcpy(shape.max, high, sizeof high);
    return shape;
}

/* The pointer is good until the next shape of that list. */
static inline spate_shape *sample_box(spate_scene *scene, spate_list list, double x0, double y0,
                                      double z0, double x1, double y1, double z1)
{
    spate_shape *shape = spate_scene_add_shape(scene, list);
    *shape = sample_box_shape(x0, y0, z0, x1, y1, z1);
    return shape;
}

static inline spate_shape *sample_sphere(spate_scene *scene, spate_list list, double x, double y,
                                         double z, double radius)
{
    spate_shape *shape = spate_scene_add_shape(scene, list);
    double center[3] = {x, y, z};
    shape->shape = SPATE_SHAPE_SPHERE;
    memcpy(shape->center, center, sizeof center);
    shape->radius = radius;
    return shape;
}

static inline void sample_velocity(spate_shape *shape, double x, double y, double z)
{
    double v[3] = {x, y, z};
    memcpy(shape->velocity, v, sizeof v);
}

static inline void sample_key(spate_shape *shape, double time, double x, double y, double turn)
{
    spate_keyframe *key = spate_shape_add_keyframe(shape);
    *key = (spate_keyframe){.time = time, .position = {x, y, 0}, .rotation = {0, 0, turn}};
}

/* A closed box as a mesh: 12 triangles between (0, 0, 0) and (x, y, z). */
static inline spate_mesh *sample_mesh(double x, double y, double z)
{
    double vertices[24];
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int k = 0; k < 8; k++) {
        vertices[3 * k] = k & 1 ? x : 0;
        vertices[3 * k + 1] = k & 2 ? y : 0;
        vertices[3 * k + 2] = k & 4 ? z : 0;
    }
    return spate_mesh_create(vertices, 8, triangles, 12, NULL);
}

/* A simulation of the scene, which is destroyed; prints why if there is none. */
static inline spate_sim *sample_sim(spate_scene *scene, int threads)
{
    spate_error error = {0};
    spate_options options = sample_options();
    options.threads = threads;
    spate_sim *sim = spate_sim_create(scene, &options, &error);
    if (!sim) {
        printf("  no simulation: %s: %s\n", error.where, error.message);
        test_failures++;
    }
    spate_scene_destroy(scene);
    return sim;
}

/* One step; false, and why, if it failed. */
static inline bool sample_step(spate_sim *sim, double dt)
{
    spate_error error = {0};
    if (spate_sim_step(sim, dt, &error) == SPATE_OK)
        return true;
    printf("  step %llu: %s: %s\n", (unsigned long long)spate_sim_steps(sim), error.where,
           error.message);
    test_failures++;
    return false;
}

/* particles = seeded + added - removed, and each removal has a cause. */
static inline bool sample_ledger(spate_sim *sim)
{
    spate_stats s = sample_stats(sim);
    uint64_t causes =
        s.removed_open + s.removed_outflow + s.removed_crushed + s.removed_user + s.removed_reseed;
    if (s.particles == spate_sim_particles_count(sim, "fluid") &&
        s.particles == s.seeded + s.added - s.removed && s.removed == causes)
        return true;
    printf(
        "  step %llu: the ledger is off: %llu particles, %llu seeded, %llu added, %llu removed\n",
        (unsigned long long)spate_sim_steps(sim), (unsigned long long)s.particles,
        (unsigned long long)s.seeded, (unsigned long long)s.added, (unsigned long long)s.removed);
    test_failures++;
    return false;
}

/* A checkpoint in memory. */
typedef struct sample_memory {
    unsigned char *bytes;
    size_t size, capacity;
    size_t at;         /* reading */
    size_t calls;      /* of the write function so far */
    size_t fail_call;  /* the call of the write function that fails; 0: none */
    size_t ends[4096]; /* where each call ended */
} sample_memory;

static inline spate_status sample_write(void *user, const void *bytes, size_t size)
{
    sample_memory *memory = user;
    if (++memory->calls == memory->fail_call)
        return SPATE_ERROR_FILE;
    if (memory->size + size > memory->capacity) {
        memory->capacity = 2 * (memory->size + size);
        memory->bytes = realloc(memory->bytes, memory->capacity);
    }
    memcpy(memory->bytes + memory->size, bytes, size);
    memory->size += size;
    if (memory->calls <= 4096)
        memory->ends[memory->calls - 1] = memory->size;
    return SPATE_OK;
}

static inline spate_status sample_read(void *user, void *bytes, size_t size)
{
    sample_memory *memory = user;
    if (memory->size - memory->at < size)
        return SPATE_ERROR_FILE;
    memcpy(bytes, memory->bytes + memory->at, size);
    memory->at += size;
    return SPATE_OK;
}

#endif
