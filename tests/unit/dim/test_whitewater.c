/* test_whitewater.c -- WHITEWATER by its parts: the distance band against planes and spheres, how
 * one bubble and one drop move, how many come in a flow that is prescribed. Runs of whole scenes
 * are in test_whitewater_run.c. */
#include "fixture.h"

#include "kernels/exp.h"
#include "kernels/whitewater_emit.h"
#include "state/whitewater.h"

#define DX 0.02

/* n cells per axis, full of liquid, so that all tiles are active. */
static fixture *full(int n, double dx)
{
    const double low[3] = {0, 0, 0}, high[3] = {n, n, n};
    spate_scene *scene = scene_of_cells(dx, n, n, n);
    scene->whitewater.on = true;
    scene->fluid.particles_per_axis = 1;
    add_box(scene, SPATE_LIST_FILL, low, high);
    fixture *f = fixture_create(scene);
    if (f)
        run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    return f;
}

static X(particles) *particles_of(X(sim) *s)
{
    return X(set_of)(s, SET_WHITEWATER)->particles;
}

static void make_band(X(sim) *s, float width)
{
    DEV(make_band)(s, X(white_state_of)(s)->tile_births, width);
}

/* The columns are those of whitewater.def in their order, which is that of the hash and of
 * checkpoints, and output gets those that have a name. */
static void columns_come_in_order(void)
{
    fixture *f = full(8, DX);
    X(particles) *p = particles_of(f->s);
    X(white) w = X(white_of)(p);
    const void *last[4] = {w.kind, w.age, w.life, w.radius};
    const char *names[4] = {"type", "age", "life", "radius"};
    void **columns[MAX_COLUMNS];
    sp_particles shown;
    X(show_particles)(f->s, X(set_of)(f->s, SET_WHITEWATER), p, &shown);
    CHECK(X(list_columns)(p, false, columns) == 3 * DIM + 5 && shown.column_count == 4);
    FOR_DIM(d)
        CHECK(*columns[d] == w.x[d] && *columns[DIM + d] == w.v[d] &&
              *columns[2 * DIM + 1 + d] == w.rests[d]);
    CHECK(*columns[2 * DIM] == w.id);
    for (int k = 0; k < 4; k++) {
        CHECK(*columns[3 * DIM + 1 + k] == last[k]);
        CHECK_TEXT(shown.columns[k].name, names[k]);
        CHECK(shown.columns[k].values[0] == last[k] && shown.columns[k].components == 1);
        CHECK(shown.columns[k].integer == (k == 0));
    }
    fixture_destroy(f);
}

typedef double shape_fn(const double *args, const double x[DIM]); /* cells */

static double plane(const double *args, const double x[DIM])
{
    double sum = -args[3];
    FOR_DIM(d)
        sum += args[d] * x[d];
    return sum;
}

static double sphere(const double *args, const double x[DIM])
{
    double sum = 0;
    FOR_DIM(d)
        sum += (x[d] - args[d]) * (x[d] - args[d]);
    return sqrt(sum) - args[3];
}

static void middle(const X(grid) *g, size_t c, double x[DIM])
{
    int cell[DIM];
    X(coordinates)(g, c, cell);
    FOR_DIM(d)
        x[d] = cell[d] + 0.5;
}

/* The level set of a shape, cut off at one dx, and its types. */
static void put_surface(X(sim) *s, shape_fn *shape, const double *args)
{
    for (size_t c = 0; c < s->grid.size; c++) {
        double x[DIM];
        middle(&s->grid, c, x);
        double phi = shape(args, x);
        phi = phi < -1 ? -1 : phi > 1 ? 1 : phi;
        s->phi[c] = (float)(phi * s->grid.dx);
        s->type[c] = phi < 0 ? SPATE_CELL_LIQUID : SPATE_CELL_AIR;
    }
    memset(s->tiles.near, NEAR_EMPTY | NEAR_SURFACE | NEAR_GIVES, (size_t)s->grid.tile_count);
}

/* Largest error of the distance (cells) and of the direction of its gradient in the band, away from
 * the walls. */
