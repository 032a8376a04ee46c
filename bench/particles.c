/* particles.c -- the stages that loop over particles, each by itself, on the same step over and
 * over.
 *
 *     spate_bench_particles [-f FRAMES] [-n TURNS] [-m none|push|density|both] [CASE...]
 *
 *   2d-N, 3d-N   the dam break of `spate bench`, N cells long, in the middle of its fall (-f: after
 *                as many frames)
 *   2r-N, 3r-N   a closed box with N cells along each side, particles at random at rest density
 *
 * Nanoseconds per particle, one thread, the fastest of some turns, because machines are shared;
 * "other" is what a step does between its stages. Every turn loads the same state from memory and
 * takes one step, so that two builds with the same bits do the same work. The times are those of
 * stats.csv: where G2P leaves the particles' velocities to ADVECT, they are in the latter's. */
#include <spate/spate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS 32 /* at most: the stages, then what a step does between them */
#define FRAMES 8   /* before the dam break is measured, unless -f says otherwise: 0.27 s */

typedef struct memory {
    char *bytes;
    size_t size, room, at;
} memory;

static spate_status put(void *user, const void *bytes, size_t size)
{
    memory *m = user;
    if (m->size + size > m->room) {
        size_t room = 2 * (m->size + size);
        char *larger = realloc(m->bytes, room);
        if (!larger)
            return SPATE_ERROR_FILE;
        m->bytes = larger;
        m->room = room;
    }
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return SPATE_OK;
}

static spate_status take(void *user, void *bytes, size_t size)
{
    memory *m = user;
    if (m->at + size > m->size)
        return SPATE_ERROR_FILE;
    memcpy(bytes, m->bytes + m->at, size);
    m->at += size;
    return SPATE_OK;
}

static bool fill(spate_scene *scene, double x, double y, double z)
{
    spate_shape *shape = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    if (!shape)
        return false;
    const double high[3] = {x, y, z};
    for (int d = 0; d < 3; d++) {
        shape->min[d] = 0;
        shape->max[d] = high[d];
    }
    return true;
}

static spate_sim *create(int dim, bool random, int cells, spate_volume_method method)
{
    spate_error error = {0};
    spate_options options;
    spate_options_default(&options);
    spate_scene *scene = spate_scene_create();
    if (!scene)
        return NULL;
    scene->dim = dim;
    scene->domain.size[0] = random ? 1 : 2;
    scene->domain.size[1] = 1;
    scene->domain.size[2] = dim == 3 ? 1 : 0;
    scene->domain.cells = cells;
    scene->volume.method = method;
    options.threads = 1;
    bool made = random || fill(scene, 0.8, 0.8, 1);
    spate_sim *sim = made ? spate_sim_create(scene, &options, &error) : NULL;
    if (!sim)
        fprintf(stderr, "spate_bench_particles: %s\n", error.message);
    spate_scene_destroy(scene);
    return sim;
}

