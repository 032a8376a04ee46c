/* martin_moyce.c -- the collapse of a column of water, against J. C. Martin and W. J. Moyce, "An
 * experimental study of the collapse of liquid columns on a rigid horizontal plane", Phil. Trans.
 * R. Soc. A 244 (1952), n^2 = 2: a column of width a = 57.15 mm and height 2 a in a channel whose
 * end it does not reach (8 a).
 *
 *     T = t sqrt(2 g / a),  Z = x_front / a;      tau = t sqrt(g / a),  H = h / (2 a), h the height
 * at the back wall
 *
 * The front is the far edge of the farthest column of cells that holds half a cell of particles (2
 * in 2D; 4 per cell of width in 3D); the height is taken by the same rule from the rows of the
 * first two columns. The gate of the experiment opened over some time, so its clock may be shifted
 * by up to 0.3 in T. Its data are in data/martin_moyce_*.csv. */
#include "case.h"

#define A 0.05715
#define RUN_OUT 8 /* length of the channel over a */
#define MOST_ROWS 32
#define MOST_STEPS 4000
#define LAST_T 4.0

typedef struct curve {
    int count;
    double x[MOST_STEPS], y[MOST_STEPS];
} curve;

/* Reads the first two columns of a file of tests/validation/data. */
static curve read_table(const char *name)
{
    curve table = {.count = 0};
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/tests/validation/data/%s", SPATE_SOURCE, name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file) && table.count < MOST_ROWS)
        if (sscanf(line, "%lf,%lf", &table.x[table.count], &table.y[table.count]) == 2)
            table.count++;
    if (file)
        fclose(file);
    CHECK(table.count >= 15);
    return table;
}

static double at(const curve *c, double x)
{
    int k = 1;
    while (k < c->count - 1 && c->x[k] < x)
        k++;
    double share = (x - c->x[k - 1]) / (c->x[k] - c->x[k - 1]);
    return c->y[k - 1] + share * (c->y[k] - c->y[k - 1]);
}

