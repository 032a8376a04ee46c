/* impact.c -- a ball of water that falls into a pool and flies along it: what it brings must
 * arrive.
 *
 * Sides are periodic and walls slip, so nothing changes the momentum along the pool: from the first
 * step to the last the particles together have what the ball had. Places against the grid, the
 * length of the steps and the transfer must not matter. */
#include "case.h"

#define DX 0.02
#define WIDTH 64  /* cells */
#define HEIGHT 48 /* cells */
#define LEVEL 16  /* cells: depth of the pool */
#define RADIUS 6  /* cells */
#define SPEED 2.0 /* m/s along the pool */

typedef struct drop {
    int dim;
    spate_transfer transfer;
    double fps, x, y; /* of the ball against the grid, cells */
    double cells;     /* radius */
} drop;

static spate_sim *start(const drop *d)
{
    bool flat = d->dim == 2;
    double width = (flat ? WIDTH : 4 * d->cells) * DX, depth = flat ? 0 : 4 * d->cells * DX;
    spate_scene *scene = case_scene(d->dim, DX, width, HEIGHT * DX, depth);
    scene->fps = d->fps;
    scene->fluid.transfer = d->transfer;
    for (int end = 0; end < 2; end++) {
        scene->domain.sides[0][end] = SPATE_SIDE_PERIODIC;
        scene->domain.sides[2][end] = flat ? SPATE_SIDE_WALL : SPATE_SIDE_PERIODIC;
    }
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, width, LEVEL * DX, depth);
    spate_shape *ball = case_add(scene, SPATE_LIST_FILL, SPATE_SHAPE_SPHERE);
    ball->center[0] = 0.5 * width + d->x * DX;
    ball->center[1] = (LEVEL + 2 + d->cells + d->y) * DX;
    ball->center[2] = 0.5 * depth;
    ball->radius = d->cells * DX;
    ball->velocity[0] = SPEED;
    ball->velocity[1] = -1;
    return case_start(scene);
}

static double momentum(spate_sim *sim)
{
    spate_particles_view view = sample_view(sim);
    double sum = 0;
    for (size_t k = 0; k < view.count; k++)
        sum += view.v[0][k];
    return sum;
}

/* The least and the largest share of the momentum that is there, up to 0.6 s. */
static void arrives(const drop *d, double range[2])
{
    spate_sim *sim = start(d);
    if (!sim)
        return;
    double first = momentum(sim), at[3] = {0};
    int frames = (int)(0.6 * d->fps + 0.5);
    for (int frame = 1; frame <= frames && case_step(sim, 0); frame++) {
        double share = momentum(sim) / first;
        range[0] = fmin(range[0], share);
        range[1] = fmax(range[1], share);
        for (int k = 0; k < 3; k++)
            at[k] = frame <= (0.2 + 0.2 * k) * d->fps + 0.5 ? share : at[k];
    }
    if (case_full)
        printf(
            "    %dD %s %4.0f fps, place %+.2f %+.2f: %.4f after 0.2 s, %.4f, %.4f after 0.6; steps %d\n",
            d->dim, d->transfer == SPATE_TRANSFER_APIC ? "apic" : "flip", d->fps, d->x, d->y, at[0],
            at[1], at[2], (int)spate_sim_steps(sim));
    spate_sim_destroy(sim);
}

static void sweep(int dim, spate_transfer transfer, double cells, const double *fps, int count)
{
    const double places[][2] = {{0, 0}, {0.25, 0.3}, {0.5, 0.6}, {0.8, 0.85}};
    double range[2] = {1, 1};
    for (int k = 0; k < count; k++)
        for (int n = 0; n < 4; n++)
            arrives(&(drop){dim, transfer, fps[k], places[n][0], places[n][1], cells}, range);
    printf("  %dD %s: momentum that a falling ball has brought %.4f .. %.4f (0.98 .. 1.02)\n", dim,
           transfer == SPATE_TRANSFER_APIC ? "apic" : "flip", range[0], range[1]);
    CHECK_LESS(0.98, range[0]);
    CHECK_LESS(range[1], 1.02);
}

static void flip_2d(void)
{
    sweep(2, SPATE_TRANSFER_FLIP, RADIUS, (double[]){30, 60, 240}, 3);
}

static void apic_2d(void)
{
    sweep(2, SPATE_TRANSFER_APIC, RADIUS, (double[]){30, 60, 240}, 3);
}

static void flip_3d(void)
{
    if (!case_full)
        SKIP("in the full form (make validate)");
    sweep(3, SPATE_TRANSFER_FLIP, RADIUS, (double[]){60}, 1);
}

int main(int argc, char **argv)
{
    case_begin(argc, argv);
    TEST(flip_2d);
    TEST(apic_2d);
    TEST(flip_3d);
    return test_end();
}
