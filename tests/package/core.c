/* core.c -- a user's program that needs libspate alone: five frames of a 2D dam break. */
#include <spate/spate.h>
#include <stdio.h>

int main(void)
{
    spate_error error;
    spate_scene *scene = spate_scene_create();
    spate_shape *fill = spate_scene_add_shape(scene, SPATE_LIST_FILL);
    scene->dim = 2;
    scene->domain.size[0] = scene->domain.size[1] = 0.5;
    scene->domain.cells = 16;
    fill->min[0] = fill->min[1] = 0;
    fill->max[0] = fill->max[1] = 0.25;
    spate_sim *sim = spate_sim_create(scene, NULL, &error);
    while (sim && spate_sim_frame(sim) < 5)
        if (spate_sim_step_frame(sim, &error) != SPATE_OK)
            break;
    int done =
        sim && spate_sim_frame(sim) == 5 && spate_sim_particles_count(sim, "fluid") == 8 * 8 * 4;
    if (!done)
        fprintf(stderr, "core: %s: %s\n", error.where, error.message);
    spate_sim_destroy(sim);
    spate_scene_destroy(scene);
    return !done;
}
