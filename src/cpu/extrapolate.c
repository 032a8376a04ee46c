/* extrapolate.c -- carries the velocity of the liquid into the faces around it.
 *
 * Faces of liquid cells hold the projected velocity, and faces of solids the solid's; both stay as
 * they are. Every other face takes, layer by layer, the mean of its neighbours in the layers
 * before. Old and new velocity are carried from the same faces with the same weights: what FLIP
 * takes from the difference is then the change that the liquid underwent, and no damping creeps in
 * at the surface. Where particles reached such a face, both get what the particles' velocity there
 * differs from the old one (X(own_part)): it keeps their momentum, and moves them by it. Faces that
 * no layer reaches keep what the particles gave them. So do faces in the air that particles
 * reached, where no liquid or inflow cell is beside them or beside a neighbour: a cloud too small
 * for a liquid cell falls by gravity, which FORCES has added there, and others take from it.
 *
 * Faces that a solid has closed are carried to as well, and then lose what goes into the solid
 * (kernels/faces.h).
 *
 * Which faces a layer reaches is found for 64 of them at once: a tile has a bit for each face that
 * others may take from, and for each that is unknown; shifted by one face each way, the former and
 * the latter meet in the new layer. Velocities are looked at only in the groups of eight faces that
 * get one. */
#include "exec.h"

#include "kernels/extrapolate.h"
#include "kernels/faces.h"

#define GROUPS (TILE_CELLS / 8) /* of eight faces in a tile, 8 in each word of bits */

typedef struct extrapolate_args {
    X(sim) *s;
    int layer;  /* being written; its sources are 1 .. layer - 1 */
    int parity; /* of the tiles that have their turn */
} extrapolate_args;

/* Distance from the first face of a tile to group n. */
SIMD_FN size_t group_offset(const X(grid) *g, int n)
{
    return X(row_offset)(g, n * 8 / TILE) + (size_t)(n * 8 % TILE);
}

/* ---- marks */

