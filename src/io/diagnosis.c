/* diagnosis.c -- limits for the numbers of a run, and what to do about those that are beyond them.
 *
 * A quantity is judged by its worst row, or over the whole run where single rows say little. The
 * limits are those that the tests of this project hold the defaults to, and a few times that for
 * "bad". */
#include "diagnosis.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct judge {
    const sp_stats_table *table;
    const sp_run_kind *kind;
    sp_diagnosis *next;
} judge;

const char *sp_severity_name(sp_severity level)
{
    static const char *const names[] = {"good", "watch", "bad"};
    return names[level];
}

static double at(const judge *j, int row, const char *name)
{
    return sp_stats_value(j->table, row, name);
}

/* The number in column `frame`, or that of the row where it is none. */
static int frame_at(const judge *j, int row)
{
    double frame = at(j, row, "frame");
    return frame >= 0 && frame <= INT_MAX ? (int)frame : row;
}

static double now(const judge *j, const char *name)
{
    return at(j, j->table->rows - 1, name);
}

static double total(const judge *j, const char *name)
{
    double sum = 0;
    for (int row = 0; row < j->table->rows; row++)
        sum += at(j, row, name);
    return sum;
}

/* The largest of a column, and in which frame. */
static double largest(const judge *j, const char *name, int *frame)
{
    double most = at(j, 0, name);
    *frame = 0;
    for (int row = 1; row < j->table->rows; row++)
        if (at(j, row, name) > most) {
            most = at(j, row, name);
            *frame = frame_at(j, row);
        }
    return most;
}

static sp_severity level_of(double value, double watch, double bad)
{
    return !(value <= bad) ? SP_LEVEL_BAD : value > watch ? SP_LEVEL_WATCH : SP_LEVEL_GOOD;
}

