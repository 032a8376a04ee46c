/* plates.c -- water at rest at plates thinner than a cell, and up to two cells thick, at any angle:
 * beside the plate, under it and over it, and on both sides at different levels.
 *
 * A plate leans by `angle` through a tank of 1 m; the water is h = 0.625 m deep on the left, and
 * h / 2 on the right or nothing. After 2 s and for one more second: the largest particle speed
 * against sqrt(g h); particles on the wrong side; the change of volume, by the height of the centre
 * of mass; the mean horizontal force on the plate, which is rho g / 2 times the difference of the
 * squares of the depths at any angle. The worst of all plates counts. */
#include "case.h"

#define H 0.625
#define TALL 0.75
#define WIDE 1.0
#define DEEP 10 /* cells along z in 3D */

typedef struct plate {
    int dim, cells; /* per metre */
    double thick;   /* cells */
    double angle;   /* degrees that its upper end leans to the left */
    bool both;      /* water on the right, too */
    spate_transfer transfer;
} plate;

typedef struct figures {
    double speed, volume, force;
    int crossed;
} figures;

static const double middle[2] = {0.5 * WIDE, 0.5 * H}; /* of the plate */

/* How far right of the plate's middle plane a place is. */
static double side_of(const plate *p, double x, double y)
{
    double turn = p->angle * acos(-1.0) / 180;
    return (x - middle[0]) * cos(turn) + (y - middle[1]) * sin(turn);
}

/* Rows half a cell high, from one side of the tank to the plate. */
static void fill(spate_scene *scene, const plate *p, double depth, bool right)
{
    double dx = 1.0 / p->cells, half = 0.5 * dx, turn = p->angle * acos(-1.0) / 180;
    for (double y = 0; y < depth - 0.5 * half; y += half) {
        double x = middle[0] - (y + 0.5 * half - middle[1]) * tan(turn);
        case_box(scene, SPATE_LIST_FILL, right ? x : 0, y, 0, right ? WIDE : x, y + half,
                 p->dim == 3 ? DEEP * dx : 0);
    }
}

static spate_sim *tank(const plate *p)
{
    double dx = 1.0 / p->cells, half = 0.5 * p->thick * dx, deep = p->dim == 3 ? DEEP * dx : 0;
    spate_scene *scene = case_scene(p->dim, dx, WIDE, TALL, deep);
    scene->fluid.transfer = p->transfer;
    fill(scene, p, H, false);
    if (p->both)
        fill(scene, p, 0.5 * H, true);
    case_box(scene, SPATE_LIST_SOLIDS, middle[0] - half, middle[1] - 2, -1, middle[0] + half,
             middle[1] + 2, 2)
        ->rotation[2] = p->angle;
    return case_start(scene);
}

/* Of every particle, by id: whether it is on the right. */
static int count_crossed(spate_sim *sim, const plate *p, uint8_t *right, bool first)
{
    spate_particles_view view = sample_view(sim);
    int crossed = 0;
    for (size_t k = 0; k < view.count; k++) {
        double x = view.origin[0] + view.scale * view.x[0][k],
               y = view.origin[1] + view.scale * view.x[1][k];
        bool now = side_of(p, x, y) > 0;
        if (first)
            right[view.id[k]] = now;
        crossed += now != right[view.id[k]];
    }
    return crossed;
}

static void look(spate_sim *sim, double height, figures *most, double *force_sum)
{
    spate_solid_id id;
    spate_error error;
    double force[3] = {0, 0, 0}, centre[3];
    case_centre(sim, centre);
    CHECK(spate_sim_solid_at(sim, 0, &id));
    CHECK(spate_sim_solid_force(sim, id, NULL, force, NULL, &error) == SPATE_OK);
    *force_sum += force[0];
    most->speed = fmax(most->speed, case_max_speed(sim) / sqrt(GRAVITY * H));
    most->volume = fmax(most->volume, fabs(centre[1] / height - 1));
}

static figures measure(const plate *p)
{
    enum { SETTLE = 120, LOOK = 60 };
    figures most = {0, 0, 0, 0};
    double force = 0, centre[3], exact = 0.5 * DENSITY * GRAVITY * H * H * (p->both ? 0.75 : 1);
    spate_sim *sim = tank(p);
    if (!sim)
        return most;
    size_t count = spate_sim_particles_count(sim, "fluid");
    uint8_t *right = calloc(count + 1, 1);
    count_crossed(sim, p, right, true);
    case_centre(sim, centre);
    for (int frame = 0; frame < SETTLE + LOOK && case_step(sim, 0); frame++)
        if (frame >= SETTLE)
            look(sim, centre[1], &most, &force);
    exact *= p->dim == 3 ? (double)DEEP / p->cells : 1;
    most.force = fabs(force / LOOK / exact - 1);
    most.crossed = count_crossed(sim, p, right, false) +
                   (int)(count - spate_sim_particles_count(sim, "fluid"));
    free(right);
    spate_sim_destroy(sim);
    return most;
}

