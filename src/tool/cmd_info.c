/* cmd_info.c -- `spate info DIR`: what a run folder holds and how the run went, from run.json and
 * stats.csv. */
#include "tool.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/diagnosis.h"
#include "io/run_folder.h"
#include "io/stats.h"
#include "scene/medium.h"
#include "scene/schema.h"

static const char usage[] =
    "usage: spate info DIR [options]\n"
    "\n"
    "Says what the run in a folder is, how far it is and how it went: for each quantity\n"
    "good, watch or bad, and what helps.\n"
    "\n"
    "  --json            print one JSON object instead of text\n"
    "  --help            this text\n"
    "\n"
    "Exit codes: 0 done, 2 usage, 4 the folder or its files cannot be read.\n";

typedef struct run_report {
    sp_run_info info;
    sp_stats_table table;
    char name[64];
    int dim, frames; /* as planned */
    sp_run_kind kind;
    int last;          /* frame of the last row, -1 if there is none */
    int fastest_frame; /* of max_speed */
    double steps, seconds, particle_steps, iterations, failures, max_speed,
        drift; /* drift: largest, relative */
} run_report;

static double at(const run_report *r, int row, const char *name)
{
    return sp_stats_value(&r->table, row, name);
}

/* The last row's value: sums since the start, and where things stand. */
static double now(const run_report *r, const char *name)
{
    return at(r, r->table.rows - 1, name);
}

/* -1 where a file says something that is no frame. */
static int frame_of(const run_report *r, int row)
{
    double frame = at(r, row, "frame");
    return frame >= 0 && frame <= 1e9 ? (int)frame : -1;
}

static double volume_change(const run_report *r, int row)
{
    double start = at(r, 0, "volume");
    return start > 0 ? at(r, row, "volume") / start - 1 : 0;
}

static void add_up(run_report *r)
{
    r->last = r->table.rows > 0 ? frame_of(r, r->table.rows - 1) : -1;
    for (int row = 0; row < r->table.rows; row++) {
        double substeps = at(r, row, "substeps"), speed = at(r, row, "max_speed");
        r->steps += substeps;
        r->particle_steps += substeps * at(r, row, "particles");
        r->seconds += at(r, row, "seconds");
        r->iterations += at(r, row, "solver_iterations");
        r->failures += at(r, row, "solver_failures");
        if (row == 0 || speed > r->max_speed) {
            r->max_speed = speed;
            r->fastest_frame = frame_of(r, row);
        }
        if (fabs(volume_change(r, row)) > fabs(r->drift))
            r->drift = volume_change(r, row);
    }
}

/* What the scene says; the files that it names are not needed for this. */
static spate_status read_plan(run_report *r, const sp_run_folder *folder, spate_error *error)
{
    spate_scene *scene = sp_run_info_scene(folder, &r->info, error);
    if (!scene)
        return error->status;
    snprintf(r->name, sizeof r->name, "%s", scene->name);
    r->dim = scene->dim;
    r->frames = scene->frames;
    r->kind.spacing = sp_scene_cell_size(scene) / scene->fluid.particles_per_axis;
    r->kind.gas = !sp_medium_of(scene)->has_surface;
    r->kind.driven = sp_run_info_is_driven(&r->info);
    spate_scene_destroy(scene);
    return SPATE_OK;
}

/* ------------------------------------------------------------------ printing */

static const char *state_word(const run_report *r)
{
    return r->last >= r->frames ? "complete" : "incomplete";
}

static double speed_of(const run_report *r)
{
    return r->seconds > 0 ? r->particle_steps / r->seconds : 0;
}

static const char *count(char text[TOOL_NUMBER], double number)
{
    return tool_count_text(text, number > 0 ? (uint64_t)fmin(number, 1e18) : 0);
}

static void print_text(const run_report *r, const char *folder)
{
    char a[TOOL_NUMBER], b[TOOL_NUMBER], c[TOOL_NUMBER], d[TOOL_NUMBER];
    printf("%s (%dD%s) in %s\n", r->name, r->dim, r->kind.gas ? ", gas" : "", folder);
    printf("  scene      %s\n", r->info.scene_file);
    printf("  made by    spate %s on %s, %d thread%s\n", r->info.version, r->info.device,
           r->info.threads, r->info.threads == 1 ? "" : "s");
    if (r->last < 0) {
        printf("  frames     none of %d: %s\n", r->frames, state_word(r));
        return;
    }
    printf("  frames     %d of %d, %g s: %s\n", r->last, r->frames, now(r, "time"), state_word(r));
    printf("  particles  %s = %s seeded + %s added - %s removed\n", count(a, now(r, "particles")),
           count(b, now(r, "seeded")), count(c, now(r, "added")), count(d, now(r, "removed")));
    printf("  removed    %s by open sides, %s by outflows, %s crushed, %s by the user\n",
           count(a, now(r, "removed_open")), count(b, now(r, "removed_outflow")),
           count(c, now(r, "removed_crushed")), count(d, now(r, "removed_user")));
    if (now(r, "added_reseed") + now(r, "removed_reseed") > 0)
        printf("  reseeded   %s added, %s removed\n", count(a, now(r, "added_reseed")),
               count(b, now(r, "removed_reseed")));
    printf("  time       %.1f s for %s steps: %s particle-steps per second\n", r->seconds,
           count(a, r->steps), tool_rate_text(b, speed_of(r)));
    if (!r->kind.gas)
        printf("  volume     %g m^%d, %+.2f %% since the start (at most %+.2f %%)\n",
               now(r, "volume"), r->dim, 100 * volume_change(r, r->table.rows - 1), 100 * r->drift);
    printf("  momentum   %g, %g", now(r, "momentum_x"), now(r, "momentum_y"));
    if (r->dim == 3)
        printf(", %g", now(r, "momentum_z"));
    printf(" kg m/s\n  max speed  %g m/s now, %g m/s in frame %d\n", now(r, "max_speed"),
           r->max_speed, r->fastest_frame);
    printf("  solver     %s iterations (%.1f per step), %s solves without convergence\n",
           count(a, r->iterations), r->steps > 0 ? r->iterations / r->steps : 0,
           count(b, r->failures));
}

