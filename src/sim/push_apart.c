/* push_apart.c -- moves pairs of particles apart that are closer than their distance.
 *
 * Two particles a and b at a distance r below the separation distance
 *
 *     D = volume.separation * dx / n      (n particles per axis of a cell; 0.9 dx / n)
 *
 * are to move away from each other along their line until r = D, half of the way each; if one of
 * them touches a wall or a solid, it takes a fifth and the other one the rest (the way of Mueller,
 * Ten Minute Physics 18). Particles at the same place part in a direction that their ids give. A
 * liquid whose pairs all keep their distance is not moved at all, and velocities are never touched.
 *
 * Two passes, each of the kind of Jacobi: every particle adds up its own share of all its pairs
 * from the places of the last pass, so nothing depends on the order of particles or threads. Where
 * many pairs pull at one particle the sum goes too far; it is divided by SLOWING times the number
 * of pairs, where that is more than 1. No particle goes farther than D / 2 in a pass.
 *
 * Which pairs the second pass looks at is decided by where they were before the first: those that
 * were not more than WIDER D apart along each axis, and not more than sqrt(DIM) times that along
 * all axes together (places rounded to 1/64 of a cell). That is the same for both of a pair, and
 * the cells of the sorted particles still tell who is near. What comes near from farther away meets
 * in the next step.
 *
 * A tile is done layer by layer along the slowest axis. The particles of three layers of cells, one
 * cell beyond the tile on every side, lie in a store in the cache (push_pairs.h), rows of cells in
 * one piece, also across tiles and periodic sides. A particle in the lower half of its cell along
 * an axis cannot meet what is above the cell, so 2^DIM cells hold all its candidates: 2^(DIM-1)
 * pieces of two cells. */
#include "push_pairs.h"

#define BLOCK 128 /* particles of a row that are moved together */
#define SIDE (TILE + 2)
#define LAYER_ROWS LAST(SIDE)
#define LAYER_CELLS (LAYER_ROWS * SIDE)
#define AROUND (DIM == 3 ? 27 : 9)
#define CROWDED 3 /* times the particles at rest: a layer with more does not fit into the store */

typedef struct push_args {
    X(sim) *s;
    X(mover) mover;
    distances m;
    const float *from[DIM]; /* places before the pass */
    float *to[DIM];         /* after it; the last pass writes those of the particles */
    bool last;
    uint8_t *rounded[DIM]; /* places before the first pass, in steps, modulo 256 */
    uint8_t *touches;      /* 1: the particle touches a solid; NULL without solids */
    double *work;          /* per liquid tile: sum of gravity times way, m^2/s^2 */
    double gravity[DIM];   /* m^2/s^2 per cell of way */
    X(push_sides) sides;
    char *scratch;     /* the stores, one per worker */
    uint32_t capacity; /* entries of a layer in the store */
} push_args;

/* ---- the store */

/* A layer of cells in the store: the first entry of each cell, and its first particle. */
typedef struct layer {
    bool whole;                /* all its particles are there */
    uint32_t many[LAYER_ROWS]; /* bit k of a row: its cells k and k + 1 hold more than BYTES */
    uint32_t start[LAYER_CELLS + 1];
    uint32_t number[LAYER_CELLS];
} layer;

/* Particles of a row of cells, and the list of their pairs. A pair is a number, CODES times that of
 * the first in the block, plus 32 times the run of candidates in which the second is, plus its
 * place there; runs[k] is the first entry of run k, less 32 k, so that the second is entry pair +
 * runs[pair / 32]. */
#define RUNS (1 << (DIM - 1)) /* of candidates of a particle */
#define CODES (32 * RUNS)
#define PAIRS 1024
typedef struct block {
    uint32_t first;
    int size;
    quad place[BLOCK + 1], sum[BLOCK + LANES]; /* place[BLOCK]: one that is far from nobody */
    uint32_t runs[RUNS * BLOCK + 1];           /* the last one: nobody */
    int pair_count;
    uint16_t pairs[PAIRS + LANES];
} block;

