/* test_sets.c -- the list of a simulation's sets of particles. */
#include "fixture.h"

#include "kernels/whitewater.h"
#include "state/whitewater.h"

#include <math.h>

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
        CHECK_TEXT(fluid->kind->base.name, "fluid");
        fixture_destroy(f);
    }
}

/* A set that the scene does not ask for has no entry, no stage and no memory. */
static void others_are_there_if_asked_for(void)
{
    fixture *with = fixture_of(true), *without = fixture_of(false);
    const X(set) *set = X(set_of)(with->s, SET_WHITEWATER);
    CHECK(with->s->set_count == 2 && set == &with->s->sets[1]);
    CHECK_TEXT(set->kind->base.name, "whitewater");
    CHECK(set->particles == &set->own && set->particles->capacity > 0);
    CHECK(set->cells.tiles && set->cells.tiles != &with->s->tiles);
    CHECK(with->s->needs & X(stages)[SP_STAGE_WHITEWATER].when);
    CHECK(without->s->set_count == 1 && !X(set_of)(without->s, SET_WHITEWATER));
    CHECK(!without->s->shared_cells.tiles && !without->s->shared_cells.first);
    CHECK(!(without->s->needs & X(stages)[SP_STAGE_WHITEWATER].when));
    fixture_destroy(with);
    fixture_destroy(without);
}

/* A particle that comes, goes or turns without an entry in the ledger is noticed, one with an entry
 * is not. */
static void ledger_tells_what_is_missing(void)
{
    fixture *f = fixture_of(true);
    X(set) *set = X(set_of)(f->s, SET_WHITEWATER);
    const X(white) p = X(white_of)(set->particles);
    CHECK(X(set_adds_up)(f->s, set));
    p.kind[0] = WHITE_FOAM;
    p.kind[1] = WHITE_DUST;
    set->particles->count = 2;
    CHECK(!X(set_adds_up)(f->s, set));
    set->ledger.counts[WHITE_FOAM][WHITE_EMITTED]++;
    set->ledger.counts[WHITE_DUST][WHITE_EMITTED]++;
    CHECK(X(set_adds_up)(f->s, set));
    p.kind[0] = WHITE_SPRAY;
    CHECK(!X(set_adds_up)(f->s, set));
    set->ledger.counts[WHITE_SPRAY][WHITE_LIFTED]++;
    set->ledger.counts[WHITE_FOAM][WHITE_LIFTED]--;
    CHECK(X(set_adds_up)(f->s, set));
    p.x[0][0] = DEAD;
    p.x[0][1] = 4;
    X(set_remove_crushed)(f->s, set);
    CHECK(set->particles->count == 1 && set->ledger.counts[WHITE_SPRAY][WHITE_CRUSHED] == 1);
    CHECK(X(set_adds_up)(f->s, set));
    set->particles->count = 0;
    CHECK(!X(set_adds_up)(f->s, set));
    set->ledger.counts[WHITE_DUST][WHITE_AGED]++;
    CHECK(X(set_adds_up)(f->s, set));
    fixture_destroy(f);
}

static void fluid_adds_up(void)
{
    fixture *f = fixture_of(false);
    const X(set) *fluid = X(set_of)(f->s, SET_FLUID);
    float x[DIM] = {0}, v[DIM] = {0};
    CHECK(X(set_adds_up)(f->s, fluid));
    X(particles_append)(&f->s->particles, x, v, NULL);
    CHECK(!X(set_adds_up)(f->s, fluid));
    f->common.added++;
    CHECK(X(set_adds_up)(f->s, fluid));
    f->s->particles.x[0][0] = DEAD;
    X(set_remove_crushed)(f->s, &f->s->sets[SET_FLUID]);
    CHECK(f->common.removed_crushed == 1 && X(set_adds_up)(f->s, fluid));
    fixture_destroy(f);
}

/* ---- checkpoints in memory */

typedef struct memory {
    unsigned char *bytes;
    size_t size, at;
} memory;

static spate_status write_memory(void *user, const void *bytes, size_t size)
{
    memory *m = user;
    m->bytes = realloc(m->bytes, m->size + size + 1);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return SPATE_OK;
}

static spate_status read_memory(void *user, void *bytes, size_t size)
{
    memory *m = user;
    if (m->size - m->at < size)
        return SPATE_ERROR_FILE;
    memcpy(bytes, m->bytes + m->at, size);
    m->at += size;
    return SPATE_OK;
}

static memory save(fixture *f)
{
    memory m = {.bytes = NULL};
    CHECK(X(save)(f->s, &(sp_stream){.write = write_memory, .user = &m}) == SPATE_OK);
    return m;
}

static spate_status load_from(fixture *f, memory *m, spate_error *error)
{
    m->at = 0;
    return X(load)(f->s, &(sp_stream){.read = read_memory, .user = m}, error);
}

/* What the simulation saves as it is, loaded again. */
static spate_status reload(fixture *f, spate_error *error)
{
    memory m = save(f);
    spate_status status = load_from(f, &m, error);
    free(m.bytes);
    return status;
}

/* What a simulation with this many more particles of a class in its ledger saves, loaded again. */
static spate_status load_with(fixture *f, int64_t more, spate_error *error)
{
    X(set) *set = X(set_of)(f->s, SET_WHITEWATER);
    set->ledger.counts[WHITE_FOAM][WHITE_EMITTED] += more;
    memory m = save(f);
    set->ledger.counts[WHITE_FOAM][WHITE_EMITTED] -= more;
    spate_status status = load_from(f, &m, error);
    free(m.bytes);
    return status;
}

