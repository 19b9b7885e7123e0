// SPDX-License-Identifier: GPL-2.0
#include "http/index_page.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "flame/markup.h"

#define MAX_NAME	128

static const struct {
	const char *name;
	const char *text;
} descriptions[] = {
	{ "allocs", "All allocations of memory, sampled." },
	{ "block", "Where threads waited." },
	{ "cmdline", "The command line of the process. Its arguments are separated by NUL bytes." },
	{ "goroutine", "The profile thread, under the name that readers of Go profiles know." },
	{ "growth", "Where memory was touched for the first time." },
	{ "heap", "Memory that was allocated and not freed, sampled." },
	{ "mutex", "Where contended locks were released." },
	{ "profile", "CPU time. seconds=N sets the length; the default is 30." },
	{ "symbol", "Names of functions. Addresses come in the query or in the body of a POST, "
		    "separated by +." },
	{ "thread", "The stack of each thread, now. debug=2 shows each thread on its own." },
	{ "threadcreate", "Where threads were created." },
	{ "wall", "Elapsed time of each thread. seconds=N sets the length; the default is 30." },
};

struct row {
	char name[MAX_NAME];
	char count[24];
};

struct rows {
	struct row *items;
	size_t nr;
};

static const char *describe(const char *name)
{
	for (size_t i = 0; i < sizeof(descriptions) / sizeof(*descriptions); i++)
		if (!strcmp(descriptions[i].name, name))
			return descriptions[i].text;
	return "A profile of the program's own.";
}

/* Writes a name as HTML text. It may hold any bytes: they are made printable first. */
static void write_text(FILE *out, const char *text)
{
	char *printable = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&printable, &len);

	if (!memory)
		return;
	utf8_print(memory, text);
	if (!fclose(memory))
		markup_text(out, printable);
	free(printable);
}

/* Writes a name as part of a URL, percent-encoded but for unreserved characters (RFC 3986, 2.3). */
static void write_link(FILE *out, const char *name)
{
	for (; *name; name++)
		if (strchr("-._~/", *name) || (*name >= '0' && *name <= '9') ||
		    (*name >= 'A' && *name <= 'Z') || (*name >= 'a' && *name <= 'z'))
			putc(*name, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*name);
}

static void add_row(struct rows *rows, const char *name, const char *count)
{
	struct row *row = &rows->items[rows->nr++];

	snprintf(row->name, sizeof(row->name), "%s", name);
	snprintf(row->count, sizeof(row->count), "%s", count);
}

/*
 * The list has cpu, which has no page of that name: read_rows() adds its page, profile. The page
 * goroutine shows the profile thread.
 */
static void add_profile(struct rows *rows, const char *name, const char *count)
{
	if (!strcmp(name, "cpu"))
		return;
	add_row(rows, name, count);
	if (!strcmp(name, "thread"))
		add_row(rows, "goroutine", count);
}

/* Adds the profiles of lines "NAME COUNT". A custom name may contain blanks. */
static void add_profiles(struct rows *rows, char *lines)
{
	char *count, *line;

	while ((line = strsep(&lines, "\n"))) {
		count = strrchr(line, ' ');
		if (!count || count == line)
			continue;
		*count++ = 0;
		add_profile(rows, line, count);
	}
}

static int by_name(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static size_t count_lines(const char *text)
{
	size_t nr = 1;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static int read_rows(struct rows *rows, const struct index_page *p)
{
	char *lines = strndup(p->profiles, p->len);

	*rows = (struct rows){ 0 };
	if (lines)
		rows->items = calloc(count_lines(lines) + 4, sizeof(*rows->items));
	if (!rows->items) {
		free(lines);
		return -1;
	}
	add_profiles(rows, lines);
	free(lines);
	add_row(rows, "cmdline", "0");
	add_row(rows, "profile", "0");
	add_row(rows, "symbol", "0");
	qsort(rows->items, rows->nr, sizeof(*rows->items), by_name);
	return 0;
}

static bool is_page_of_text(const char *name)
{
	return !strcmp(name, "cmdline") || !strcmp(name, "symbol");
}

static bool has_debug(const char *name)
{
	return strcmp(name, "profile") && strcmp(name, "wall");
}

static void write_row(FILE *out, const struct row *row)
{
	fprintf(out, "<tr><td>%s</td><td><a href=\"", row->count);
	write_link(out, row->name);
	fputs("\">", out);
	write_text(out, row->name);
	fputs("</a></td><td>", out);
	if (!is_page_of_text(row->name)) {
		if (has_debug(row->name)) {
			fputs("<a href=\"", out);
			write_link(out, row->name);
			fputs("?debug=1\">text</a> ", out);
		}
		fputs("<a href=\"", out);
		write_link(out, row->name);
		fputs("?format=flamegraph\">flame graph</a>", out);
	}
	fprintf(out, "</td><td>%s</td></tr>\n", describe(row->name));
}

static void write_table(FILE *out, const struct index_page *p)
{
	struct rows rows;

	if (read_rows(&rows, p))
		return;
	fputs("<table>\n<thead><tr><th scope=\"col\">Count</th><th scope=\"col\">Profile</th>"
	      "<th scope=\"col\">Also as</th><th scope=\"col\">What it shows</th></tr></thead>\n"
	      "<tbody>\n", out);
	for (size_t i = 0; i < rows.nr; i++)
		write_row(out, &rows.items[i]);
	fputs("</tbody>\n</table>\n<p><a href=\"thread?debug=2\">full dump of the threads</a></p>\n",
	      out);
	free(rows.items);
}

static void write_target(FILE *out, const struct index_page *p)
{
	if (!p->pid && p->cgroup) {
		fputs("<p>All processes of the cgroup ", out);
		write_text(out, p->cgroup);
		fputs(".</p>\n", out);
		return;
	}
	if (!p->pid) {
		fputs("<p>All processes of this machine.</p>\n", out);
		return;
	}
	fprintf(out, "<p>Process %d, ", p->pid);
	write_text(out, p->comm);
	fputs(".</p>\n", out);
}

static void write_targets(FILE *out, const struct index_page *p)
{
	if (p->nr_targets < 2 && !p->cgroup)
		return;
	fputs("<h2>Processes</h2>\n<ul>\n", out);
	for (size_t i = 0; i < p->nr_targets; i++) {
		fprintf(out, "<li><a href=\"/pid/%d/debug/pprof/\">%d ", p->targets[i].pid,
			p->targets[i].pid);
		write_text(out, p->targets[i].comm);
		fputs("</a></li>\n", out);
	}
	fputs("</ul>\n", out);
}

void index_page_write(FILE *out, const struct index_page *p)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<title>/debug/pprof/</title>\n<style>\n"
	      ":root { color-scheme: light dark; font-family: sans-serif }\n"
	      "td, th { text-align: left; padding: 0.1em 1em 0.1em 0 }\n"
	      "td:first-child { text-align: right }\n</style>\n</head>\n<body>\n"
	      "<h1>/debug/pprof/</h1>\n", out);
	write_target(out, p);
	fputs("<p>Add debug=1 to a profile's URL for text, and seconds=N for the events of N "
	      "seconds.</p>\n", out);
	write_table(out, p);
	write_targets(out, p);
	fputs("</body>\n</html>\n", out);
}
