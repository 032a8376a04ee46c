/* test_sets.c -- the list of a simulation's sets of particles. */
#include "fixture.h"

static fixture *fixture_of(bool whitewater)
{
    spate_scene *scene = scene_of_cells(0.1, 8, 8, 8);
    scene->whitewater.on = whitewater;
    return fixture_create(scene);
}

static void fluid_is_the_first(void)
{
    for (int with = 0; with < 2; with++) {
        fixture *f = fixture_of(with);
        const X(set) *fluid = X(set_of)(f->s, SET_FLUID);
        CHECK(fluid == &f->s->sets[0] && fluid->particles == &f->s->particles);
        CHECK(fluid->cells.tiles == &f->s->tiles && fluid->cells.first == f->s->first);
        CHECK(fluid->cells.count == f->s->count && fluid->cells.grid == &f->s->grid);
        CHECK_TEXT(fluid->kind->name, "fluid");
        fixture_destroy(f);
    }
}

/* A set that the scene does not ask for has no entry, no stage and no memory. */
static void others_are_there_if_asked_for(void)
{
    fixture *with = fixture_of(true), *without = fixture_of(false);
    const X(set) *set = X(set_of)(with->s, SET_WHITEWATER);
    CHECK(with->s->set_count == 2 && set == &with->s->sets[1]);
    CHECK_TEXT(set->kind->name, "whitewater");
    CHECK(set->particles == &set->own && set->particles->capacity > 0);
    CHECK(set->cells.tiles && set->cells.tiles != &with->s->tiles);
    CHECK(with->s->needs & X(stages)[SP_STAGE_WHITEWATER].when);
    CHECK(without->s->set_count == 1 && !X(set_of)(without->s, SET_WHITEWATER));
    CHECK(!without->s->shared_cells.tiles && !without->s->shared_cells.first);
    CHECK(!(without->s->needs & X(stages)[SP_STAGE_WHITEWATER].when));
    fixture_destroy(with);
    fixture_destroy(without);
}

TESTS(sets)
{
    TEST(fluid_is_the_first);
    TEST(others_are_there_if_asked_for);
}