/* What the stage keeps, the particles and the ledger come back, into another simulation too. */
static void state_of_a_set_is_saved(void)
{
    fixture *f = fixture_of(true), *other = fixture_of(true);
    X(set) *set = X(set_of)(f->s, SET_WHITEWATER);
    X(white_state) *w = set->state;
    spate_error error;
    const X(white) p = X(white_of)(set->particles);
    const float x[DIM] = {0}, v[DIM] = {0}, own[CHANNEL_COLUMNS] = {0};
    X(particles_append)(set->particles, x, v, own);
    p.kind[0] = WHITE_BUBBLE;
    p.radius[0] = 0.25f;
    set->ledger.counts[WHITE_BUBBLE][WHITE_EMITTED]++;
    set->particles->next_id = 77;
    w->kept.keep = 0.5;
    w->kept.warned = true;
    w->kept.histogram[2][3] = 4;
    memory m = save(f);
    CHECK(load_from(other, &m, &error) == SPATE_OK);
    const X(set) *loaded = X(set_of)(other->s, SET_WHITEWATER);
    CHECK(memcmp(loaded->state, w, sizeof w->kept) == 0);
    CHECK(memcmp(&loaded->ledger, &set->ledger, sizeof set->ledger) == 0);
    CHECK(loaded->particles->count == 1 && loaded->particles->next_id == 77);
    CHECK(X(white_of)(loaded->particles).kind[0] == WHITE_BUBBLE);
    CHECK(X(white_of)(loaded->particles).radius[0] == 0.25f);
    free(m.bytes);
    fixture_destroy(f);
    fixture_destroy(other);
}

/* A particle of a set with one value that no step can have left. */
static void unsound_sets_do_not_load(void)
{
    for (int k = 0; k < 7; k++) {
        fixture *f = fixture_of(true);
        X(set) *set = X(set_of)(f->s, SET_WHITEWATER);
        X(white_state) *w = set->state;
        spate_error error;
        const float x[DIM] = {0}, v[DIM] = {0}, own[CHANNEL_COLUMNS] = {0};
        X(particles_append)(set->particles, x, v, own);
        set->ledger.counts[WHITE_FOAM][WHITE_EMITTED] = 1;
        const X(white) p = X(white_of)(set->particles);
        p.kind[0] = WHITE_FOAM;
        CHECK(reload(f, &error) == SPATE_OK);
        if (k == 0)
            p.kind[0] = WHITE_KINDS;
        if (k == 1)
            p.age[0] = NAN;
        if (k == 2)
            p.x[DIM - 1][0] = -0.5f;
        if (k == 3)
            p.v[0][0] = INFINITY;
        if (k == 4)
            w->kept.keep = 0;
        if (k == 5)
            w->kept.keep = NAN;
        if (k == 6)
            p.x[0][0] = NAN;
        CHECK(reload(f, &error) == SPATE_ERROR_FILE);
        CHECK(strstr(error.message, "of the set whitewater") != NULL);
        CHECK(set->particles->count == 0);
        fixture_destroy(f);
    }
}

/* With a set more or less, a checkpoint is another scene's. */
static void other_sets_do_not_load(void)
{
    fixture *with = fixture_of(true), *without = fixture_of(false);
    memory one = save(without), two = save(with);
    spate_error error;
    CHECK(load_from(with, &one, &error) == SPATE_ERROR_FILE);
    CHECK(strstr(error.message, "another scene") != NULL);
    CHECK(load_from(without, &two, &error) == SPATE_ERROR_FILE);
    CHECK(strstr(error.message, "another scene") != NULL);
    with->s->sets[1].columns[1].name = "sort";
    CHECK(load_from(with, &two, &error) == SPATE_ERROR_FILE);
    CHECK(strstr(error.message, "the columns of the set whitewater") != NULL);
    free(one.bytes);
    free(two.bytes);
    fixture_destroy(with);
    fixture_destroy(without);
}

/* A set without a column of classes has one class. */
static void without_classes_all_are_of_one(void)
{
    X(set_kind) kind = {.base = {.name = "points", .class_count = 1, .class_column = -1}};
    X(particles) particles = {.count = 3};
    X(set) set = {.kind = &kind, .particles = &particles};
    CHECK(X(class_of)(&set, 2) == 0);
}

static void wrong_ledgers_do_not_load(void)
{
    fixture *f = fixture_of(true);
    const int64_t wrong[4] = {1, -1, INT64_MAX, INT64_MIN};
    spate_error error;
    CHECK(load_with(f, 0, &error) == SPATE_OK);
    for (int k = 0; k < 4; k++) {
        CHECK(load_with(f, wrong[k], &error) == SPATE_ERROR_FILE);
        CHECK(strstr(error.message, "the ledger") != NULL);
        X(set_of)(f->s, SET_WHITEWATER)->ledger = (sp_set_ledger){.counts = {{0}}};
    }
    CHECK(load_with(f, 0, &error) == SPATE_OK);
    f->common.added++;
    CHECK(load_with(f, 0, &error) == SPATE_ERROR_FILE);
    CHECK(strstr(error.message, "the ledger of its particles") != NULL);
    fixture_destroy(f);
}

TESTS(sets)
{
    TEST(ledger_tells_what_is_missing);
    TEST(fluid_adds_up);
    TEST(fluid_is_the_first);
    TEST(wrong_ledgers_do_not_load);
    TEST(state_of_a_set_is_saved);
    TEST(unsound_sets_do_not_load);
    TEST(other_sets_do_not_load);
    TEST(without_classes_all_are_of_one);
    TEST(others_are_there_if_asked_for);
}
