// SPDX-License-Identifier: GPL-2.0
#include "analysis/name_filter.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/matcher.h"
#include "analysis/stack_edit.h"
#include "pprof/model.h"

/* The states of a location. */
#define FOCUSED		1
#define IGNORED		2
#define HIDDEN		4

static uint8_t focus_state(const struct name_filters *filters,
			   const struct model_location *location, struct name_filters_found *found)
{
	if (filters->ignore && matcher_finds_location(filters->ignore, location)) {
		found->ignore = true;
		return IGNORED;
	}
	if (filters->focus && !matcher_finds_location(filters->focus, location))
		return 0;
	found->focus = true;
	return FOCUSED;
}

/* Keeps the lines for which the matcher returns is_kept. */
static void keep_lines(struct model *m, struct model_location *location, struct matcher *x,
		       bool is_kept)
{
	struct model_line *lines = model_lines(m, location);
	uint32_t nr = 0;

	for (uint32_t i = 0; i < location->nr_lines; i++)
		if (matcher_finds_line(x, &lines[i]) == is_kept)
			lines[nr++] = lines[i];
	location->nr_lines = nr;
}

static uint8_t hide(struct model *m, struct model_location *location, struct matcher *x,
		    struct name_filters_found *found)
{
	if (!matcher_finds_location(x, location))
		return 0;
	found->hide = true;
	if (matcher_finds_mapping(x, location))
		location->nr_lines = 0;
	keep_lines(m, location, x, false);
	return location->nr_lines ? 0 : HIDDEN;
}

static uint8_t show(struct model *m, struct model_location *location, struct matcher *x,
		    struct name_filters_found *found)
{
	if (!matcher_finds_mapping(x, location))
		keep_lines(m, location, x, true);
	if (!location->nr_lines)
		return HIDDEN;
	found->show = true;
	return 0;
}

/* hide and show come last: the other two see all lines. */
static uint8_t filter_location(struct model *m, struct model_location *location,
			       const struct name_filters *filters, struct name_filters_found *found)
{
	uint8_t state = focus_state(filters, location, found);

	if (filters->hide)
		state |= hide(m, location, filters->hide, found);
	if (filters->show)
		state |= show(m, location, filters->show, found);
	return state;
}

/* ctx: the states of the locations. */
static bool edit_by_states(struct stack_edit_span *stack, void *ctx)
{
	const uint8_t *states = ctx;
	uint32_t nr_shown = 0;
	uint8_t all = 0;

	for (uint32_t i = 0; i < stack->nr; i++) {
		uint32_t location = stack->locations[i];

		all |= states[location];
		if (!(states[location] & HIDDEN))
			stack->locations[nr_shown++] = location;
	}
	stack->nr = nr_shown;
	return (all & FOCUSED) && !(all & IGNORED) && nr_shown;
}

int name_filter_apply(struct model *m, const struct name_filters *filters,
		      struct name_filters_found *found)
{
	uint8_t *states;
	int err;

	*found = (struct name_filters_found){};
	if (!filters->focus && !filters->ignore && !filters->hide && !filters->show)
		return 0;
	states = malloc(m->locations.nr + 1);
	if (!states)
		return -ENOMEM;
	for (size_t i = 0; i < m->locations.nr; i++)
		states[i] = filter_location(m, &m->locations.items[i], filters, found);
	err = stack_edit(m, edit_by_states, states);
	free(states);
	return err;
}

/* Removes the lines after the last match. Returns: whether there is a match. */
static bool cut_location(const struct model *m, struct model_location *location, struct matcher *x)
{
	const struct model_line *lines = model_lines(m, location);

	if (matcher_finds_mapping(x, location))
		return true;
	for (uint32_t nr = location->nr_lines; nr; nr--) {
		if (matcher_finds_line(x, &lines[nr - 1])) {
			location->nr_lines = nr;
			return true;
		}
	}
	return false;
}

/* ctx: by location, whether it matches. */
static bool cut_stack(struct stack_edit_span *stack, void *ctx)
{
	const bool *matches = ctx;

	while (stack->nr && !matches[stack->locations[stack->nr - 1]])
		stack->nr--;
	return stack->nr;
}

int name_filter_show_from(struct model *m, struct matcher *show_from, bool *found)
{
	bool *matches = malloc(m->locations.nr + 1);
	int err;

	*found = false;
	if (!matches)
		return -ENOMEM;
	for (size_t i = 0; i < m->locations.nr; i++) {
		matches[i] = cut_location(m, &m->locations.items[i], show_from);
		*found |= matches[i];
	}
	err = stack_edit(m, cut_stack, matches);
	free(matches);
	return err;
}
