// SPDX-License-Identifier: GPL-2.0
#include "analysis/re2_syntax.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/re2_class.h"
#include "analysis/re2_escape.h"
#include "base/utf8.h"
#include "pprof/profile_fault.h"

/* What the next quantifier would repeat. */
enum operand {
	OPERAND_NONE,
	OPERAND_ITEM,
	OPERAND_REPEATED,	/* an item that has a quantifier */
};

struct group {
	bool is_folded;		/* (?i) before the group */
	uint32_t count;		/* the largest product of counts before the group */
	uint32_t at;		/* where the group begins, in bytes */
};

struct parser {
	const char *start;
	const char *at;
	const char *end;
	FILE *out;
	struct profile_fault *fault;
	bool is_folded;
	const char *flags;	/* a (?flags) that is not written yet, or NULL */
	size_t flags_len;
	enum operand operand;
	uint32_t item_count;	/* the product of counts inside the operand, and of its own */
	uint32_t count;		/* the largest such product in this group */
	uint32_t depth;
	struct group groups[RE2_SYNTAX_MAX_DEPTH];
};

static int refuse(struct parser *p, const char *at, const char *what, const char *remedy)
{
	return profile_fault_set(p->fault, PROFILE_FAULT_NO_OFFSET,
				 "the regular expression has %s at byte %zu: %s",
				 what, (size_t)(at - p->start) + 1, remedy);
}

static bool starts_with(const struct parser *p, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(p->end - p->at) >= len && !memcmp(p->at, text, len);
}

static const char *find_text(const struct parser *p, const char *from, const char *text)
{
	return from < p->end ? memmem(from, p->end - from, text, strlen(text)) : NULL;
}

/* Notes that something was written that a quantifier may follow. */
static void end_item(struct parser *p, uint32_t count)
{
	if (p->count < p->item_count)
		p->count = p->item_count;
	p->item_count = count;
	p->operand = OPERAND_ITEM;
}

static void end_operand(struct parser *p)
{
	end_item(p, 1);
	p->operand = OPERAND_NONE;
}

/*
 * Writes flags that were read before. In Go a quantifier may follow them, and repeats the item
 * before them: a(?i)* is a*(?i). PCRE2 does not accept that.
 */
static void put_flags(struct parser *p)
{
	if (p->flags)
		fwrite(p->flags, 1, p->flags_len, p->out);
	p->flags = NULL;
}

static void put_rune(struct parser *p, uint32_t rune)
{
	if (re2_escape_is_alnum(rune))
		fputc(rune, p->out);
	else
		fprintf(p->out, "\\x{%x}", rune);
}

static void put_literal(struct parser *p, uint32_t rune)
{
	put_rune(p, rune);
	end_item(p, 1);
}

static void put_item(struct parser *p, const char *text)
{
	fputs(text, p->out);
	end_item(p, 1);
}

static int take_rune(struct parser *p, uint32_t *rune)
{
	size_t n = utf8_next(p->at, p->end - p->at, rune);

	if (!n)
		return refuse(p, p->at, "a byte that is not UTF-8", "write the text in UTF-8");
	p->at += n;
	return 0;
}

static int refuse_escape(struct parser *p, const char *at)
{
	if (at + 1 == p->end)
		return refuse(p, at, "a backslash with nothing after it", "write \\\\ for a backslash");
	if (at[1] >= '1' && at[1] <= '9')
		return refuse(p, at, "a backreference, which RE2 does not have", "write out the text");
	return refuse(p, at, "an escape that RE2 does not have",
		      "write \\ before punctuation only, or one of RE2's escapes");
}

/* Reads an escape that stands for one character. p->at is at the backslash. */
static int take_escape(struct parser *p, uint32_t *rune)
{
	const char *at = p->at++;

	return re2_escape_take(&p->at, p->end, rune) ? 0 : refuse_escape(p, at);
}

/* Writes \p{Name}, \P{Name}, \pN and \PN. p->at is at the backslash. */
static int take_property(struct parser *p)
{
	const char *at = p->at, *name = at + 2, *end = name + 1;
	bool is_negated = at[1] == 'P';

	if (name < p->end && *name == '{') {
		name++;
		end = find_text(p, name, "}");
		p->at = end ? end + 1 : p->end;
	} else {
		p->at = end;
	}
	if (end && end <= p->end && *name == '^') {
		is_negated = !is_negated;
		name++;
	}
	if (!end || end > p->end ||
	    !re2_class_put_property(p->out, name, end - name, is_negated, p->is_folded))
		return refuse(p, at, "a class \\p that RE2 does not have",
			      "name a category such as \\pN, or a script such as \\p{Greek}");
	return 0;
}

