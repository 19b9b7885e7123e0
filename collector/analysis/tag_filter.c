// SPDX-License-Identifier: GPL-2.0
#include "analysis/tag_filter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/label_units.h"
#include "analysis/regex.h"
#include "analysis/unit.h"
#include "base/array.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

struct tag_filter {
	char *key;		/* NULL for any */
	bool is_range;
	double low;
	double high;
	char *unit;		/* of low and high */
	struct {
		struct regex **items;
		size_t nr;
		size_t room;
	} regexes;
};

/* One end of a range, as text. */
struct range_end {
	char *s;		/* NULL if the range has no such end */
	size_t len;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the length of an integer with or without a unit at s, or 0. */
static size_t number_len(const char *s)
{
	size_t len = *s == '+' || *s == '-';

	if (!is_digit(s[len]))
		return 0;
	while (is_digit(s[len]))
		len++;
	while (is_letter(s[len]))
		len++;
	return len;
}

/* Splits N, N:, :N and N:M. Returns: whether s has this form. */
static bool split_range(char *s, struct range_end *low, struct range_end *high)
{
	*low = (struct range_end){ .s = s, .len = number_len(s) };
	*high = *low;
	if (*s == ':')
		*low = (struct range_end){};
	else if (!low->len || !s[low->len])
		return low->len;
	else if (s[low->len] != ':')
		return false;
	high->s = s + low->len + 1;
	high->len = number_len(high->s);
	if (low->s && !*high->s) {
		*high = (struct range_end){};
		return true;
	}
	return high->len && !high->s[high->len];
}

/* Reads an end. *unit becomes the unit, a part of its text. Returns: 0, or -EBADMSG. */
static int read_end(const struct range_end *end, int64_t *number, char **unit,
		    struct profile_fault *fault)
{
	end->s[end->len] = '\0';
	errno = 0;
	*number = strtoll(end->s, unit, 10);
	if (errno)
		return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
					 "the number %.24s does not fit in 64 bits: use a smaller one, or a larger unit",
					 end->s);
	return 0;
}

static int set_unit(struct tag_filter *f, const char *unit, struct profile_fault *fault)
{
	f->unit = strdup(unit);
	return f->unit ? 0 : profile_fault_errno(fault, -ENOMEM);
}

/* Sets the only end, or the lower one of two. The range has its unit. */
static int set_first_end(struct tag_filter *f, const struct range_end *low,
			 const struct range_end *high, struct profile_fault *fault)
{
	struct unit_value value;
	int64_t number;
	char *unit;
	int err = read_end(low->s ? low : high, &number, &unit, fault);

	if (err)
		return err;
	value = unit_scale(number, unit, unit);
	f->low = low->s ? value.number : -INFINITY;
	f->high = high->s ? value.number : INFINITY;
	return set_unit(f, value.unit, fault);
}

/* Sets the higher end of two. Does not set is_range if its unit does not fit. */
static int set_second_end(struct tag_filter *f, const struct range_end *high,
			  struct profile_fault *fault)
{
	struct unit_value value;
	int64_t number;
	char *unit;
	int err = read_end(high, &number, &unit, fault);

	if (err)
		return err;
	value = unit_scale(number, unit, f->unit);
	f->high = value.number;
	f->is_range = !strcmp(value.unit, f->unit);
	return 0;
}

/* Reads a range. Does not set is_range if s is none. Changes s. */
static int set_range(struct tag_filter *f, char *s, struct profile_fault *fault)
{
	struct range_end low, high;
	int err;

	if (!split_range(s, &low, &high))
		return 0;
	err = set_first_end(f, &low, &high, fault);
	if (err)
		return err;
	if (low.s && high.s && low.s != high.s)
		return set_second_end(f, &high, fault);
	f->is_range = true;
	return 0;
}

static int add_regex(struct tag_filter *f, const char *s, size_t len, struct profile_fault *fault)
{
	struct regex *regex;
	int err = regex_new(&regex, s, len, fault);

	if (err)
		return err;
	err = ARRAY_APPEND(f->regexes, &regex, 1);
	if (err) {
		regex_free(regex);
		return profile_fault_errno(fault, err);
	}
	return 0;
}

