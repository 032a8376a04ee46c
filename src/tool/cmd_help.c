/* cmd_help.c -- `spate help`: the commands in short, and the table of settings as text or as a page
 * of docs/.
 *
 * The reference comes from the public table (spate_setting_at), so it lists exactly what the
 * library accepts. */
#include "manual.h"

#include <math.h>
#include <string.h>

#define WIDTH 100 /* columns of the text */
#define LEFT 24   /* columns of the names in it */

static const char overview[] =
    "spate simulates liquids with a free surface (PIC/FLIP), in 2D and 3D.\n"
    "\n"
    "usage: spate COMMAND [ARGUMENTS]\n"
    "\n"
    "  spate new NAME       prints a preset scene to start from (spate new --list)\n"
    "  spate import FILE    prints the scene of a file of the PIC-FLIP course\n"
    "  spate check SCENE    checks a scene; prints its particles, cells, memory, disk space and time\n"
    "  spate run SCENE      simulates it into a folder (-o DIR; by default out/NAME)\n"
    "  spate info DIR       says what a run did\n"
    "  spate mesh DIR       makes the surface of the liquid from the particles of a run\n"
    "  spate whitewater DIR makes foam, spray and bubbles from them\n"
    "  spate export DIR     writes its frames as USD, VTK, OpenVDB, Blender cache or PLY\n"
    "  spate render DIR     draws pictures and a film of it (--size 1920x1080, --eye, --view, ...)\n"
    "  spate plot DIR       draws charts of it, and a report on one page\n"
    "  spate plot A B ...   lays the charts of several runs over each other\n"
    "  spate sweep SCENE    runs it with every combination of values, and compares them\n"
    "  spate bench          measures the speed of this machine\n"
    "  spate serve [DIR]    serves the page on this machine\n"
    "  spate help scene     every setting of a scene file (--markdown: as a page)\n"
    "  spate help COMMAND   the options of a command (or: spate COMMAND --help)\n"
    "  spate --version      the version\n"
    "\n"
    "A first run:\n"
    "\n"
    "  spate new dam_break > dam_break.json\n"
    "  spate run dam_break.json\n";

static const char usage[] =
    "usage: spate help [COMMAND]\n"
    "       spate help scene [--markdown]\n"
    "       spate help --man | --complete SHELL\n"
    "\n"
    "Without arguments: the commands in short. `scene`: every setting of a scene file.\n"
    "\n"
    "  --markdown        as a page in Markdown (docs/scene.md)\n"
    "  --man             the manual page, in roff\n"
    "  --complete SHELL  what bash or zsh need to complete the words of this command\n"
    "  --help            this text\n";

/* ------------------------------------------------------------------ sections */

/* The part of a path in front of the last dot: "domain.sides", "solids[]"; 0 characters for the
 * top. */
static int section_length(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? (int)(dot - path) : 0;
}

static bool in_section(const spate_setting *setting, const char *section, int length)
{
    return section_length(setting->path) == length &&
           strncmp(setting->path, section, (size_t)length) == 0;
}

/* Calls `title` for each section in the order of the table, the top first, and `row` for each of
 * its settings. */
static void for_each_section(void (*title)(const char *section, int length),
                             void (*row)(const spate_setting *setting), void (*end)(void))
{
    int count = spate_setting_count();
    for (int k = -1; k < count; k++) { /* -1: the top */
        const char *section = k < 0 ? "" : spate_setting_at(k)->path;
        int length = section_length(section);
        bool seen = k >= 0 && length == 0;
        for (int j = 0; j < k && !seen; j++)
            seen = in_section(spate_setting_at(j), section, length);
        if (seen)
            continue;
        title(section, length);
        for (int j = 0; j < count; j++)
            if (in_section(spate_setting_at(j), section, length))
                row(spate_setting_at(j));
        end();
    }
}

static const char *leaf(const spate_setting *setting)
{
    int length = section_length(setting->path);
    return setting->path + length + (length > 0);
}

