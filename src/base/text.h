/* text.h -- text from outside: what is UTF-8, and what may be shown. */
#ifndef SPATE_BASE_TEXT_H
#define SPATE_BASE_TEXT_H

/* Length of the UTF-8 character at `s`, 0 if it is none: wrong bytes, overlong, a surrogate or
 * beyond U+10FFFF. */
int sp_utf8_length(const char *s);
/* Makes text fit to be shown on a terminal: control characters, by which a name could move the
 * cursor or change colours, and bytes that are no UTF-8 become question marks. Returns it. */
char *sp_plain_text(char *text);

#endif