typedef struct around {
    push_args *args;
    store store;
    layer layers[3];
    block block;
    int corner[DIM]; /* first cell of the tile */
    bool walls;      /* particles may touch one */
    bool solids;     /* may be near */
    uint32_t chunk;  /* push_crowd: the first particle of the candidates in the store */
    double work;
} around;

/* Entries: three layers, the cells and the candidates of a crowd, and nobody. Vectors are written
 * and read beyond the last. */
static size_t store_entries(uint32_t capacity)
{
    return 3 * (size_t)capacity + 2 * (BLOCK + LANES) + 1 + BYTES;
}

static uint32_t layer_capacity(const spate_scene *scene)
{
    uint32_t n = (uint32_t)scene->liquid.particles_per_axis;
    return (uint32_t)(CROWDED * LAYER_CELLS) * (DIM == 3 ? n * n * n : n * n) + LANES;
}

size_t X(push_scratch)(const spate_scene *scene)
{
    return (store_entries(layer_capacity(scene)) * (sizeof(quad) + DIM) + 63) / 64 * 64;
}

static store store_make(void *memory, uint32_t capacity)
{
    size_t entries = store_entries(capacity);
    store s = {.place = memory, .nobody = 3 * capacity + 2 * (BLOCK + LANES)};
    FOR_DIM(d)
        s.rounded[d] = (uint8_t *)(s.place + entries) + (size_t)d * entries;
    s.place[s.nobody] = (quad){1e9f, 1e9f, DIM == 3 ? 1e9f : 0.0f, 0.0f};
    return s;
}

LANE_FN floats load(const float *from)
{
    floats v;
    memcpy(&v, from, sizeof v);
    return v;
}

typedef uint8_t eight __attribute__((vector_size(LANES)));

LANE_FN eight round_places(floats x)
{
    enum { LOW = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 3 }; /* byte of an int */
    bytes steps = (bytes) __builtin_convertvector(x * PUSH_STEPS, ints);
    return __builtin_shufflevector(steps, steps, LOW, LOW + 4, LOW + 8, LOW + 12, LOW + 16,
                                   LOW + 20, LOW + 24, LOW + 28);
}

/* 1 in the lanes whose particles touch something. */
LANE_FN floats find_held(const around *a, const floats x[DIM], uint32_t number)
{
    const push_args *args = a->args;
    ints held = {0};
    FOR_DIM(d)
        held |= (x[d] < args->sides.touch_low[d]) | (x[d] > args->sides.touch_high[d]);
    for (uint32_t k = 0; k < LANES && args->touches; k++)
        held[k] |= -(int32_t)args->touches[number + k];
    return (floats)((ints)((floats){0} + 1.0f) & held);
}

/* Copies `count` particles from `number` on to the entries from `at` on, moved by `shift`. Writes
 * up to LANES - 1 entries more. */
static void copy_run(around *a, uint32_t number, uint32_t count, const float shift[DIM],
                     uint32_t at)
{
    const push_args *args = a->args;
    for (uint32_t k = 0; k < count; k += LANES) {
        uint32_t first = number + k;
        floats x[DIM], held = {0}, none = {0};
        FOR_DIM(d) {
            eight rounded;
            x[d] = load(args->from[d] + first);
            if (args->last)
                memcpy(&rounded, args->rounded[d] + first, sizeof rounded);
            else
                rounded = round_places(x[d]);
            rounded += (uint8_t)(int)(shift[d] * PUSH_STEPS);
            memcpy(a->store.rounded[d] + at + k, &rounded, sizeof rounded);
            x[d] += shift[d];
        }
        if (a->walls || args->touches)
            held = find_held(a, x, first);
        floats third = DIM == 3 ? x[DIM - 1] : held, fourth = DIM == 3 ? held : none;
        floats rows[4] = {x[0], x[1], third, fourth};
        lanes_transpose(rows);
        for (int m = 0; m < 4; m++) {
            a->store.place[at + k + (uint32_t)m] = lanes_low(rows[m]);
            a->store.place[at + k + (uint32_t)m + 4] = lanes_high(rows[m]);
        }
    }
}