/* Writes \d, \s, \w and their opposites, for a place between [ and ]. Returns: 1, or 0. */
static int take_perl_class(struct parser *p)
{
	char c = p->at + 1 < p->end ? p->at[1] : 0;
	bool is_negated = c >= 'A' && c <= 'Z';
	const struct re2_class *class = re2_class_perl(is_negated ? c - 'A' + 'a' : c);

	if (!class)
		return 0;
	re2_class_put(p->out, class, is_negated, p->is_folded);
	p->at += 2;
	return 1;
}

/* Writes [:alpha:] or [:^alpha:]. Returns: 1; 0 if there is none; or -EBADMSG. */
static int take_posix_class(struct parser *p)
{
	const char *name = p->at + 2, *end = find_text(p, name, ":]");
	const struct re2_class *class;
	bool is_negated;

	if (!end)
		return 0;
	is_negated = *name == '^';
	name += is_negated;
	class = re2_class_posix(name, end - name);
	if (!class)
		return refuse(p, p->at, "an unknown class in [: :]", "write one such as [:alpha:]");
	re2_class_put(p->out, class, is_negated, p->is_folded);
	p->at = end + 2;
	return 1;
}

/* Writes a class that stands inside a class. Returns: 1; 0 if there is none; or -EBADMSG. */
static int take_inner_class(struct parser *p)
{
	int err;

	if (starts_with(p, "[:"))
		return take_posix_class(p);
	if (starts_with(p, "\\p") || starts_with(p, "\\P")) {
		err = take_property(p);
		return err ? err : 1;
	}
	return *p->at == '\\' ? take_perl_class(p) : 0;
}

static int take_class_rune(struct parser *p, uint32_t *rune)
{
	return *p->at == '\\' ? take_escape(p, rune) : take_rune(p, rune);
}

/* Writes one character of a class, or a range. */
static int take_range(struct parser *p)
{
	const char *at = p->at;
	uint32_t from = 0, to;
	int err = take_class_rune(p, &from);

	to = from;
	if (!err && p->end - p->at >= 2 && *p->at == '-' && p->at[1] != ']') {
		p->at++;
		err = take_class_rune(p, &to);
	}
	if (err)
		return err;
	if (to < from)
		return refuse(p, at, "a range that runs downwards", "write the lower end first");
	put_rune(p, from);
	if (to != from) {
		fputc('-', p->out);
		put_rune(p, to);
	}
	return 0;
}

/* Writes [...]. A "]" that comes first is a character of the class. */
static int take_class(struct parser *p)
{
	const char *at = p->at++, *first;
	int found;

	fputc('[', p->out);
	if (p->at < p->end && *p->at == '^')
		fputc(*p->at++, p->out);
	for (first = p->at; p->at < p->end && (*p->at != ']' || p->at == first);) {
		found = take_inner_class(p);
		if (!found)
			found = take_range(p);
		if (found < 0)
			return found;
	}
	if (p->at == p->end)
		return refuse(p, at, "a [ without its ]", "write \\[ for a bracket");
	p->at++;
	put_item(p, "]");
	return 0;
}

/* Writes the text between \Q and \E as literals. Without \E it ends with the expression. */
static int take_quoted(struct parser *p)
{
	const char *from = p->at + 2, *end = find_text(p, from, "\\E");
	uint32_t rune = 0;
	int err = 0;

	p->at = from;
	while (!err && p->at < (end ? end : p->end)) {
		err = take_rune(p, &rune);
		if (!err)
			put_literal(p, rune);
	}
	p->at = end ? end + 2 : p->at;
	return err;
}

/* Writes \A, \b, \B and \z. Returns: whether there was one. */
static bool take_assertion(struct parser *p)
{
	char c = p->at + 1 < p->end ? p->at[1] : 0;

	if (!c || !strchr("AbBz", c))
		return false;
	fprintf(p->out, "(?:\\%c)", c);
	end_item(p, 1);
	p->at += 2;
	return true;
}

