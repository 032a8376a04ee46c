/* test_bodies.c -- bodies over lanes: the CPU's eight against one, bit by bit.
 *
 * The stages run as the CPU does them; what they should leave comes from the same bodies with the
 * one lane of kernels/lane.h, which is what other devices compile. The values are random, zeros of
 * both signs among them. */
#include "fixture.h"

#include "kernels/forces.h"
#include "kernels/surface.h"

#define DX 0.07

static float random_value(void)
{
    double kind = random_in(0, 1);
    return kind < 0.1 ? 0.0f : kind < 0.2 ? -0.0f : (float)random_in(-2, 2);
}

static uint8_t random_byte(int most)
{
    return (uint8_t)random_in(0, most + 0.999);
}

static float *copy_of(const float *values, size_t size)
{
    float *copy = malloc(size * sizeof *copy);
    memcpy(copy, values, size * sizeof *copy);
    return copy;
}

/* Particles in a part of the box. */
static fixture *box(bool periodic, bool flows)
{
    const double low[3] = {3, 2, 1}, high[3] = {17.5, 14.2, 9}, center[3] = {9, 8, 6};
    const double door[3] = {5, 4, 3};
    spate_scene *scene = scene_of_cells(DX, 37, 21, 19);
    scene->volume.method = SPATE_VOLUME_DENSITY;
    add_box(scene, SPATE_LIST_FILL, low, high);
    if (periodic)
        make_periodic(scene);
    if (flows) {
        add_ball(scene, SPATE_LIST_SOLIDS, center, 2.2);
        add_box(scene, SPATE_LIST_INFLOWS, low, door);
    }
    return fixture_create(scene);
}

/* ---- FORCES */

static void gravity_of_eight_is_that_of_one(void)
{
    fixture *f = box(true, false);
    X(sim) *s = f->s;
    if (!run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01))
        return;
    f->common.gravity[0] = 0.3;
    f->common.gravity[1] = -9.81;
    for (size_t c = 0; c < s->grid.size; c++) {
        s->type[c] = random_byte(SPATE_CELL_INFLOW);
        FOR_DIM(d) {
            s->weight[d][c] = fmaxf(random_value(), 0.0f);
            s->u[d][c] = random_value();
            s->u_old[d][c] = random_value();
        }
    }
    X(fields) one = X(fields_of)(s);
    X(forces) how = X(forces_of)(s, 0.01);
    int cell[DIM];
    FOR_DIM(d) {
        one.u[d] = copy_of(s->u[d], s->grid.size);
        one.u_old[d] = copy_of(s->u_old[d], s->grid.size);
    }
    for (int k = 0; k < s->tiles.face_count; k++)
        FOR_CELLS(&s->grid, s->tiles.faces[k], c, cell)
            X(add_gravity)(&one, c, &how);
    s->host->plan(s, false)->stage[SP_STAGE_FORCES](s, 0.01, NULL);
    CHECK(s->tiles.face_count > 0 && memcmp(one.u[0], s->u_old[0], s->grid.size) != 0);
    FOR_DIM(d) {
        CHECK(memcmp(one.u[d], s->u[d], s->grid.size * sizeof(float)) == 0);
        CHECK(memcmp(one.u_old[d], s->u_old[d], s->grid.size * sizeof(float)) == 0);
        free(one.u[d]);
        free(one.u_old[d]);
    }
    fixture_destroy(f);
}

/* ---- SURFACE */

/* Sums of particles in the domain, room, open faces and marks. */
static void fill_surface(X(sim) *s)
{
    int cell[DIM];
    for (int k = 0; k < s->tiles.active_count; k++)
        FOR_CELLS(&s->grid, s->tiles.active[k], c, cell) {
            s->tiles.cut[s->tiles.active[k]] = 1;
            s->density[c] = X(inside)(&s->grid, cell) ? (float)random_in(0, 1.2) * s->rest : 0.0f;
            s->room[c] = (float)random_in(0, 1);
            s->marks[c] = random_byte(9) < 8 ? 0 : random_byte(MARK_OUTFLOW);
            FOR_DIM(d)
                s->w[d][c] = random_byte(2) ? 0.0f : (float)random_in(0, 1);
        }
    s->density_summed = true; /* as P2G leaves it */
}

static void surface_of_eight_is_that_of_one(void)
{
    fixture *f = box(false, true);
    X(sim) *s = f->s;
    size_t same_phi = 0, same_density = 0, same_type = 0, looked_at = 0, seen[4] = {0};
    int cell[DIM];
    if (!run_stages(f, SP_STAGE_SORT, SP_STAGE_SURFACE, 0.01))
        return;
    fill_surface(s);
    float *sums = copy_of(s->density, s->grid.size), *phi = copy_of(s->phi, s->grid.size),
          *density = copy_of(s->density, s->grid.size);
    uint8_t *type = calloc(s->grid.size, 1);
    s->host->plan(s, false)->stage[SP_STAGE_SURFACE](s, 0.01, NULL);
    X(fields) distances = X(fields_of)(s), types = distances;
    distances.phi = phi;
    distances.density = density;
    types.type = type;
    for (int k = 0; k < s->tiles.active_count; k++) {
        int tile = s->tiles.active[k];
        bool near = s->tiles.near[tile] & NEAR_SURFACE;
        FOR_CELLS(&s->grid, tile, c, cell) {
            X(find_distance)(&distances, c, sums, near);
            X(find_types)(&types, c, X(may_have_solids)(&types, tile));
            if (!X(inside)(&s->grid, cell))
                continue;
            looked_at++;
            same_density += memcmp(density + c, s->density + c, sizeof(float)) == 0;
            /* with less room phi comes from the neighbours */
            same_phi += s->room[c] <= LEAST_ROOM || memcmp(phi + c, s->phi + c, sizeof(float)) == 0;
            same_type += type[c] == s->type[c];
            seen[type[c] < 4 ? type[c] : 3]++;
        }
    }
    CHECK(looked_at > 100 && same_density == looked_at);
    CHECK(same_phi == looked_at);
    CHECK(same_type == looked_at);
    for (int k = 0; k < 4; k++)
        CHECK(seen[k] > 0);
    free(sums);
    free(phi);
    free(density);
    free(type);
    fixture_destroy(f);
}

TESTS(bodies)
{
    TEST(gravity_of_eight_is_that_of_one);
    TEST(surface_of_eight_is_that_of_one);
}