/* Adds a verdict; `help` is kept where it is not good. */
static void say(judge *j, const char *quantity, sp_severity level, const char *help,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

static void say(judge *j, const char *quantity, sp_severity level, const char *help,
                const char *format, ...)
{
    sp_diagnosis *v = j->next++;
    va_list list;
    va_start(list, format);
    vsnprintf(v->text, sizeof v->text, format, list);
    va_end(list);
    v->quantity = quantity;
    v->level = level;
    snprintf(v->help, sizeof v->help, "%s", level == SP_LEVEL_GOOD ? "" : help);
}

/* The volume against that of the particles, both relative to the start: inflows, outflows and
 * reseeding change both. */
static void judge_volume(judge *j)
{
    double start = at(j, 0, "volume") / at(j, 0, "volume_particles"), worst = 0, last = 0;
    int frame = 0;
    if (!(start > 0))
        return;
    for (int row = 0; row < j->table->rows; row++) {
        double particles = at(j, row, "volume_particles");
        if (!(particles > 0))
            continue;
        last = at(j, row, "volume") / particles / start - 1;
        if (fabs(last) > fabs(worst)) {
            worst = last;
            frame = frame_at(j, row);
        }
    }
    sp_severity level = level_of(fabs(last), 0.01, 0.05), during = level_of(fabs(worst), 0.05, 0.2);
    say(j, "volume", level > during ? level : during,
        worst < 0
            ? "particles clump: set volume.method to density or both"
            : "the liquid swells: spray counts as volume; a lower time.cfl or more cells help",
        "%+.2f %% of what the particles stand for (at most %+.2f %%, frame %d)", 100 * last,
        100 * worst, frame);
}

static void judge_filling(judge *j)
{
    double empty = now(j, "interior_empty"), few = now(j, "interior_few"),
           low = now(j, "interior_low"), good = now(j, "interior_good"),
           crowded = now(j, "interior_crowded"), all = empty + few + low + good + crowded;
    if (!(all > 0))
        return;
    double off = (empty + few + crowded) / all;
    const char *help = j->kind->gas
                           ? "particles are uneven: volume.method shift, a lower time.cfl, or "
                             "fluid.reseed; more fluid.particles_per_axis helps too"
                       : empty + few > crowded
                           ? "cells inside run empty: volume.method both, or fluid.reseed"
                           : "cells are crowded: volume.method density or both, a lower time.cfl";
    say(j, "particles per cell", level_of(off, 0.005, 0.05), help,
        "%.3g on average inside, at most %.0f; %.1f %% empty, %.1f %% few, %.1f %% low, %.1f %% "
        "good, %.1f %% crowded",
        now(j, "interior_mean"), now(j, "interior_max"), 100 * empty / all, 100 * few / all,
        100 * low / all, 100 * good / all, 100 * crowded / all);
}

static void judge_spacing(judge *j)
{
    double share = now(j, "overlaps"), nearest = now(j, "min_distance") / j->kind->spacing;
    if (!(share >= 0))
        return;
    say(j, "spacing", level_of(share, 0.05, 0.3),
        "particles overlap, which costs detail: volume.method push or both",
        "%.1f %% of the particles closer than 0.45 spacings to another, nearest %.3g spacings",
        100 * share, nearest);
}

/* Over the whole run: in single frames of a splash much of the liquid is spray. */
static void judge_momentum(judge *j)
{
    int frame;
    double most = largest(j, "momentum_lost", &frame);
    double lost = total(j, "momentum_lost") / j->table->rows;
    if (!(lost >= 0))
        return;
    say(j, "momentum", level_of(lost, 0.05, 0.5),
        "sheets and spray are slowed where the grid does not resolve them: more cells, or a "
        "fluid.flip_ratio nearer to 1",
        "%.2g %% lost inside the liquid per second, at most %.2g %% (frame %d)", 100 * lost,
        100 * most, frame);
}

/* Energy may only go down, but for what SEPARATE books, inflows, and solids that move: the largest
 * gain of a frame against all there is. */
static void judge_energy(judge *j)
{
    double gain = 0, all = 0, scale = 0;
    int frame = 0;
    for (int row = 1; row < j->table->rows; row++) {
        double before = at(j, row - 1, "kinetic_energy") + at(j, row - 1, "potential_energy");
        double after = at(j, row, "kinetic_energy") + at(j, row, "potential_energy");
        bool closed = at(j, row, "particles") == at(j, row - 1, "particles");
        double change = closed ? after - before - at(j, row, "separate_energy") : 0;
        scale = fmax(scale, fabs(before));
        all += change;
        if (change > gain) {
            gain = change;
            frame = frame_at(j, row);
        }
    }
    if (!(scale > 0) || isnan(all))
        return;
    say(j, "energy", level_of(gain / scale, 0.001, 0.02),
        "energy grows; unless solids that move give it, a lower time.cfl helps",
        "%+.2f %% by motion, %+.2f %% by separation; largest gain of a frame %.2g %% (frame %d)",
        100 * all / scale, 100 * total(j, "separate_energy") / scale, 100 * gain / scale, frame);
}

/* The energy of a gas is that of its motion. It grows only where something gives it. */
static void judge_motion(judge *j)
{
    double gain = 0, most = at(j, 0, "kinetic_energy"), last = now(j, "kinetic_energy");
    int frame = 0, top = 0;
    for (int row = 1; row < j->table->rows; row++) {
        double after = at(j, row, "kinetic_energy");
        double change = after - at(j, row - 1, "kinetic_energy");
        if (change > gain) {
            gain = change;
            frame = frame_at(j, row);
        }
        if (after > most) {
            most = after;
            top = frame_at(j, row);
        }
    }
    if (isnan(last) || isnan(most))
        return;
    if (j->kind->driven)
        say(j, "energy", isfinite(most) ? SP_LEVEL_GOOD : SP_LEVEL_BAD,
            "the motion has no end: a lower time.cfl",
            "of motion %.3g J, at most %.3g J (frame %d); heat, flows or solids may give it", last,
            most, top);
    else
        say(j, "energy", level_of(most > 0 ? gain / most : 0, 0.001, 0.02),
            "motion grows where nothing gives it: a lower time.cfl helps",
            "of motion %.3g J, %.3g J at the start; largest gain of a frame %.2g %% (frame %d)",
            last, at(j, 0, "kinetic_energy"), most > 0 ? 100 * gain / most : 0, frame);
}

/* What the ledger of a channel says against its sum, over the largest of the amounts in it. */
static double ledger_error(const judge *j, const char *name, int *worst_frame)
{
    static const char *const suffixes[] = {"_start", "_sources", "_booked"};
    double scale = 0, worst = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int row = 0; row < j->table->rows; row++) {
            char column[SP_STATS_NAME];
            double sum = at(j, row, name), ledger = 0;
            scale = fmax(scale, fabs(sum));
            for (int k = 0; k < 3; k++) {
                snprintf(column, sizeof column, "%.31s%s", name, suffixes[k]);
                ledger += at(j, row, column);
                scale = fmax(scale, fabs(at(j, row, column)));
            }
            double error = scale > 0 ? fabs(sum - ledger) / scale : 0;
            if (pass == 1 && !(error <= worst)) {
                worst = error;
                *worst_frame = frame_at(j, row);
            }
        }
    return worst;
}

