/* test_arrays.c -- the list of arrays (kernels/grid.def) and what is made of it. */
#include "fixture.h"
#include "state/arrays.h"

#include <math.h>
#include <string.h>

static fixture *make(spate_solver solver, spate_volume_method volume)
{
    spate_scene *scene = scene_of_cells(0.1, 20, 18, 17);
    add_box(scene, SPATE_LIST_FILL, (double[3]){1, 1, 1}, (double[3]){9, 9, 9});
    scene->pressure.solver = solver;
    scene->volume.method = volume;
    return fixture_create(scene);
}

static void arrays_are_there_when_the_list_says_so(void)
{
    fixture *f = make(SPATE_SOLVER_PCG, SPATE_VOLUME_DENSITY);
    unsigned needs = X(needs)(f->common.scene);
    CHECK(needs & WHEN_PCG && needs & WHEN_CG && needs & WHEN_NO_MULTIGRID);
    CHECK(!(needs & (WHEN_MULTIGRID | WHEN_SOLIDS | WHEN_FLOWS)));
    for (int k = 0; k < ARRAY_COUNT; k++) {
        void **blocks = X(array_of)(f->s, &X(arrays)[k]);
        for (int c = 0; c < X(arrays)[k].pointers; c++)
            CHECK((blocks[c] != NULL) == ((X(arrays)[k].host & needs) != 0));
    }
    CHECK(f->s->density && f->s->system.mic && !f->s->system.image && !f->s->marks);
    fixture_destroy(f);
}

static void fields_are_those_of_the_simulation(void)
{
    fixture *f = make(SPATE_SOLVER_MULTIGRID, SPATE_VOLUME_NONE);
    X(sim) *s = f->s;
    X(fields) all = X(fields_of)(s);
    CHECK(all.particles.count == s->particles.count && all.particles.x[0] == s->particles.x[0]);
    CHECK(all.tiles.active == s->tiles.active && all.grid.size == s->grid.size);
    for (int k = 0; k < ARRAY_COUNT; k++)
        if (!X(arrays)[k].in_system)
            CHECK(memcmp(X(array_in)(&all, &X(arrays)[k]), X(array_of)(s, &X(arrays)[k]),
                         (size_t)X(arrays)[k].pointers * sizeof(void *)) == 0);
    FOR_DIM(d)
        CHECK(all.u[d] == s->u[d] && s->carried[d] == s->weight[d] && s->away[d] == s->u_old[d]);
    CHECK(s->system.q == s->p && s->system.levels[0].tiles == s->system.tiles);
    fixture_destroy(f);
}

/* Only in builds with asserts; what the next step gives is the same (test_determinism). */
static void aliases_are_poisoned_after_their_last_reader(void)
{
    fixture *f = make(SPATE_SOLVER_MULTIGRID, SPATE_VOLUME_NONE);
    CHECK(X(step)(f->s, 0.01, NULL) == SPATE_OK);
    size_t cell = X(tile_index)(&f->s->grid, f->s->tiles.active[0]);
    bool poisoned = isnan(f->s->weight[0][cell]);
#ifdef NDEBUG
    CHECK(!poisoned);
#else
    CHECK(poisoned && !isnan(f->s->u[0][cell]));
    CHECK(X(run_stage)(f->s, SP_STAGE_SORT, 0, NULL) == SPATE_OK);
    CHECK(X(run_stage)(f->s, SP_STAGE_P2G, 0, NULL) == SPATE_OK);
    CHECK(!isnan(f->s->weight[0][cell]) && !isnan(f->s->u_old[0][cell]));
#endif
    fixture_destroy(f);
}

/* Columns come in the order of fields.def; a snapshot for output has no use for APIC's. */
static void columns_are_listed_by_what_a_scene_needs(void)
{
    X(particles) p = X(particles_make)(WHEN_ALWAYS, 2);
    void **columns[MAX_COLUMNS];
    CHECK(X(list_columns)(&p, false, columns) == 2 * DIM + 1 + 2);
    p = X(particles_make)(WHEN_ALWAYS | WHEN_AFFINE, 2);
    CHECK(X(list_columns)(&p, true, columns) == 2 * DIM + 1 + 2);
    CHECK(X(list_columns)(&p, false, columns) == 2 * DIM + 1 + DIM * DIM + 2);
    CHECK(columns[0] == (void **)&p.x[0] && columns[2 * DIM] == (void **)&p.id[0]);
    CHECK(columns[2 * DIM + 1 + DIM * DIM] == (void **)&p.own[0]);
}

TESTS(arrays)
{
    TEST(arrays_are_there_when_the_list_says_so);
    TEST(fields_are_those_of_the_simulation);
    TEST(aliases_are_poisoned_after_their_last_reader);
    TEST(columns_are_listed_by_what_a_scene_needs);
}
