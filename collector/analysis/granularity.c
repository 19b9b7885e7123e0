// SPDX-License-Identifier: GPL-2.0
#include "analysis/granularity.h"

#include "pprof/model.h"

/* The parts of a frame that stay. */
struct kept_parts {
	bool name;
	bool file;
	bool line;
	bool column;
	bool address;
	bool inlined;
};

static struct kept_parts kept_parts(const struct granularity_settings *s)
{
	enum granularity g = s->level;

	return (struct kept_parts){
		.name = g != GRANULARITY_FILES,
		.file = g != GRANULARITY_FUNCTIONS,
		.line = g >= GRANULARITY_LINES,
		.column = g >= GRANULARITY_LINES && s->has_columns,
		.address = g == GRANULARITY_ADDRESSES,
		.inlined = !s->omits_inlined,
	};
}

static void clear_function(struct model_function *f, const struct kept_parts *kept)
{
	if (!kept->name) {
		f->name = 0;
		f->system_name = 0;
	}
	if (!kept->file)
		f->file = 0;
}

static void clear_location(struct model *m, struct model_location *l, const struct kept_parts *kept)
{
	struct model_line *lines;

	if (!kept->inlined && l->nr_lines > 1) {
		l->first_line += l->nr_lines - 1;
		l->nr_lines = 1;
	}
	lines = model_lines(m, l);
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		if (!kept->line)
			lines[i].line = 0;
		if (!kept->column)
			lines[i].column = 0;
	}
	if (!kept->address)
		l->address = 0;
}

static uint32_t lost_flags(const struct kept_parts *kept)
{
	return (kept->name ? 0 : PROFILE_HAS_FUNCTIONS) | (kept->file ? 0 : PROFILE_HAS_FILENAMES) |
	       (kept->line ? 0 : PROFILE_HAS_LINE_NUMBERS) |
	       (kept->inlined ? 0 : PROFILE_HAS_INLINE_FRAMES);
}

void granularity_apply(struct model *m, const struct granularity_settings *s)
{
	struct kept_parts kept = kept_parts(s);

	/* As in Go's pprof: nothing is taken out of addresses, their columns included. */
	if (kept.address && kept.inlined)
		return;
	for (size_t i = 0; i < m->mappings.nr; i++)
		m->mappings.items[i].flags &= ~lost_flags(&kept);
	for (size_t i = 0; i < m->functions.nr; i++)
		clear_function(&m->functions.items[i], &kept);
	for (size_t i = 0; i < m->locations.nr; i++)
		clear_location(m, &m->locations.items[i], &kept);
}