static void print_verdicts(const run_report *r)
{
    sp_diagnosis verdicts[SP_VERDICTS];
    int count = sp_diagnose(&r->table, &r->kind, verdicts);
    for (int k = 0; k < count; k++) {
        const sp_diagnosis *v = &verdicts[k];
        printf("%s  %-5s  %s: %s\n", k == 0 ? "\n" : "", sp_severity_name(v->level), v->quantity,
               v->text);
        if (v->help[0])
            printf("         %s\n", v->help);
    }
}

static void json_member(const char *name, double value)
{
    if (isfinite(value))
        printf(", \"%s\": %.17g", name, value);
    else
        printf(", \"%s\": null", name);
}

static void print_json(const run_report *r)
{
    static const char *const standing[] = {
        "time",         "particles",       "seeded",          "added",        "removed",
        "removed_open", "removed_outflow", "removed_crushed", "removed_user", "volume",
        "momentum_x",   "momentum_y",      "momentum_z"};
    printf("{\"name\": ");
    tool_json_string(stdout, r->name);
    printf(", \"kind\": \"%s\"", r->kind.gas ? "gas" : "liquid");
    printf(", \"scene_file\": ");
    tool_json_string(stdout, r->info.scene_file);
    printf(", \"spate\": ");
    tool_json_string(stdout, r->info.version);
    printf(", \"device\": ");
    tool_json_string(stdout, r->info.device);
    printf(", \"threads\": %d, \"dim\": %d, \"frame\": %d, \"frames\": %d, \"complete\": %s",
           r->info.threads, r->dim, r->last, r->frames, r->last >= r->frames ? "true" : "false");
    for (size_t k = 0; k < sizeof standing / sizeof *standing; k++)
        json_member(standing[k], now(r, standing[k]));
    json_member("volume_change", r->table.rows > 0 ? volume_change(r, r->table.rows - 1) : 0);
    json_member("volume_change_largest", r->drift);
    json_member("max_speed", r->max_speed);
    json_member("steps", r->steps);
    json_member("seconds", r->seconds);
    json_member("particle_steps_per_second", speed_of(r));
    json_member("solver_iterations", r->iterations);
    json_member("solver_failures", r->failures);
    sp_diagnosis verdicts[SP_VERDICTS];
    int count = sp_diagnose(&r->table, &r->kind, verdicts);
    printf(", \"verdicts\": [");
    for (int k = 0; k < count; k++) {
        printf("%s{\"quantity\": ", k == 0 ? "" : ", ");
        tool_json_string(stdout, verdicts[k].quantity);
        printf(", \"level\": \"%s\", \"text\": ", sp_severity_name(verdicts[k].level));
        tool_json_string(stdout, verdicts[k].text);
        printf(", \"help\": ");
        tool_json_string(stdout, verdicts[k].help);
        printf("}");
    }
    printf("]}\n");
}

static int report(const char *path, bool json)
{
    run_report r = {.last = -1};
    sp_run_folder folder;
    spate_error error = {0};
    char stats[SP_PATH_SIZE];
    if (sp_run_folder_open_to_read(&folder, path, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (!sp_run_folder_has(&folder, "run.json")) {
        sp_run_folder_close(&folder);
        return tool_say_error(EXIT_FILE, "%s: holds no run (there is no run.json)", path);
    }
    bool good = sp_run_info_read(&folder, &r.info, &error) == SPATE_OK &&
                read_plan(&r, &folder, &error) == SPATE_OK;
    /* a run that has just begun has no rows yet */
    if (good && sp_run_folder_has(&folder, "stats.csv"))
        good = sp_stats_read(sp_run_folder_path(&folder, "stats.csv", stats), &r.table, &error) ==
               SPATE_OK;
    if (good) {
        add_up(&r);
        if (json)
            print_json(&r);
        else {
            print_text(&r, folder.path);
            print_verdicts(&r);
        }
    }
    sp_stats_clear(&r.table);
    sp_free(r.info.scene);
    sp_run_folder_close(&folder);
    return good ? EXIT_DONE : tool_fail(&error, NULL);
}

int cmd_info(int argc, char **argv)
{
    bool json = false;
    const tool_option options[] = {{"--json", 0, TOOL_FLAG, &json, 0}};
    static const char *const names[] = {"DIR"};
    const char *operands[2];
    int code = tool_parse(usage, options, 1, names, 1, 1, operands, argc, argv);
    return code == TOOL_PARSED ? report(operands[0], json) : code;
}
