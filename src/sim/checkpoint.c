/* checkpoint.c -- checkpoints: everything that the next step needs and nothing that it makes anew.
 *
 * That is the clock, the ledger and the numbers of the frame under way, gravity, the poses of the
 * solids, the lattices of the inflows, the gauges of the last step, the sets of particles
 * (checkpoint_sets.c), and in the active tiles the arrays that grid.def says (the pressure, where
 * the next solve starts; of a gas the velocity of the last step).
 *
 * A checksum shows damage, not intent: whoever changes a checkpoint can seal it again. So what is
 * read is held against what a simulation can save before a step may take it for an index. */
#include "checkpoint.h"

#include "kernels/random.h"
#include "state/arrays.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Clock and ledger. The rows of stats.h that steps add to have 8 bytes each, whatever their type.
 */
typedef struct clock_record {
    double inside, last_dt, flow_speed, room, gravity[3], seconds[SP_STAGE_COUNT];
    uint64_t steps;
#define MEMBER(type, name) _Alignas(8) type name;
#define ROW(type, name, unit, when, help) SP_KEPT_##when(MEMBER, type, name)
    SPATE_STATS(ROW)
#undef ROW
#undef MEMBER
    _Alignas(8) int32_t frame;
    uint32_t warned_solver, warned_push, frame_done, active_count, sets;
    uint32_t gauges; /* whose values of the last step follow; 0 if there are none */
} clock_record;

/* Identifies the layout: a checkpoint fits a simulation only if this is equal, and if its sets of
 * particles are the same. */
static uint64_t layout_hash(const X(sim) *s)
{
    double size = s->grid.dx;
    uint64_t bits, hash = sp_mix(DIM);
    memcpy(&bits, &size, sizeof bits);
    hash = sp_hash2(hash, bits);
    for (int d = 0; d < 3; d++)
        hash = sp_hash2(hash, (uint64_t)s->grid.n[d]);
    for (int d = 0; d < DIM; d++) {
        memcpy(&bits, &s->grid.end[d], sizeof bits);
        hash = s->grid.end[d] < s->grid.n[d] ? sp_hash2(hash, bits) : hash;
    }
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        hash = a->saved && a->host & s->needs ? sp_hash2(hash, a->item) : hash;
    }
    hash = sp_hash2(hash, sizeof(clock_record));
    hash = sp_hash2(hash, (uint64_t)s->solids.count);
    return sp_hash2(hash, (uint64_t)s->emitter_count);
}

typedef struct solid_record {
    uint32_t generation, live, driven, zero;
    double born;
    sp_pose from, to;
    double host_position[3], host_rotation[3];
} solid_record;

/* One list for both directions: F(type, name). */
#define ROW(type, name, unit, when, help) SP_KEPT_##when(F, type, name)
#define CLOCK_FIELDS       \
    F(int, frame)          \
    F(bool, frame_done)    \
    F(double, inside)      \
    F(double, last_dt)     \
    F(double, flow_speed)  \
    F(double, room)        \
    F(uint64_t, steps)     \
    F(bool, warned_solver) \
    F(bool, warned_push)   \
    SPATE_STATS(ROW)

/* ------------------------------------------------------------------ what a simulation can save */

#define MOST_FRAMES (1 << 30)
#define MOST_FRAMES_INSIDE 1e6 /* of another fps, by which the host may have stepped */
#define FARTHEST 1e9           /* m: as far as shapes and their motion may lie (schema.c) */
#define MOST_GAUGES 1024       /* of a scene (schema.c) */
#define MOST_SUBCELLS 1e15     /* of a lattice: beyond, a double has no places between them */

static spate_status refuse(const char *what, spate_error *error)
{
    return sp_fail(error, SPATE_ERROR_FILE, NULL, NOT_SAVED_BY_SPATE "%s", what);
}

static bool all_within(const double *values, size_t count, double limit)
{
    bool within = true;
    for (size_t k = 0; k < count; k++)
        within = within && fabs(values[k]) <= limit; /* false for NaN */
    return within;
}