/* The range that a number must keep, in words; empty if there is none worth saying. */
static void range_text(const spate_setting *setting, char *text, size_t size)
{
    const double far = 1e5;
    double low = setting->low, high = setting->high;
    bool numbers = strcmp(setting->type, "number") == 0 || strcmp(setting->type, "integer") == 0 ||
                   strcmp(setting->type, "vector") == 0;
    text[0] = 0;
    if (strcmp(setting->type, "list") == 0)
        snprintf(text, size, "at most %g", high);
    if (!numbers || low < -far)
        return;
    if (low > 0 && low <= 1e-6)
        snprintf(text, size, high < far ? "> 0, at most %g" : "> 0", high);
    else
        snprintf(text, size, high < far ? "%g .. %g" : "at least %g", low, high);
}

/* ------------------------------------------------------------------ text */

#define TIE '\x01' /* a space at which no line breaks */

/* Makes the spaces of a text hold its words together. */
static void tie(char *text)
{
    for (; *text; text++)
        if (*text == ' ')
            *text = TIE;
}

/* Prints words from column `column` on, broken at WIDTH, continued at column LEFT. */
static void print_wrapped(const char *text, int column)
{
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column + 1 + word > WIDTH) {
            printf("\n%*s", LEFT, "");
            column = LEFT;
        } else if (column > LEFT) {
            putchar(' ');
            column++;
        }
        column += word;
        for (; word > 0; word--, text++)
            putchar(*text == TIE ? ' ' : *text);
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void text_title(const char *section, int length)
{
    if (length == 0)
        printf("top level\n");
    else if (section[length - 1] == ']')
        printf("each item of %.*s\n", length - 2, section);
    else
        printf("%.*s\n", length, section);
}

/* The names of an enum, or the type. */
static void type_text(const spate_setting *setting, char *text, size_t size)
{
    if (!setting->choices[0]) {
        snprintf(text, size, "%s", setting->type);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "one of ");
    for (const char *c = setting->choices; *c && used + 3 < size; c++)
        used += (size_t)snprintf(text + used, size - used, *c == '|' ? ", " : "%c", *c);
}

/* "name   help (type, unit, range; default)" */
static void text_row(const spate_setting *setting)
{
    char type[256], range[64], fallback[64], text[768];
    type_text(setting, type, sizeof type);
    range_text(setting, range, sizeof range);
    snprintf(fallback, sizeof fallback, "default %s", setting->fallback);
    tie(range);
    tie(fallback);
    snprintf(text, sizeof text, "%s (%s%s%s%s%s%s%s)", setting->help, type,
             setting->unit[0] ? ", " : "", setting->unit, range[0] ? ", " : "", range,
             setting->fallback[0] ? "; " : "", setting->fallback[0] ? fallback : "");
    printf("  %-*s ", LEFT - 3, leaf(setting));
    print_wrapped(text, LEFT);
}

static void text_end(void)
{
    putchar('\n');
}

static void print_text(void)
{
    printf(
        "A scene is a JSON file. Units are SI: metres, seconds, kilograms; angles are degrees.\n"
        "Every setting is optional except domain.size. Vectors have two numbers in 2D and three in\n"
        "3D. On the command line a setting is changed by its path:\n"
        "--set fluid.flip_ratio=0.9 --set 'solids[0].radius=0.2'\n\n");
    for_each_section(text_title, text_row, text_end);
}

/* ------------------------------------------------------------------ markdown */

static void page_title(const char *section, int length)
{
    printf("## ");
    if (length == 0)
        printf("Top level");
    else if (section[length - 1] == ']')
        printf("Each item of `%.*s`", length - 2, section);
    else
        printf("`%.*s`", length, section);
    printf(
        "\n\n| setting | type | default | unit | values | meaning |\n|---|---|---|---|---|---|\n");
}

static void page_row(const spate_setting *setting)
{
    char range[64];
    range_text(setting, range, sizeof range);
    printf("| `%s` | %s | ", leaf(setting), setting->type);
    printf(setting->fallback[0] ? "`%s` | " : "%s | ", setting->fallback);
    printf("%s | ", setting->unit);
    for (const char *c = setting->choices; *c; c++)
        printf(*c == '|' ? ", " : "%c", *c);
    printf("%s | %s |\n", range, setting->help);
}

