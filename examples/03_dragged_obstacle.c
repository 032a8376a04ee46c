/* 03_dragged_obstacle.c -- an obstacle of the program's own, a wedge of eight triangles, is dragged
 * through a tank of water (3D). It has a name and keyframes, and a gauge reads the drag.
 *
 *     cc 03_dragged_obstacle.c $(pkg-config --cflags --libs spate) -o drag && ./drag */
#include <spate/spate.h>
#include <stdio.h>
#include <string.h>

/* A prism with a sharp bow at +x: 0.2 m long, 0.16 m high and wide. Any closed mesh will do. */
static spate_mesh *wedge(spate_error *error)
{
    static const double vertices[6][3] = {{0, 0, -0.08},    {0, 0, 0.08},    {0.2, 0, 0},
                                          {0, 0.16, -0.08}, {0, 0.16, 0.08}, {0.2, 0.16, 0}};
    static const uint32_t triangles[8][3] = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                                             {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
    return spate_mesh_create(&vertices[0][0], 6, &triangles[0][0], 8, error);
}

/* A tank of 1.2 x 0.4 x 0.4 m, half full; the wedge waits for 0.2 s, then goes 0.6 m in 1 s. */
static spate_scene *make_scene(spate_error *error)
{
    spate_scene *scene = spate_scene_create();
    spate_shape *water = scene ? spate_scene_add_shape(scene, SPATE_LIST_FILL) : NULL;
    spate_shape *hull = scene ? spate_scene_add_shape(scene, SPATE_LIST_SOLIDS) : NULL;
    spate_gauge *drag = scene ? spate_scene_add_gauge(scene) : NULL;
    spate_keyframe *keys[2] = {NULL, NULL};
    const double size[3] = {1.2, 0.4, 0.4}, start[3] = {0.2, 0.1, 0.2};
    for (int k = 0; k < 2 && hull; k++)
        keys[k] = spate_shape_add_keyframe(hull);
    if (!water || !drag || !keys[1] || !(hull->mesh = wedge(error))) {
        spate_scene_destroy(scene);
        return NULL;
    }
    scene->domain.cells = 48;
    memcpy(scene->domain.size, size, sizeof size);
    for (int d = 0; d < 3; d++) {
        water->min[d] = 0;
        water->max[d] = d == 1 ? 0.2 : size[d];
    }
    strcpy(hull->name, "hull"), hull->shape = SPATE_SHAPE_MESH;
    memcpy(hull->position, start, sizeof start);
    hull->motion[0].time = 0.2;
    hull->motion[1].time = 1.2, hull->motion[1].position[0] = 0.6;
    drag->kind = SPATE_GAUGE_FORCE, strcpy(drag->solid, "hull");
    return scene;
}

int main(void)
{
    spate_error error = {SPATE_ERROR_MEMORY, "", "out of memory"};
    spate_scene *scene = make_scene(&error);
    spate_sim *sim = scene ? spate_sim_create(scene, NULL, &error) : NULL;
    spate_status status = sim ? SPATE_OK : error.status;
    spate_scene_destroy(scene); /* the simulation has its own copy */
    spate_stats stats = {.in_solid = 0};
    double sum = 0;
    while (status == SPATE_OK && spate_sim_frame(sim) < 36) { /* 1.2 s */
        double force[3];
        status = spate_sim_step_frame(sim, &error);
        spate_sim_gauge_read(sim, 0, force);
        spate_sim_stats(sim, &stats);
        if (stats.time > 0.4) /* after the start */
            sum += force[0] / 24;
        if (stats.frame % 6 == 0)
            printf("%.1f s: drag %6.2f N, lift %6.2f N, fastest %.2f m/s, %llu particles inside\n",
                   stats.time, -force[0], force[1], stats.max_speed,
                   (unsigned long long)stats.in_solid);
    }
    if (status != SPATE_OK)
        fprintf(stderr, "03_dragged_obstacle: %s: %s\n", error.where, error.message);
    else
        printf("mean drag %.2f N, %llu of %llu particles lost\n", -sum,
               (unsigned long long)stats.removed, (unsigned long long)stats.seeded);
    spate_sim_destroy(sim);
    return status == SPATE_OK ? 0 : 1;
}
