// SPDX-License-Identifier: GPL-2.0
#include "cli/file_filters.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/file_settings.h"
#include "cli/read_profiles.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

/* Returns the last filter that matched nothing; FILTER_NR_KINDS if all of them matched. */
static enum filter_kind find_unmatched(uint32_t unmatched)
{
	for (enum filter_kind kind = FILTER_NR_KINDS; kind-- > 0;)
		if (unmatched & 1U << kind)
			return kind;
	return FILTER_NR_KINDS;
}

/* pprof reads "1235" as a range of numbers, although it may be the name of a thread. */
static const char *hint(const struct file_settings *s, enum filter_kind kind)
{
	return filter_ranges(s->filter) & 1U << kind ?
	       "it is a range of numbers: for a text put it between ^ and $" :
	       "use another expression";
}

static int print_empty(const struct file_settings *s, enum filter_kind unmatched)
{
	char text[160];

	if (unmatched == FILTER_NR_KINDS)
		return read_profiles_print_error(s->files.items[0],
						 "the filters leave no samples: use fewer",
						 -ENODATA);
	snprintf(text, sizeof(text), "--%s matches nothing: %s", filter_name(unmatched),
		 hint(s, unmatched));
	return read_profiles_print_error(s->files.items[0], text, -ENODATA);
}

static void warn_unmatched(const struct file_settings *s, uint32_t unmatched)
{
	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS; kind++)
		if (unmatched & 1U << kind)
			warnx("--%s matches nothing: %s", filter_name(kind), hint(s, kind));
}

int file_filters_apply(const struct file_settings *s, struct model *m)
{
	bool had_samples = m->samples.nr;
	struct filter_result result;
	struct profile_fault fault;
	int err = filter_apply(s->filter, m, &result, &fault);

	if (err)
		return read_profiles_print_fault(s->files.items[0], &fault, err);
	if (*result.frames_fault.text)
		read_profiles_print_fault(s->files.items[0], &result.frames_fault, 0);
	if (had_samples && !m->samples.nr)
		return print_empty(s, find_unmatched(result.unmatched));
	warn_unmatched(s, result.unmatched);
	return 0;
}

int file_filters_texts(const struct file_settings *s, char **texts, size_t *nr)
{
	*nr = 0;
	for (enum filter_kind kind = 0; kind < FILE_FILTERS_MAX_TEXTS; kind++) {
		const char *expression = s->filters.expressions[kind];

		if (!expression || !*expression)
			continue;
		if (asprintf(&texts[*nr], "%s=%s", filter_name(kind), expression) < 0)
			return -ENOMEM;
		++*nr;
	}
	return 0;
}