SIMD_FN uint64_t load_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Bit 7 of each byte, as a number of eight bits. */
SIMD_FN uint64_t gather_bits(uint64_t word)
{
    return (word >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

/* The bits of eight marks of component d, group n; inside: these may be unknown, too. Marks of
 * layers are below 128, FACE_FIXED is not. */
SIMD_FN void note_marks(X(front) *f, int d, int n, uint64_t marks, bool inside)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t known = ((marks & low) + low) | marks;
    f->from[0][d][n / 8] |= gather_bits(known & ~marks) << n % 8 * 8;
    f->unknown[d][n / 8] |= inside ? gather_bits(~known) << n % 8 * 8 : 0;
}

/* Which of eight faces d from index c on belong to the domain; beyond an open side particles may
 * have given to others. */
SIMD_FN i8 are_inside(const X(grid) *g, size_t c, int d)
{
    const i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    int at[DIM], room = LANES;
    X(coordinates)(g, c, at);
    FOR_DIM(axis) {
        int left = g->n[axis] + (axis == d) - at[axis];
        if (axis == 0)
            room = left;
        else
            room = left > 0 ? room : 0;
    }
    return lane < room;
}

/* Faces d from c on that a solid leaves open. Beside a thin one particles may be those of the
 * liquid behind it. */
SIMD_FN i8 is_open(const X(sim) *s, size_t c, int d)
{
    i8 thin = load_bytes(s->thin + c) | load_bytes(s->thin + c - s->grid.stride[d]);
    return is_less(f8_of(NARROW), load(s->w[d] + c)) & is_equal(thin, 0);
}

/* Whether solids cut the cells of a tile, or those across its low faces, which is_open looks at. */
static bool is_near_cuts(const X(sim) *s, int tile)
{
    if (!X(has_cut_cells)(s))
        return false;
    bool cut = s->tiles.cut[tile];
    int step = 1;
    FOR_DIM(axis) {
        cut = cut || s->tiles.cut[tile - step];
        step *= s->grid.tiles[axis];
    }
    return cut;
}

/* Faces d between air cells from c on that particles reached away from the liquid. */
SIMD_FN i8 are_in_cloud(const X(sim) *s, size_t c, int d, bool cut)
{
    i8 reached = is_positive(load(s->weight[d] + c));
    if (!any(reached))
        return reached;
    reached &= are_inside(&s->grid, c, d);
    if (cut)
        reached &= is_open(s, c, d);
    FOR_DIM(axis)
        for (int side = 0; side < 2; side++) {
            const uint8_t *near = s->type + c;
            near = side ? near + s->grid.stride[axis] : near - s->grid.stride[axis];
            i8 here = load_bytes(near), there = load_bytes(near - s->grid.stride[d]);
            reached &= ~(is_equal(here, SPATE_CELL_LIQUID) | is_equal(here, SPATE_CELL_INFLOW));
            reached &= ~(is_equal(there, SPATE_CELL_LIQUID) | is_equal(there, SPATE_CELL_INFLOW));
        }
    return reached;
}

/* Marks eight faces d of cells from c on, which are between air cells. */
SIMD_FN void mark_air_group(X(sim) *s, size_t c, int d, bool cut)
{
    store_bytes(s->known[d] + c, are_in_cloud(s, c, d, cut) & FACE_SOURCE);
}

/* Marks eight faces d of cells from c on; returns max |u| over the sources so far. Faces that a cut
 * cell has lost to a solid are unknown: they take the velocity of the liquid beside them and then
 * lose what goes into the solid. */
SIMD_FN i8 mark_group(X(sim) *s, size_t c, int d, bool cut, i8 most)
{
    i8 here = load_bytes(s->type + c), there = load_bytes(s->type + c - s->grid.stride[d]);
    i8 wet = is_equal(here, SPATE_CELL_LIQUID) | is_equal(there, SPATE_CELL_LIQUID);
    i8 inflow = is_equal(here, SPATE_CELL_INFLOW) | is_equal(there, SPATE_CELL_INFLOW);
    i8 solid = ~is_below(here, SPATE_CELL_SOLID), other = ~is_below(there, SPATE_CELL_SOLID);
    i8 beside = solid | other, closed = solid & other;
    if (cut) {
        i8 narrow = ~is_less(f8_of(NARROW), load(s->w[d] + c));
        closed |= narrow;
        inflow &= ~narrow;
    }
    i8 source = inflow | (wet & ~closed), fixed = beside & ~closed & ~source;
    f8 u = load(s->u[d] + c);
    /* no particle was there: no change to report */
    i8 bare = (source | fixed) & ~is_positive(load(s->weight[d] + c));
    if (any(bare))
        store(s->u_old[d] + c, choose(bare, u, load(s->u_old[d] + c)));
    i8 other_faces = ~(wet | inflow | beside), cloud = {0};
    if (any(other_faces))
        cloud = other_faces & are_in_cloud(s, c, d, cut);
    store_bytes(s->known[d] + c, ((source | cloud) & FACE_SOURCE) | (fixed & FACE_FIXED));
    return larger(most, where(source, u));
}

/* The same of faces that are all sources, deep in the liquid. */
SIMD_FN i8 mark_deep_group(X(sim) *s, size_t c, int d, i8 most)
{
    f8 u = load(s->u[d] + c);
    i8 bare = ~is_positive(load(s->weight[d] + c));
    if (any(bare))
        store(s->u_old[d] + c, choose(bare, u, load(s->u_old[d] + c)));
    memset(s->known[d] + c, FACE_SOURCE, 8);
    return larger(most, u);
}

static i8 mark_groups(X(sim) *s, int tile, int d, bool cut, i8 most)
{
    const uint64_t liquid = SPATE_CELL_LIQUID * UINT64_C(0x0101010101010101);
    const X(grid) *g = &s->grid;
    X(front) *f = &s->tiles.fronts[tile];
    int t[DIM];
    X(tile_coordinates)(g, tile, t);
    size_t base = X(tile_index)(g, tile);
    for (int n = 0; n < GROUPS; n++) {
        size_t c = base + group_offset(g, n);
        if (!X(row_has_faces)(g, t, n * 8 / TILE))
            continue;
        uint64_t here = load_word(s->type + c), there = load_word(s->type + c - g->stride[d]);
        if ((here | there) == 0) /* SPATE_CELL_AIR */
            mark_air_group(s, c, d, cut);
        else if (here == liquid && there == liquid && !cut)
            most = mark_deep_group(s, c, d, most);
        else
            most = mark_group(s, c, d, cut, most);
        note_marks(f, d, n, load_word(s->known[d] + c), true);
    }
    return most;
}

static i8 mark_deep_tile(X(sim) *s, int tile, i8 most)
{
    size_t base = X(tile_index)(&s->grid, tile);
    for (int n = 0; n < GROUPS; n++)
        FOR_DIM(d)
            most = mark_deep_group(s, base + group_offset(&s->grid, n), d, most);
    memset(s->tiles.fronts[tile].from[0], 0xff, sizeof s->tiles.fronts[tile].from[0]);
    return most;
}

/* Whether a tile and the cells across its low faces are air. */
static bool is_air(const X(sim) *s, size_t base)
{
    const X(grid) *g = &s->grid;
    uint64_t some = 0;
    for (int n = 0; n < GROUPS; n++) {
        const uint8_t *type = s->type + base + group_offset(g, n);
        const int r = n * 8 / TILE, place[3] = {n * 8 % TILE, r & (TILE - 1), r >> TILE_SHIFT};
        some |= load_word(type) | (place[0] == 0 ? *(type - 1) : 0);
        for (int d = 1; d < DIM; d++)
            some |= place[d] == 0 ? load_word(type - g->stride[d]) : 0;
    }
    return some == 0; /* SPATE_CELL_AIR */
}

static void mark_air_tile(X(sim) *s, int tile, size_t base, bool cut)
{
    const X(grid) *g = &s->grid;
    X(front) *f = &s->tiles.fronts[tile];
    int t[DIM];
    X(tile_coordinates)(g, tile, t);
    for (int n = 0; n < GROUPS; n++)
        if (X(row_has_faces)(g, t, n * 8 / TILE))
            FOR_DIM(d) {
                size_t c = base + group_offset(g, n);
                mark_air_group(s, c, d, cut);
                note_marks(f, d, n, load_word(s->known[d] + c), true);
            }
}

/* What the bits of the first layer say of a tile. */
static void start_front(X(sim) *s, int tile)
{
    X(front) *f = &s->tiles.fronts[tile];
    uint64_t some = 0, open = 0;
    for (int n = 0; n < DIM * FRONT_WORDS; n++) {
        some |= f->from[0][n / FRONT_WORDS][n % FRONT_WORDS];
        open |= f->unknown[n / FRONT_WORDS][n % FRONT_WORDS];
    }
    memcpy(f->from[1], f->from[0], sizeof f->from[1]);
    f->open = open != 0;
    s->tiles.marked[tile] = some ? MARKED_SOME : MARKED_NONE;
}

static double mark_partial(void *user, size_t begin, size_t end)
{
    X(sim) *s = user;
    i8 most = {0};
    for (size_t k = begin; k < end; k++) {
        int tile = s->tiles.faces[k];
        bool cut = is_near_cuts(s, tile);
        memset(&s->tiles.fronts[tile], 0, sizeof *s->tiles.fronts);
        size_t base = X(tile_index)(&s->grid, tile);
        if (s->system.unknown[tile] == UNKNOWN_DEEP)
            most = mark_deep_tile(s, tile, most);
        else if (s->system.unknown[tile] == UNKNOWN_NONE && is_air(s, base))
            mark_air_tile(s, tile, base, cut);
        else
            for (int d = 0; d < DIM; d++)
                most = mark_groups(s, tile, d, cut, most);
        start_front(s, tile);
    }
    return largest(most);
}

/* Across periodic sides marks come with the border, into any tile: all bits are taken anew. */
static void read_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    X(sim) *s = user;
    const X(grid) *g = &s->grid;
    size_t active = (size_t)s->tiles.active_count;
    for (size_t k = begin; k < end; k++) {
        int tile = k < active ? s->tiles.active[k] : s->tiles.border[k - active];
        int t[DIM];
        X(tile_coordinates)(g, tile, t);
        size_t base = X(tile_index)(g, tile);
        memset(&s->tiles.fronts[tile], 0, sizeof *s->tiles.fronts);
        for (int n = 0; n < GROUPS; n++)
            FOR_DIM(d)
                note_marks(&s->tiles.fronts[tile], d, n,
                           load_word(s->known[d] + base + group_offset(g, n)),
                           X(row_has_faces)(g, t, n * 8 / TILE));
        start_front(s, tile);
    }
}