static spate_status check_clock(const X(sim) *s, const clock_record *r, spate_error *error)
{
    double frame_seconds = 1 / s->common->scene->fps;
    bool sound = r->frame >= 0 && r->frame <= MOST_FRAMES && isfinite(r->last_dt) &&
                 r->last_dt >= 0 && isfinite(r->flow_speed) && r->flow_speed >= 0 &&
                 fabs(r->inside) <= MOST_FRAMES_INSIDE * frame_seconds &&
                 all_within(r->gravity, DIM, 1e30) && all_within(r->seconds, SP_STAGE_COUNT, 1e30);
#define F(type, name) sound = sound && !isnan((double)r->name);
    CLOCK_FIELDS
#undef F
    return sound ? SPATE_OK : refuse("its clock", error);
}

static bool is_pose(const sp_pose *pose)
{
    return all_within(pose->origin, 3, 2 * FARTHEST) && all_within(pose->axes, 9, 1.001);
}

static bool is_solid(const solid_record *r)
{
    return isfinite(r->born) && is_pose(&r->from) && is_pose(&r->to) &&
           all_within(r->host_position, 3, FARTHEST) && all_within(r->host_rotation, 3, 1e30);
}

/* ------------------------------------------------------------------ saving and loading */

static spate_status save_solids(X(sim) *s, sp_stream *stream)
{
    for (int k = 0; k < s->solids.count; k++) {
        const sp_solid *solid = &s->solids.items[k];
        solid_record record;
        memset(&record, 0, sizeof record);
        record.generation = solid->generation;
        record.live = solid->live;
        record.driven = solid->driven;
        record.born = solid->born;
        record.from = solid->from;
        record.to = solid->to;
        memcpy(record.host_position, solid->host_position, sizeof record.host_position);
        memcpy(record.host_rotation, solid->host_rotation, sizeof record.host_rotation);
        TRY(sp_stream_write(stream, &record, sizeof record));
    }
    return SPATE_OK;
}

static spate_status load_solids(X(sim) *s, sp_stream *stream, spate_error *error)
{
    for (int k = 0; k < s->solids.count; k++) {
        sp_solid *solid = &s->solids.items[k];
        solid_record record;
        TRY(sp_stream_read(stream, &record, sizeof record));
        if (solid->generation != record.generation)
            return sp_fail(error, SPATE_ERROR_FILE, NULL,
                           "solid %d was added or removed another number of times when the "
                           "checkpoint was saved",
                           k);
        if (!is_solid(&record))
            return refuse("where a solid is", error);
        solid->live = record.live != 0;
        solid->driven = record.driven != 0;
        solid->born = record.born;
        solid->from = record.from;
        solid->to = record.to;
        memcpy(solid->host_position, record.host_position, sizeof record.host_position);
        memcpy(solid->host_rotation, record.host_rotation, sizeof record.host_rotation);
    }
    sp_solids_refresh(&s->solids);
    s->solids_changed = true; /* the next SOLIDS lays them on the grid */
    return SPATE_OK;
}

static spate_status save_emitters(X(sim) *s, sp_stream *stream)
{
    for (int k = 0; k < s->emitter_count; k++) {
        uint32_t flags[2] = {s->emitters[k].started,
                             (uint32_t)s->emitters[k].off + 2u * s->emitters[k].shut};
        if (s->emitters[k].by_cells)
            TRY(sp_stream_write(stream, &s->emitters[k].owed, sizeof s->emitters[k].owed));
        TRY(sp_stream_write(stream, s->emitters[k].travelled, sizeof s->emitters[k].travelled));
        TRY(sp_stream_write(stream, flags, sizeof flags));
    }
    return SPATE_OK;
}

