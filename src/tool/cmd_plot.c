/* cmd_plot.c -- `spate plot DIR`: charts of a run, and its report. */
#include "compare.h"
#include "report.h"

#include <spate/spate_io.h>

#include <string.h>

#include "base/memory.h"
#include "io/file.h"

static const char usage[] =
    "usage: spate plot DIR [options]\n"
    "       spate plot DIR DIR ... [options]\n"
    "\n"
    "Draws charts of a run from stats.csv and gauges.csv: plot.energy.svg, plot.volume.svg,\n"
    "plot.momentum.svg, plot.speed.svg, plot.solver.svg, plot.time.svg, and one for each kind of gauge;\n"
    "and report.html, which has all of them with the film, the verdicts of 'spate info' and the scene\n"
    "on one page. Of several runs (up to 16) it makes one page, compare.html, on which their charts lie\n"
    "over each other, with a table of what came out.\n"
    "\n"
    "  -o, --output FILE of several runs: the page; default: compare.html\n"
    "  --report          only report.html\n"
    "  --quiet           say nothing\n"
    "  --help            this text\n"
    "\n"
    "Exit codes: 0 done, 2 usage, 4 a file cannot be read or written, 5 out of memory.\n";

typedef struct plot_job {
    sp_run_folder folder;
    sp_run_info info;
    spate_scene *scene;
    sp_run_charts charts;
} plot_job;

static int read_run(plot_job *job, const char *folder_name)
{
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    if (sp_run_folder_open_to_read(&job->folder, folder_name, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    if (!sp_run_folder_has(&job->folder, "run.json"))
        return tool_say_error(EXIT_FILE, "%s: holds no run (there is no run.json)", folder_name);
    if (sp_run_info_read(&job->folder, &job->info, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    job->scene = spate_scene_parse(job->info.scene, strlen(job->info.scene), ".", &error);
    if (!job->scene)
        return tool_fail(&error, sp_run_folder_path(&job->folder, "run.json", path));
    if (sp_run_charts_make(&job->charts, &job->folder, job->scene, &error) != SPATE_OK)
        return tool_fail(&error, NULL);
    return EXIT_DONE;
}

static int write_charts(const plot_job *job)
{
    for (int k = 0; k < job->charts.count; k++) {
        const sp_run_chart *chart = &job->charts.charts[k];
        spate_error error = {0};
        char name[64], path[SP_PATH_SIZE];
        snprintf(name, sizeof name, "plot.%s.svg", chart->name);
        if (sp_file_write_all(sp_run_folder_path(&job->folder, name, path), chart->svg.bytes,
                              chart->svg.size, &error) != SPATE_OK)
            return tool_fail(&error, NULL);
    }
    return EXIT_DONE;
}

static int plot(const char *folder_name, bool charts, bool say)
{
    plot_job job = {.scene = NULL};
    job.folder.descriptor = -1;
    int code = read_run(&job, folder_name);
    if (code == EXIT_DONE && charts)
        code = write_charts(&job);
    if (code == EXIT_DONE)
        code = page_write(&job.folder, &job.info, job.scene, &job.charts);
    if (code == EXIT_DONE && say && charts)
        fprintf(stderr, "%d charts (plot.*.svg) and report.html are in %s\n", job.charts.count,
                job.folder.path);
    else if (code == EXIT_DONE && say)
        fprintf(stderr, "report.html is in %s\n", job.folder.path);
    sp_run_charts_clear(&job.charts);
    spate_scene_destroy(job.scene);
    sp_free(job.info.scene);
    sp_run_folder_close(&job.folder);
    return code;
}

int page_make(const char *folder_name)
{
    return plot(folder_name, false, false);
}

int cmd_plot(int argc, char **argv)
{
    bool report = false, quiet = false;
    const char *page = NULL;
    const tool_option options[] = {{"--report", 0, TOOL_FLAG, &report, 0},
                                   {"--output", 'o', TOOL_TEXT, &page, 0},
                                   {"--quiet", 0, TOOL_FLAG, &quiet, 0}};
    static const char *const names[SP_CHART_SERIES] = {"DIR"};
    const char *operands[SP_CHART_SERIES + 1];
    int count = 0;
    int code = tool_parse(usage, options, 3, names, SP_CHART_SERIES, 1, operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    while (operands[count])
        count++;
    if (count == 1 && page)
        return tool_say_error(EXIT_USAGE, "--output: is for several runs; the charts of one are "
                                          "written into its folder");
    if (count > 1 && report)
        return tool_say_error(EXIT_USAGE, "--report: is for one run");
    if (count > 1)
        return compare_folders(operands, count, page ? page : "compare.html", !quiet);
    return plot(operands[0], !report, !quiet);
}
