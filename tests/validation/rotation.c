/* rotation.c -- water that fills a closed round vessel of radius R = 24 dx and turns with it as one
 * body, no gravity, free slip: nothing may slow it down, and what is lost in 2 turns of 100 steps
 * each is the scheme's own doing.
 *
 * With FLIP the angular momentum is that of the particles. With APIC and AFLIP a part of it is in
 * the particles' gradients, which the API does not show; the velocity on the faces holds both
 * parts, so the angular momentum of the projected field is taken there, over the faces in the
 * vessel. The particles' part alone is printed beside it. */
#include "case.h"

#define DX 0.02
#define STEPS 200
#define TURNS 2
#define PI 3.14159265358979323846

static double particle_momentum(spate_sim *sim, const double centre[3])
{
    spate_particles_view view = sample_view(sim);
    double sum = 0;
    for (size_t k = 0; k < view.count; k++)
        sum += (view.scale * view.x[0][k] - centre[0]) * view.v[1][k] -
               (view.scale * view.x[1][k] - centre[1]) * view.v[0][k];
    return sum;
}

/* The part of a face of component d that is in the vessel, by its middle's distance from the wall,
 * times lever and velocity. */
static double face_momentum(spate_sim *sim, const double centre[3], double radius)
{
    static const char *const names[2] = {"u", "v"};
    double sum = 0;
    for (int d = 0; d < 2; d++) {
        spate_field_view u;
        if (!spate_sim_field_view(sim, names[d], &u))
            return 0;
        for (int k = 0; k < u.count[2]; k++)
            for (int j = 0; j < u.count[1]; j++)
                for (int i = 0; i < u.count[0]; i++) {
                    const int at[3] = {i, j, k};
                    double x[3], square = 0;
                    for (int a = 0; a < spate_sim_dim(sim); a++) {
                        x[a] = u.origin[a] + at[a] * u.cell_size - centre[a];
                        square += x[a] * x[a];
                    }
                    double share = fmin(fmax(0.5 + (radius - sqrt(square)) / u.cell_size, 0), 1);
                    double value = u.values[i * u.stride[0] + j * u.stride[1] + k * u.stride[2]];
                    sum += share * value * (d == 0 ? -x[1] : x[0]);
                }
    }
    return sum;
}

/* Gives the particles of a filled vessel the velocity of a body that turns about z. */
static spate_points *turning(spate_scene *filled, const double centre[3], double omega)
{
    spate_sim *sim = case_start(filled);
    if (!sim)
        return NULL;
    size_t count = spate_sim_particles_count(sim, "fluid");
    float *x = malloc(3 * count * sizeof *x), *v = calloc(3 * count, sizeof *v);
    spate_points *points = NULL;
    if (x && v) {
        spate_sim_particles_read(sim, "fluid", x, NULL, NULL);
        for (size_t k = 0; k < count; k++) {
            v[3 * k] = (float)(-omega * (x[3 * k + 1] - centre[1]));
            v[3 * k + 1] = (float)(omega * (x[3 * k] - centre[0]));
        }
        points = spate_points_create(x, v, count, NULL);
    }
    free(x);
    free(v);
    spate_sim_destroy(sim);
    return points;
}

static void turns(int dim, int cells, spate_transfer transfer, double least, double goal)
{
    const double radius = cells * DX, size = 2 * radius + 4 * DX, dt = 0.005;
    const double middle = 0.5 * size + 0.3 * DX, omega = TURNS * 2 * PI / (STEPS * dt);
    const double centre[3] = {middle, middle, dim == 3 ? middle : 0};
    spate_scene *scene = case_scene(dim, DX, size, size, dim == 3 ? size : 0);
    scene->gravity[1] = 0;
    scene->fluid.transfer = transfer;
    spate_shape *vessel = case_add(scene, SPATE_LIST_SOLIDS, SPATE_SHAPE_SPHERE);
    vessel->radius = radius;
    vessel->invert = true;
    memcpy(vessel->center, centre, sizeof centre);
    spate_scene *filled = spate_scene_copy(scene);
    case_box(filled, SPATE_LIST_FILL, 0, 0, 0, size, size, size);
    spate_points *points = turning(filled, centre, omega);
    CHECK(points != NULL);
    case_add(scene, SPATE_LIST_FILL, SPATE_SHAPE_PARTICLES)->points = points;
    spate_sim *sim = case_start(scene);
    if (!sim)
        return;
    size_t count = spate_sim_particles_count(sim, "fluid");
    double particles = particle_momentum(sim, centre), faces = 0;
    for (int step = 0; step < STEPS && case_step(sim, dt); step++)
        faces = step == 0 ? face_momentum(sim, centre, radius) : faces;
    particles = particle_momentum(sim, centre) / particles;
    faces = face_momentum(sim, centre, radius) / faces;
    static const char *const names[] = {"FLIP 0.97", "PIC", "APIC", "AFLIP 0.97"};
    bool affine = transfer == SPATE_TRANSFER_APIC || transfer == SPATE_TRANSFER_AFLIP;
    printf("  %dD %s, R = %d dx: angular momentum kept after %d turns: particles %.4f, faces "
           "%.4f (%s %.3f; goal %.3f)\n",
           dim, names[transfer], cells, TURNS, particles, faces, affine ? "faces" : "particles",
           least, goal);
    CHECK_LESS(least, affine ? faces : particles);
    CHECK_LESS(affine ? faces : particles, 1.02);
    CHECK(spate_sim_particles_count(sim, "fluid") == count && count > 1000);
    spate_sim_destroy(sim);
}

static void flip_2d(void)
{
    turns(2, 24, SPATE_TRANSFER_FLIP, 0.985, 0.985);
}

static void apic_2d(void)
{
    turns(2, 24, SPATE_TRANSFER_APIC, 0.99, 0.99);
}

static void aflip_2d(void)
{
    turns(2, 24, SPATE_TRANSFER_AFLIP, 0.99, 0.99);
}

/* A sphere that turns about z. */
static void flip_3d(void)
{
    turns(3, 24, SPATE_TRANSFER_FLIP, 0.985, 0.985);
}

TESTS(validation_rotation)
{
    TEST(flip_2d);
    TEST(apic_2d);
    TEST(aflip_2d);
    TEST_LONG(flip_3d);
}
