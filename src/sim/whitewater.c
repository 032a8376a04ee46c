/* whitewater.c -- the ledger of whitewater as the API has it. */
#include "facade.h"

#include "base/sized.h"
#include "state/white_kept.h"

enum {
#define CLASS(NAME, ...) WHITE_##NAME,
#include "kernels/whitewater.def"
    WHITE_KINDS
};
enum {
#define COUNT(NAME, ...) WHITE_##NAME,
#include "kernels/whitewater.def"
};

/* Classes and causes have the same order here and there. */
_Static_assert((int)WHITE_KINDS == SPATE_WHITEWATER_CLASSES &&
                   (int)WHITE_BUBBLE == SPATE_WHITEWATER_BUBBLE &&
                   (int)WHITE_OFF - (int)WHITE_AGED == SPATE_WHITEWATER_OFF &&
                   (int)WHITE_CRUSHED - (int)WHITE_AGED == SPATE_WHITEWATER_CRUSHED,
               "rows of whitewater.def");

/* Bins go from 0 to four times the upper limit. */
static void find_quantiles(const uint64_t *histogram, double limit, double values[3])
{
    static const double shares[3] = {0.5, 0.9, 0.99};
    uint64_t total = 0;
    for (int bin = 0; bin < SP_WHITE_BINS; bin++)
        total += histogram[bin];
    for (int n = 0; n < 3 && total > 0; n++) {
        uint64_t sum = 0;
        int bin = 0;
        while (bin < SP_WHITE_BINS - 1 &&
               (double)(sum += histogram[bin]) < shares[n] * (double)total)
            bin++;
        values[n] = 4 * limit * (bin + 1) / SP_WHITE_BINS;
    }
}

static void copy_counts(const sp_set_ledger *from, spate_whitewater_ledger *to)
{
    for (int kind = 0; kind < SPATE_WHITEWATER_CLASSES; kind++) {
        to->emitted[kind] = (uint64_t)from->counts[kind][WHITE_EMITTED];
        for (int cause = 0; cause < SPATE_WHITEWATER_CAUSES; cause++)
            to->removed[kind][cause] = (uint64_t)from->counts[kind][WHITE_AGED + cause];
    }
    to->lifted = (uint64_t)from->counts[WHITE_SPRAY][WHITE_LIFTED];
    to->landed = (uint64_t)from->counts[WHITE_FOAM][WHITE_LANDED];
    to->risen = (uint64_t)from->counts[WHITE_FOAM][WHITE_RISEN];
    to->dragged = (uint64_t)from->counts[WHITE_BUBBLE][WHITE_DRAGGED];
}

bool spate_sim_whitewater_sized(const spate_sim *sim, spate_whitewater_ledger *ledger, size_t size)
{
    const spate_scene *scene = sim->common.scene;
    int set = sp_sim_find_set(sim, SP_WHITEWATER);
    spate_whitewater_ledger all = {.keep = 0};
    if (set >= 0) {
        const sp_white *from = sim->table->set_state(sim->instance, set);
        copy_counts(sim->table->set_ledger(sim->instance, set), &all);
        all.keep = from->keep;
        find_quantiles(from->histogram[0], scene->whitewater.speed_high, all.speed);
        find_quantiles(from->histogram[1], scene->whitewater.curvature_high, all.curvature);
        find_quantiles(from->histogram[2], scene->whitewater.strain_high, all.strain);
    }
    sp_sized_out(ledger, size, &all, sizeof all);
    return set >= 0;
}
