// SPDX-License-Identifier: GPL-2.0
#include "symbol/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* Code comes in whole pages. So a range does, too: the end of its last function is not known. */
#define PAGE_BYTES	4096U

/* The check of the addresses ends here. Symbols of CPUs come first, and their addresses are 0. */
#define MAX_PROBED_BYTES	(1U << 20)

struct symbol {
	uint64_t address;
	const char *name;
	const char *module;	/* with its brackets; NULL: the kernel */
	uint32_t rank;		/* of several names of one address the lowest counts */
	uint32_t line;
};

struct kallsyms {
	char *text;
	struct symbol *symbols;	/* by address, one for each address */
	size_t nr;
	size_t room;
	struct kallsyms_range *ranges;	/* by address */
	size_t nr_ranges;
	size_t ranges_room;
};

static bool is_function(char type)
{
	return type && strchr("tTwW", type);
}

static uint32_t rank_of(char type, const char *name)
{
	uint32_t weak = type == 'T' ? 0 : type == 'W' ? 1 : 2;
	uint32_t underscores = strspn(name, "_");

	return weak << 8 | (underscores < 255 ? underscores : 255);
}

/*
 * Returns the module at the end of a line, with its brackets and a NUL; NULL if text is none. A
 * name without a character between the brackets is none.
 */
static const char *parse_module(char *text)
{
	char *end = strchr(text, ']');

	if (text[0] != '[' || !end || end == text + 1)
		return NULL;
	end[1] = 0;
	return text;
}

/*
 * Parses a line, without its newline. The name and the module get a NUL at their ends.
 * Returns: false if it is no function.
 */
static bool parse_line(char *line, struct symbol *out)
{
	char *at, *tab;

	if (!isxdigit((unsigned char)*line))
		return false;
	out->address = strtoull(line, &at, 16);
	if (at[0] != ' ' || !is_function(at[1]) || at[2] != ' ' || !at[3] || at[3] == '\t')
		return false;
	out->name = at + 3;
	out->rank = rank_of(at[1], out->name);
	out->module = NULL;
	tab = strchr(out->name, '\t');
	if (!tab)
		return true;
	*tab = 0;
	out->module = parse_module(tab + 1);
	return out->module;
}

static int add_line(struct kallsyms *k, char *line)
{
	struct symbol *symbols = array_grow(k->symbols, &k->room, k->nr + 1, sizeof(*symbols));

	if (!symbols)
		return -ENOMEM;
	k->symbols = symbols;
	if (!parse_line(line, &symbols[k->nr]) || !symbols[k->nr].address)
		return 0;
	symbols[k->nr].line = k->nr;
	k->nr++;
	return 0;
}

static int add_lines(struct kallsyms *k, size_t len)
{
	char *line = k->text, *end = k->text + len, *newline;
	int err = 0;

	while (!err && (newline = memchr(line, '\n', end - line))) {
		*newline = 0;
		err = add_line(k, line);
		line = newline + 1;
	}
	return err;
}