/* A cell beyond a periodic side is one on the other side; `shift` brings its particles back. */
static void turn_round(const push_args *args, int d, int *c, float *shift)
{
    int n = args->s->grid.n[d], turn = !args->sides.wrap[d] ? 0 : *c < 0 ? n : *c >= n ? -n : 0;
    *c += turn;
    *shift = (float)-turn;
}

/* The cells c, c + 1, ... along x into row `row` of a layer, whose entries end before `end`. */
static bool load_row(around *a, layer *l, int row, const int c[DIM], uint32_t end)
{
    const push_args *args = a->args;
    const X(sim) *s = args->s;
    int first[DIM], far = c[0] + SIDE, i = 0;
    float shift[DIM];
    for (int d = 1; d < DIM; d++) {
        first[d] = c[d];
        turn_round(args, d, &first[d], &shift[d]);
    }
    bool single = args->sides.wrap[0] && (c[0] < 0 || far > s->grid.n[0]);
    uint32_t *start = l->start + row * SIDE, *number = l->number + row * SIDE;
    for (int cells; i < SIDE; i += cells) {
        cells = single || i == 0 || i == SIDE - 1 ? 1 : TILE;
        first[0] = c[0] + i;
        turn_round(args, 0, &first[0], &shift[0]);
        size_t index = X(index)(&s->grid, first);
        const uint32_t *begin = s->first + index;
        uint32_t at = start[i], count = begin[cells - 1] + s->count[index + (size_t)cells - 1];
        count -= begin[0];
        if (at + count + LANES > end)
            return false;
        for (int k = 0; k < cells; k++) {
            start[i + k] = at + begin[k] - begin[0];
            number[i + k] = begin[k];
        }
        start[i + cells] = at + count;
        copy_run(a, begin[0], count, shift, at);
    }
    l->many[row] = 0;
    for (int k = 0; k + 2 <= SIDE; k++)
        l->many[row] |= (uint32_t)(start[k + 2] - start[k] > BYTES) << k;
    return true;
}

/* The layer at place z of the tile, -1 .. TILE, into its slot of three. */
static void load_layer(around *a, int z)
{
    int slot = (z + 3) % 3, c[DIM];
    layer *l = &a->layers[slot];
    c[0] = a->corner[0] - 1;
    c[DIM - 1] = a->corner[DIM - 1] + z;
    l->whole = true;
    l->start[0] = (uint32_t)slot * a->args->capacity;
    for (int row = 0; row < LAYER_ROWS && l->whole; row++) {
        if (DIM == 3)
            c[1] = a->corner[1] - 1 + row;
        l->whole = load_row(a, l, row, c, ((uint32_t)slot + 1) * a->args->capacity);
    }
}

/* The particle of an entry. */
static uint32_t number_of(const around *a, uint32_t entry)
{
    if (entry >= 3 * a->args->capacity) /* candidates of a crowd, behind its own particles */
        return a->chunk + entry - (3 * a->args->capacity + BLOCK + LANES);
    const layer *l = &a->layers[entry / a->args->capacity];
    int cell = 0;
    while (l->start[cell + 1] <= entry)
        cell++;
    return l->number[cell] + entry - l->start[cell];
}

/* ---- pairs */

/* Particles a and b are at one place: adds the way of a, its share of D in a direction that is the
 * opposite of that of b, to `sum`. */
static void part(const push_args *args, uint32_t a, uint32_t b, float share, quad *sum)
{
    const uint32_t *id = args->s->particles.id[0];
    float way[DIM];
    X(part_twins)(id[a], id[b], args->m.D, share, way);
    FOR_DIM(d)
        (*sum)[d] += way[d];
}

