// SPDX-License-Identifier: GPL-2.0
#include "run/terminal_text.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/utf8.h"

#define TAB_WIDTH	8
#define CUT_MARK	".."
#define CUT_WIDTH	(sizeof(CUT_MARK) - 1)

#define BOLD		"\033[1m"
#define RED		"\033[31m"
#define GREEN		"\033[32m"
#define PLAIN		"\033[m"

/* The limits of perf report. */
#define RED_PERCENT	5
#define GREEN_PERCENT	0.5

/* A piece of a line: the bytes that it takes, and the characters that it becomes. */
struct piece {
	size_t len;
	size_t width;
	bool is_plain;		/* its bytes are printed unchanged */
};

void terminal_text_init(struct terminal_text *t, int fd)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	struct winsize size;

	*t = (struct terminal_text){
		.width = ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col,
		.has_colours = term && strcmp(term, "dumb") && (!no_color || !*no_color),
	};
}

/* column: where the piece begins. */
static struct piece next_piece(const char *s, size_t len, size_t column)
{
	uint32_t rune;
	size_t used = utf8_next(s, len, &rune);

	if (*s == '\t')
		return (struct piece){ 1, TAB_WIDTH - column % TAB_WIDTH, false };
	if (used && !utf8_is_control(rune))
		return (struct piece){ used, 1, true };
	return (struct piece){ 1, strlen("\\xNN"), false };
}

static void print_piece(FILE *out, const char *s, const struct piece *p)
{
	if (p->is_plain)
		fwrite(s, 1, p->len, out);
	else if (*s == '\t')
		fprintf(out, "%*s", (int)p->width, "");
	else
		fprintf(out, "\\x%02x", (unsigned char)*s);
}

static size_t width_of(const char *s, size_t len)
{
	size_t width = 0;

	while (len) {
		struct piece p = next_piece(s, len, width);

		width += p.width;
		s += p.len;
		len -= p.len;
	}
	return width;
}

/* Prints len bytes that begin at column, without what is beyond the column limit. */
static size_t print_text(FILE *out, const char *s, size_t len, size_t column, size_t limit)
{
	while (len) {
		struct piece p = next_piece(s, len, column);

		if (column + p.width > limit)
			break;
		print_piece(out, s, &p);
		column += p.width;
		s += p.len;
		len -= p.len;
	}
	return column;
}

static const char *colour_of(const char *s, size_t len)
{
	double percent;

	if (s[len - 1] != '%')
		return NULL;
	percent = strtod(s, NULL);
	return percent >= RED_PERCENT ? RED : percent >= GREEN_PERCENT ? GREEN : NULL;
}

/*
 * Prints the numbers at the start of a line of a table. They are ASCII. The second percentage of a
 * line is the sum of the lines so far, and has no colour.
 * Returns: how many bytes of the line it printed.
 */
static size_t print_numbers(FILE *out, const char *line, size_t len, size_t limit)
{
	size_t at = 0, end, nr_percent = 0;
	const char *colour;

	for (;; at = end) {
		end = at + strspn(line + at, " ");
		if (end == len || !strchr("-0123456789", line[end]))
			return at;
		end += strcspn(line + end, " ");
		if (end > limit)
			return at;
		colour = colour_of(line + at, end - at);
		nr_percent += line[end - 1] == '%';
		if (colour && nr_percent != 2)
			fprintf(out, "%s%.*s" PLAIN, colour, (int)(end - at), line + at);
		else
			fwrite(line + at, 1, end - at, out);
	}
}

static bool is_heading(const char *line)
{
	return !strncmp(line + strspn(line, " "), "flat ", 5);
}

/* The head of a table is not cut: it has no columns, and its end matters. */
static bool is_too_long(const struct terminal_text *t)
{
	return t->len && strchr(" -", *t->line) && t->width > CUT_WIDTH &&
	       width_of(t->line, t->len) > t->width;
}

/* Blanks at the end are left out: nothing is cut for them. */
static void print_line(struct terminal_text *t)
{
	bool is_cut, is_bold = t->has_colours && is_heading(t->line);
	size_t limit, done = 0;

	while (t->len && (t->line[t->len - 1] == ' ' || t->line[t->len - 1] == '\t'))
		t->line[--t->len] = '\0';
	is_cut = is_too_long(t);
	limit = is_cut ? t->width - CUT_WIDTH : SIZE_MAX;
	if (is_bold)
		fputs(BOLD, t->out);
	else if (t->has_colours)
		done = print_numbers(t->out, t->line, t->len, limit);
	print_text(t->out, t->line + done, t->len - done, done, limit);
	fputs(is_cut ? CUT_MARK : "", t->out);
	fputs(is_bold ? PLAIN "\n" : "\n", t->out);
}

/* The NUL at the end of a line is not counted in len. */
static int add(struct terminal_text *t, const char *data, size_t len)
{
	char *line = array_grow(t->line, &t->room, t->len + len + 1, 1);

	if (!line)
		return -ENOMEM;
	t->line = line;
	memcpy(line + t->len, data, len);
	t->len += len;
	line[t->len] = '\0';
	return 0;
}

static ssize_t write_lines(void *cookie, const char *data, size_t len)
{
	struct terminal_text *t = cookie;
	const char *end = data + len, *newline;

	while (data < end) {
		newline = memchr(data, '\n', end - data);
		if (add(t, data, (newline ? newline : end) - data))
			return 0;
		if (!newline)
			break;
		print_line(t);
		t->len = 0;
		data = newline + 1;
	}
	return len;
}

FILE *terminal_text_open(struct terminal_text *t, FILE *out)
{
	t->out = out;
	return fopencookie(t, "w", (cookie_io_functions_t){ .write = write_lines });
}

int terminal_text_close(struct terminal_text *t, FILE *stream)
{
	int err = fclose(stream) ? -ENOMEM : 0;

	if (t->len)
		print_line(t);
	free(t->line);
	return err;
}