static int compare(const void *va, const void *vb)
{
	const struct symbol *a = va, *b = vb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void drop_aliases(struct kallsyms *k)
{
	size_t nr = 0;

	for (size_t i = 0; i < k->nr; i++)
		if (!nr || k->symbols[nr - 1].address != k->symbols[i].address)
			k->symbols[nr++] = k->symbols[i];
	k->nr = nr;
}

static bool same_module(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static uint64_t end_of_page(uint64_t addr)
{
	uint64_t last = addr | (PAGE_BYTES - 1);

	return last == UINT64_MAX ? last : last + 1;
}

/* Adds the range of the symbols from first to last. Two ranges may share a page. */
static int add_range(struct kallsyms *k, size_t first, size_t last)
{
	const char *module = k->symbols[first].module;
	uint64_t start = k->symbols[first].address & ~(uint64_t)(PAGE_BYTES - 1);
	uint64_t end = end_of_page(k->symbols[last].address);
	struct kallsyms_range *ranges = array_grow(k->ranges, &k->ranges_room, k->nr_ranges + 1,
						   sizeof(*ranges));

	if (!ranges)
		return -ENOMEM;
	if (last + 1 < k->nr && k->symbols[last + 1].address < end)
		end = k->symbols[last + 1].address;
	k->ranges = ranges;
	if (k->nr_ranges && ranges[k->nr_ranges - 1].end > start)
		start = k->symbols[first].address;
	ranges[k->nr_ranges++] = (struct kallsyms_range){
		start, end, module ? module : KALLSYMS_KERNEL,
	};
	return 0;
}

static int add_ranges(struct kallsyms *k)
{
	size_t first = 0;
	int err = 0;

	for (size_t i = 1; !err && i <= k->nr; i++) {
		if (i < k->nr && same_module(k->symbols[i].module, k->symbols[first].module))
			continue;
		err = add_range(k, first, i - 1);
		first = i;
	}
	return err;
}

struct kallsyms *kallsyms_parse(char *text, size_t len)
{
	struct kallsyms *k = calloc(1, sizeof(*k));
	int err;

	if (!k) {
		free(text);
		return NULL;
	}
	k->text = text;
	err = add_lines(k, len);
	if (!err && k->nr) {
		qsort(k->symbols, k->nr, sizeof(*k->symbols), compare);
		drop_aliases(k);
		err = add_ranges(k);
	}
	if (!err)
		return k;
	kallsyms_free(k);
	errno = -err;
	return NULL;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->symbols);
	free(k->ranges);
	free(k);
}

/* Returns the number of bytes, or a negative errno. */
static ssize_t read_some(int fd, char *to, size_t size)
{
	ssize_t nr;

	do
		nr = read(fd, to, size);
	while (nr < 0 && errno == EINTR);
	return nr < 0 ? -errno : nr;
}

static int read_all(int fd, char **text, size_t *len)
{
	size_t room = 0;
	char *grown;
	ssize_t nr;

	do {
		grown = *len < KALLSYMS_MAX_BYTES ?
			array_grow(*text, &room, *len + (1U << 20), 1) : NULL;
		if (!grown)
			return -ENOMEM;
		*text = grown;
		nr = read_some(fd, grown + *len, room - *len);
		if (nr < 0)
			return nr;
		*len += nr;
	} while (nr);
	return 0;
}

struct kallsyms *kallsyms_read(int fd)
{
	char *text = NULL;
	size_t len = 0;
	int err = lseek(fd, 0, SEEK_SET) ? -errno : read_all(fd, &text, &len);

	if (!err)
		return kallsyms_parse(text, len);
	free(text);
	errno = -err;
	return NULL;
}

/*
 * Looks for a function in the whole lines of a text. If there is one, sets *shown to whether it has
 * an address.
 */
static bool has_function(char *line, bool *shown)
{
	struct symbol symbol;

	for (char *newline; (newline = strchr(line, '\n')); line = newline + 1) {
		*newline = 0;
		if (!parse_line(line, &symbol))
			continue;
		*shown = symbol.address;
		return true;
	}
	return false;
}

/*
 * The kernel hides all addresses or none, and writes 0 for them. So the first function is enough.
 * A line that two reads share is skipped.
 */
static int check_shown(int fd)
{
	bool shown = false, found = false;
	char text[4096], *line;
	size_t total = 0;
	ssize_t nr;

	do {
		nr = read_some(fd, text, sizeof(text) - 1);
		if (nr < 0)
			return nr;
		text[nr] = 0;
		line = total ? strchr(text, '\n') : text;
		total += nr;
		found = line && has_function(line, &shown);
	} while (nr && !found && total < MAX_PROBED_BYTES);
	return shown ? 0 : -EACCES;
}

int kallsyms_open(void)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = check_shown(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Returns how many symbols are at addr or below. */
static size_t nr_below(const struct kallsyms *k, uint64_t addr)
{
	size_t lo = 0, hi = k->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->symbols[mid].address <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct kallsyms_range *kallsyms_range(const struct kallsyms *k, uint64_t addr)
{
	size_t lo = 0, hi = k->nr_ranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->ranges[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->nr_ranges && k->ranges[lo].start <= addr ? &k->ranges[lo] : NULL;
}

const char *kallsyms_find(const struct kallsyms *k, uint64_t addr)
{
	const struct kallsyms_range *range = kallsyms_range(k, addr);
	size_t nr = range ? nr_below(k, addr) : 0;

	return nr && k->symbols[nr - 1].address >= range->start ? k->symbols[nr - 1].name : NULL;
}