static void fill_periodic(X(sim) *s)
{
    float *const *const velocities[] = {s->u, s->u_old};
    FOR_DIM(d)
        X(fill_border_bytes)(s, s->known[d]);
    X(fill_border_faces)(s, velocities, 2);
    sp_parallel_for(s->common->pool, (size_t)(s->tiles.active_count + s->tiles.border_count), 8,
                    read_range, s);
}

/* ---- layers */

/* -1 in the lanes whose bit is set. */
SIMD_FN i8 mask_of(uint64_t bits)
{
    const i8 weight = {1, 2, 4, 8, 16, 32, 64, 128};
    return (weight - 1 - (weight & (int32_t)(bits & 0xff))) >> 31;
}

/* 1 in the bytes whose bit is set. */
SIMD_FN uint64_t bytes_of(uint64_t bits)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), each = UINT64_C(0x8040201008040201);
    return ((((bits & 0xff) * ones & each) + UINT64_C(0x7f) * ones) >> 7) & ones;
}

/* Faces d from c on: those in `take` get the mean of the neighbours that have something to give,
 * which is said for each of the two sides along each axis; shift: where the bits are. */
SIMD_FN void extend_group(X(sim) *s, size_t c, int d, uint64_t take, uint64_t (*const near)[2],
                          int shift, int layer, bool cut)
{
    float *u = s->u[d], *old = s->u_old[d];
    f8 sum = {0}, sum_old = {0};
    i8 count = {0}, taken = mask_of(take);
    FOR_DIM(axis)
        for (int side = 0; side < 2; side++) {
            size_t place = side ? c + s->grid.stride[axis] : c - s->grid.stride[axis];
            i8 known = mask_of(near[axis][side] >> shift);
            sum += where(known, load(u + place));
            sum_old += where(known, load(old + place));
            count -= known;
        }
    f8 number = convert(count, f8);
    if (cut) { /* closed faces: what particles brought, for X(slide_closed_faces) */
        i8 closed = taken & ~is_less(f8_of(NARROW), load(s->w[d] + c));
        if (any(closed))
            store(s->weight[d] + c, choose(closed, load(old + c), load(s->weight[d] + c)));
    }
    f8 now = sum / number, before = sum_old / number;
    i8 reached = taken & is_positive(load(s->weight[d] + c));
    if (cut && any(reached))
        reached &= is_open(s, c, d);
    if (any(reached)) {
        f8 own =
            where(reached, X(own_part)(load(s->weight[d] + c), load(old + c), before, s->rest));
        now += own;
        before += own;
    }
    store(u + c, choose(taken, now, load(u + c)));
    store(old + c, choose(taken, before, load(old + c)));
    uint64_t marks = load_word(s->known[d] + c) | bytes_of(take) * (uint64_t)layer;
    memcpy(s->known[d] + c, &marks, sizeof marks);
}

