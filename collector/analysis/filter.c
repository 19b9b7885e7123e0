// SPDX-License-Identifier: GPL-2.0
#include "analysis/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/label_filter.h"
#include "analysis/label_units.h"
#include "analysis/matcher.h"
#include "analysis/name_filter.h"
#include "analysis/prune.h"
#include "analysis/regex.h"
#include "analysis/tag_filter.h"
#include "analysis/tag_frames.h"
#include "analysis/unit.h"
#include "pprof/model.h"

/* What the expression of a filter is. */
enum syntax { SYNTAX_REGEX, SYNTAX_TAG, SYNTAX_KEYS };

static const struct {
	const char *name;
	enum syntax syntax;
} kinds[FILTER_NR_KINDS] = {
	[FILTER_FOCUS] = { "focus", SYNTAX_REGEX },
	[FILTER_IGNORE] = { "ignore", SYNTAX_REGEX },
	[FILTER_HIDE] = { "hide", SYNTAX_REGEX },
	[FILTER_SHOW] = { "show", SYNTAX_REGEX },
	[FILTER_SHOW_FROM] = { "show_from", SYNTAX_REGEX },
	[FILTER_TAGFOCUS] = { "tagfocus", SYNTAX_TAG },
	[FILTER_TAGIGNORE] = { "tagignore", SYNTAX_TAG },
	[FILTER_TAGSHOW] = { "tagshow", SYNTAX_REGEX },
	[FILTER_TAGHIDE] = { "taghide", SYNTAX_REGEX },
	[FILTER_PRUNE_FROM] = { "prune_from", SYNTAX_REGEX },
	[FILTER_TAGROOT] = { "tagroot", SYNTAX_KEYS },
	[FILTER_TAGLEAF] = { "tagleaf", SYNTAX_KEYS },
};

/* By kind. At most one of the three is set. */
struct filter {
	struct regex *regexes[FILTER_NR_KINDS];
	struct tag_filter *tags[FILTER_NR_KINDS];
	char *keys[FILTER_NR_KINDS];
	char *unit;
	bool all_frames;
};

/* A filter at work on a model. */
struct application {
	struct filter *filter;
	struct model *model;
	struct matcher matchers[FILTER_NR_KINDS];
	struct label_units units;
	struct filter_result *result;
	struct profile_fault *fault;
};

const char *filter_name(enum filter_kind kind)
{
	return kinds[kind].name;
}

static int set_keys(struct filter *f, enum filter_kind kind, const char *s,
		    struct profile_fault *fault)
{
	f->keys[kind] = strdup(s);
	return f->keys[kind] ? 0 : profile_fault_errno(fault, -ENOMEM);
}

static int compile(struct filter *f, enum filter_kind kind, const char *s,
		   struct profile_fault *fault)
{
	switch (kinds[kind].syntax) {
	case SYNTAX_REGEX:
		return regex_new(&f->regexes[kind], s, strlen(s), fault);
	case SYNTAX_TAG:
		return tag_filter_new(&f->tags[kind], s, fault);
	case SYNTAX_KEYS:
		return set_keys(f, kind, s, fault);
	}
	return 0;
}

/* Puts the name of the filter before the text of the fault. Returns: err. */
static int name_fault(struct profile_fault *fault, enum filter_kind kind, int err)
{
	struct profile_fault own = *fault;

	profile_fault_set(fault, own.offset, "%s: %s", kinds[kind].name, own.text);
	return err;
}

static int compile_all(struct filter *f, const struct filter_settings *settings,
		       struct profile_fault *fault)
{
	int err = 0;

	f->all_frames = settings->all_frames;
	f->unit = strdup(settings->unit ? settings->unit : UNIT_MINIMUM);
	if (!f->unit)
		return profile_fault_errno(fault, -ENOMEM);
	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS; kind++) {
		const char *s = settings->expressions[kind];

		if (s && *s)
			err = compile(f, kind, s, fault);
		if (err)
			return name_fault(fault, kind, err);
	}
	return 0;
}

int filter_new(struct filter **filter, const struct filter_settings *settings,
	       struct profile_fault *fault)
{
	struct filter *f = calloc(1, sizeof(*f));
	int err;

	*filter = NULL;
	if (!f)
		return profile_fault_errno(fault, -ENOMEM);
	err = compile_all(f, settings, fault);
	if (err) {
		filter_free(f);
		return err;
	}
	*filter = f;
	return 0;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS; kind++) {
		regex_free(f->regexes[kind]);
		tag_filter_free(f->tags[kind]);
		free(f->keys[kind]);
	}
	free(f->unit);
	free(f);
}

uint32_t filter_ranges(const struct filter *f)
{
	uint32_t ranges = 0;

	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS; kind++)
		if (f->tags[kind] && tag_filter_is_range(f->tags[kind]))
			ranges |= 1U << kind;
	return ranges;
}

static bool is_set(const struct filter *f, enum filter_kind kind)
{
	return f->regexes[kind] || f->tags[kind] || f->keys[kind];
}

static void note(struct application *a, enum filter_kind kind, bool found)
{
	if (is_set(a->filter, kind) && !found)
		a->result->unmatched |= 1U << kind;
}

static int fail_search(struct application *a, const char *name)
{
	profile_fault_set(a->fault, PROFILE_FAULT_NO_OFFSET,
			  "%s: the regular expression takes too long: use a simpler one, without repetitions inside each other",
			  name);
	return -ETIME;
}