static void measure_band(X(sim) *s, shape_fn *shape, const double *args, double within,
                         double *distance, double *direction)
{
    X(fields) f = X(fields_of)(s);
    int n = s->grid.n[0];
    *distance = *direction = 0;
    for (int k = 0; k < 4000; k++) {
        double x[DIM], slope[DIM], sum = 0, dot = 0, length = 0;
        float at[DIM], gradient[DIM];
        FOR_DIM(d) {
            x[d] = random_in(11, n - 11);
            at[d] = (float)x[d];
        }
        double exact = shape(args, x);
        if (fabs(exact) > within)
            continue;
        double found = (double)X(band_at)(&f, at, 4, gradient);
        *distance = fmax(*distance, fabs(found - exact));
        FOR_DIM(d) {
            double ahead[DIM];
            memcpy(ahead, x, sizeof ahead);
            ahead[d] += 1e-4;
            slope[d] = (shape(args, ahead) - exact) / 1e-4;
            sum += slope[d] * slope[d];
            dot += slope[d] * (double)gradient[d];
            length += (double)(gradient[d] * gradient[d]);
        }
        *direction = fmax(*direction, 1 - dot / sqrt(sum * length));
    }
}

static void band_is_a_distance_to_planes(void)
{
    double worst[2] = {0, 0};
    fixture *f = full(40, DX);
    for (int turn = 0; turn < 24 && f; turn++) {
        double args[4] = {0, 0, 0, 0}, square = 0, found[2];
        for (int d = 0; d < DIM; d++) {
            args[d] = turn < DIM ? d == turn : random_in(-1, 1);
            square += args[d] * args[d];
        }
        for (int d = 0; d < DIM; d++) {
            args[d] /= sqrt(square);
            args[3] += args[d] * (20 + 0.25 * turn / 6.0);
        }
        put_surface(f->s, plane, args);
        make_band(f->s, 4);
        measure_band(f->s, plane, args, 3.5, &found[0], &found[1]);
        worst[0] = fmax(worst[0], found[0]);
        worst[1] = fmax(worst[1], found[1]);
    }
    printf("  planes: distance off by %.3f cells, direction by %.4f\n", worst[0], worst[1]);
    CHECK_LESS(worst[0], 0.08);
    CHECK_LESS(worst[1], 0.035);
    fixture_destroy(f);
}

static void band_is_a_distance_to_spheres(void)
{
    double worst[2] = {0, 0};
    fixture *f = full(40, DX);
    for (int turn = 0; turn < 16 && f; turn++) {
        double args[4] = {20 + random_in(0, 1), 20 + random_in(0, 1), 20 + random_in(0, 1),
                          5 + 0.25 * turn},
               found[2];
        put_surface(f->s, sphere, args);
        make_band(f->s, 4);
        measure_band(f->s, sphere, args, 3, &found[0], &found[1]);
        worst[0] = fmax(worst[0], found[0]);
        worst[1] = fmax(worst[1], found[1]);
    }
    printf("  spheres: distance off by %.3f cells, direction by %.4f\n", worst[0], worst[1]);
    CHECK_LESS(worst[0], DIM == 2 ? 0.3 : 0.4);
    CHECK_LESS(worst[1], 0.055);
    fixture_destroy(f);
}

/* A wall under water is no surface. */
static void band_knows_no_surface_at_solids(void)
{
    const double low[3] = {0, 0, 0}, high[3] = {32, 24, 32}, from[3] = {10, 0, 0},
                 to[3] = {14, 12, 32};
    spate_scene *scene = scene_of_cells(DX, 32, 32, DIM == 3 ? 16 : 1);
    scene->whitewater.on = true;
    add_box(scene, SPATE_LIST_FILL, low, high);
    add_box(scene, SPATE_LIST_SOLIDS, from, to);
    fixture *f = fixture_create(scene);
    if (f && run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01)) {
        make_band(f->s, 4);
        X(fields) fields = X(fields_of)(f->s);
        for (int k = 0; k < 400; k++) {
            float x[DIM];
            FOR_DIM(d)
                x[d] = (float)random_in(1, 15);
            x[0] = (float)(k % 2 ? random_in(7, 9.9) : random_in(14.1, 17));
            x[1] = (float)random_in(1, 18);
            CHECK_LESS((double)X(band_at)(&fields, x, 4, NULL), -3.0);
        }
    }
    fixture_destroy(f);
}