/* The bits of a tile's neighbours: those across its faces, and zero for those without marks. */
typedef struct around {
    const uint64_t *own, *near[DIM][2];
} around;

static around around_of(const X(sim) *s, int tile, int d, int turn)
{
    static const uint64_t none[FRONT_WORDS];
    const X(grid) *g = &s->grid;
    around a = {.own = s->tiles.fronts[tile].from[turn][d]};
    int step = 1;
    FOR_DIM(axis) {
        int t = tile / step % g->tiles[axis]; /* a border tile may have nothing after it */
        int low = tile - step, high = tile + step;
        a.near[axis][0] = t > 0 && s->tiles.marked[low] ? s->tiles.fronts[low].from[turn][d] : none;
        a.near[axis][1] = t + 1 < g->tiles[axis] && s->tiles.marked[high]
                              ? s->tiles.fronts[high].from[turn][d]
                              : none;
        step *= g->tiles[axis];
    }
    return a;
}

/* Word n shifted by one face each way: bit i says whether the face before it, or after it, has
 * something to give. */
SIMD_FN void shift_word(const around *a, int n, uint64_t near[DIM][2])
{
    const uint64_t first = DIM == 3 ? UINT64_C(0x0101010101010101) : UINT64_C(0x0001000100010001),
                   last = first << (TILE - 1), word = a->own[n];
    const int end = FRONT_WORDS - 1;
    uint64_t before = n > 0 ? a->own[n - 1] : a->near[DIM - 1][0][end];
    uint64_t after = n < end ? a->own[n + 1] : a->near[DIM - 1][1][0];
    near[0][0] = (word & ~last) << 1 | (a->near[0][0][n] & last) >> (TILE - 1);
    near[0][1] = (word & ~first) >> 1 | (a->near[0][1][n] & first) << (TILE - 1);
    if (DIM == 3) { /* a word is a plane */
        near[DIM - 1][0] = before;
        near[DIM - 1][1] = after;
        before = a->near[1][0][n];
        after = a->near[1][1][n];
    }
    near[1][0] = word << TILE | before >> (64 - TILE);
    near[1][1] = word >> TILE | after << (64 - TILE);
}