static spate_status load_emitters(X(sim) *s, sp_stream *stream, spate_error *error)
{
    for (int k = 0; k < s->emitter_count; k++) {
        uint32_t flags[2];
        double *owed = &s->emitters[k].owed;
        if (s->emitters[k].by_cells)
            TRY(sp_stream_read(stream, owed, sizeof *owed));
        if (!all_within(owed, 1, 1e9))
            return refuse("what an inflow is to give", error);
        TRY(sp_stream_read(stream, s->emitters[k].travelled, sizeof s->emitters[k].travelled));
        TRY(sp_stream_read(stream, flags, sizeof flags));
        if (!all_within(s->emitters[k].travelled, DIM, MOST_SUBCELLS))
            return refuse("where an inflow is", error);
        s->emitters[k].started = flags[0] != 0;
        s->emitters[k].off = flags[1] & 1;
        s->emitters[k].shut = flags[1] >> 1 & 1;
    }
    X(mark_flows)(s);
    return SPATE_OK;
}

/* Pressures and forces of the next step look back at them (gauges.c). A simulation with other
 * gauges has none to look at. */
static spate_status load_gauges(X(sim) *s, uint32_t count, sp_stream *stream, spate_error *error)
{
    sp_common *common = s->common;
    if (count > MOST_GAUGES)
        return refuse("its gauges", error);
    common->has_last = count > 0 && count == (uint32_t)common->scene->gauge_count;
    for (uint32_t k = 0; k < count; k++) {
        double values[3];
        TRY(sp_stream_read(stream, values, sizeof values));
        if (!all_within(values, 3, DBL_MAX))
            return refuse("its gauges", error);
        if (common->has_last)
            memcpy(common->gauges_last[k], values, sizeof values);
    }
    return SPATE_OK;
}

/* The values of a tile of one pointer of an array, out of the grid or into it. */
static void copy_tile(X(sim) *s, int tile, char *block, size_t item, char *values, bool out)
{
    size_t base = X(tile_index)(&s->grid, tile), bytes = TILE * item;
    for (int r = 0; r < TILE_ROWS; r++) {
        char *row = block + (base + X(row_offset)(&s->grid, r)) * item;
        memcpy(out ? values + (size_t)r * bytes : row, out ? row : values + (size_t)r * bytes,
               bytes);
    }
}

/* Of all arrays that checkpoints hold: writes a tile, reads it, or clears it. */
typedef enum tile_way { TILE_WRITE, TILE_READ, TILE_CLEAR } tile_way;

static spate_status pass_tile(X(sim) *s, int tile, sp_stream *stream, tile_way way,
                              spate_error *error)
{
    for (int k = 0; k < ARRAY_COUNT; k++) {
        const X(array) *a = &X(arrays)[k];
        void **blocks = X(array_of)(s, a);
        for (int c = 0; c < a->pointers && a->saved && blocks[c]; c++) {
            _Alignas(float) char values[TILE_CELLS * sizeof(float)] = {0};
            size_t bytes = TILE_CELLS * a->item;
            assert(a->extent == EXTENT_CELLS && bytes <= sizeof values); /* floats or bytes */
            if (way == TILE_WRITE)
                copy_tile(s, tile, blocks[c], a->item, values, true);
            TRY(way == TILE_WRITE  ? sp_stream_write(stream, values, bytes)
                : way == TILE_READ ? sp_stream_read(stream, values, bytes)
                                   : SPATE_OK);
            if (way == TILE_READ && a->item == sizeof(float) &&
                !X(all_finite)((const float *)values, TILE_CELLS))
                return refuse("a pressure or a velocity of the grid", error);
            if (way != TILE_WRITE)
                copy_tile(s, tile, blocks[c], a->item, values, false);
        }
    }
    return SPATE_OK;
}