static int take_backslash(struct parser *p)
{
	uint32_t rune = 0;
	int found;

	if (starts_with(p, "\\Q"))
		return take_quoted(p);
	if (take_assertion(p))
		return 0;
	fputc('[', p->out);
	found = take_inner_class(p);
	if (!found) {
		found = take_escape(p, &rune);
		put_rune(p, rune);
	}
	put_item(p, "]");
	return found < 0 ? found : 0;
}

/* Reads a number without leading zeroes. Numbers above the limit are the limit + 1. */
static bool take_number(struct parser *p, uint32_t *number)
{
	const char *at = p->at;

	*number = 0;
	while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
		*number = *number * 10 + (*p->at++ - '0');
		if (*number > RE2_SYNTAX_MAX_COUNT)
			*number = RE2_SYNTAX_MAX_COUNT + 1;
	}
	return p->at > at && (*at != '0' || p->at == at + 1);
}

/* Reads {n}, {n,} or {n,m}. *max is UINT32_MAX for no limit. Returns: whether it is one. */
static bool take_counts(struct parser *p, uint32_t *min, uint32_t *max)
{
	p->at++;
	if (!take_number(p, min) || p->at == p->end)
		return false;
	*max = *min;
	if (*p->at == ',') {
		p->at++;
		*max = UINT32_MAX;
		if (p->at < p->end && *p->at != '}' && !take_number(p, max))
			return false;
	}
	return p->at < p->end && *p->at++ == '}';
}

/* Writes the quantifier from at to p->at, with a "?" that follows. */
static int put_quantifier(struct parser *p, const char *at)
{
	if (p->operand == OPERAND_NONE)
		return refuse(p, at, "a quantifier with nothing before it",
			      "write \\ before it to match the character");
	if (p->operand == OPERAND_REPEATED)
		return refuse(p, at, "a possessive or second quantifier, which RE2 does not have",
			      "use one quantifier");
	if (p->at < p->end && *p->at == '?')
		p->at++;
	fwrite(at, 1, p->at - at, p->out);
	p->operand = OPERAND_REPEATED;
	return 0;
}

static int take_quantifier(struct parser *p)
{
	return put_quantifier(p, p->at++);
}

/* Writes {n,m}. Any other text after a "{" makes it a character. */
static int take_counted(struct parser *p)
{
	const char *at = p->at;
	uint32_t min, max, own;

	if (!take_counts(p, &min, &max)) {
		p->at = at + 1;
		put_flags(p);
		put_literal(p, '{');
		return 0;
	}
	own = max == UINT32_MAX ? min : max;
	if (own > RE2_SYNTAX_MAX_COUNT || min > max || p->item_count * own > RE2_SYNTAX_MAX_COUNT)
		return refuse(p, at, "a count above 1000, or one that runs downwards",
			      "write {n,m}; counts of groups inside each other multiply");
	p->item_count = own ? p->item_count * own : 1;
	return put_quantifier(p, at);
}

static int open_group(struct parser *p, const char *at)
{
	if (p->depth == RE2_SYNTAX_MAX_DEPTH)
		return refuse(p, at, "groups that nest more than 250 deep", "use fewer groups");
	end_operand(p);
	p->groups[p->depth++] = (struct group){
		.is_folded = p->is_folded, .count = p->count, .at = at - p->start };
	p->count = 1;
	return 0;
}

static int take_group_end(struct parser *p)
{
	const struct group *group;
	uint32_t count;

	if (!p->depth)
		return refuse(p, p->at, "a ) without its (", "write \\) for a parenthesis");
	p->at++;
	end_operand(p);
	count = p->count;
	group = &p->groups[--p->depth];
	p->is_folded = group->is_folded;
	p->count = group->count;
	fputc(')', p->out);
	end_item(p, count);
	return 0;
}

static bool is_valid_name(const char *name, const char *end)
{
	for (const char *at = name; at < end; at++)
		if (*at != '_' && !re2_escape_is_alnum((unsigned char)*at))
			return false;
	return name < end;
}

/*
 * Reads (?P<name> and (?<name>. prefix_len counts the bytes before the name. Go lets two groups
 * have one name.
 */
