/* 04_two_simulations.c -- two simulations at once, each in a thread of its own: the same splash
 * with FLIP, which keeps its energy, and with PIC, which loses it. A simulation may be used from
 * one thread at a time; different simulations know nothing of each other.
 *
 *     cc 04_two_simulations.c $(pkg-config --cflags --libs spate) -pthread -o two && ./two */
#include <pthread.h>
#include <spate/spate.h>
#include <stdio.h>

typedef struct run {
    const char *name;
    double flip_ratio; /* 1 FLIP .. 0 PIC */
    /* results */
    spate_status status;
    spate_error error;
    double energy[4]; /* J, every half second */
    uint64_t hash;    /* of all particles at the end */
} run;

static spate_sim *make_splash(double flip_ratio, spate_error *error)
{
    spate_scene *scene = spate_scene_create();
    spate_shape *water = scene ? spate_scene_add_shape(scene, SPATE_LIST_FILL) : NULL;
    spate_sim *sim = NULL;
    if (water) {
        spate_options options;
        spate_options_default(&options);
        options.threads = 1; /* the program brings its own */
        scene->dim = 2;
        scene->domain.size[0] = 1, scene->domain.size[1] = 0.6;
        scene->domain.cells = 64;
        scene->fluid.flip_ratio = flip_ratio;
        water->min[0] = water->min[1] = 0;
        water->max[0] = 0.4, water->max[1] = 0.4;
        sim = spate_sim_create(scene, &options, error);
    }
    spate_scene_destroy(scene);
    return sim;
}

static void *simulate(void *args)
{
    run *r = args;
    spate_sim *sim = make_splash(r->flip_ratio, &r->error);
    r->status = sim ? SPATE_OK : SPATE_ERROR_MEMORY;
    for (int frame = 1; frame <= 60 && r->status == SPATE_OK; frame++) {
        spate_stats stats;
        r->status = spate_sim_step_frame(sim, &r->error);
        spate_sim_stats(sim, &stats);
        if (frame % 15 == 0)
            r->energy[frame / 15 - 1] = stats.kinetic_energy;
    }
    r->hash = sim ? spate_sim_hash(sim) : 0;
    spate_sim_destroy(sim);
    return NULL;
}

int main(void)
{
    run runs[3] = {{.name = "FLIP", .flip_ratio = 0.99}, {.name = "PIC"}, {.name = "PIC again"}};
    pthread_t threads[3];
    int failed = 0;
    for (int k = 0; k < 2; k++)
        failed += pthread_create(&threads[k], NULL, simulate, &runs[k]) != 0;
    for (int k = 0; k < 2 && !failed; k++)
        pthread_join(threads[k], NULL);
    if (!failed)
        simulate(&runs[2]); /* alone: the same bits as beside another */
    for (int k = 0; k < 3 && !failed; k++) {
        const double *e = runs[k].energy;
        printf("%-9s %6.1f, %6.1f, %6.1f, %6.1f J per metre; hash %016llx\n", runs[k].name, e[0],
               e[1], e[2], e[3], (unsigned long long)runs[k].hash);
        failed += runs[k].status != SPATE_OK;
        if (runs[k].status != SPATE_OK)
            fprintf(stderr, "04_two_simulations: %s\n", runs[k].error.message);
    }
    return failed != 0;
}
