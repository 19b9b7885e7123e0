// SPDX-License-Identifier: GPL-2.0
#include "formats/address_profile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/frame_patterns.h"
#include "formats/line_reader.h"
#include "formats/text_cursor.h"

/* Sets the fault if err is not 0. Returns: err. */
static int set_fault(struct address_profile *p, int err)
{
	return err ? line_reader_errno(p->lines, err) : 0;
}

int address_profile_init(struct address_profile *p, struct model *m, struct line_reader *lines)
{
	int err;

	*p = (struct address_profile){ .m = m, .lines = lines, .map.m = m };
	err = span_set_init(&p->addresses, sizeof(uint64_t));
	if (!err)
		err = go_comments_init(&p->comments, m);
	return set_fault(p, err);
}

void address_profile_fini(struct address_profile *p)
{
	memory_map_fini(&p->map);
	go_comments_fini(&p->comments);
	span_set_fini(&p->addresses);
	free(p->stack.items);
	*p = (struct address_profile){ 0 };
}

static int make_type(struct model *m, const char *name, const char *unit,
		     struct model_value_type *type)
{
	int64_t name_id = model_add_string(m, name, strlen(name));
	int64_t unit_id = model_add_string(m, unit, strlen(unit));

	type->type = name_id;
	type->unit = unit_id;
	return name_id < 0 || unit_id < 0 ? -ENOMEM : 0;
}

int address_profile_add_type(struct address_profile *p, const char *type, const char *unit)
{
	struct model_value_type t;
	int err = make_type(p->m, type, unit, &t);

	return set_fault(p, err ? err : model_add_sample_type(p->m, &t));
}

int address_profile_set_period(struct address_profile *p, const char *type, const char *unit,
			       int64_t period)
{
	p->m->period = period;
	return set_fault(p, make_type(p->m, type, unit, &p->m->period_type));
}

int64_t address_profile_find(struct address_profile *p, uint64_t address)
{
	int64_t id = span_set_add(&p->addresses, &address, 1);

	return id < 0 ? set_fault(p, id) : id - 1;
}

int address_profile_push(struct address_profile *p, uint64_t address)
{
	const struct model_location location = { .address = address, .mapping = MODEL_NONE };
	int64_t id = address_profile_find(p, address);
	uint32_t index = id;

	if (id < 0)
		return id;
	if (index == p->m->locations.nr) {
		id = model_add_location(p->m, &location, NULL, 0);
		if (id < 0)
			return set_fault(p, id);
	}
	return set_fault(p, ARRAY_APPEND(p->stack, &index, 1));
}

int address_profile_push_all(struct address_profile *p, struct text_cursor addresses,
			     uint64_t back)
{
	uint64_t address;
	int err = 0;

	text_trim(&addresses);
	while (!err && addresses.at < addresses.end) {
		if (!text_take_address(&addresses, &address) ||
		    (addresses.at < addresses.end && !text_skip_blanks(&addresses)))
			return line_reader_fault(p->lines, "hexadecimal addresses");
		err = address_profile_push(p, address - back);
	}
	return err ? err : line_reader_check_end(p->lines);
}

/* Returns the set of the label "bytes", or a negative errno. */
static int64_t add_bytes_label(struct model *m, int64_t bytes)
{
	int64_t key = model_add_string(m, "bytes", 5);
	const struct model_label label = { .key = key, .num = bytes, .is_number = 1 };

	return key < 0 ? key : model_add_label_set(m, &label, 1);
}

int address_profile_add_sample(struct address_profile *p, const int64_t *values, int64_t bytes)
{
	int err = go_comments_end_sample(&p->comments);
	int64_t stack = err ? err : model_add_stack(p->m, p->stack.items, p->stack.nr);
	int64_t set = stack < 0 || !bytes ? 0 : add_bytes_label(p->m, bytes);

	p->stack.nr = 0;
	if (stack < 0 || set < 0)
		return set_fault(p, stack < 0 ? stack : set);
	err = model_add_sample(p->m, &(struct model_sample){ stack, set }, values);
	return set_fault(p, err);
}

int address_profile_set_function(struct address_profile *p, struct model_location *location,
				 const struct text_cursor *name, const struct text_cursor *file,
				 int64_t line)
{
	int64_t id = function_set_add(&p->comments.functions, name, file);
	const struct model_line l = { .function = id, .line = line };

	if (id < 0)
		return set_fault(p, id);
	location->first_line = p->m->lines.nr;
	location->nr_lines = 1;
	return set_fault(p, ARRAY_APPEND(p->m->lines, &l, 1));
}

int address_profile_take_comment(struct address_profile *p)
{
	return set_fault(p, go_comments_take(&p->comments, p->lines->line));
}

#define ALL_FLAGS	(PROFILE_HAS_FUNCTIONS | PROFILE_HAS_FILENAMES | PROFILE_HAS_LINE_NUMBERS)

/* Returns what is known of a location. */
static uint32_t location_flags(const struct model *m, const struct model_location *l)
{
	if (!l->nr_lines)
		return 0;
	return model_lines(m, l)->line ? ALL_FLAGS : PROFILE_HAS_FUNCTIONS;
}

/* Adds a location to what is known of its mapping. */
static void add_flags(struct model *m, uint32_t location, uint8_t *has_flags)
{
	const struct model_location *l = &m->locations.items[location];
	struct model_mapping *mapping;

	if (l->mapping == MODEL_NONE)
		return;
	mapping = &m->mappings.items[l->mapping];
	if (!has_flags[l->mapping])
		mapping->flags = ALL_FLAGS;
	mapping->flags &= location_flags(m, l);
	has_flags[l->mapping] = 1;
}

/*
 * Sets the flags of mappings by the locations of samples. If a flag is not set, pprof looks for
 * the names of this mapping itself.
 */
static int set_mapping_flags(struct model *m)
{
	uint8_t *has_flags = calloc(m->mappings.nr + 1, 1);
	const uint32_t *stack;
	uint32_t nr;

	if (!has_flags)
		return -ENOMEM;
	for (size_t i = 0; i < m->samples.nr; i++) {
		stack = model_stack(m, m->samples.items[i].stack, &nr);
		for (uint32_t n = 0; n < nr; n++)
			add_flags(m, stack[n], has_flags);
	}
	free(has_flags);
	return 0;
}

int address_profile_read_map(struct address_profile *p)
{
	return memory_map_read(&p->map, p->lines, false);
}

int address_profile_finish(struct address_profile *p)
{
	int err = go_comments_end_sample(&p->comments);

	if (!err)
		err = memory_map_attach(&p->map);
	if (!err)
		err = frame_patterns_set(p->m);
	if (!err)
		err = set_mapping_flags(p->m);
	return set_fault(p, err);
}

int address_profile_end(struct address_profile *p, int err)
{
	if (!err)
		err = address_profile_read_map(p);
	if (!err)
		err = address_profile_finish(p);
	address_profile_fini(p);
	return err;
}