spate_status X(save)(X(sim) *s, sp_stream *stream)
{
    sp_common *common = s->common;
    uint64_t layout = layout_hash(s);
    clock_record record;
    memset(&record, 0, sizeof record);
#define F(type, name) record.name = common->name;
    CLOCK_FIELDS
#undef F
    memcpy(record.gravity, common->gravity, sizeof record.gravity);
    memcpy(record.seconds, common->seconds, sizeof record.seconds);
    record.active_count = (uint32_t)s->tiles.active_count;
    record.sets = (uint32_t)s->set_count;
    record.gauges = common->has_last ? (uint32_t)common->scene->gauge_count : 0;
    TRY(sp_stream_write(stream, &layout, sizeof layout));
    TRY(sp_stream_write(stream, &record, sizeof record));
    TRY(X(save_set_heads)(s, stream));
    TRY(sp_stream_seal(stream)); /* so that a damaged count allocates nothing */
    TRY(save_solids(s, stream));
    TRY(save_emitters(s, stream));
    for (uint32_t k = 0; k < record.gauges; k++)
        TRY(sp_stream_write(stream, common->gauges_last[k], sizeof common->gauges_last[k]));
    TRY(X(save_sets)(s, stream));
    size_t channels = (size_t)s->particles.own_columns;
    TRY(sp_stream_write(stream, common->channels, channels * sizeof *common->channels));
    for (int k = 0; k < s->tiles.active_count; k++) {
        int32_t tile = s->tiles.active[k];
        TRY(sp_stream_write(stream, &tile, sizeof tile));
        TRY(pass_tile(s, tile, stream, TILE_WRITE, NULL));
    }
    return SPATE_OK;
}

spate_status X(load)(X(sim) *s, sp_stream *stream, spate_error *error)
{
    sp_common *common = s->common;
    uint64_t layout;
    clock_record record;
    TRY(sp_stream_read(stream, &layout, sizeof layout));
    if (layout != layout_hash(s))
        return sp_fail(error, SPATE_ERROR_FILE, NULL, "the checkpoint belongs to another scene");
    TRY(sp_stream_read(stream, &record, sizeof record));
    if (record.sets != (uint32_t)s->set_count)
        return sp_fail(error, SPATE_ERROR_FILE, NULL,
                       "the checkpoint belongs to another scene: it has %u sets of particles, the "
                       "scene %d",
                       (unsigned)record.sets, s->set_count);
    sp_set_head heads[SET_COUNT];
    TRY(sp_stream_read(stream, heads, (size_t)s->set_count * sizeof *heads));
    TRY(sp_stream_check(stream, error));
    TRY(X(check_set_heads)(s, heads, error));
    TRY(check_clock(s, &record, error));
    TRY(load_solids(s, stream, error));
    TRY(load_emitters(s, stream, error));
    TRY(load_gauges(s, record.gauges, stream, error));
    TRY(X(load_sets)(s, heads, stream, error));
    sp_channel_ledger channels[SP_CHANNEL_COLUMNS];
    size_t ledger_bytes = (size_t)s->particles.own_columns * sizeof *channels;
    TRY(sp_stream_read(stream, channels, ledger_bytes));
    for (int k = 0; k < s->tiles.active_count; k++) /* of what the simulation did before */
        TRY(pass_tile(s, s->tiles.active[k], stream, TILE_CLEAR, error));
    for (uint32_t k = 0; k < record.active_count; k++) {
        int32_t tile;
        TRY(sp_stream_read(stream, &tile, sizeof tile));
        if (tile < 0 || tile >= s->grid.tile_count)
            return sp_fail(error, SPATE_ERROR_FILE, NULL, "the checkpoint is damaged");
        TRY(pass_tile(s, tile, stream, TILE_READ, error));
        s->system.unknown[tile] = UNKNOWN_STALE;
        s->tiles.state[tile] |= TILE_ACTIVE; /* so that SORT clears it if the liquid has left */
    }
#define F(type, name) common->name = (type)record.name;
    CLOCK_FIELDS
#undef F
    memcpy(common->channels, channels, ledger_bytes);
    memcpy(common->gravity, record.gravity, sizeof record.gravity);
    memcpy(common->seconds, record.seconds, sizeof record.seconds);
    s->displaced = false;
    s->stretch = 1; /* there is no p_gravity to the pressure */
    s->path = 0;    /* and u is not that of the step */
    for (int k = 0; k < s->set_count; k++)
        if (!X(set_adds_up)(s, &s->sets[k]))
            return refuse("the ledger of its particles", error);
    return SPATE_OK;
}