static spate_status scatter(spate_sim *sim, int dim, int cells, spate_error *error)
{
    size_t count = (size_t)cells * (size_t)cells * (dim == 3 ? 8 * (size_t)cells : 4);
    float *x = calloc(3 * count, sizeof *x);
    uint64_t random = 1;
    if (!x)
        return SPATE_ERROR_MEMORY;
    for (size_t k = 0; k < 3 * count; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        x[k] = dim == 3 || k % 3 != 2 ? (float)(random >> 40) * 0x1p-24f : 0.0f;
    }
    spate_status status = spate_sim_add_particles(sim, x, NULL, count, NULL, error);
    free(x);
    return status;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One step; the seconds of its stages and of what is between them. */
static spate_status time_step(spate_sim *sim, double seconds[COLUMNS], spate_error *error)
{
    int stages = spate_stage_count();
    double before[COLUMNS];
    bool anew = spate_sim_at_frame(sim); /* a frame counts from zero */
    for (int stage = 0; stage < stages; stage++)
        before[stage] = anew ? 0 : spate_sim_stage_seconds(sim, stage);
    double start = now();
    spate_status status = spate_sim_step(sim, 0, error);
    seconds[stages] = now() - start;
    for (int stage = 0; stage < stages; stage++) {
        seconds[stage] = spate_sim_stage_seconds(sim, stage) - before[stage];
        seconds[stages] -= seconds[stage];
    }
    return status;
}

static spate_status measure(spate_sim *sim, memory *state, int turns, double best[COLUMNS],
                            spate_error *error)
{
    spate_status status = spate_sim_save(sim, put, state, error);
    for (int turn = 0; turn < turns && status == SPATE_OK; turn++) {
        double seconds[COLUMNS] = {0};
        state->at = 0;
        status = spate_sim_load(sim, take, state, error);
        if (status == SPATE_OK)
            status = time_step(sim, seconds, error);
        for (int k = 0; k < COLUMNS; k++)
            best[k] = turn == 0 || seconds[k] < best[k] ? seconds[k] : best[k];
    }
    return status;
}

static bool run_case(const char *name, int frames, int turns, spate_volume_method method)
{
    spate_error error = {0};
    double best[COLUMNS] = {0};
    memory state = {0};
    int dim = name[0] == '2' ? 2 : 3, cells = atoi(name + 3);
    bool random = name[1] == 'r';
    spate_sim *sim = create(dim, random, cells, method);
    spate_status status = sim ? SPATE_OK : SPATE_ERROR_MEMORY;
    if (status == SPATE_OK && random)
        status = scatter(sim, dim, cells, &error);
    for (int frame = 0; frame < frames && !random && status == SPATE_OK; frame++)
        status = spate_sim_step_frame(sim, &error);
    if (status == SPATE_OK) /* one more: a frame ends with a sort */
        status = spate_sim_step(sim, spate_sim_next_dt(sim), &error);
    if (status == SPATE_OK)
        status = measure(sim, &state, turns, best, &error);
    if (status == SPATE_OK) {
        printf("%-8s %9zu", name, spate_sim_particles_count(sim, "fluid"));
        for (int k = 0; k < spate_stage_count() + 1; k++)
            printf(" %11.1f", 1e9 * best[k] / (double)spate_sim_particles_count(sim, "fluid"));
        printf("  %016llx\n", (unsigned long long)spate_sim_hash(sim));
    } else {
        fprintf(stderr, "spate_bench_particles: %s: %s\n", name, error.message);
    }
    spate_sim_destroy(sim);
    free(state.bytes);
    return status == SPATE_OK;
}

static spate_volume_method method_of(const char *name)
{
    return strcmp(name, "none") == 0      ? SPATE_VOLUME_NONE
           : strcmp(name, "density") == 0 ? SPATE_VOLUME_DENSITY
           : strcmp(name, "both") == 0    ? SPATE_VOLUME_BOTH
                                          : SPATE_VOLUME_PUSH;
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"2d-400", "2r-256", "3d-64", "3r-32"};
    const char *cases[16];
    int turns = 10, frames = FRAMES, count = 0;
    spate_volume_method method = SPATE_VOLUME_PUSH;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-n") == 0 && k + 1 < argc)
            turns = atoi(argv[++k]);
        else if (strcmp(argv[k], "-f") == 0 && k + 1 < argc)
            frames = atoi(argv[++k]);
        else if (strcmp(argv[k], "-m") == 0 && k + 1 < argc)
            method = method_of(argv[++k]);
        else if (count < 16 && strlen(argv[k]) > 3 && atoi(argv[k] + 3) >= 4)
            cases[count++] = argv[k];
    }
    printf("case     particles");
    for (int stage = 0; stage < spate_stage_count(); stage++)
        printf(" %11s", spate_stage_name(stage));
    printf(" %11s  hash\n", "other");
    for (int k = 0; k < (count > 0 ? count : 4); k++)
        if (!run_case(count > 0 ? cases[k] : all[k], frames, turns, method))
            return 1;
    return 0;
}
