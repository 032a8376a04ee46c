/* report.h -- report.html: film, charts, verdicts and scene of a run on one page that stands alone.
 */
#ifndef SPATE_TOOL_REPORT_H
#define SPATE_TOOL_REPORT_H

#include "io/run_charts.h"
#include "tool.h"

/* Writes report.html into the folder. The caller has opened the folder, read its run.json and made
 * the charts. Returns an exit code, having printed what went wrong. */
int page_write(const sp_run_folder *folder, const sp_run_info *info, const spate_scene *scene,
               const sp_run_charts *charts);

extern const char page_style[]; /* the <style> of pages */

/* All of that for a folder. */
int page_make(const char *folder_name);

#endif
