#include "text.h"

#include <stdbool.h>

int sp_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return 1;
    int length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    for (int k = 1; k < length; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return length;
}

char *sp_plain_text(char *text)
{
    for (char *c = text; *c;) {
        const unsigned char *u = (const unsigned char *)c;
        int length = sp_utf8_length(c);
        bool control = u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && length == 2 && u[1] < 0xa0);
        if (length > 0 && !control) {
            c += length;
            continue;
        }
        for (int k = 0; k < (length > 1 ? length : 1); k++)
            c[k] = '?';
        c += length > 1 ? length : 1;
    }
    return text;
}