/* One particle meets the entries [begin, end), itself among them or not. */
static void ask_run(const around *a, uint32_t entry, uint32_t number, uint32_t begin, uint32_t end,
                    quad *sum)
{
    const store *s = &a->store;
    box b = box_around(s, &a->args->m, entry);
    quad self[LANES];
    floats own[4];
    for (int k = 0; k < LANES; k++)
        self[k] = s->place[entry];
    turn(self, own);
    for (; begin < end; begin += BYTES) {
        uint32_t n = end - begin < BYTES ? end - begin : BYTES;
        uint64_t bits = near_bits(s, &b, begin, n);
        if (entry >= begin && entry - begin < BYTES)
            bits &= ~((uint64_t)1 << (entry - begin));
        while (bits) {
            uint32_t second[LANES];
            quad place[LANES];
            floats other[4], ask[4], share;
            for (int k = 0; k < LANES; k++, bits &= bits - 1) {
                second[k] = bits ? begin + lowest_bit(bits) : s->nobody;
                place[k] = s->place[second[k]];
            }
            turn(place, other);
            uint32_t twins = meet(&a->args->m, own, other, ask, &share);
            for (int k = 0; k < LANES; k++)
                *sum += k < 4 ? lanes_low(ask[k]) : lanes_high(ask[k - 4]);
            for (; twins; twins &= twins - 1) {
                int lane = __builtin_ctz(twins);
                part(a->args, number, number_of(a, second[lane]), share[lane], sum);
            }
        }
    }
}

/* Any number of candidates, any distance: all cells around. start[k] is that of the particle's cell
 * in the layer before, its own and the next. */
static void ask_all(const around *a, const uint32_t *const start[3], uint32_t entry,
                    uint32_t number, quad *sum)
{
    for (int k = 0; k < AROUND / 3; k++) {
        const uint32_t *cell = start[DIM == 3 ? k / 3 : k] + (DIM == 3 ? k % 3 - 1 : 0) * SIDE;
        ask_run(a, entry, number, cell[-1], cell[2], sum);
    }
}

/* Lists the bits of two runs as pairs from `code` on. Most have no more than four, which are
 * written without asking; what is not there is not counted. */
LANE_FN int list_bits(uint16_t *to, uint64_t bits, uint32_t code)
{
    int n = __builtin_popcountll(bits);
    SP_UNROLL
    for (int k = 0; k < 4; k++, bits &= bits - 1)
        to[k] = (uint16_t)(code + lowest_bit(bits));
    for (int k = 4; __builtin_expect(k < n, 0); k++, bits &= bits - 1)
        to[k] = (uint16_t)(code + lowest_bit(bits));
    return n;
}

/* The bits of two runs of two cells each, from the entries low[0] and high[0] on. */
LANE_FN uint64_t two_runs(const store *s, const box *b, const uint32_t *low, const uint32_t *high,
                          uint32_t *runs, uint32_t code)
{
    uint32_t first = low[0], second = high[0], n = low[2] - first, m = high[2] - second;
    runs[0] = first - code;
    runs[1] = second - code - 32;
    return near_bits(s, b, first, n) | near_bits(s, b, second, m) << 32;
}

/* Lists the pairs of particle k of the block, that is an entry of the store, from the half of the
 * cell in which it is. start[k] is that of its cell in the layer before, its own and the next. */
LANE_FN void list_pairs(around *a, const uint32_t *const start[3], uint32_t entry, int k)
{
    const store *s = &a->store;
    block *b = &a->block;
    box around = box_around(s, &a->args->m, entry);
    uint32_t half[DIM], code = (uint32_t)(CODES * k), *runs = b->runs + RUNS * k;
    uint16_t *to = b->pairs + b->pair_count;
    FOR_DIM(d)
        half[d] = s->rounded[d][entry] >> 5 & 1;
    const uint32_t *low = start[half[DIM - 1]] + half[0] - 1;
    const uint32_t *high = start[half[DIM - 1] + 1] + half[0] - 1;
    /* not itself */
    uint64_t self = (uint64_t)1 << ((entry - start[1][(int)half[0] - 1] + 32 * (1 - half[1])) & 63);
    if (DIM == 2) {
        uint64_t bits = two_runs(s, &around, low, high, runs, code) & ~self;
        b->pair_count += list_bits(to, bits, code);
        return;
    }
    low += ((int)half[1] - 1) * SIDE;
    high += ((int)half[1] - 1) * SIDE;
    uint64_t above = (uint64_t)half[DIM - 1] - 1; /* all bits: its own layer is the second */
    uint64_t first = two_runs(s, &around, low, low + SIDE, runs, code) & (above | ~self);
    uint64_t second = two_runs(s, &around, high, high + SIDE, runs + RUNS / 2, code + 64);
    to += list_bits(to, first, code);
    to += list_bits(to, second & ~(self & above), code + 64);
    b->pair_count = (int)(to - b->pairs);
}

