/* report.c -- see report.h.
 *
 * Everything is inside the one file: the film and its poster as base64, the charts as SVG, so that
 * the page opens from a disk, from a mail, without a server. A film too large for that stays beside
 * it, and the page links it. */
#include "report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

#define LARGEST_FILM (24 << 20) /* bytes, inside the page */

const char page_style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#22282f;--soft:#5d6873;--paper:#fff;--card:#f4f6f8;"
    "--line:#dde3e8}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#dfe5ea;--soft:#98a4af;--paper:#14181d;"
    "--card:#1b2027;--line:#2c343d}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:1120px;margin:0 auto;padding:20px 16px 60px}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:.4em 0 .2em}h2{font-size:1.15rem;margin:2em 0 .6em}\n"
    ".sub{color:var(--soft);margin:0 0 1.2em;overflow-wrap:anywhere}\n"
    "video,.still{display:block;width:100%;height:auto;border-radius:10px;background:#0c0f13}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));"
    "gap:14px}\n"
    ".charts figure{margin:0;border:1px solid var(--line);border-radius:10px;overflow:hidden}\n"
    ".charts svg{display:block;width:100%;height:auto}\n"
    "pre{background:var(--card);border-radius:10px;padding:14px;overflow-x:auto;"
    "font:13px/1.5 ui-monospace,monospace;margin:0}\n"
    "@media(max-width:640px){pre{font-size:11px;padding:10px;white-space:pre-wrap;"
    "overflow-wrap:anywhere}}\n"
    "details summary{cursor:pointer;padding:.3em 0}\n"
    "</style>\n";

/* ------------------------------------------------------------------ parts */

static void add(sp_text *t, const char *plain)
{
    sp_text_add(t, plain, strlen(plain));
}

static void add_base64(sp_text *t, const char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = (const unsigned char *)bytes;
    char line[4 * 256];
    size_t used = 0;
    for (size_t k = 0; k < size; k += 3) {
        size_t left = size - k;
        unsigned triple = (unsigned)b[k] << 16 | (left > 1 ? (unsigned)b[k + 1] << 8 : 0) |
                          (left > 2 ? b[k + 2] : 0);
        line[used++] = digits[triple >> 18];
        line[used++] = digits[triple >> 12 & 63];
        line[used++] = left > 1 ? digits[triple >> 6 & 63] : '=';
        line[used++] = left > 2 ? digits[triple & 63] : '=';
        if (used == sizeof line) {
            sp_text_add(t, line, used);
            used = 0;
        }
    }
    sp_text_add(t, line, used);
}

/* A file of the folder as a data: address; false if it is not there. */
static bool add_file(sp_text *t, const sp_run_folder *folder, const char *name, const char *type)
{
    char path[SP_PATH_SIZE], *bytes;
    size_t size;
    if (!sp_run_folder_has(folder, name) ||
        sp_file_read_all(sp_run_folder_path(folder, name, path), &bytes, &size, NULL) != SPATE_OK)
        return false;
    sp_text_print(t, "data:%s;base64,", type);
    add_base64(t, bytes, size);
    sp_free(bytes);
    return true;
}

static void add_film(sp_text *t, const sp_run_folder *folder)
{
    bool film = sp_run_folder_has(folder, "preview.mp4");
    bool still = sp_run_folder_has(folder, "preview.png");
    struct stat about;
    char path[SP_PATH_SIZE];
    if (film) {
        add(t, "<video controls loop muted playsinline preload='metadata'");
        if (still) {
            add(t, " poster='");
            add_file(t, folder, "preview.png", "image/png");
            add(t, "'");
        }
        add(t, " src='");
        sp_run_folder_path(folder, "preview.mp4", path);
        if (stat(path, &about) != 0 || about.st_size > LARGEST_FILM ||
            !add_file(t, folder, "preview.mp4", "video/mp4"))
            add(t, "preview.mp4");
        add(t, "'></video>\n");
    } else if (still) {
        add(t, "<img class='still' alt='the last frame' src='");
        add_file(t, folder, "preview.png", "image/png");
        add(t, "'>\n");
    }
}

/* What `spate info` prints, word for word. It prints to the standard output, as all commands do, so
 * that is a temporary file for the frame. */
static void add_info(sp_text *t, const sp_run_folder *folder)
{
    char name[] = "info", path[SP_PATH_SIZE], line[1024];
    snprintf(path, sizeof path, "%s", folder->path);
    char *arguments[] = {name, path, NULL};
    fflush(stdout);
    int output = dup(STDOUT_FILENO);
    FILE *words = tmpfile();
    if (output < 0 || !words || dup2(fileno(words), STDOUT_FILENO) < 0) {
        if (words)
            fclose(words);
        if (output >= 0)
            close(output);
        return;
    }
    cmd_info(2, arguments);
    fflush(stdout);
    dup2(output, STDOUT_FILENO);
    close(output);
    rewind(words);
    add(t, "<h2>How it went</h2>\n<pre>");
    while (fgets(line, sizeof line, words))
        sp_text_escape(t, line);
    add(t, "</pre>\n");
    fclose(words);
}

static void add_charts(sp_text *t, const sp_run_charts *charts)
{
    add(t, "<h2>Charts</h2>\n<div class='charts'>\n");
    for (int k = 0; k < charts->count; k++) {
        add(t, "<figure>");
        sp_text_add(t, charts->charts[k].svg.bytes, charts->charts[k].svg.size);
        add(t, "</figure>\n");
    }
    add(t, "</div>\n");
}

static void add_page(sp_text *t, const sp_run_folder *folder, const sp_run_info *info,
                     const spate_scene *scene, const sp_run_charts *charts)
{
    char count[TOOL_NUMBER];
    add(t, "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n"
           "<meta name='viewport' content='width=device-width,initial-scale=1'>\n<title>");
    sp_text_escape(t, scene->name);
    add(t, "</title>\n");
    add(t, page_style);
    add(t, "</head><body><main>\n<h1>");
    sp_text_escape(t, scene->name);
    add(t, "</h1>\n<p class='sub'>");
    sp_text_escape(t, info->scene_file);
    sp_text_print(t, " · %dD · %s particles at the start · spate %s on %s, %d thread%s</p>\n",
                  scene->dim, tool_count_text(count, info->particles), info->version, info->device,
                  info->threads, info->threads == 1 ? "" : "s");
    add_film(t, folder);
    add_info(t, folder);
    add_charts(t, charts);
    add(t, "<h2>Scene</h2>\n<details><summary>every setting, as it was run</summary>\n<pre>");
    sp_text_escape(t, info->scene);
    add(t, "</pre></details>\n</main></body></html>\n");
}

/* ------------------------------------------------------------------ the file */

int page_write(const sp_run_folder *folder, const sp_run_info *info, const spate_scene *scene,
               const sp_run_charts *charts)
{
    sp_text text = {.size = 0};
    spate_error error = {0};
    char path[SP_PATH_SIZE];
    add_page(&text, folder, info, scene, charts);
    if (text.failed) {
        sp_free(text.bytes);
        return tool_say_error(EXIT_MEMORY, "out of memory");
    }
    sp_file *file = sp_file_create(sp_run_folder_path(folder, "report.html", path), &error);
    bool good = file != NULL;
    if (good) {
        sp_file_write(file, text.bytes, text.size);
        good = sp_file_close(file, &error) == SPATE_OK;
    }
    sp_free(text.bytes);
    return good ? EXIT_DONE : tool_fail(&error, NULL);
}
