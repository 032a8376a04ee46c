/* 05_surface_to_file.c -- water falls on a ball that comes while it runs; its surface is made
 * around the ball and written for other programs: surface.ply, or the name on the command line,
 * whose ending says the format (.ply, .vtp, .usda, .usdc, .bobj.gz).
 *
 *     cc 05_surface_to_file.c $(pkg-config --cflags --libs spate_io) -o surface && ./surface */
#include <spate/spate_io.h>
#include <stdio.h>

/* Scenes can be text, as in the files of scenes/. */
static const char text[] = "{ \"name\": \"falling block\","
                           "  \"domain\": { \"size\": [0.5, 0.5, 0.5], \"cells\": 32 },"
                           "  \"fill\": [ { \"shape\": \"box\", \"min\": [0, 0, 0],"
                           "                \"max\": [0.5, 0.05, 0.5] },"
                           "              { \"shape\": \"box\", \"min\": [0.15, 0.25, 0.15],"
                           "                \"max\": [0.35, 0.45, 0.35] } ] }";

static spate_status add_ball(spate_sim *sim, spate_error *error)
{
    spate_shape ball;
    spate_shape_default(&ball);
    ball.shape = SPATE_SHAPE_SPHERE;
    ball.center[0] = ball.center[2] = 0.25, ball.center[1] = 0.15;
    ball.radius = 0.08;
    return spate_sim_add_solid(sim, &ball, NULL, error);
}

/* Volume inside a closed surface: the sum of the tetrahedra between its triangles and the origin.
 */
static double volume_of(const spate_surface *s)
{
    double sum = 0;
    for (size_t t = 0; t < s->triangles; t++) {
        const float *a = s->positions + 3 * s->indices[3 * t];
        const float *b = s->positions + 3 * s->indices[3 * t + 1];
        const float *c = s->positions + 3 * s->indices[3 * t + 2];
        sum += ((double)a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "surface.ply";
    spate_error error = {SPATE_ERROR_MEMORY, "", "out of memory"};
    spate_scene *scene = spate_scene_parse(text, sizeof text - 1, ".", &error);
    spate_sim *sim = scene ? spate_sim_create(scene, NULL, &error) : NULL;
    spate_status status = sim ? add_ball(sim, &error) : error.status;
    while (status == SPATE_OK && spate_sim_frame(sim) < 6)
        status = spate_sim_step_frame(sim, &error);
    spate_surface *surface = status == SPATE_OK ? spate_sim_surface(sim, NULL, &error) : NULL;
    status = surface ? spate_surface_write(surface, path, &error) : error.status;
    if (status == SPATE_OK) {
        spate_stats stats;
        spate_sim_stats(sim, &stats);
        printf("%s: %zu vertices, %zu triangles at %.1f s\n", path, surface->vertices,
               surface->triangles, stats.time);
        printf("%.3f litres inside the surface, %.3f litres of particles\n",
               1000 * volume_of(surface), 1000 * stats.volume_particles);
    } else {
        fprintf(stderr, "05_surface_to_file: %s: %s\n", error.where, error.message);
    }
    spate_surface_destroy(surface);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
    return status == SPATE_OK ? 0 : 1;
}