/* Least-squares slope of `c` at the places x + shift of `table` with x in [low, high]. */
static double slope_at(const curve *c, const curve *table, double shift, double low, double high)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < table->count; k++) {
        double x = table->x[k], y = at(c, x + shift);
        if (x < low - 1e-9 || x > high + 1e-9)
            continue;
        n += 1;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static double rms_at(const curve *c, const curve *table, double shift)
{
    double sum = 0;
    for (int k = 0; k < table->count; k++) {
        double error = at(c, table->x[k] + shift) / table->y[k] - 1;
        sum += error * error;
    }
    return sqrt(sum / table->count);
}

/* ---- the run */

typedef struct run {
    curve front;  /* Z over T */
    curve height; /* H over tau */
} run;

typedef struct setup {
    int dim, cells; /* cells: a / dx */
    uint64_t seed;
} setup;

/* Far edge, in cells, of the last of `count` bins that holds at least `least` particles. */
static int far_edge(const int *bins, int count, int least)
{
    int edge = 0;
    for (int k = 0; k < count; k++)
        edge = bins[k] >= least ? k + 1 : edge;
    return edge;
}

static void measure(spate_sim *sim, const setup *set, run *r)
{
    enum { MOST_BINS = 2048 };
    static int columns[MOST_BINS], rows[MOST_BINS];
    int depth = set->dim == 3 ? 8 : 1, half = set->dim == 3 ? 4 * depth : 2;
    memset(columns, 0, sizeof columns);
    memset(rows, 0, sizeof rows);
    spate_particles_view view = sample_view(sim);
    for (size_t k = 0; k < view.count; k++) {
        int i = (int)view.x[0][k], j = (int)view.x[1][k];
        columns[i < MOST_BINS ? i : MOST_BINS - 1]++;
        if (i < 2)
            rows[j < MOST_BINS ? j : MOST_BINS - 1]++;
    }
    double t = spate_sim_time(sim);
    int n = r->front.count++;
    r->height.count++;
    r->front.x[n] = t * sqrt(2 * GRAVITY / A);
    r->front.y[n] = (double)far_edge(columns, MOST_BINS, half) / set->cells;
    r->height.x[n] = t * sqrt(GRAVITY / A);
    r->height.y[n] = far_edge(rows, MOST_BINS, 2 * half) / (2.0 * set->cells);
}

/* The edge moves by whole cells, a staircase in time: keeps the moments at which it has just moved.
 */
static void smooth_stairs(curve *c)
{
    int kept = 1;
    for (int k = 1; k < c->count; k++)
        if (c->y[k] != c->y[kept - 1] || k == c->count - 1) {
            c->x[kept] = c->x[k];
            c->y[kept++] = c->y[k];
        }
    c->count = kept;
}

static bool collapse(const setup *set, run *r)
{
    const double dx = A / set->cells, depth = set->dim == 3 ? 8 * dx : 0;
    spate_scene *scene = case_scene(set->dim, dx, RUN_OUT * A, 2.5 * A, depth);
    scene->fluid.seed = set->seed;
    case_box(scene, SPATE_LIST_FILL, 0, 0, 0, A, 2 * A, depth);
    spate_sim *sim = case_start(scene);
    r->front.count = r->height.count = 0;
    if (!sim)
        return false;
    measure(sim, set, r);
    while (r->front.x[r->front.count - 1] < LAST_T && r->front.count < MOST_STEPS &&
           case_step(sim, spate_sim_next_dt(sim)))
        measure(sim, set, r);
    bool complete = r->front.x[r->front.count - 1] >= LAST_T;
    CHECK(complete);
    smooth_stairs(&r->front);
    smooth_stairs(&r->height);
    spate_sim_destroy(sim);
    return complete;
}

/* ---- the figures */

typedef struct figures {
    double shift, rms, slope, height;
} figures;

static figures compare(const run *r)
{
    curve front = read_table("martin_moyce_front.csv"),
          height = read_table("martin_moyce_height.csv");
    figures f = {.rms = HUGE_VAL};
    for (int k = -60; k <= 60; k++) {
        double rms = rms_at(&r->front, &front, 0.005 * k);
        if (rms < f.rms) {
            f.rms = rms;
            f.shift = 0.005 * k;
        }
    }
    f.slope = slope_at(&r->front, &front, f.shift, 1.43, 3.33);
    for (int k = 0; k < height.count && height.x[k] < 2.451; k++)
        f.height = fmax(f.height, fabs(at(&r->height, height.x[k]) - height.y[k]));
    return f;
}

static void against_experiment(int dim, int seeds)
{
    static run r;
    figures mean = {0};
    for (int seed = 1; seed <= seeds; seed++) {
        setup set = {dim, 32, (uint64_t)seed};
        if (!collapse(&set, &r))
            return;
        figures f = compare(&r);
        printf("  %dD a/dx 32, seed %d: rms %.4f at shift %+.3f, slope %.4f, height off by %.4f\n",
               dim, seed, f.rms, f.shift, f.slope, f.height);
        mean.rms += f.rms / seeds;
        mean.slope += f.slope / seeds;
        mean.height += f.height / seeds;
    }
    printf("  mean: rms of Z %.4f (0.05; goal 0.02), slope %.4f (1.319 +- 15 %%; goal 5 %%: "
           "%+.1f %%), height %.4f "
           "(0.05)\n",
           mean.rms, mean.slope, 100 * (mean.slope / 1.319 - 1), mean.height);
    CHECK_LESS(mean.rms, 0.05);
    CHECK_NEAR(mean.slope / 1.319, 1, 0.15);
    CHECK_LESS(mean.height, 0.05);
}

/* The slope that is asked for is that of the experiment's own points. */
static void the_data_have_the_slope(void)
{
    curve front = read_table("martin_moyce_front.csv");
    CHECK_NEAR(slope_at(&front, &front, 0, 1.43, 3.33), 1.319, 0.001);
}

static void front_and_height(void)
{
    against_experiment(2, case_full ? 6 : 1);
}

/* Largest difference of two fronts over T in [1, 3.6], relative. */
static double difference(const run *a, const run *b)
{
    double most = 0;
    for (double t = 1; t < 3.6; t += 0.02)
        most = fmax(most, fabs(at(&a->front, t) / at(&b->front, t) - 1));
    return most;
}

static double rms_difference(const run *a, const run *b)
{
    double sum = 0;
    int count = 0;
    for (double t = 1; t < 3.6; t += 0.02, count++)
        sum += pow(at(&a->front, t) / at(&b->front, t) - 1, 2);
    return sqrt(sum / count);
}

static void slab_as_2d(void)
{
    static run flat, slab;
    setup set = {2, case_full ? 32 : 16, 1};
    if (!collapse(&set, &flat))
        return;
    set.dim = 3;
    if (!collapse(&set, &slab))
        return;
    double rms = rms_difference(&slab, &flat);
    printf("  3D slab of 8 cells, a/dx %d: front differs from 2D by %.4f rms, %.4f at most "
           "(0.02); a cell is %.4f\n",
           set.cells, rms, difference(&slab, &flat), 1 / (3.0 * set.cells));
    CHECK_LESS(rms, 0.02);
    if (case_full) /* coarser, a single cell is more than that */
        CHECK_LESS(difference(&slab, &flat), 0.02);
}

static void refinement(void)
{
    static run r[4];
    int levels = case_full ? 4 : 3;
    double last = HUGE_VAL;
    for (int k = 0; k < levels; k++) {
        setup set = {2, 8 << k, 1};
        if (!collapse(&set, &r[k]))
            return;
        if (k == 0)
            continue;
        double change = rms_difference(&r[k], &r[k - 1]);
        printf("  a/dx %d -> %d: front changes by %.4f\n", 4 << k, 8 << k, change);
        CHECK_LESS(change, last);
        last = change;
    }
}

TESTS(validation_martin_moyce)
{
    TEST(the_data_have_the_slope);
    TEST(front_and_height);
    TEST(slab_as_2d);
    TEST(refinement);
}