/* Judges one figure of a plate. */
static void check_figure(const plate *p, const char *what, double value, double limit)
{
    char figure[128];
    snprintf(figure, sizeof figure, "plates %dD %d cells/m %.1f dx %.0f degrees %s %s: %s", p->dim,
             p->cells, p->thick, p->angle, p->both ? "both sides" : "one side",
             p->transfer == SPATE_TRANSFER_APIC ? "apic" : "flip", what);
    CHECK_FIGURE(figure, value, limit);
}

static void check(const plate *p, figures *worst)
{
    figures f = measure(p);
    check_figure(p, "speed", f.speed, 0.02);
    check_figure(p, "force", f.force, 0.03);
    check_figure(p, "volume", f.volume, 0.02);
    check_figure(p, "crossed", f.crossed, 1);
    worst->speed = fmax(worst->speed, f.speed);
    worst->force = fmax(worst->force, f.force);
    worst->volume = fmax(worst->volume, f.volume);
    worst->crossed += f.crossed;
}

static void print_worst(const figures *worst)
{
    printf("  worst: speed %.4f sqrt(gh) (0.02); force off by %.4f (0.03); volume off by %.4f "
           "(0.02); %d crossed (0)\n",
           worst->speed, worst->force, worst->volume, worst->crossed);
}

/* Plates of all thicknesses that lean to the left, over the water, and to the right: each angle of
 * 5 degrees, or every `every`-th of them, beginning elsewhere for each thickness. */
static void plates_2d(int cells, int every)
{
    static const double thick[] = {0.1, 0.2, 0.5, 1, 2};
    figures worst = {0, 0, 0, 0};
    for (int t = 0; t < 5; t++)
        for (int angle = -45 + 5 * ((t + 1) % every); angle <= 45; angle += 5 * every)
            for (int kind = 0; kind < 4; kind++) {
                plate p = {2,     cells,    thick[t],
                           angle, kind & 1, kind & 2 ? SPATE_TRANSFER_APIC : SPATE_TRANSFER_FLIP};
                check(&p, &worst);
            }
    print_worst(&worst);
}

static void plates_32(void)
{
    plates_2d(32, 1);
}

static void plates_48(void)
{
    plates_2d(48, 3);
}

static void plates_64(void)
{
    plates_2d(64, 3);
}

static void plates_3d(void)
{
    static const double thick[] = {0.2, 0.5, 1}, angles[] = {-20, 0, 10, 33, 45};
    figures worst = {0, 0, 0, 0};
    for (int k = 0; k < 15; k++) {
        plate p = {3,
                   32,
                   thick[k % 3],
                   angles[k / 3],
                   k % 2,
                   k % 4 < 2 ? SPATE_TRANSFER_FLIP : SPATE_TRANSFER_APIC};
        check(&p, &worst);
    }
    print_worst(&worst);
}

/* The fast form: water that boiled when both sides of a plate were counted, plates through the
 * middles of cells, a level that rose, and vortices in the corner under an overhang. */
static void plates_that_boiled(void)
{
    static const plate plates[] = {
        {2, 64, 0.2, 10, false, SPATE_TRANSFER_FLIP},  {2, 32, 0.1, -30, true, SPATE_TRANSFER_APIC},
        {2, 64, 0.2, 20, false, SPATE_TRANSFER_FLIP},  {2, 32, 0.1, 45, true, SPATE_TRANSFER_FLIP},
        {2, 32, 0.5, 45, false, SPATE_TRANSFER_APIC},  {2, 32, 1, 0, true, SPATE_TRANSFER_FLIP},
        {2, 32, 2, 25, false, SPATE_TRANSFER_APIC},    {2, 32, 4, 25, false, SPATE_TRANSFER_APIC},
        {2, 32, 0.1, -45, false, SPATE_TRANSFER_APIC}, {2, 32, 0.2, 45, false, SPATE_TRANSFER_APIC},
    };
    figures worst = {0, 0, 0, 0};
    for (size_t k = 0; k < sizeof plates / sizeof *plates; k++)
        if (case_full || k != 2) /* one of the two on 64 cells is enough */
            check(&plates[k], &worst);
    print_worst(&worst);
}

TESTS(validation_plates)
{
    TEST(plates_that_boiled);
    TEST_LONG(plates_32);
    TEST_LONG(plates_48);
    TEST_LONG(plates_64);
    TEST_LONG(plates_3d);
}
