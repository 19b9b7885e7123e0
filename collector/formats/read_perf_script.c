// SPDX-License-Identifier: GPL-2.0
#include "formats/read_perf_script.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/line_reader.h"
#include "formats/perf_script_line.h"
#include "formats/perf_script_stack.h"

/* Each sample of the model has a value for each event. */
#define MAX_EVENTS	64

/* Samples with the same key are added up: a stack, a label set and an event, by their indices. */
struct sample_key {
	uint32_t stack;
	uint32_t label_set;
	uint32_t event;
};

struct sample_sum {
	int64_t count;			/* of samples */
	int64_t value;			/* the sum of periods */
};

struct perf_script {
	struct line_reader *lines;
	struct model *m;
	struct perf_script_stack stack;
	bool has_sample;		/* the sample of the lines before has not ended */
	bool has_stack;			/* it has frames */
	struct sample_key key;		/* of this sample; the stack is not known yet */
	int64_t period;			/* of this sample */
	uint32_t events[MAX_EVENTS];	/* strings, in the order of the file */
	size_t nr_events;
	bool has_periods;
	/* Spans of a key. The sum has the index id - 1. */
	struct span_set keys;
	int64_t first_ns;
	int64_t last_ns;
	/* The sums of all keys. */
	MODEL_ARRAY(struct sample_sum, sums);
};

bool read_perf_script_claims(struct text_cursor head)
{
	struct perf_script_head sample;

	return perf_script_parse_head(text_first_line(head), &sample);
}

/* Samples */

static int add_to_sum(struct perf_script *p, uint32_t id)
{
	const struct sample_sum none = { 0 };
	struct sample_sum *sum;

	if (id > p->sums.nr && ARRAY_APPEND(p->sums, &none, 1))
		return -ENOMEM;
	sum = &p->sums.items[id - 1];
	sum->count++;
	return __builtin_add_overflow(sum->value, p->period, &sum->value) ? -ERANGE : 0;
}

static int end_sample(struct perf_script *p)
{
	int64_t stack, id;
	int err;

	if (!p->has_sample)
		return 0;
	p->has_sample = false;
	p->has_stack = false;
	stack = perf_script_stack_end(&p->stack);
	if (stack < 0)
		return line_reader_errno(p->lines, stack);
	p->key.stack = stack;
	id = span_set_add(&p->keys, &p->key, 1);
	err = id < 0 ? id : add_to_sum(p, id);
	if (err == -ERANGE)
		return line_reader_fault(p->lines, "sums of periods of 63 bits");
	return err ? line_reader_errno(p->lines, err) : 0;
}

/* Returns the index of an event, or a negative errno with the fault. */
static int find_event(struct perf_script *p, const struct text_cursor *name)
{
	int64_t id = model_add_string(p->m, name->at, text_left(name));
	size_t i = 0;

	if (id < 0)
		return line_reader_errno(p->lines, id);
	while (i < p->nr_events && p->events[i] != id)
		i++;
	if (i == MAX_EVENTS)
		return line_reader_fault(p->lines, "at most 64 events");
	p->events[i] = id;
	if (i == p->nr_events)
		p->nr_events++;
	return i;
}

static int64_t make_labels(struct model *m, const struct perf_script_head *head)
{
	int64_t comm = model_add_string(m, head->comm.at, text_left(&head->comm));
	int64_t key = model_add_string(m, "comm", 4), tid = model_add_string(m, "tid", 3);
	int64_t pid = model_add_string(m, "pid", 3);
	struct model_label labels[3] = { 0 };
	size_t nr = 0;

	if (comm < 0 || key < 0 || tid < 0 || pid < 0)
		return -ENOMEM;
	if (comm)
		labels[nr++] = (struct model_label){ .key = key, .str = comm };
	if (head->has_pid)
		labels[nr++] = (struct model_label){ .key = pid, .num = head->pid,
						     .is_number = 1 };
	labels[nr++] = (struct model_label){ .key = tid, .num = head->tid, .is_number = 1 };
	return model_add_label_set(m, labels, nr);
}

static void take_time(struct perf_script *p, const struct perf_script_head *head)
{
	if (!head->has_time)
		return;
	if (!p->last_ns || head->time_ns < p->first_ns)
		p->first_ns = head->time_ns;
	if (head->time_ns > p->last_ns)
		p->last_ns = head->time_ns;
}

static int push_frame(struct perf_script *p, const struct perf_script_frame *frame)
{
	int err = perf_script_stack_push(&p->stack, frame);

	p->has_stack = true;
	return err ? line_reader_errno(p->lines, err) : 0;
}

static int begin_sample(struct perf_script *p, const struct perf_script_head *head)
{
	struct perf_script_frame frame;
	int64_t labels = make_labels(p->m, head);
	int event = labels < 0 ? line_reader_errno(p->lines, labels) :
				 find_event(p, &head->event);

	if (event < 0)
		return event;
	take_time(p, head);
	p->has_sample = true;
	p->has_periods = p->has_periods || head->has_period;
	p->period = head->period;
	p->key = (struct sample_key){ .label_set = labels, .event = event };
	if (perf_script_parse_only_frame(head->rest, &frame))
		return push_frame(p, &frame);
	return 0;
}