/* Returns: err, or -ETIME if one of the matchers failed, with the fault. */
static int check(struct application *a, int err)
{
	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS; kind++) {
		if (a->matchers[kind].err == -ETIME)
			return fail_search(a, kinds[kind].name);
		if (a->matchers[kind].err)
			err = a->matchers[kind].err;
	}
	return err ? profile_fault_errno(a->fault, err) : 0;
}

static int drop_frames(struct application *a)
{
	int err = 0;

	if (!a->filter->all_frames)
		err = prune_uninteresting(a->model, &a->result->frames_fault);
	if (err == -ETIME)
		return fail_search(a, "drop_frames");
	if (err == -EBADMSG)
		return 0;
	a->result->frames_fault.text[0] = '\0';
	return err ? profile_fault_errno(a->fault, err) : 0;
}

static int add_tag_frames(struct application *a)
{
	struct tag_frames_keys keys = { .root = a->filter->keys[FILTER_TAGROOT],
					.leaf = a->filter->keys[FILTER_TAGLEAF] };
	struct tag_frames_found found;
	int err = tag_frames_add(a->model, &keys, a->filter->unit, &found);

	note(a, FILTER_TAGROOT, found.root);
	note(a, FILTER_TAGLEAF, found.leaf);
	return err ? profile_fault_errno(a->fault, err) : 0;
}

/* The strings of the model are complete now. */
static int init_matchers(struct application *a)
{
	int err = 0;

	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS && !err; kind++)
		if (a->filter->regexes[kind])
			err = matcher_init(&a->matchers[kind], a->filter->regexes[kind], a->model,
					   kind == FILTER_PRUNE_FROM ? MATCHER_SIMPLIFIED
								     : MATCHER_ALL);
	return err ? profile_fault_errno(a->fault, err) : 0;
}

/* Returns NULL if the filter is not set. */
static struct matcher *matcher_of(struct application *a, enum filter_kind kind)
{
	return a->filter->regexes[kind] ? &a->matchers[kind] : NULL;
}

static int filter_names(struct application *a)
{
	struct name_filters filters = { .focus = matcher_of(a, FILTER_FOCUS),
					.ignore = matcher_of(a, FILTER_IGNORE),
					.hide = matcher_of(a, FILTER_HIDE),
					.show = matcher_of(a, FILTER_SHOW) };
	struct matcher *show_from = matcher_of(a, FILTER_SHOW_FROM);
	struct name_filters_found found;
	bool found_from = false;
	int err = name_filter_apply(a->model, &filters, &found);

	note(a, FILTER_FOCUS, found.focus);
	note(a, FILTER_IGNORE, found.ignore);
	note(a, FILTER_HIDE, found.hide);
	note(a, FILTER_SHOW, found.show);
	if (!err && show_from)
		err = name_filter_show_from(a->model, show_from, &found_from);
	note(a, FILTER_SHOW_FROM, found_from);
	return check(a, err);
}

static int filter_by_labels(struct application *a)
{
	struct tag_filter *focus = a->filter->tags[FILTER_TAGFOCUS];
	struct tag_filter *ignore = a->filter->tags[FILTER_TAGIGNORE];
	const struct tag_filter *failed;
	struct label_filter_found found;
	int err;

	if (!focus && !ignore)
		return 0;
	err = label_filter_samples(a->model, focus, ignore, &a->units, &found, &failed);
	if (err == -ETIME)
		return fail_search(a, failed == focus ? "tagfocus" : "tagignore");
	note(a, FILTER_TAGFOCUS, found.keep);
	note(a, FILTER_TAGIGNORE, found.drop);
	return err ? profile_fault_errno(a->fault, err) : 0;
}

static int filter_labels(struct application *a)
{
	struct matcher *show = matcher_of(a, FILTER_TAGSHOW);
	struct matcher *hide = matcher_of(a, FILTER_TAGHIDE);
	struct label_filter_found found;
	int err;

	if (!show && !hide)
		return 0;
	err = label_filter_keys(a->model, show, hide, &found);
	note(a, FILTER_TAGSHOW, found.keep);
	note(a, FILTER_TAGHIDE, found.drop);
	return check(a, err);
}

static int prune_stacks(struct application *a)
{
	struct matcher *from = matcher_of(a, FILTER_PRUNE_FROM);
	bool found;
	int err;

	if (!from)
		return 0;
	err = prune_from(a->model, from, &found);
	note(a, FILTER_PRUNE_FROM, found);
	return check(a, err);
}

static int init_units(struct application *a)
{
	int err = label_units_init(&a->units, a->model);

	return err ? profile_fault_errno(a->fault, err) : 0;
}

int filter_apply(struct filter *f, struct model *m, struct filter_result *result,
		 struct profile_fault *fault)
{
	static int (*const steps[])(struct application *a) = {
		drop_frames, init_units, add_tag_frames, init_matchers, filter_names,
		filter_by_labels, filter_labels, prune_stacks,
	};
	struct application a = { .filter = f, .model = m, .result = result, .fault = fault };
	int err = 0;

	*result = (struct filter_result){};
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps) && !err; i++)
		err = steps[i](&a);
	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS; kind++)
		matcher_fini(&a.matchers[kind]);
	label_units_fini(&a.units);
	return err;
}
