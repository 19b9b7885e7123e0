// SPDX-License-Identifier: GPL-2.0
#include "analysis/matcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/regex.h"
#include "pprof/model.h"

enum found { NOT_SEARCHED, NOT_FOUND, FOUND };

int matcher_init(struct matcher *x, struct regex *regex, const struct model *m,
		 enum matcher_text text)
{
	*x = (struct matcher){ .regex = regex, .model = m, .text = text };
	x->found = calloc(strtab_nr(m->strings), sizeof(*x->found));
	return x->found ? 0 : -ENOMEM;
}

void matcher_fini(struct matcher *x)
{
	free(x->found);
}

static bool starts_with(const char *s, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(s, prefix, strlen(prefix));
}

/* Returns the length of a name at s that has parentheses itself, or 0. */
static size_t reserved_len(const char *s, size_t len)
{
	static const char * const reserved[] = { "(anonymous namespace)", "operator()" };

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (starts_with(s, len, reserved[i]))
			return strlen(reserved[i]);
	return 0;
}

static size_t len_without_parameters(const char *s, size_t len)
{
	size_t at = 0, reserved;

	while (at < len) {
		reserved = reserved_len(s + at, len - at);
		if (!reserved && s[at] == '(')
			break;
		at += reserved ? reserved : 1;
	}
	return at;
}

static int search(struct matcher *x, uint32_t string)
{
	const char *s = model_string(x->model, string);
	size_t len = strtab_len(x->model->strings, string);

	if (x->text == MATCHER_SIMPLIFIED) {
		if (len && *s == '.') {	/* of the ABI of 64-bit PowerPC */
			s++;
			len--;
		}
		len = len_without_parameters(s, len);
	}
	return regex_find(x->regex, s, len);
}

bool matcher_finds(struct matcher *x, uint32_t string)
{
	int found;

	if (x->found[string] == NOT_SEARCHED && !x->err) {
		found = search(x, string);
		if (found < 0)
			x->err = found;
		x->found[string] = found > 0 ? FOUND : NOT_FOUND;
	}
	return x->found[string] == FOUND;
}

bool matcher_finds_line(struct matcher *x, const struct model_line *line)
{
	const struct model_function *function = &x->model->functions.items[line->function];

	return matcher_finds(x, function->name) || matcher_finds(x, function->file);
}

bool matcher_finds_mapping(struct matcher *x, const struct model_location *location)
{
	return location->mapping != MODEL_NONE &&
	       matcher_finds(x, x->model->mappings.items[location->mapping].file);
}

bool matcher_finds_location(struct matcher *x, const struct model_location *location)
{
	const struct model_line *lines = model_lines(x->model, location);

	for (uint32_t i = 0; i < location->nr_lines; i++)
		if (matcher_finds_line(x, &lines[i]))
			return true;
	return matcher_finds_mapping(x, location);
}
