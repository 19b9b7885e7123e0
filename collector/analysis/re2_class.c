// SPDX-License-Identifier: GPL-2.0
#include "analysis/re2_class.h"

#include <stdint.h>
#include <string.h>

#define MAX_RANGES	4
#define LAST_RUNE	0x10FFFF
#define LONG_S		0x17F		/* folds to s */
#define KELVIN		0x212A		/* folds to k */

struct re2_class {
	const char *name;
	/* In ascending order. A range of zeroes ends the list, unless it is the first one. */
	struct {
		uint8_t from;
		uint8_t to;
	} ranges[MAX_RANGES];
};

#define ALPHA	{ "alpha", { { 'A', 'Z' }, { 'a', 'z' } } }

static const struct re2_class alpha = ALPHA;

static const struct re2_class posix[] = {
	{ "alnum", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } } },
	ALPHA,
	{ "ascii", { { 0, 0x7F } } },
	{ "blank", { { '\t', '\t' }, { ' ', ' ' } } },
	{ "cntrl", { { 0, 0x1F }, { 0x7F, 0x7F } } },
	{ "digit", { { '0', '9' } } },
	{ "graph", { { '!', '~' } } },
	{ "lower", { { 'a', 'z' } } },
	{ "print", { { ' ', '~' } } },
	{ "punct", { { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' } } },
	{ "space", { { '\t', '\r' }, { ' ', ' ' } } },
	{ "upper", { { 'A', 'Z' } } },
	{ "word", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } } },
	{ "xdigit", { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } } },
};

static const struct re2_class perl[] = {
	{ "d", { { '0', '9' } } },
	{ "s", { { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' } } },
	{ "w", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } } },
};

/* The general categories of Unicode, and the name of all of them. */
static const char categories[] =
	" Any C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps"
	" S Sc Sk Sm So Z Zl Zp Zs ";

/* Scripts whose names have four letters. Other four letters are codes, which RE2 does not have. */
static const char short_scripts[] = " Ahom Cham Kawi Lisu Miao Modi Newa Thai Toto ";

static const struct re2_class *find(const struct re2_class *classes, size_t nr, const char *name,
				    size_t len)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(classes[i].name) == len && !memcmp(classes[i].name, name, len))
			return &classes[i];
	return NULL;
}

const struct re2_class *re2_class_perl(char letter)
{
	return find(perl, sizeof(perl) / sizeof(*perl), &letter, 1);
}

const struct re2_class *re2_class_posix(const char *name, size_t len)
{
	return find(posix, sizeof(posix) / sizeof(*posix), name, len);
}

static int nr_ranges(const struct re2_class *class)
{
	int nr = 1;

	while (nr < MAX_RANGES && class->ranges[nr].to)
		nr++;
	return nr;
}

static bool has(const struct re2_class *class, char c)
{
	for (int i = 0; i < nr_ranges(class); i++)
		if (c >= class->ranges[i].from && c <= class->ranges[i].to)
			return true;
	return false;
}

static void put_range(FILE *out, uint32_t from, uint32_t to)
{
	if (from <= to)
		fprintf(out, "\\x{%x}-\\x{%x}", from, to);
}

static void put_complement(FILE *out, const struct re2_class *class, bool is_folded)
{
	uint32_t next = 0;

	for (int i = 0; i < nr_ranges(class); i++) {
		if (class->ranges[i].from)
			put_range(out, next, class->ranges[i].from - 1);
		next = class->ranges[i].to + 1;
	}
	if (is_folded && has(class, 's')) {
		put_range(out, next, LONG_S - 1);
		put_range(out, LONG_S + 1, KELVIN - 1);
		next = KELVIN + 1;
	}
	put_range(out, next, LAST_RUNE);
}

void re2_class_put(FILE *out, const struct re2_class *class, bool is_negated, bool is_folded)
{
	if (is_folded && has(class, 's') != has(class, 'S'))
		class = &alpha;		/* lower or upper */
	if (is_negated) {
		put_complement(out, class, is_folded);
		return;
	}
	for (int i = 0; i < nr_ranges(class); i++)
		put_range(out, class->ranges[i].from, class->ranges[i].to);
}

static bool is_word(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!(name[i] == '_' || (name[i] >= 'A' && name[i] <= 'Z') ||
		      (name[i] >= 'a' && name[i] <= 'z')))
			return false;
	return len;
}

/* Is the word in a list that has a space before and after each word? */
static bool is_in_list(const char *list, const char *word, size_t len)
{
	for (const char *at = list; *at; at++)
		if (*at == ' ' && !strncmp(at + 1, word, len) && at[1 + len] == ' ')
			return true;
	return false;
}

static bool is_script(const char *name, size_t len)
{
	return len >= 2 && (len != 4 || is_in_list(short_scripts, name, len));
}

bool re2_class_put_property(FILE *out, const char *name, size_t len, bool is_negated,
			    bool is_folded)
{
	const char *prefix = "";

	if (!is_word(name, len))
		return false;
	if (is_folded && is_in_list(" Ll Lt Lu ", name, len)) {
		name = "L&";	/* all letters that have a case */
	} else if (!is_in_list(categories, name, len)) {
		if (!is_script(name, len))
			return false;
		prefix = "sc:";
	}
	fprintf(out, "\\%c{%s%.*s}", is_negated ? 'P' : 'p', prefix, (int)len, name);
	return true;
}
