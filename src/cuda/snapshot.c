/* snapshot.c -- the particles as they are, for output beside the next steps (state/particle_set.h).
 *
 *     columns --stream of the steps--> copies on the device --stream of the copies--> host
 *
 * The copies on the device cost as much memory as the columns that they are of, and let the next
 * step begin at once. Without memory for them the columns themselves are sent, and the next stage
 * that writes particles waits for that (DEV(gpu_use)). The host's memory is pinned: the device
 * writes it by itself. */
#include "residency.h"
#include "stages.h"

#include <string.h>

void DEV(gpu_free_snapshot)(X(gpu) *g)
{
    DEV(gpu_snapshot) *n = &g->snapshot;
    for (int k = 0; k < GPU_SENT; k++) {
        DEV(gpu_unpin)(g, n->host[k]);
        DEV(gpu_free)(g, n->device[k], n->capacity * 4);
    }
    memset(n, 0, sizeof *n);
}

/* Whether the device has memory for copies, with some left for what may grow. */
static bool has_memory(X(gpu) *g, size_t bytes)
{
    uint64_t available, total;
    DEV(gpu_memory)(g, &available, &total);
    return available > g->allocated && (available - g->allocated) / 2 > bytes;
}

static bool reserve_snapshot(X(gpu) *g, int columns)
{
    DEV(gpu_snapshot) *n = &g->snapshot;
    size_t count = g->f.particles.count;
    if (count <= n->capacity && n->host[0])
        return true;
    DEV(gpu_send_wait)(g);
    DEV(gpu_free_snapshot)(g);
    size_t capacity = count + count / 8 + 1;
    bool copies = has_memory(g, capacity * 4 * (size_t)columns), all = true;
    for (int k = 0; k < columns; k++) {
        n->host[k] = DEV(gpu_pin)(g, capacity * 4);
        n->device[k] = copies ? DEV(gpu_alloc)(g, capacity * 4, "output beside the steps") : NULL;
        all = all && n->host[k];
    }
    n->capacity = capacity;
    if (!all)
        DEV(gpu_free_snapshot)(g);
    return all;
}

double DEV(snapshot_bytes)(const spate_scene *scene, double particles)
{
    int columns = X(count_columns)(WHEN_ALWAYS, true);
    for (int k = 0; k < scene->channel_count; k++)
        columns += scene->channels[k].components;
    return 1.125 * particles * 4 * columns;
}

bool DEV(snapshot)(X(sim) *s, sp_particles *out)
{
    X(gpu) *g = s->gpu;
    DEV(gpu_snapshot) *n = &g->snapshot;
    void **columns[MAX_COLUMNS];
    DEV(gpu_use)(s, GROUP_PARTICLES);
    int count = X(list_columns)(&g->f.particles, true, columns);
    size_t bytes = (size_t)g->f.particles.count * 4;
    if (g->failure[0] || !reserve_snapshot(g, count) || g->failure[0])
        return false;
    DEV(gpu_send_guard)(g); /* the last one has left the copies */
    for (int k = 0; k < count && n->device[k]; k++)
        DEV(gpu_copy)(g, n->device[k], *columns[k], bytes);
    DEV(gpu_send_begin)(g);
    for (int k = 0; k < count; k++)
        DEV(gpu_send)(g, n->host[k], n->device[k] ? n->device[k] : *columns[k], bytes);
    DEV(gpu_send_end)(g);
    g->sending = !n->device[0];

    X(particles) sent = g->f.particles; /* the same with the host's columns */
    X(list_columns)(&sent, true, columns);
    for (int k = 0; k < count; k++)
        *columns[k] = n->host[k];
    X(show_particles)(s, &s->sets[SET_FLUID], &sent, out);
    return !g->failure[0];
}

bool DEV(snapshot_wait)(X(sim) *s)
{
    return DEV(gpu_send_wait)(s->gpu);
}
