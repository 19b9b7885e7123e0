// SPDX-License-Identifier: GPL-2.0
#include "analysis/prune.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/matcher.h"
#include "analysis/regex.h"
#include "analysis/stack_edit.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

/* What a stack loses at a location. */
enum cut {
	CUT_NOTHING,
	CUT_BENEATH,		/* all towards the leaf */
	CUT_LOCATION,		/* the same, and the location */
};

struct pruner {
	struct regex *drop;
	struct regex *keep;	/* NULL if there is none */
	struct matcher drop_names;
	struct matcher keep_names;
};

/* A function without a name is never searched. */
static bool finds_name(const struct model *m, struct matcher *x, const struct model_line *line)
{
	uint32_t name = m->functions.items[line->function].name;

	return name && matcher_finds(x, name);
}

static bool is_dropped(const struct model *m, struct pruner *p, const struct model_line *line)
{
	return finds_name(m, &p->drop_names, line) &&
	       !(p->keep && finds_name(m, &p->keep_names, line));
}

/* Removes the lines up to the outermost one that is dropped. */
static enum cut cut_location(const struct model *m, struct pruner *p,
			     struct model_location *location)
{
	const struct model_line *lines = model_lines(m, location);
	uint32_t nr = location->nr_lines;

	while (nr && !is_dropped(m, p, &lines[nr - 1]))
		nr--;
	if (!nr)
		return CUT_NOTHING;
	if (nr == location->nr_lines)
		return CUT_LOCATION;
	location->first_line += nr;
	location->nr_lines -= nr;
	return CUT_BENEATH;
}

/* ctx: the cuts by location. */
static bool cut_from_root(struct stack_edit_span *stack, void *ctx)
{
	const uint8_t *cuts = ctx;
	bool has_other = false;

	for (uint32_t i = stack->nr; i--;) {
		uint8_t cut = cuts[stack->locations[i]];

		if (cut != CUT_NOTHING && has_other) {
			i += cut == CUT_LOCATION;
			stack->locations += i;
			stack->nr -= i;
			break;
		}
		has_other |= cut == CUT_NOTHING;
	}
	return true;
}

static int prune(struct model *m, struct pruner *p)
{
	uint8_t *cuts = malloc(m->locations.nr + 1);
	int err = -ENOMEM;

	if (cuts) {
		for (size_t i = 0; i < m->locations.nr; i++)
			cuts[i] = cut_location(m, p, &m->locations.items[i]);
		err = stack_edit(m, cut_from_root, cuts);
	}
	free(cuts);
	if (p->drop_names.err)
		return p->drop_names.err;
	return p->keep_names.err ? p->keep_names.err : err;
}

/* Compiles an expression of the profile that must match a whole name. */
static int compile(const struct model *m, uint32_t string, struct regex **regex,
		   struct profile_fault *fault)
{
	char *s = NULL;
	size_t len;
	FILE *text = open_memstream(&s, &len);
	int err;

	if (!text)
		return -ENOMEM;
	fputs("^(", text);
	fwrite(model_string(m, string), 1, strtab_len(m->strings, string), text);
	fputs(")$", text);
	err = fclose(text) ? -ENOMEM : regex_new(regex, s, len, fault);
	free(s);
	return err;
}

static int set_up(struct model *m, struct pruner *p, struct profile_fault *fault)
{
	int err = compile(m, m->drop_frames, &p->drop, fault);

	if (!err && m->keep_frames)
		err = compile(m, m->keep_frames, &p->keep, fault);
	if (!err)
		err = matcher_init(&p->drop_names, p->drop, m, MATCHER_SIMPLIFIED);
	if (!err && p->keep)
		err = matcher_init(&p->keep_names, p->keep, m, MATCHER_SIMPLIFIED);
	return err;
}

int prune_uninteresting(struct model *m, struct profile_fault *fault)
{
	struct pruner p = {};
	int err;

	if (!m->drop_frames)
		return 0;
	err = set_up(m, &p, fault);
	if (!err)
		err = prune(m, &p);
	matcher_fini(&p.drop_names);
	matcher_fini(&p.keep_names);
	regex_free(p.drop);
	regex_free(p.keep);
	return err;
}

/* Removes the lines before the first match. Returns: whether there is one. */
static bool cut_lines(const struct model *m, struct model_location *location, struct matcher *x)
{
	const struct model_line *lines = model_lines(m, location);

	for (uint32_t i = 0; i < location->nr_lines; i++) {
		if (finds_name(m, x, &lines[i])) {
			location->first_line += i;
			location->nr_lines -= i;
			return true;
		}
	}
	return false;
}

/* ctx: by location, whether it matches. */
static bool cut_from_leaf(struct stack_edit_span *stack, void *ctx)
{
	const bool *matches = ctx;

	for (uint32_t i = 0; i < stack->nr; i++) {
		if (matches[stack->locations[i]]) {
			stack->locations += i;
			stack->nr -= i;
			break;
		}
	}
	return true;
}

int prune_from(struct model *m, struct matcher *x, bool *found)
{
	bool *matches = malloc(m->locations.nr + 1);
	int err;

	*found = false;
	if (!matches)
		return -ENOMEM;
	for (size_t i = 0; i < m->locations.nr; i++) {
		matches[i] = cut_lines(m, &m->locations.items[i], x);
		*found |= matches[i];
	}
	err = stack_edit(m, cut_from_leaf, matches);
	free(matches);
	return err;
}