/* The pairs of the list meet, eight at a time from eight parts of it: neighbours in the list have
 * their first particle in common, and its sum would have to wait for each. */
static void meet_pairs(around *a)
{
    block *b = &a->block;
    int part_size = (b->pair_count + LANES - 1) / LANES;
    for (int k = 0; k < LANES; k++)
        b->pairs[b->pair_count + k] = CODES * BLOCK; /* nobody */
    for (int k = 0; k < part_size; k++) {
        quad first[LANES], second[LANES];
        floats own[4], other[4], ask[4], share;
        for (int lane = 0; lane < LANES; lane++) {
            uint32_t pair = b->pairs[k + lane * part_size];
            first[lane] = b->place[pair / CODES];
            second[lane] = a->store.place[pair + b->runs[pair / 32]];
        }
        turn(first, own);
        turn(second, other);
        uint32_t twins = meet(&a->args->m, own, other, ask, &share);
        for (int lane = 0; lane < LANES; lane++)
            b->sum[b->pairs[k + lane * part_size] / CODES] +=
                lane < 4 ? lanes_low(ask[lane]) : lanes_high(ask[lane - 4]);
        for (; __builtin_expect(twins != 0, 0); twins &= twins - 1) {
            int lane = __builtin_ctz(twins);
            uint32_t pair = b->pairs[k + lane * part_size];
            part(a->args, b->first + pair / CODES, number_of(a, pair + b->runs[pair / 32]),
                 share[lane], &b->sum[pair / CODES]);
        }
    }
    b->pair_count = 0;
}

/* Takes some particles of a cell into the block, and lists their pairs. */
static void list_some(around *a, const uint32_t *const start[3], uint32_t begin, uint32_t end,
                      bool few)
{
    block *b = &a->block;
    for (uint32_t entry = begin; entry < end; entry++) {
        int k = b->size++;
        b->place[k] = a->store.place[entry];
        b->sum[k] = (quad){0};
        if (b->pair_count > PAIRS - CODES)
            meet_pairs(a);
        if (few)
            list_pairs(a, start, entry, k);
        else
            ask_all(a, start, entry, b->first + (uint32_t)k, &b->sum[k]);
    }
}

/* ---- moves */

/* Where the pairs ask the particles of the block to be: inside the domain, a way of at most D / 2
 * from where they are. */
static void answer(const push_args *args, const block *b, float to[DIM][BLOCK])
{
    float most = 0.5f * args->m.D;
    for (int k = 0; k < b->size; k += LANES) {
        uint32_t first = b->first + (uint32_t)k;
        floats sum[4], square = {0}, one = (floats){0} + 1.0f;
        turn(b->sum + k, sum);
        FOR_DIM(d)
            square += sum[d] * sum[d];
        floats length = root(square), slow = sum[3] * PUSH_SLOWING;
        slow = lanes_select(slow > 1.0f, slow, one);
        floats scale = lanes_select(length > most * slow, most / length, one / slow);
        FOR_DIM(d) {
            floats place = load(args->from[d] + first) + scale * sum[d];
            place =
                lanes_select(place > args->sides.low[d], place, args->sides.low[d] + (floats){0});
            place =
                lanes_select(place < args->sides.high[d], place, args->sides.high[d] + (floats){0});
            memcpy(to[d] + k, &place, sizeof place);
        }
    }
}

