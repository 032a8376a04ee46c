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

/* limits of the share of its momentum that has arrived: 0.2 s and 0.6 s after the start */
#define EARLY 0.96
#define LATE 0.90
#define MOST 1.02

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

/* Shares of the momentum that are there: the least and the largest up to 0.2 s, when the ball is in
 * the pool, and up to 0.6 s. */
typedef struct shares {
    double early[2], late[2];
} shares;

static void widen(double range[2], double share)
{
    range[0] = fmin(range[0], share);
    range[1] = fmax(range[1], share);
}

static void arrives(const drop *d, shares *s)
{
    spate_sim *sim = start(d);
    if (!sim)
        return;
    double first = momentum(sim), share = 1, early = 1;
    int frames = (int)(0.6 * d->fps + 0.5);
    for (int frame = 1; frame <= frames && case_step(sim, 0); frame++) {
        share = momentum(sim) / first;
        widen(s->late, share);
        if (3 * frame <= frames) {
            widen(s->early, share);
            early = share;
        }
    }
    if (case_full)
        printf("    %4.0f fps, place %+.2f %+.2f: %.4f after 0.2 s, %.4f after 0.6 s\n", d->fps,
               d->x, d->y, early, share);
    spate_sim_destroy(sim);
}

static void sweep(int dim, spate_transfer transfer, const double *fps, int count)
{
    const double places[][2] = {{0, 0}, {0.25, 0.3}, {0.5, 0.6}, {0.8, 0.85}};
    shares s = {{1, 1}, {1, 1}};
    for (int k = 0; k < count; k++)
        for (int n = 0; n < 4; n += case_full ? 1 : 3)
            arrives(&(drop){dim, transfer, fps[k], places[n][0], places[n][1], RADIUS}, &s);
    printf(
        "  %dD %s: of the momentum of a falling ball %.4f .. %.4f are there up to 0.2 s (%.2f .. "
        "%.2f; goal 0.98), %.4f .. %.4f up to 0.6 s (%.2f .. %.2f; goal 0.98)\n",
        dim, transfer == SPATE_TRANSFER_APIC ? "apic" : "flip", s.early[0], s.early[1], EARLY, MOST,
        s.late[0], s.late[1], LATE, MOST);
    CHECK_LESS(EARLY, s.early[0]);
    CHECK_LESS(LATE, s.late[0]);
    CHECK_LESS(s.late[1], MOST);
}

static void flip_2d(void)
{
    sweep(2, SPATE_TRANSFER_FLIP, (double[]){30, 60, 240}, 3);
}

static void apic_2d(void)
{
    sweep(2, SPATE_TRANSFER_APIC, (double[]){30, 60, 240}, 3);
}

static void flip_3d(void)
{
    sweep(3, SPATE_TRANSFER_FLIP, (double[]){60}, 1);
}

TESTS(validation_impact)
{
    TEST(flip_2d);
    TEST(apic_2d);
    TEST_LONG(flip_3d);
}