/* ---- numbers */

static void powers_are_those_of_libm(void)
{
    double worst = 0;
    for (int k = 0; k < 20000; k++) {
        double x = random_in(-30, 30), y = random_in(1e-6, 1e6);
        worst = fmax(worst, fabs(sp_exp(x) / exp(x) - 1));
        worst = fmax(worst, fabs(sp_pow(y, x / 20) / pow(y, x / 20) - 1));
    }
    CHECK_LESS(worst, 1e-14);
    CHECK(sp_exp(0) == 1 && sp_exp(-1000) == 0);
}

/* A float and its rest tell steps of a thousandth of its last place. */
static void fine_numbers_keep_small_steps(void)
{
    for (float start = 1e-3f; start < 2e4f; start *= 7.3f) {
        double step = 1e-3 * sp_power_of_two(sp_last_place(start)), value = start;
        float x = start;
        uint32_t rests = 0;
        for (int k = 0; k < 20000; k++) {
            value = sp_fine_position(x, rests) + step;
            x = (float)value;
            rests = sp_fine_pack(value, 0);
        }
        CHECK_NEAR((sp_fine_position(x, rests) - (double)start) / (20000 * step), 1, 0.02);
    }
}

static void radii_follow_the_law(void)
{
    fixture *f = full(16, DX);
    X(whitewater_prepare)(f->s, 0.01);
    X(whitewater) *w = X(white_state_of)(f->s)->how;
    enum { COUNT = 200000 };
    int below = 0, fine = 0;
    for (int k = 0; k < COUNT; k++) {
        double r = (double)X(white_radius)(w, (float)((k + 0.5) / COUNT));
        CHECK(r > 0.999 * 2e-4 && r < 1.001 * 3e-3);
        below += r < 1e-3;
        fine += r < 5e-4;
    }
    /* integrals of r^-3/2 and, continuous at 1 mm, r^-10/3 */
    double first = 2 * (pow(2e-4, -0.5) - pow(1e-3, -0.5)),
           half = 2 * (pow(2e-4, -0.5) - pow(5e-4, -0.5)),
           second = 3.0 / 7 * pow(1e-3, 11.0 / 6) * (pow(1e-3, -7.0 / 3) - pow(3e-3, -7.0 / 3));
    CHECK_NEAR(below / (double)COUNT, first / (first + second), 2e-3);
    CHECK_NEAR(fine / (double)COUNT, half / (first + second), 2e-3);
    fixture_destroy(f);
}

/* ---- motion of one particle */

static void put_one(fixture *f, const double x[DIM], const double v[DIM], int kind, double radius)
{
    const X(white) p = X(white_of)(particles_of(f->s));
    particles_of(f->s)->count = 1;
    FOR_DIM(d) {
        p.x[d][0] = (float)x[d];
        p.v[d][0] = (float)v[d];
        p.rests[d][0] = sp_fine_pack(x[d], v[d]);
    }
    p.id[0] = 1;
    p.kind[0] = (uint32_t)kind;
    p.age[0] = 0;
    p.life[0] = 1e9f;
    p.radius[0] = (float)radius;
}

static double place(const fixture *f, int d)
{
    const X(white) p = X(white_of)(particles_of(f->s));
    return sp_fine_position(p.x[d][0], p.rests[d][0]);
}

/* Steps of dt for `time` seconds, with the grid as it is; whether it is still of its class. */
static bool follow(fixture *f, double time, double dt)
{
    X(sim) *s = f->s;
    const X(white) p = X(white_of)(particles_of(s));
    uint32_t kind = p.kind[0];
    X(whitewater_prepare)(s, dt);
    X(fields) fields = X(fields_of)(s);
    X(mover) mover = X(mover_begin)(s, dt);
    bool stays = true;
    for (int k = 0; k < (int)(time / dt + 0.5) && stays; k++) {
        X(white_fate)
        fate = X(white_step)(&fields, X(white_state_of)(s)->how, &mover.obstacles, &p, s->foam, 0);
        stays = fate.cause == WHITE_STAYS && p.kind[0] == kind;
    }
    CHECK(stays);
    return stays;
}