/* Brings particle k to its final place; returns gravity times its way. */
static double finish(push_args *args, uint32_t k, float to[DIM])
{
    X(particles) *p = &args->s->particles;
    float x[DIM], v[DIM], way[DIM];
    double work = 0;
    FOR_DIM(d) {
        x[d] = p->x[d][k];
        v[d] = p->v[d][k]; /* settle takes from it; the particle keeps its own */
    }
    FOR_DIM(d)
        way[d] = to[d] - x[d];
    X(settle)(&args->mover, x, to, v); /* where there is no place, it stays */
    FOR_DIM(d) {
        /* across a periodic side the way is the wanted one */
        way[d] = args->s->grid.periodic[d] ? way[d] : to[d] - x[d];
        work += (double)way[d] * args->gravity[d];
        p->x[d][k] = to[d];
    }
    return work;
}

/* The places of a column, and the sum of the ways there. */
static double move_column(float *x, const float *to, int count)
{
    floats sum = {0};
    double way = 0;
    int k = 0;
    for (; k + LANES <= count; k += LANES) {
        sum += load(to + k) - load(x + k);
        memcpy(x + k, to + k, LANES * sizeof *x);
    }
    for (; k < count; k++) {
        way += (double)(to[k] - x[k]);
        x[k] = to[k];
    }
    for (int lane = 0; lane < LANES; lane++)
        way += (double)sum[lane];
    return way;
}

static void move_block(around *a)
{
    push_args *args = a->args;
    block *b = &a->block;
    float to[DIM][BLOCK];
    answer(args, b, to);
    if (args->last && (a->solids || args->sides.periodic)) {
        for (int k = 0; k < b->size; k++) {
            float place[DIM];
            FOR_DIM(d)
                place[d] = to[d][k];
            a->work += finish(args, b->first + (uint32_t)k, place);
        }
    } else if (args->last) {
        for (int d = 0; d < DIM; d++)
            a->work +=
                args->gravity[d] * move_column(args->s->particles.x[d] + b->first, to[d], b->size);
    } else {
        for (int d = 0; d < DIM; d++) {
            const float *x = args->from[d] + b->first;
            uint8_t *rounded = args->rounded[d] + b->first;
            memcpy(args->to[d] + b->first, to[d], (size_t)b->size * sizeof(float));
            for (int k = 0; k < b->size; k += LANES) {
                eight steps = round_places(load(x + k));
                int n = b->size - k < LANES ? b->size - k : LANES;
                memcpy(rounded + k, &steps, (size_t)n);
            }
        }
    }
    b->first += (uint32_t)b->size;
    b->size = 0;
}

/* ---- tiles */

static void push_block(around *a)
{
    meet_pairs(a);
    move_block(a);
}

/* A row of cells of the tile, row number `row` of layer z in the store. */
static void push_row(around *a, int z, int row)
{
    const layer *l = &a->layers[(z + 3) % 3];
    block *b = &a->block;
    int left = a->args->s->grid.n[0] - a->corner[0], last = left < TILE ? left : TILE;
    uint32_t many = a->args->m.width > 32 ? ~0u : 0; /* bit k: around cell k */
    for (int k = 0; k < AROUND / 3; k++)
        many |=
            a->layers[(z + 2 + (DIM == 3 ? k / 3 : k)) % 3].many[DIM == 3 ? row + k % 3 - 1 : 0];
    many |= many << 1;
    b->first = l->number[row * SIDE + 1];
    for (int i = 1; i <= last; i++) { /* beyond the domain may stand cells of its other side */
        int cell = row * SIDE + i;
        const uint32_t *const start[3] = {a->layers[(z + 2) % 3].start + cell, l->start + cell,
                                          a->layers[(z + 4) % 3].start + cell};
        uint32_t begin = start[1][0], end = start[1][1], n;
        for (; begin < end; begin += n) {
            n = end - begin < BLOCK - (uint32_t)b->size ? end - begin : BLOCK - (uint32_t)b->size;
            list_some(a, start, begin, begin + n, !(many >> i & 1));
            if (b->size == BLOCK)
                push_block(a);
        }
    }
    if (b->size > 0)
        push_block(a);
}

