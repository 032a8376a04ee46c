/* mic.c -- modified incomplete Cholesky of level zero, MIC(0): M = L L^T, L with the pattern of A's
 * lower half (Bridson, Fluid Simulation for Computer Graphics, ch. 5).
 *
 * A cell depends on its lower neighbours only (forward) or its upper ones (backward). Taken tile by
 * tile that is still true, and tiles with the same sum of coordinates do not depend on each other:
 * they run in parallel, wave by wave, with the bits of the serial sweep. Couplings across periodic
 * sides are left out of M. */
#include "pressure.h"

#define TUNING 0.97f /* share of the dropped fill that goes to the diagonal */
#define SAFETY 0.25f /* below this share of the diagonal the pivot is not trusted */

static void list_waves(X(system) *sys)
{
    const X(grid) *g = &sys->grid;
    int sums = g->tiles[0] + g->tiles[1] + g->tiles[2];
    int count = 0;
    sys->wave_count = 0;
    /* a tile's wave is the sum of its coordinates; counting sort, each wave in order of the list */
    for (int sum = 0; sum <= sums; sum++)
        sys->wave_start[sum] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < sys->levels[0].tile_count; k++) {
            int t[DIM], sum = 0;
            X(tile_coordinates)(g, sys->levels[0].tiles[k], t);
            FOR_DIM(d)
                sum += t[d];
            if (pass == 0)
                sys->wave_start[sum + 1]++;
            else
                sys->wave[sys->wave_start[sum]++] = sys->levels[0].tiles[k];
        }
        if (pass == 0)
            for (int sum = 0; sum <= sums; sum++)
                sys->wave_start[sum] = count += sys->wave_start[sum];
    }
    /* filling moved every start to its end: shift back */
    for (int sum = sums; sum > 0; sum--)
        sys->wave_start[sum] = sys->wave_start[sum - 1];
    sys->wave_start[0] = 0;
    sys->wave_count = sums;
}

typedef struct mic_args {
    X(system) *sys;
    const int *tiles;
} mic_args;

static void build_cell(X(system) *sys, size_t c)
{
    float pivot = sys->diagonal[c];
    if (!(pivot > 0.0f)) {
        sys->mic[c] = 0.0f;
        return;
    }
    FOR_DIM(d) {
        size_t low = c - sys->grid.stride[d];
        float m = sys->mic[low], other = 0.0f, a = sys->a[d][c];
        if (a == 0.0f)
            continue;
        FOR_DIM(e)
            other += e == d ? 0.0f : sys->a[e][low + sys->grid.stride[e]];
        pivot -= a * a * m * m + TUNING * a * other * m * m;
    }
    if (pivot < SAFETY * sys->diagonal[c])
        pivot = sys->diagonal[c];
    sys->mic[c] = 1.0f / __builtin_sqrtf(pivot);
}

static void build_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const mic_args *args = user;
    X(system) *sys = args->sys;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, args->tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++)
                build_cell(sys, base + X(row_offset)(&sys->grid, r) + (size_t)i);
    }
}

static void forward_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const mic_args *args = user;
    const X(system) *sys = args->sys;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, args->tiles[k]);
        for (int r = 0; r < TILE_ROWS; r++)
            for (int i = 0; i < TILE; i++) {
                size_t c = base + X(row_offset)(&sys->grid, r) + (size_t)i;
                float t = sys->r[c];
                FOR_DIM(d) {
                    size_t low = c - sys->grid.stride[d];
                    t += sys->a[d][c] * sys->mic[low] * sys->z[low];
                }
                sys->z[c] = t * sys->mic[c];
            }
    }
}

static void backward_range(void *user, size_t begin, size_t end, int worker)
{
    (void)worker;
    const mic_args *args = user;
    const X(system) *sys = args->sys;
    for (size_t k = begin; k < end; k++) {
        size_t base = X(tile_index)(&sys->grid, args->tiles[k]);
        for (int r = TILE_ROWS - 1; r >= 0; r--)
            for (int i = TILE - 1; i >= 0; i--) {
                size_t c = base + X(row_offset)(&sys->grid, r) + (size_t)i;
                float t = 0.0f;
                FOR_DIM(d) {
                    size_t high = c + sys->grid.stride[d];
                    t += sys->a[d][high] * sys->z[high];
                }
                sys->z[c] = (sys->z[c] + t * sys->mic[c]) * sys->mic[c];
            }
    }
}

static void run_wave(X(system) *sys, int wave, sp_range_fn *range)
{
    const int *start = sys->wave_start;
    mic_args args = {sys, sys->wave + start[wave]};
    sp_parallel_for(sys->domain->pool, (size_t)(start[wave + 1] - start[wave]), 1, range, &args);
}

void X(mic_build)(X(system) *sys)
{
    list_waves(sys);
    for (int wave = 0; wave < sys->wave_count; wave++)
        run_wave(sys, wave, build_range);
}

void X(mic_apply)(X(system) *sys)
{
    for (int wave = 0; wave < sys->wave_count; wave++)
        run_wave(sys, wave, forward_range);
    for (int wave = sys->wave_count - 1; wave >= 0; wave--)
        run_wave(sys, wave, backward_range);
}