static void set_band(X(sim) *s, float cells)
{
    for (size_t c = 0; c < s->grid.size; c++)
        s->band[c] = cells * (float)s->grid.dx;
}

/* 256 cells high in 2D; a column of them in 3D. */
static fixture *tall(void)
{
    const double low[3] = {0, 0, 0}, high[3] = {8, 256, 8};
    spate_scene *scene = scene_of_cells(0.01, 8, 256, 8);
    scene->whitewater.on = true;
    scene->gravity[1] = -9.81;
    scene->fluid.particles_per_axis = 1;
    add_box(scene, SPATE_LIST_FILL, low, high);
    fixture *f = fixture_create(scene);
    run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01);
    return f;
}

static void bubbles_rise_as_measured(void)
{
    static const double sizes[] = {0.1, 0.2, 0.5, 1, 2, 3, 5, 10}, /* mm */
        speeds[] = {.0050, .0163, .0552, .1124, .2084, .2573, .2358, .2548};
    static const double steps[] = {1e-4, 1e-3, 7e-3, 2e-2};
    double worst = 0;
    fixture *f = tall();
    set_band(f->s, -4);
    for (int k = 0; k < 8; k++)
        for (int n = 0; n < 4; n++)
            for (int at = 0; at < 3; at++) {
                double x[3] = {4, 1.1 + 113.3 * at, 4}, v[3] = {0, speeds[k], 0};
                put_one(f, x, v, WHITE_BUBBLE, 0.5e-3 * sizes[k]);
                follow(f, 1, steps[n]);
                double way = (place(f, 1) - x[1]) * 0.01;
                worst = fmax(worst, fabs(way / speeds[k] - 1));
            }
    printf("  bubbles: off by %.2f %%\n", 100 * worst);
    CHECK_LESS(worst, 0.01);
    fixture_destroy(f);
}

/* From rest the way is w (t - tau), whatever the step. */
static void bubbles_begin_to_rise_alike(void)
{
    fixture *f = tall();
    set_band(f->s, -4);
    for (double dt = 1e-4; dt < 0.03; dt *= 4) {
        double x[3] = {4, 20, 4}, v[3] = {0, 0, 0}, w = 0.2573, tau = w / (2 * 9.81);
        put_one(f, x, v, WHITE_BUBBLE, 1.5e-3);
        follow(f, 1, dt);
        int n = (int)(1 / dt + 0.5);
        CHECK_NEAR((place(f, 1) - 20) * 0.01, w * (n * dt - tau), 0.01 * w);
    }
    fixture_destroy(f);
}

static void drops_fall_as_measured(void)
{
    static const double sizes[] = {1, 2, 3, 5}, speeds[] = {4.03, 6.49, 8.06, 9.09};
    fixture *f = tall();
    set_band(f->s, 4);
    for (int k = 0; k < 4; k++)
        for (double dt = 1e-4; dt < 0.03; dt *= 5) {
            double x[3] = {4, 250, 4}, v[3] = {0, -speeds[k], 0};
            put_one(f, x, v, WHITE_SPRAY, 0.5e-3 * sizes[k]);
            follow(f, 0.2, dt);
            int n = (int)(0.2 / dt + 0.5);
            CHECK_NEAR((x[1] - place(f, 1)) * 0.01 / (n * dt), speeds[k], 0.05 * speeds[k]);
            v[1] = 0; /* and they come to that from rest */
            put_one(f, x, v, WHITE_SPRAY, 0.5e-3 * sizes[k]);
            for (int turn = 0; turn < 12; turn++) {
                particles_of(f->s)->x[1][0] = 250;
                follow(f, 0.2, dt);
            }
            CHECK_NEAR(-(double)particles_of(f->s)->v[1][0], speeds[k], 0.05 * speeds[k]);
        }
    fixture_destroy(f);
}

