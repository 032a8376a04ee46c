/* test_channels.c -- run-time channels: age, source, dye that spreads, and labels that are only
 * carried. */
#include "fixture.h"

#define STEPS 6
#define DT 0.004

/* A full periodic box of two fills, n no multiple of a tile. Channels: age, source, dye (pic, 2
 * components), label (3). */
static fixture *box(int n)
{
    spate_scene *scene = scene_of_cells(0.05, n, n, n);
    const double zero[3] = {0, 0, 0}, left[3] = {0.5 * n, n, n}, right[3] = {0.5 * n, 0, 0},
                 all[3] = {n, n, n};
    make_periodic(scene);
    add_box(scene, SPATE_LIST_FILL, zero, left);
    add_box(scene, SPATE_LIST_FILL, right, all);
    static const char *const names[4] = {"age", "source", "dye", "label"};
    for (int k = 0; k < 4; k++) {
        spate_channel *channel = spate_scene_add_channel(scene);
        snprintf(channel->name, sizeof channel->name, "%s", names[k]);
        channel->components = k == 2 ? 2 : k == 3 ? 3 : 1;
        channel->pic = k == 2;
        channel->initial[0] = k == 3 ? 2.5 : 0;
    }
    return fixture_create(scene);
}

enum { AGE = 0, SOURCE = 1, DYE = 2, LABEL = 4 }; /* columns */

/* Dye: 1 on the left, 0 on the right; second component its double, less 3. Labels: two of three are
 * the test's own. */
static void paint(fixture *f)
{
    X(particles) *p = &f->s->particles;
    for (uint32_t k = 0; k < p->count; k++) {
        p->own[DYE][k] = p->x[0][k] < 0.5f * (float)f->s->grid.n[0] ? 1.0f : 0.0f;
        p->own[DYE + 1][k] = 2 * p->own[DYE][k] - 3;
        p->own[LABEL + 1][k] = (float)p->id[0][k];
        p->own[LABEL + 2][k] = -1.0f / (float)(1 + p->id[0][k]);
    }
}

typedef struct moments {
    double sum, low, high, variance;
} moments;

static moments moments_of(const float *values, uint32_t count)
{
    moments m = {0, 1e30, -1e30, 0};
    for (uint32_t k = 0; k < count; k++) {
        m.sum += values[k];
        m.low = fmin(m.low, values[k]);
        m.high = fmax(m.high, values[k]);
    }
    for (uint32_t k = 0; k < count; k++)
        m.variance += pow(values[k] - m.sum / count, 2) / count;
    return m;
}

static void check_channels(int n)
{
    fixture *f = box(n);
    if (!f)
        return;
    X(particles) *p = &f->s->particles;
    float *source = malloc((p->count + 1) * sizeof *source);
    bool wrong = false, both[2] = {false, false};
    for (uint32_t k = 0; k < p->count; k++) {
        int expected = p->x[0][k] > 0.5f * (float)n;
        source[p->id[0][k]] = (float)expected;
        both[expected] = true;
        wrong = wrong || p->own[SOURCE][k] != (float)expected;
    }
    CHECK(!wrong && both[0] && both[1]);
    paint(f);
    shake(f, 1);
    moments before[2], after[2];
    for (int e = 0; e < 2; e++)
        before[e] = moments_of(p->own[DYE + e], p->count);
    run_steps(f, STEPS, DT);
    for (int e = 0; e < 2; e++) {
        after[e] = moments_of(p->own[DYE + e], p->count);
        CHECK_NEAR(after[e].sum / before[e].sum, 1, 1e-5);
        CHECK(after[e].low >= before[e].low - 1e-5 && after[e].high <= before[e].high + 1e-5);
        CHECK_LESS(after[e].variance, 0.95 * before[e].variance);
        /* each step spreads by about 1/3 cell^2; over 6 steps the smallest box keeps 0.3 of its
         * variance */
        CHECK(after[e].variance > 0.2 * before[e].variance);
    }
    for (uint32_t k = 0; k < p->count; k++) {
        uint32_t id = p->id[0][k];
        wrong =
            wrong || fabs(p->own[AGE][k] - STEPS * DT) > 1e-6 || p->own[SOURCE][k] != source[id];
        wrong = wrong || p->own[LABEL][k] != 2.5f || p->own[LABEL + 1][k] != (float)id ||
                p->own[LABEL + 2][k] != -1.0f / (float)(1 + id);
        wrong = wrong || fabs(p->own[DYE + 1][k] - (2 * p->own[DYE][k] - 3)) > 1e-5;
    }
    CHECK(!wrong);
    free(source);
    fixture_destroy(f);
}

static void channels_of_a_periodic_box(void)
{
    check_channels(DIM == 2 ? 20 : 10);
    check_channels(DIM == 2 ? 33 : 9);
    check_channels(16);
}

/* Dye on one side of the seam reaches the other side in one step, and the middle of the box does
 * not see it. */
static void dye_crosses_the_seam(void)
{
    int n = DIM == 2 ? 20 : 10;
    fixture *f = box(n);
    if (!f)
        return;
    X(particles) *p = &f->s->particles;
    for (uint32_t k = 0; k < p->count; k++)
        p->own[DYE][k] = p->x[0][k] > (float)n - 1.0f ? 1.0f : 0.0f;
    run_steps(f, 1, DT);
    double across = 0, middle = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        across = p->x[0][k] < 0.5f ? fmax(across, p->own[DYE][k]) : across;
        middle = p->x[0][k] > 3.0f && p->x[0][k] < (float)n - 3.0f ? fmax(middle, p->own[DYE][k])
                                                                   : middle;
    }
    CHECK(across > 0.2);
    CHECK(middle == 0);
    fixture_destroy(f);
}

TESTS(channels)
{
    TEST(channels_of_a_periodic_box);
    TEST(dye_crosses_the_seam);
}
