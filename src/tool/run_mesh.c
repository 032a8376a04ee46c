/* run_mesh.c -- surfaces while the run goes on: the particles of a frame are copied, and a task
 * beside the simulation makes the surface of the copy and writes it. One at a time; its file is
 * there before the next frame's output or a checkpoint begins. */
#include "run.h"

#include <spate/spate_io.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/status.h"

struct run_mesh {
    sp_background *thread;
    bool busy;
    float *positions, *velocities; /* copies, 3 per particle */
    size_t count, capacity;
    spate_surface_options options;
    char path[SP_PATH_SIZE];
    spate_status status;
    spate_error error;
};

static void make_and_write(void *args)
{
    run_mesh *m = args;
    spate_surface *mesh =
        spate_surface_create(m->positions, m->velocities, m->count, &m->options, &m->error);
    m->status = mesh ? spate_surface_write(mesh, m->path, &m->error) : m->error.status;
    spate_surface_destroy(mesh);
}

static bool reserve(run_mesh *m, size_t count)
{
    if (count <= m->capacity)
        return true;
    size_t capacity = count + count / 4;
    float *positions = sp_grow(m->positions, 0, capacity, 3 * sizeof *positions);
    m->positions = positions ? positions : m->positions;
    float *velocities = sp_grow(m->velocities, 0, capacity, 3 * sizeof *velocities);
    m->velocities = velocities ? velocities : m->velocities;
    m->capacity = positions && velocities ? capacity : m->capacity;
    return positions && velocities;
}

int run_mesh_finish(tool_run *run)
{
    run_mesh *m = run->mesh;
    if (!m || !m->busy)
        return EXIT_DONE;
    sp_background_wait(m->thread);
    m->busy = false;
    return m->status == SPATE_OK ? EXIT_DONE : tool_fail(&m->error, NULL);
}

spate_status run_mesh_start(tool_run *run, const sp_particles *now, spate_error *error)
{
    run_mesh *m = run->mesh = run->mesh ? run->mesh : sp_alloc(1, sizeof *run->mesh);
    size_t count = now->view.count;
    if (m && !m->thread)
        m->thread = sp_background_create();
    if (!m || !m->thread || !reserve(m, count))
        return sp_fail_memory(error, "the surface of the particles", count * 6 * sizeof(float));
    m->count = count;
    sp_particles_positions(now, 0, count, m->positions);
    sp_particles_velocities(now, 0, count, m->velocities);
    spate_surface_options_default(&m->options, run->scene);
    m->options.time = now->time;
    m->options.threads = 1; /* the others are the simulation's */
    sp_run_folder_mesh(&run->folder, now->frame, m->path);
    m->busy = true;
    sp_background_start(m->thread, make_and_write, m);
    return SPATE_OK;
}

void run_mesh_end(tool_run *run)
{
    run_mesh *m = run->mesh;
    if (!m)
        return;
    sp_background_destroy(m->thread);
    sp_free(m->positions);
    sp_free(m->velocities);
    sp_free(m);
    run->mesh = NULL;
}