/* The particles of the block meet those of one cell, some at a time. */
static void meet_cell(around *a, size_t index, const float shift[DIM])
{
    const X(sim) *s = a->args->s;
    block *b = &a->block;
    uint32_t own = 3 * a->args->capacity, chunk = own + BLOCK + LANES, n;
    uint32_t end = s->first[index] + s->count[index];
    for (uint32_t number = s->first[index]; number < end; number += n) {
        n = end - number < BLOCK ? end - number : BLOCK;
        copy_run(a, number, n, shift, chunk);
        a->chunk = number;
        for (uint32_t k = 0; k < (uint32_t)b->size; k++) {
            /* a particle that meets its own cell is one of the candidates, not beside them */
            uint32_t entry = b->first + k - number;
            bool among = b->first + k >= number && entry < n;
            ask_run(a, among ? chunk + entry : own + k, b->first + k, chunk, chunk + n, &b->sum[k]);
        }
    }
}

/* The same as push_row where a layer does not fit into the store: cell by cell. */
static void push_crowd(around *a, const int first[DIM])
{
    const X(sim) *s = a->args->s;
    const float here[DIM] = {0};
    block *b = &a->block;
    for (int i = 0; i < TILE; i++) {
        int c[DIM];
        FOR_DIM(d)
            c[d] = first[d] + (d == 0 ? i : 0);
        size_t cell = X(index)(&s->grid, c);
        uint32_t end = s->first[cell] + s->count[cell];
        for (b->first = s->first[cell]; b->first < end; move_block(a)) {
            b->size = end - b->first < BLOCK ? (int)(end - b->first) : BLOCK;
            memset(b->sum, 0, sizeof b->sum);
            copy_run(a, b->first, (uint32_t)b->size, here, 3 * a->args->capacity);
            for (int k = 0; k < AROUND; k++) {
                int near[DIM], offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
                float shift[DIM];
                FOR_DIM(d) {
                    near[d] = c[d] + offset[d];
                    turn_round(a->args, d, &near[d], &shift[d]);
                }
                meet_cell(a, X(index)(&s->grid, near), shift);
            }
        }
    }
}

static bool tile_near_solids(const push_args *args, size_t base)
{
    const X(sim) *s = args->s;
    if (s->solids.live == 0)
        return false;
    float least = 1e30f;
    for (int r = 0; r < TILE_ROWS; r++)
        for (int i = 0; i < TILE; i++) {
            float phi = s->phi_solid[base + X(row_offset)(&s->grid, r) + (size_t)i];
            least = phi < least ? phi : least;
        }
    return least < 4.0f * (float)s->grid.dx + (float)args->mover.obstacles.travel;
}

/* The rows of layer z; the layers around it are in the store. */
static void push_layer(around *a, int z)
{
    const X(sim) *s = a->args->s;
    bool whole = a->layers[0].whole && a->layers[1].whole && a->layers[2].whole;
    for (int row = 0; row < LAST(TILE); row++) {
        int c[DIM];
        FOR_DIM(d)
            c[d] = a->corner[d];
        c[1] += row;
        c[DIM - 1] += z;
        size_t index = X(index)(&s->grid, c);
        if (s->first[index] == s->first[index + TILE - 1] + s->count[index + TILE - 1])
            continue;
        if (whole)
            push_row(a, z, DIM == 3 ? row + 1 : 0);
        else
            push_crowd(a, c);
    }
}