static int take_named_group(struct parser *p, size_t prefix_len)
{
	const char *at = p->at, *end = find_text(p, at, ">");
	int err;

	if (!end || !is_valid_name(at + prefix_len, end))
		return refuse(p, at, "a group without a name of letters, digits and _",
			      "write (?P<name>…)");
	err = open_group(p, at);
	fputs("(?:", p->out);
	p->at = end + 1;
	return err;
}

/* Reads flags such as "i-s" up to ":" or ")". Returns: whether they are well-formed. */
static bool take_flags(struct parser *p, bool *is_folded)
{
	bool is_minus = false, has_flag = false;

	for (; p->at < p->end && *p->at != ':' && *p->at != ')'; p->at++) {
		if (*p->at == '-' ? is_minus : !strchr("imsU", *p->at) || !*p->at)
			return false;
		has_flag = *p->at != '-';
		is_minus |= *p->at == '-';
		if (*p->at == 'i')
			*is_folded = !is_minus;
	}
	return p->at < p->end && (!is_minus || has_flag);
}

/* Reads (?flags) and (?flags:...). */
static int take_flag_group(struct parser *p)
{
	const char *at = p->at;
	bool is_folded = p->is_folded;
	int err = 0;

	p->at += 2;
	if (!take_flags(p, &is_folded))
		return refuse(p, at, "a group of a kind that RE2 does not have",
			      "use ( ), (?: ), (?P<name> ) or the flags i, m, s, U");
	if (*p->at == ':')
		err = open_group(p, at);
	p->flags = at;
	p->flags_len = ++p->at - at;
	p->is_folded = is_folded;
	return err;
}

static int take_group(struct parser *p)
{
	int err;

	if (starts_with(p, "(?=") || starts_with(p, "(?!") || starts_with(p, "(?<=") ||
	    starts_with(p, "(?<!"))
		return refuse(p, p->at, "a lookahead or lookbehind, which RE2 does not have",
			      "use another filter for that part");
	if (starts_with(p, "(?P<"))
		return take_named_group(p, strlen("(?P<"));
	if (starts_with(p, "(?<"))
		return take_named_group(p, strlen("(?<"));
	if (starts_with(p, "(?"))
		return take_flag_group(p);
	err = open_group(p, p->at++);
	fputs("(?:", p->out);
	return err;
}

static int take_character(struct parser *p)
{
	uint32_t rune = 0;
	int err = take_rune(p, &rune);

	if (!err)
		put_literal(p, rune);
	return err;
}

/* Writes what p->at is at, and moves p->at past it. */
static int take_next(struct parser *p)
{
	if (!*p->at || !strchr("*+?{", *p->at))
		put_flags(p);
	switch (*p->at) {
	case '(':
		return take_group(p);
	case ')':
		return take_group_end(p);
	case '[':
		return take_class(p);
	case '\\':
		return take_backslash(p);
	case '*':
	case '+':
	case '?':
		return take_quantifier(p);
	case '{':
		return take_counted(p);
	case '|':
		fputc(*p->at++, p->out);
		end_operand(p);
		return 0;
	case '^':	/* PCRE2 repeats an assertion only inside a group. */
	case '$':
		fprintf(p->out, "(?:%c)", *p->at++);
		end_item(p, 1);
		return 0;
	case '.':
		p->at++;
		put_item(p, ".");
		return 0;
	}
	return take_character(p);
}

static int translate(struct parser *p)
{
	int err = 0;

	while (!err && p->at < p->end)
		err = take_next(p);
	if (!err && p->depth)
		err = refuse(p, p->start + p->groups[p->depth - 1].at, "a ( without its )",
			     "write \\( for a parenthesis");
	return err;
}

int re2_syntax_translate(const char *s, size_t len, char **pcre, struct profile_fault *fault)
{
	struct parser p = { .start = s, .at = s, .end = s + len, .fault = fault,
			    .item_count = 1, .count = 1 };
	size_t size;
	int err;

	*pcre = NULL;
	p.out = open_memstream(pcre, &size);
	if (!p.out)
		return profile_fault_errno(fault, -ENOMEM);
	err = translate(&p);
	if (fclose(p.out) && !err)
		err = profile_fault_errno(fault, -ENOMEM);
	if (err) {
		free(*pcre);
		*pcre = NULL;
	}
	return err;
}