static void drops_without_drag_fly_parabolas(void)
{
    double worst = 0;
    fixture *f = tall();
    f->common.scene->whitewater.spray.drag = 0;
    set_band(f->s, 4);
    for (double dt = 1e-4; dt < 0.03; dt *= 2.7) {
        double x[3] = {1, 12.3, 4}, v[3] = {0.061, 5.17, 0.0123};
        put_one(f, x, v, WHITE_SPRAY, 1e-3);
        int n = (int)(1 / dt + 0.5);
        follow(f, n * dt, dt);
        for (int d = 0; d < DIM; d++) {
            double t = n * dt, way = v[d] * t - (d == 1 ? 0.5 * 9.81 * t * t : 0);
            worst = fmax(worst, fabs(place(f, d) - x[d] - way / 0.01));
        }
    }
    printf("  parabola: off by %.2g cells\n", worst);
    CHECK_LESS(worst, 1e-3);
    fixture_destroy(f);
}

static void spray_bounces(void)
{
    fixture *f = tall();
    f->common.scene->whitewater.spray.drag = 0;
    set_band(f->s, 4);
    double x[3] = {4, 0.3, 4}, v[3] = {0.1, -3, 0};
    put_one(f, x, v, WHITE_SPRAY, 1e-3);
    follow(f, 0.01, 0.01);
    CHECK_NEAR((double)particles_of(f->s)->v[1][0], 0.2 * (3 + 0.0981), 1e-5);
    CHECK_NEAR((double)particles_of(f->s)->v[0][0], 0.1, 1e-6);
    fixture_destroy(f);
}

/* ---- how many come */

/* Below the plane y = h: a stream with the shear S. */
static void prescribe(X(sim) *s, double height, double speed, double shear)
{
    double args[4] = {0, 1, 0, height / s->grid.dx};
    put_surface(s, plane, args);
    for (size_t c = 0; c < s->grid.size; c++) {
        double x[DIM];
        middle(&s->grid, c, x);
        FOR_DIM(d)
            s->u[d][c] = d == 0 ? (float)(speed + shear * (x[1] * s->grid.dx - height)) : 0.0f;
    }
    make_band(s, X(white_state_of)(s)->how->width);
}

/* Emitted in a second, by steps of dt. */
static double emitted(fixture *f, double dt, double seconds)
{
    X(sim) *s = f->s;
    spate_error error;
    uint64_t sum = 0;
    X(particles) *p = particles_of(s);
    int steps = (int)(seconds / dt + 0.5);
    for (int k = 0; k < steps; k++, f->common.steps++) {
        X(whitewater_prepare)(s, dt);
        X(mover) mover = X(mover_begin)(s, dt);
        p->count = 0;
        CHECK(DEV(emit_whitewater)(s, &mover.obstacles, &error) == SPATE_OK);
        sum += p->count;
    }
    return (double)sum / (steps * dt);
}

static fixture *flow(int n, double dx, double spacing, double detail)
{
    fixture *f = full(n, dx);
    spate_scene *scene = f->common.scene;
    scene->whitewater.spacing = spacing;
    scene->whitewater.detail = detail;
    scene->whitewater.rate = 100;
    X(whitewater_prepare)(f->s, 0.01);
    return f;
}

static void numbers_do_not_depend_on_the_step(void)
{
    fixture *f = flow(32, DX, DIM == 2 ? 0.001 : 0.005, 2 * DX);
    prescribe(f->s, 0.34, 1.6, 27);
    double frame = 1.0 / 30, most = 0, least = 1e30;
    for (int substeps = 1; substeps <= 32; substeps *= 2) {
        double rate = emitted(f, frame / substeps, 3 * frame);
        CHECK(rate * 3 * frame > 1e4);
        most = fmax(most, rate);
        least = fmin(least, rate);
    }
    printf("  1 to 32 steps a frame: %.0f to %.0f in a second\n", least, most);
    CHECK_LESS(most / least - 1, 0.02);
    fixture_destroy(f);
}