/* All channels together, by the worst of them. A channel has the column NAME_booked. */
static void judge_channels(judge *j)
{
    static const char suffix[] = "_booked";
    char name[SP_STATS_NAME], worst_name[SP_STATS_NAME] = "";
    double worst = -1;
    int count = 0, frame = 0;
    for (int k = 0; k < j->table->columns; k++) {
        size_t length = strlen(j->table->names[k]), tail = sizeof suffix - 1;
        if (length <= tail || length - tail >= sizeof name ||
            strcmp(j->table->names[k] + length - tail, suffix) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - tail), j->table->names[k]);
        int at_frame = 0;
        double error = ledger_error(j, name, &at_frame);
        count++;
        if (!(error <= worst)) {
            worst = error;
            frame = at_frame;
            snprintf(worst_name, sizeof worst_name, "%s", name);
        }
    }
    if (count == 0)
        return;
    say(j, "channels", level_of(worst, 1e-6, 1e-4),
        "what came and went does not make up the amount: this should not happen, please report it",
        "%d with a ledger; %s is off by %.2g of its amount (frame %d)", count, worst_name, worst,
        frame);
}

static void judge_solver(judge *j)
{
    double failures = total(j, "solver_failures"), steps = total(j, "substeps");
    int frame;
    double residual = largest(j, "divergence_after", &frame);
    say(j, "solver", failures == 0 ? SP_LEVEL_GOOD : level_of(failures, 0.01 * steps, 0.1 * steps),
        j->kind->gas ? "solves without convergence leave sources and sinks: pressure.solver "
                       "multigrid, more max_iterations"
                     : "solves without convergence lose volume: pressure.solver multigrid, more "
                       "max_iterations",
        "%.0f of %.0f solves without convergence; at most %.2g of a cell lost in a step (frame %d)",
        failures, steps, residual, frame);
}

static void judge_steps(judge *j)
{
    int frame;
    double cfl = largest(j, "cfl", &frame);
    say(j, "time step", level_of(cfl, 5.5, 10),
        "steps are long: particles cross each other's paths; lower time.cfl, more max_substeps",
        "at most %.3g cells (frame %d)", cfl, frame);
}

static void judge_solids(judge *j)
{
    int frame, other;
    double inside = largest(j, "in_solid", &frame), crushed = now(j, "removed_crushed"),
           pushes = total(j, "long_pushes");
    largest(j, "long_pushes", &other);
    sp_severity level = inside > 0                  ? SP_LEVEL_BAD
                        : crushed > 0 || pushes > 0 ? SP_LEVEL_WATCH
                                                    : SP_LEVEL_GOOD;
    say(j, "solids", level,
        inside > 0     ? "particles inside solids: this should not happen, please report it"
        : j->kind->gas ? "solids close on the gas: leave gaps of a cell, move them more slowly"
                       : "solids close on the liquid: leave gaps of a cell, move them more slowly",
        "at most %.0f particles inside, %.0f crushed, %.0f long pushes", inside, crushed,
        isnan(pushes) ? 0 : pushes);
}

int sp_diagnose(const sp_stats_table *table, const sp_run_kind *kind,
                sp_diagnosis verdicts[SP_VERDICTS])
{
    judge j = {.table = table, .kind = kind, .next = verdicts};
    if (table->rows == 0 || !(now(&j, "particles") > 0))
        return 0;
    if (kind->gas) {
        judge_motion(&j);
        judge_filling(&j);
        judge_channels(&j);
    } else {
        judge_volume(&j);
        judge_filling(&j);
        judge_spacing(&j);
        judge_momentum(&j);
        judge_energy(&j);
    }
    judge_solver(&j);
    judge_steps(&j);
    judge_solids(&j);
    return (int)(j.next - verdicts);
}