/* Lines */

/* A source line, below a frame: two blanks, FILE:LINE. */
static bool is_source_line(const struct perf_script *p)
{
	struct text_cursor line = p->lines->line;

	return p->has_stack && text_take(&line, "  ") && memchr(line.at, ':', text_left(&line));
}

static int take_line(struct perf_script *p)
{
	struct text_cursor line = p->lines->line;
	struct perf_script_frame frame;
	struct perf_script_head head;
	int err;

	if (p->has_sample && line.at < line.end && *line.at == '\t' &&
	    perf_script_parse_frame(line, &frame))
		return push_frame(p, &frame);
	if (!p->has_sample && text_is_comment(line))
		return 0;
	text_skip_blanks(&line);
	if (line.at == line.end)
		return end_sample(p);
	if (perf_script_parse_head(p->lines->line, &head)) {
		err = end_sample(p);
		return err || head.is_sideband ? err : begin_sample(p, &head);
	}
	if (p->has_sample && perf_script_parse_frame(line, &frame))
		return push_frame(p, &frame);
	if (is_source_line(p))
		return 0;
	return line_reader_fault(p->lines, p->has_sample ? "a frame 'ADDRESS SYMBOL (DSO)'" :
				 "a sample 'COMM TID TIME: PERIOD EVENT:'");
}

static int take_lines(struct perf_script *p)
{
	int ret, err = 0;

	while (!err && (ret = line_reader_next(p->lines)) > 0) {
		err = take_line(p);
		/* perf ends each line. A frame without an end may be a part of a frame. */
		if (!err)
			err = line_reader_check_end(p->lines);
	}
	return err ? err : ret ? ret : end_sample(p);
}

/* The model */

static bool is_clock(const char *event)
{
	return !strncmp(event, "cpu-clock", 9) || !strncmp(event, "task-clock", 10);
}

static int add_type(struct model *m, uint32_t name, bool is_time)
{
	const char *unit = is_time ? "nanoseconds" : "count";
	int64_t id = model_add_string(m, unit, strlen(unit));
	const struct model_value_type type = { name, id };

	return id < 0 ? id : model_add_sample_type(m, &type);
}

/* Has the model a type for the number of samples? */
static bool counts_samples(const struct perf_script *p)
{
	return p->nr_events <= 1 && (p->has_periods || !p->events[0]);
}

static int add_types(struct perf_script *p)
{
	int64_t samples = model_add_string(p->m, "samples", 7);
	int err = samples < 0 ? samples : 0;

	if (!err && counts_samples(p))
		err = add_type(p->m, samples, false);
	for (size_t i = 0; !err && i < p->nr_events; i++)
		if (p->events[i] || p->nr_events > 1)
			err = add_type(p->m, p->events[i] ? p->events[i] : samples,
				       is_clock(model_string(p->m, p->events[i])));
	p->m->default_sample_type = p->nr_events > 1 ? p->events[0] : 0;
	return err;
}

/* Adds the sums of one key to the sample of its stack and its labels. */
static int add_sample(struct perf_script *p, struct span_set *samples, size_t index)
{
	const struct sample_key *key = span_set_at(&p->keys, index + 1);
	const struct model_sample sample = { key->stack, key->label_set };
	int64_t id = span_set_add(samples, &sample, 1), *values;
	int err = id > 0 && (size_t)id > p->m->samples.nr ?
		  model_add_sample(p->m, &sample, NULL) : 0;

	if (id < 0 || err)
		return id < 0 ? id : err;
	values = model_values(p->m, id - 1);
	if (counts_samples(p))
		*values++ = p->sums.items[index].count;
	if (p->m->sample_types.nr > key->event + counts_samples(p))
		values[key->event] = p->sums.items[index].value;
	return 0;
}

static int add_samples(struct perf_script *p)
{
	struct span_set samples;
	int err = span_set_init(&samples, sizeof(struct model_sample));

	for (size_t i = 0; !err && i < p->sums.nr; i++)
		err = add_sample(p, &samples, i);
	span_set_fini(&samples);
	return err;
}

static int finish(struct perf_script *p)
{
	int err = add_types(p);

	if (!err)
		err = add_samples(p);
	perf_script_stack_finish(&p->stack);
	p->m->duration_ns = p->last_ns - p->first_ns;
	return err ? line_reader_errno(p->lines, err) : 0;
}

int read_perf_script(struct line_reader *lines, struct model *m)
{
	struct perf_script p = { .lines = lines, .m = m };
	int err = perf_script_stack_init(&p.stack, m);

	if (!err)
		err = span_set_init(&p.keys, sizeof(struct sample_key));
	err = err ? line_reader_errno(lines, err) : take_lines(&p);
	if (!err)
		err = finish(&p);
	perf_script_stack_fini(&p.stack);
	span_set_fini(&p.keys);
	free(p.sums.items);
	return err;
}