static void numbers_do_not_depend_on_the_grid(void)
{
    double spacing = DIM == 2 ? 0.001 : 0.006, rates[2], frame = 1.0 / 30;
    for (int fine = 0; fine < 2; fine++) {
        fixture *f = flow(fine ? 48 : 24, fine ? DX / 2 : DX, spacing, 2 * DX);
        double most = 0, least = 1e30;
        rates[fine] = 0;
        for (int at = 0; at < 4; at++) { /* wherever the surface is against the cells */
            prescribe(f->s, 0.24 + (0.1 + 0.25 * at) * DX, 1.6, 27);
            double rate = emitted(f, frame / 4, frame);
            most = fmax(most, rate);
            least = fmin(least, rate);
            rates[fine] += 0.25 * rate;
        }
        CHECK_LESS(most / least - 1, 0.1);
        fixture_destroy(f);
    }
    printf("  dx and dx / 2: %.0f and %.0f in a second\n", rates[0], rates[1]);
    CHECK_NEAR(rates[1] / rates[0], 1, 0.1);
}

/* Of the spacing's inverse cube. */
static void numbers_go_with_the_spacing(void)
{
    double frame = 1.0 / 30, spacing = DIM == 2 ? 0.002 : 0.008;
    fixture *f = flow(24, DX, spacing, 2 * DX);
    prescribe(f->s, 0.25, 1.6, 27);
    double coarse = emitted(f, frame / 4, 2 * frame);
    f->common.scene->whitewater.spacing = 0.5 * spacing;
    double fine = emitted(f, frame / 4, frame);
    CHECK_NEAR(fine / coarse, DIM == 2 ? 4 : 8, 0.03 * (DIM == 2 ? 4 : 8));
    fixture_destroy(f);
}

/* Rigid rotation, however fast: no strain, no crest. */
static void rotation_emits_nothing(void)
{
    fixture *f = flow(32, DX, 0.002, 2 * DX);
    X(sim) *s = f->s;
    for (int turn = 0; turn < 4; turn++) {
        double args[4] = {0, 1, 0, 17.1 + 0.3 * turn};
        put_surface(s, plane, args);
        for (size_t c = 0; c < s->grid.size; c++) {
            double x[DIM];
            middle(&s->grid, c, x);
            s->u[0][c] = (float)(-20 * (x[1] - 16) * DX); /* up to 6 m/s */
            s->u[1][c] = (float)(20 * (x[0] - 16) * DX);
        }
        make_band(s, X(white_state_of)(s)->how->width);
        CHECK(emitted(f, 0.01, 0.1) == 0);
    }
    fixture_destroy(f);
}

/* A jet's tip emits where it goes ahead, not behind. */
static void crests_emit_where_they_go(void)
{
    fixture *f = flow(32, DX, DIM == 2 ? 0.002 : 0.005, 2 * DX);
    f->common.scene->whitewater.curvature_low = 0.2;
    double args[4] = {16.2, 15.9, 16.1, 6};
    X(sim) *s = f->s;
    put_surface(s, sphere, args);
    for (size_t c = 0; c < s->grid.size; c++)
        s->u[0][c] = 2;
    make_band(s, X(white_state_of)(s)->how->width);
    X(whitewater_prepare)(s, 0.02);
    X(mover) mover = X(mover_begin)(s, 0.02);
    spate_error error;
    CHECK(DEV(emit_whitewater)(s, &mover.obstacles, &error) == SPATE_OK);
    X(particles) *p = particles_of(s);
    CHECK(p->count > 20);
    int behind = 0;
    for (uint32_t k = 0; k < p->count; k++)
        behind += p->x[0][k] < 16;
    CHECK(behind == 0);
    fixture_destroy(f);
}

TESTS(whitewater)
{
    TEST(columns_come_in_order);
    TEST(band_is_a_distance_to_planes);
    TEST(band_is_a_distance_to_spheres);
    TEST(band_knows_no_surface_at_solids);
    TEST(powers_are_those_of_libm);
    TEST(fine_numbers_keep_small_steps);
    TEST(radii_follow_the_law);
    TEST(bubbles_rise_as_measured);
    TEST(bubbles_begin_to_rise_alike);
    TEST(drops_fall_as_measured);
    TEST(drops_without_drag_fly_parabolas);
    TEST(spray_bounces);
    TEST(numbers_do_not_depend_on_the_step);
    TEST(numbers_do_not_depend_on_the_grid);
    TEST(numbers_go_with_the_spacing);
    TEST(rotation_emits_nothing);
    TEST(crests_emit_where_they_go);
}