static void push_tile(around *a, size_t number)
{
    push_args *args = a->args;
    X(sim) *s = args->s;
    int tile = s->tiles.liquid[number];
    bool full[TILE + 4] = {false}; /* layer z - 2 of the tile holds particles */
    X(tile_cell)(&s->grid, tile, a->corner);
    size_t base = X(index)(&s->grid, a->corner), stride = s->grid.stride[DIM - 1];
    a->solids = tile_near_solids(args, base);
    a->walls = false;
    FOR_DIM(d)
        a->walls = a->walls || args->sides.touch_low[d] > (float)(a->corner[d] - 2) ||
                   args->sides.touch_high[d] < (float)(a->corner[d] + TILE + 2);
    for (int z = 0; z < TILE; z++) {
        uint32_t end =
            z + 1 < TILE ? s->first[base + (size_t)(z + 1) * stride] : s->tiles.start[tile + 1];
        full[z + 2] = s->first[base + (size_t)z * stride] < end;
    }
    a->work = 0;
    for (int z = -1; z <= TILE; z++) {
        if (full[z + 1] || full[z + 2] || full[z + 3])
            load_layer(a, z);
        if (full[z + 1])
            push_layer(a, z - 1);
    }
    args->work[number] = a->work;
}

static void push_range(void *user, size_t begin, size_t end, int worker)
{
    push_args *args = user;
    size_t bytes = X(push_scratch)(args->s->common->scene);
    around a;
    a.args = args;
    a.store = store_make(args->scratch + (size_t)worker * bytes, args->capacity);
    a.block.size = a.block.pair_count = 0;
    a.block.place[BLOCK] = (quad){0};
    a.block.runs[RUNS * BLOCK] = a.store.nobody - CODES * BLOCK;
    for (size_t k = begin; k < end; k++)
        push_tile(&a, k);
}

static bool touches_solid(const push_args *args, size_t k)
{
    const X(sim) *s = args->s;
    float x[DIM];
    FOR_DIM(d)
        x[d] = args->from[d][k];
    X(stencil) stencil = X(stencil_at)(KERNEL_LINEAR, x, DIM);
    return X(gather)(&s->grid, &stencil, KERNEL_LINEAR, s->phi_solid) <
           PUSH_TOUCH * args->m.D * (float)s->grid.dx;
}

static void touch_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const push_args *args = user;
    for (size_t k = begin; k < end; k++)
        args->touches[k] = touches_solid(args, k);
}

bool X(pushes_apart)(const spate_scene *scene)
{
    return scene->volume.method == SPATE_VOLUME_PUSH || scene->volume.method == SPATE_VOLUME_BOTH;
}

double X(push_apart)(X(sim) *s)
{
    const spate_scene *scene = s->common->scene;
    X(particles) *p = &s->particles;
    sp_arena arena = X(arena)(s);
    push_args args = {.s = s, .mover = X(mover_begin)(s, 0), .capacity = layer_capacity(scene)};
    float D = (float)(scene->volume.separation / scene->liquid.particles_per_axis);
    args.sides = X(push_sides_of)(&s->grid, scene->domain.sides, D);
    args.work = sp_arena_take(&arena, (size_t)s->grid.tile_count, sizeof *args.work);
    args.scratch =
        sp_arena_take(&arena, (size_t)sp_pool_threads(s->common->pool), X(push_scratch)(scene));
    args.touches = s->solids.live > 0 ? p->rounded + 3 * (size_t)p->capacity : NULL;
    FOR_DIM(d) {
        args.rounded[d] = p->rounded + (size_t)d * p->capacity;
        args.gravity[d] = s->common->gravity[d] * s->grid.dx;
    }
    /* the scratch columns of SORT and one more hold the places between the passes */
    float *between[3] = {p->spare, (float *)p->order, p->between};
    for (int pass = 0; pass < PUSH_PASSES; pass++) {
        args.last = pass == PUSH_PASSES - 1;
        args.m = X(push_distances_of)(D, pass);
        FOR_DIM(d) {
            args.from[d] = args.last ? between[d] : p->x[d];
            args.to[d] = between[d];
        }
        if (args.touches)
            sp_parallel_for(s->common->pool, p->count, 4096, touch_range, &args);
        sp_parallel_for(s->common->pool, (size_t)s->tiles.liquid_count, 1, push_range, &args);
    }
    X(mover_end)(&args.mover);
    double work = 0;
    for (int k = 0; k < s->tiles.liquid_count; k++)
        work += args.work[k];
    return work;
}
