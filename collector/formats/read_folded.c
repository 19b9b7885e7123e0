// SPDX-License-Identifier: GPL-2.0
#include "formats/read_folded.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/function_set.h"
#include "formats/line_reader.h"
#include "pprof/model.h"

struct folded {
	struct line_reader *lines;
	struct model *m;
	/* The location of each function has the function's index. */
	struct function_set functions;
	/* A span of one item, the number of the stack, for each stack. Span n is sample n - 1. */
	struct span_set samples;
	/* The locations of the current line, root first. */
	MODEL_ARRAY(uint32_t, stack);
};

/* Splits "STACK COUNT". */
static bool parse_line(struct text_cursor line, struct text_cursor *stack, int64_t *count)
{
	struct text_cursor digits;

	while (line.end > line.at && text_is_blank(line.end[-1]))
		line.end--;
	*stack = line;
	digits = text_cut_digits(stack);
	if (!text_left(stack) || !text_is_blank(stack->end[-1]))
		return false;
	while (stack->end > stack->at && text_is_blank(stack->end[-1]))
		stack->end--;
	return text_take_number(&digits, count);
}

bool read_folded_claims(struct text_cursor head)
{
	struct text_cursor stack;
	int64_t count;

	return parse_line(text_first_line(head), &stack, &count);
}

static int push_frame(struct folded *f, const struct text_cursor *name)
{
	const struct text_cursor no_file = { name->end, name->end };
	const struct model_location location = { .mapping = MODEL_NONE };
	int64_t id = function_set_add(&f->functions, name, &no_file);
	const struct model_line line = { .function = id };
	uint32_t index = id;

	if (id >= 0 && index == f->m->locations.nr)
		id = model_add_location(f->m, &location, &line, 1);
	if (id < 0)
		return id;
	return ARRAY_APPEND(f->stack, &index, 1);
}

static int push_frames(struct folded *f, struct text_cursor stack)
{
	struct text_cursor name;
	const char *end;
	int err = 0;

	f->stack.nr = 0;
	while (!err && stack.at < stack.end) {
		end = memchr(stack.at, ';', text_left(&stack));
		name = (struct text_cursor){ stack.at, end ? end : stack.end };
		err = push_frame(f, &name);
		stack.at = end ? end + 1 : stack.end;
	}
	return err;
}

static void reverse(uint32_t *items, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t item = items[i];

		items[i] = items[nr - 1 - i];
		items[nr - 1 - i] = item;
	}
}

/* Adds to the sample of a stack. Returns: 0, -ERANGE beyond 63 bits, or another negative errno. */
static int add_sample(struct folded *f, uint32_t stack, int64_t count)
{
	const struct model_sample sample = { .stack = stack };
	int64_t id = span_set_add(&f->samples, &stack, 1), *sum;

	if (id < 0)
		return id;
	if ((size_t)id > f->m->samples.nr)
		return model_add_sample(f->m, &sample, &count);
	sum = model_values(f->m, id - 1);
	return __builtin_add_overflow(*sum, count, sum) ? -ERANGE : 0;
}

static int take_line(struct folded *f)
{
	struct text_cursor stack;
	int64_t count, id;
	int err;

	if (!parse_line(f->lines->line, &stack, &count))
		return line_reader_fault(f->lines, "'FRAME;FRAME COUNT' with a whole number");
	err = push_frames(f, stack);
	if (err)
		return line_reader_errno(f->lines, err);
	reverse(f->stack.items, f->stack.nr);
	id = model_add_stack(f->m, f->stack.items, f->stack.nr);
	err = id < 0 ? id : add_sample(f, id, count);
	if (err == -ERANGE)
		return line_reader_fault(f->lines, "sums of 63 bits");
	return err ? line_reader_errno(f->lines, err) : 0;
}

static int begin(struct folded *f)
{
	int64_t samples = model_add_string(f->m, "samples", 7);
	int64_t count = model_add_string(f->m, "count", 5);
	const struct model_value_type type = { samples, count };
	int err = samples < 0 || count < 0 ? -ENOMEM : model_add_sample_type(f->m, &type);

	if (!err)
		err = function_set_init(&f->functions, f->m);
	if (!err)
		err = span_set_init(&f->samples, sizeof(uint32_t));
	return err ? line_reader_errno(f->lines, err) : 0;
}

static int take_lines(struct folded *f)
{
	int ret, err = 0;

	while (!err && (ret = line_reader_next(f->lines)) > 0)
		if (!text_is_comment(f->lines->line))
			err = take_line(f);
	return err ? err : ret;
}

int read_folded(struct line_reader *lines, struct model *m)
{
	struct folded f = { .lines = lines, .m = m };
	int err = begin(&f);

	if (!err)
		err = take_lines(&f);
	function_set_fini(&f.functions);
	span_set_fini(&f.samples);
	free(f.stack.items);
	return err;
}
