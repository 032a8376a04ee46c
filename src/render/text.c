/* text.c -- a small font of strokes, so that it is sharp at every size.
 *
 * A letter is one or more lines through points of a grid: columns 0 .. 4, rows from the base line
 * (0) to the top of digits and capitals (6), that of small letters being 4; a is the row below the
 * base line and b the one below that. A point is two characters, column and row; a blank ends a
 * line. */
#include "text.h"

#include <math.h>
#include <stdio.h>

#define LINE 0.15f /* width of a stroke, of the height of a digit */

typedef struct letter {
    char code;
    signed char width; /* columns */
    const char *lines;
} letter;

static const letter letters[] = {
    {'0', 4, "100105163645413010"},
    {'1', 3, "042620"},
    {'2', 4, "05163645440040"},
    {'3', 4, "0516364544334241301001 1333"},
    {'4', 4, "30360242"},
    {'5', 4, "460603334241301001"},
    {'6', 4, "36160501103041423303"},
    {'7', 4, "064610"},
    {'8', 4, "13040516364544331302011030414233"},
    {'9', 4, "43130405163645413010"},
    {'.', 0, "0000"},
    {',', 1, "100a"},
    {':', 0, "0101 0404"},
    {'-', 3, "0333"},
    {'+', 4, "0343 2125"},
    {'=', 4, "0242 0444"},
    {'/', 3, "0036"},
    {'(', 1, "16050110"},
    {')', 1, "06151100"},
    {'%', 4, "0046 0505 4141"},
    {'^', 2, "041624"},
    {'_', 4, "0a4a"},
    {'K', 4, "0600 460213 1340"},
    {'P', 4, "00063645443303"},
    {'a', 3, "04243330 321201102031"},
    {'b', 3, "0600 0314243331201001"},
    {'c', 3, "3324140301102031"},
    {'d', 3, "3630 3324140301102031"},
    {'e', 3, "02323324140301102031"},
    {'f', 2, "26160500 0424"},
    {'g', 3, "343a2b1b0a 3324140301102031"},
    {'h', 3, "0600 0314243330"},
    {'i', 0, "0004 0606"},
    {'j', 1, "141a0b 1616"},
    {'k', 3, "0600 340230"},
    {'l', 1, "060110"},
    {'m', 4, "0004 03142320 23344340"},
    {'n', 3, "0004 0314243330"},
    {'o', 3, "100103142433312010"},
    {'p', 3, "040b 0314243331201001"},
    {'q', 3, "343b 3324140301102031"},
    {'r', 2, "0004 031424"},
    {'s', 3, "3324140331201001"},
    {'t', 2, "06011020 0424"},
    {'u', 3, "0401102031 3430"},
    {'v', 4, "042044"},
    {'w', 4, "0410233044"},
    {'x', 3, "0430 0034"},
    {'y', 4, "0420 440b"},
    {'z', 3, "04340030"},
};

static const letter *find(char code)
{
    for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
        if (letters[k].code == code)
            return &letters[k];
    return NULL;
}

/* Columns to the next letter. */
static float advance(const letter *l)
{
    return l ? (float)l->width + 2.2f : 3;
}

static float row_of(char c)
{
    return c >= 'a' ? (float)('a' - c - 1) : (float)(c - '0');
}

static void draw_letter(sp_image *image, const letter *l, float x, float y, float unit,
                        sp_color color)
{
    float width = 6 * unit * LINE, last[2] = {0, 0};
    bool begun = false;
    for (const char *p = l->lines; *p;) {
        if (*p == ' ') {
            begun = false;
            p++;
            continue;
        }
        float point[2] = {x + (float)(p[0] - '0') * unit, y - row_of(p[1]) * unit};
        sp_image_disc(image, point[0], point[1], width / 2, color, 1);
        if (begun)
            sp_image_line(image, last, point, width, 0, color, 1);
        last[0] = point[0];
        last[1] = point[1];
        begun = true;
        p += 2;
    }
}

void sp_text_draw(sp_image *image, float x, float y, float size, const char *text, sp_color color)
{
    float unit = size / 6;
    for (; *text; text++) {
        const letter *l = find(*text);
        if (l)
            draw_letter(image, l, x, y, unit, color);
        x += advance(l) * unit;
    }
}

float sp_text_width(const char *text, float size)
{
    float columns = -2.2f;
    for (; *text; text++)
        columns += advance(find(*text));
    return fmaxf(columns, 0) * size / 6;
}

void sp_text_draw_time(sp_image *image, double seconds)
{
    char text[48];
    snprintf(text, sizeof text, "t = %.3f s", seconds);
    float size = fmaxf(0.028f * (float)image->height, 6), margin = 0.9f * size;
    float y = (float)image->height - margin;
    sp_text_draw(image, margin + 0.08f * size, y + 0.08f * size, size, text, (sp_color){0, 0, 0});
    sp_text_draw(image, margin, y, size, text, (sp_color){0.9f, 0.93f, 0.96f});
}
