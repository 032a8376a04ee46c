/* 01_hello.c -- a first program: a column of water collapses in a tank, drawn with letters.
 *
 *     cc 01_hello.c $(pkg-config --cflags --libs spate) -o hello && ./hello */
#include <spate/spate.h>
#include <stdio.h>

#define COLUMNS 64
#define ROWS 16

/* A tank of 2 x 1 m, 64 cells long, with a column of 0.8 x 0.8 m at its left wall. */
static spate_scene *dam_break(void)
{
    spate_scene *scene = spate_scene_create(); /* everything not set below has its default */
    spate_shape *column = scene ? spate_scene_add_shape(scene, SPATE_LIST_FILL) : NULL;
    if (!column) {
        spate_scene_destroy(scene);
        return NULL;
    }
    scene->dim = 2;
    scene->domain.size[0] = 2;
    scene->domain.size[1] = 1;
    scene->domain.cells = 64;
    column->shape = SPATE_SHAPE_BOX;
    column->min[0] = column->min[1] = 0;
    column->max[0] = column->max[1] = 0.8;
    return scene;
}

/* Looks at the particles where they are, without copying them. */
static void draw(spate_sim *sim)
{
    int count[ROWS][COLUMNS] = {{0}};
    double front = 0;
    spate_particles_view view;
    spate_sim_particles_view(sim, "fluid", &view);
    for (size_t k = 0; k < view.count; k++) {
        double x = view.origin[0] + view.scale * view.x[0][k]; /* metres */
        double y = view.origin[1] + view.scale * view.x[1][k];
        int column = (int)(x / 2 * COLUMNS), row = (int)(y * ROWS);
        if (column >= 0 && column < COLUMNS && row >= 0 && row < ROWS)
            count[row][column]++;
        if (x > front)
            front = x;
    }
    printf("time %.2f s, %zu particles, front at %.2f m\n", spate_sim_time(sim), view.count, front);
    for (int row = ROWS - 1; row >= 0; row--) {
        putchar('|');
        for (int column = 0; column < COLUMNS; column++) {
            int n = count[row][column];
            putchar(n == 0 ? ' ' : n < 3 ? '.' : n < 6 ? 'o' : '#');
        }
        puts("|");
    }
}

int main(void)
{
    spate_scene *scene = dam_break();
    spate_error error = {SPATE_ERROR_MEMORY, "", "out of memory"};
    spate_sim *sim = scene ? spate_sim_create(scene, NULL, &error) : NULL;
    spate_status status = sim ? SPATE_OK : error.status;
    if (sim)
        draw(sim);
    while (status == SPATE_OK &&
           spate_sim_frame(sim) < 30) { /* one second at 30 frames per second */
        status = spate_sim_step_frame(sim, &error);
        if (status == SPATE_OK && spate_sim_frame(sim) % 5 == 0)
            draw(sim);
    }
    if (status != SPATE_OK)
        fprintf(stderr, "01_hello: %s: %s\n", error.where, error.message);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
    return status == SPATE_OK ? 0 : 1;
}