/* A layer of faces d of a tile. */
static uint64_t extend_tile(X(sim) *s, int tile, int d, int layer)
{
    int turn = layer & 1;
    X(front) *f = &s->tiles.fronts[tile];
    around a = around_of(s, tile, d, turn);
    size_t base = X(tile_index)(&s->grid, tile);
    uint64_t changed = 0;
    bool cut = is_near_cuts(s, tile);
    for (int n = 0; n < FRONT_WORDS; n++) {
        uint64_t near[DIM][2], take = 0;
        shift_word(&a, n, near);
        FOR_DIM(axis)
            take |= near[axis][0] | near[axis][1];
        take &= f->unknown[d][n];
        f->from[1 - turn][d][n] = a.own[n] | take;
        f->unknown[d][n] &= ~take;
        changed |= take;
        while (take) {
            int shift = __builtin_ctzll(take) & ~7;
            extend_group(s, base + group_offset(&s->grid, n * 8 + shift / 8), d, take >> shift,
                         near, shift, layer, cut);
            take &= ~(UINT64_C(0xff) << shift);
        }
    }
    return changed;
}

/* Whether a tile or one across its faces has a mark. */
static bool is_near_marks(const X(sim) *s, int tile)
{
    const uint8_t *marked = s->tiles.marked + tile;
    const X(grid) *g = &s->grid;
    int step = 1, near = *marked;
    for (int d = 0; d < DIM; d++) {
        int t = tile / step % g->tiles[d]; /* a border tile may have nothing after it */
        near |= *(marked - step) | (t + 1 < g->tiles[d] ? marked[step] : 0);
        step *= g->tiles[d];
    }
    return near;
}

/* Tiles of one parity: their neighbours have the other one, so that nobody reads what is being
 * written. */
static void extend_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const extrapolate_args *args = user;
    X(sim) *s = args->s;
    int turn = args->layer & 1;
    for (size_t k = begin; k < end; k++) {
        int t[DIM], tile = s->tiles.faces[k], sum = 0;
        X(front) *f = &s->tiles.fronts[tile];
        if (!f->open && !f->changed)
            continue;
        X(tile_coordinates)(&s->grid, tile, t);
        FOR_DIM(d)
            sum += t[d];
        if ((sum & 1) != args->parity)
            continue;
        uint64_t changed = 0, open = 0;
        if (!f->open)
            memcpy(f->from[1 - turn], f->from[turn], sizeof f->from[turn]);
        else if (is_near_marks(s, tile))
            for (int d = 0; d < DIM; d++) {
                changed |= extend_tile(s, tile, d, args->layer);
                for (int n = 0; n < FRONT_WORDS; n++)
                    open |= f->unknown[d][n];
            }
        else
            continue;
        f->open = open != 0;
        f->changed = changed != 0;
        if (changed)
            s->tiles.marked[tile] = MARKED_SOME;
    }
}

void DEV(extrapolate)(X(sim) *s, double dt)
{
    size_t tiles = (size_t)s->tiles.face_count;
    double fastest = X(maximum)(s, tiles, 4, mark_partial, s);
    int layers = X(layers_to_extend)(&s->grid, fastest, dt);
    s->common->flow_speed = fastest;
    bool periodic = s->grid.periodic[0] || s->grid.periodic[1] || s->grid.periodic[2];
    for (int layer = 2; layer <= layers + 1; layer++) {
        if (periodic)
            fill_periodic(s);
        for (int parity = 0; parity < 2; parity++) {
            extrapolate_args args = {s, layer, parity};
            sp_parallel_for(s->common->pool, tiles, 4, extend_range, &args);
        }
    }
    s->reach = (float)(layers - 1);
    X(exec) e = X(exec_of)(s);
    DEV(extrapolate_solids)(&e, dt);
}