static void print_markdown(void)
{
    printf(
        "<!-- Generated by `spate help scene --markdown`; do not edit. -->\n"
        "# Scene files\n\n"
        "A scene is a JSON file. Units are SI: metres, seconds, kilograms; angles are degrees. Every\n"
        "setting is optional except `domain.size`, whose two or three numbers make the scene 2D or\n"
        "3D; all other vectors then have as many (defaults are shown for 3D). Unknown keys are\n"
        "errors. A shape needs the settings that its kind is named for: a box `min` and `max`, a\n"
        "sphere `center` and `radius`, and so on. On the command line a setting is changed by its\n"
        "path: `--set fluid.flip_ratio=0.9`, `--set 'solids[0].radius=0.2'`.\n\n"
        "Walls stand at `domain.size`, whatever the cells: where a size is no whole number of cells,\n"
        "the wall cuts some, and the grid has one more cell behind it. An open side stands at the\n"
        "nearest whole number of cells, as do all walls with `pressure.solids` `voxel`, and a warning\n"
        "says where. Along a periodic axis the size must be a whole number of cells; the error names\n"
        "sizes that are.\n\n"
        "```json\n"
        "{\n"
        "  \"name\": \"a ball in the way\",\n"
        "  \"domain\": { \"size\": [2, 1, 1], \"cells\": 64, \"sides\": { \"top\": \"open\" } },\n"
        "  \"frames\": 120,\n"
        "  \"fill\": [{ \"shape\": \"box\", \"min\": [0, 0, 0], \"max\": [0.8, 0.8, 1] }],\n"
        "  \"solids\": [{ \"shape\": \"sphere\", \"center\": [1.4, 0.2, 0.5], \"radius\": 0.15 }]\n"
        "}\n"
        "```\n\n");
    for_each_section(page_title, page_row, text_end);
}

/* ------------------------------------------------------------------ the command */

static int print_for_others(bool man, const char *shell)
{
    if (man)
        manual_print(overview);
    else if (strcmp(shell, "bash") == 0)
        manual_print_bash();
    else if (strcmp(shell, "zsh") == 0)
        manual_print_zsh();
    else
        return tool_say_error(EXIT_USAGE, "--complete: must be bash or zsh (got '%.40s')", shell);
    return EXIT_DONE;
}

int cmd_help(int argc, char **argv)
{
    static const char *const operand_names[] = {"COMMAND"};
    static const char *const topics[] = {"scene", "run",    "check",      "new",    "info",
                                         "mesh",  "import", "sweep",      "export", "render",
                                         "plot",  "bench",  "whitewater", "serve",  "help"};
    const char *operands[2] = {NULL};
    bool markdown = false, man = false;
    const char *shell = NULL;
    const tool_option options[] = {{"--markdown", 0, TOOL_FLAG, &markdown, 0},
                                   {"--man", 0, TOOL_FLAG, &man, 0},
                                   {"--complete", 0, TOOL_TEXT, &shell, 0}};
    int code = tool_parse(usage, options, 3, operand_names, 1, 0, operands, argc, argv);
    if (code != TOOL_PARSED)
        return code;
    if (man || shell)
        return print_for_others(man, shell);
    if (operands[0] && strcmp(operands[0], "scene") == 0) {
        if (markdown)
            print_markdown();
        else
            print_text();
        return EXIT_DONE;
    }
    if (markdown)
        return tool_say_error(EXIT_USAGE, "--markdown: goes with 'spate help scene' only");
    if (!operands[0]) {
        fputs(overview, stdout);
        return EXIT_DONE;
    }
    if (strcmp(operands[0], "help") == 0) {
        fputs(usage, stdout);
        return EXIT_DONE;
    }
    const char *guess = tool_suggest(operands[0], topics, (int)(sizeof topics / sizeof *topics));
    if (guess)
        return tool_say_error(EXIT_USAGE, "%s: no such topic; did you mean '%s'?", operands[0],
                              guess);
    return tool_say_error(EXIT_USAGE, "%s: no such topic (see 'spate help')", operands[0]);
}