static int set_regexes(struct tag_filter *f, const char *s, struct profile_fault *fault)
{
	const char *comma;
	int err;

	do {
		comma = strchrnul(s, ',');
		err = add_regex(f, s, comma - s, fault);
		s = comma + 1;
	} while (!err && *comma);
	return err;
}

static int set_up(struct tag_filter *f, const char *s, struct profile_fault *fault)
{
	const char *equals = strchr(s, '=');
	const char *value = equals ? equals + 1 : s;
	char *copy = strdup(value);
	int err;

	if (equals > s)
		f->key = strndup(s, equals - s);
	if (!copy || (equals > s && !f->key))
		err = profile_fault_errno(fault, -ENOMEM);
	else
		err = set_range(f, copy, fault);
	free(copy);
	if (!err && !f->is_range)
		err = set_regexes(f, value, fault);
	return err;
}

int tag_filter_new(struct tag_filter **filter, const char *s, struct profile_fault *fault)
{
	struct tag_filter *f = calloc(1, sizeof(*f));
	int err;

	*filter = NULL;
	if (!f)
		return profile_fault_errno(fault, -ENOMEM);
	err = set_up(f, s, fault);
	if (err) {
		tag_filter_free(f);
		return err;
	}
	*filter = f;
	return 0;
}

void tag_filter_free(struct tag_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->regexes.nr; i++)
		regex_free(f->regexes.items[i]);
	free(f->regexes.items);
	free(f->unit);
	free(f->key);
	free(f);
}

bool tag_filter_is_range(const struct tag_filter *f)
{
	return f->is_range;
}

static bool has_key(const struct tag_filter *f, const struct model *m,
		    const struct model_label *label)
{
	return !f->key || (strtab_len(m->strings, label->key) == strlen(f->key) &&
			   !strcmp(model_string(m, label->key), f->key));
}

static bool is_in_range(const struct tag_filter *f, const struct model *m,
			const struct label_units *units, const struct model_label *label)
{
	const char *unit = label_units_get(units, m, label->key);
	struct unit_value value = unit_scale(label->num, unit, f->unit);

	return !strcmp(value.unit, f->unit) && value.number >= f->low && value.number <= f->high;
}

/* Searches "key:text". */
static int find_pair(struct regex *regex, const struct model *m, const struct model_label *label)
{
	size_t key_len = strtab_len(m->strings, label->key);
	size_t len = strtab_len(m->strings, label->str);
	char *pair = malloc(key_len + 1 + len);
	int found = -ENOMEM;

	if (pair) {
		memcpy(pair, model_string(m, label->key), key_len);
		pair[key_len] = ':';
		memcpy(pair + key_len + 1, model_string(m, label->str), len);
		found = regex_find(regex, pair, key_len + 1 + len);
	}
	free(pair);
	return found;
}

static int find_text(struct regex *regex, const struct model *m, const struct model_label *label)
{
	return regex_find(regex, model_string(m, label->str), strtab_len(m->strings, label->str));
}

/* Is the expression found in some text? */
static int match_regex(const struct tag_filter *f, struct regex *regex, const struct model *m,
		       const struct model_label *labels, uint32_t nr)
{
	int found = 0;

	for (uint32_t i = 0; i < nr && !found; i++)
		if (!labels[i].is_number && has_key(f, m, &labels[i]))
			found = f->key ? find_text(regex, m, &labels[i])
				       : find_pair(regex, m, &labels[i]);
	return found;
}

/* With a key one expression is enough; else all must be found. */
static int match_regexes(const struct tag_filter *f, const struct model *m,
			 const struct model_label *labels, uint32_t nr)
{
	int found = 0;

	for (size_t i = 0; i < f->regexes.nr; i++) {
		found = match_regex(f, f->regexes.items[i], m, labels, nr);
		if (found < 0 || found == !!f->key)
			break;
	}
	return found;
}

int tag_filter_match(struct tag_filter *f, const struct model *m, const struct label_units *units,
		     uint32_t label_set)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(m, label_set, &nr);

	if (!f->is_range)
		return match_regexes(f, m, labels, nr);
	for (uint32_t i = 0; i < nr; i++)
		if (labels[i].is_number && has_key(f, m, &labels[i]) &&
		    is_in_range(f, m, units, &labels[i]))
			return 1;
	return 0;
}
