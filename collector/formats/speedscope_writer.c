// SPDX-License-Identifier: GPL-2.0
#include "formats/speedscope_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/string_table.h"
#include "formats/frame_stacks.h"
#include "formats/named_frames.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/value_unit.h"

struct speedscope {
	const struct model *m;
	FILE *out;
	struct profile_fault *fault;
	struct named_frames frames;
	struct frame_stacks stacks;
	int64_t *values;		/* by span, of one sample type */
};

static void put_model_string(struct speedscope *s, uint32_t string)
{
	json_string_bytes(s->out, model_string(s->m, string), strtab_len(s->m->strings, string));
}

static void put_frame(struct speedscope *s, const struct named_frame *f)
{
	fputs("{\"name\":", s->out);
	json_string_bytes(s->out, strtab_at(s->frames.strings, f->name),
			  strtab_len(s->frames.strings, f->name));
	if (f->file) {
		fputs(",\"file\":", s->out);
		put_model_string(s, f->file);
	}
	if (f->start_line)
		fprintf(s->out, ",\"line\":%" PRId64, f->start_line);
	putc('}', s->out);
}

static void put_frames(struct speedscope *s)
{
	fputs("\"shared\":{\"frames\":[", s->out);
	for (size_t i = 0; i < s->frames.nr; i++) {
		fputs(i ? ",\n" : "\n", s->out);
		put_frame(s, &s->frames.items[i]);
	}
	fputs("]},\n", s->out);
}

/* Returns: the format's name of a unit. */
static const char *unit_name(const char *unit)
{
	static const char *const names[] = {
		"nanoseconds", "microseconds", "milliseconds", "seconds", "bytes",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (value_unit_ratio(unit, names[i]) == 1)
			return names[i];
	return "none";
}

/* Adds up the values by span. */
static int add_values(struct speedscope *s, uint32_t type, uint64_t *total)
{
	int err = 0;

	memset(s->values, 0, s->stacks.spans.nr * sizeof(*s->values));
	for (size_t i = 0; !err && i < s->m->samples.nr; i++)
		err = frame_stacks_add(&s->stacks, s->m, i, type, s->values, s->fault);
	*total = 0;
	for (size_t i = 0; !err && i < s->stacks.spans.nr; i++) {
		if (s->values[i] < 0)
			err = profile_fault_set(s->fault, PROFILE_FAULT_NO_OFFSET, "speedscope "
						"takes no negative values, and these have some: "
						"convert to pprof");
		if (__builtin_add_overflow(*total, s->values[i], total))
			*total = UINT64_MAX;
	}
	return err;
}

static void put_stack(struct speedscope *s, uint32_t span)
{
	uint32_t nr;
	const uint32_t *frames = frame_stacks_at(&s->stacks, span, &nr);

	putc('[', s->out);
	for (uint32_t i = 0; i < nr; i++)
		fprintf(s->out, "%s%" PRIu32, i ? "," : "", frames[i]);
	putc(']', s->out);
}

static void put_samples(struct speedscope *s)
{
	const char *before = "\n";

	fputs("\"samples\":[", s->out);
	for (size_t i = 0; i < s->stacks.spans.nr; i++) {
		if (!s->values[i])
			continue;
		fputs(before, s->out);
		put_stack(s, i);
		before = ",\n";
	}
}

static void put_weights(struct speedscope *s)
{
	const char *before = "";

	fputs("],\"weights\":[", s->out);
	for (size_t i = 0; i < s->stacks.spans.nr; i++) {
		if (!s->values[i])
			continue;
		fprintf(s->out, "%s%" PRId64, before, s->values[i]);
		before = ",";
	}
	fputs("]}", s->out);
}

static int put_profile(struct speedscope *s, uint32_t type)
{
	const struct model_value_type *t = &s->m->sample_types.items[type];
	uint64_t total;
	int err = add_values(s, type, &total);

	if (err)
		return err;
	fputs("{\"type\":\"sampled\",\"name\":", s->out);
	put_model_string(s, t->type);
	fprintf(s->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",",
		unit_name(model_string(s->m, t->unit)), total);
	put_samples(s);
	put_weights(s);
	return 0;
}

static int put_file(struct speedscope *s, uint32_t type)
{
	int err = 0;

	fprintf(s->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"pprof-collect@%s\",\"activeProfileIndex\":%" PRIu32 ",\n",
		VERSION, type);
	put_frames(s);
	fputs("\"profiles\":[", s->out);
	for (size_t i = 0; !err && i < s->m->sample_types.nr; i++) {
		fputs(i ? ",\n" : "\n", s->out);
		err = put_profile(s, i);
	}
	fputs("]}\n", s->out);
	return err;
}

static int prepare(struct speedscope *s)
{
	int err = named_frames_init(&s->frames, s->m);

	if (!err)
		err = frame_stacks_init(&s->stacks, s->m, s->frames.of_line,
					s->frames.of_location);
	if (err)
		return err;
	s->values = calloc(s->stacks.spans.nr, sizeof(*s->values));
	return s->values ? 0 : -ENOMEM;
}

/* Finds values that cannot be written before anything is written. */
static int check_values(struct speedscope *s)
{
	uint64_t total;
	int err = 0;

	for (size_t i = 0; !err && i < s->m->sample_types.nr; i++)
		err = add_values(s, i, &total);
	return err;
}

int speedscope_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault)
{
	struct speedscope s = { .m = m, .out = out, .fault = fault };
	int err = prepare(&s);

	if (!err)
		err = check_values(&s);
	if (!err)
		err = put_file(&s, type);
	named_frames_fini(&s.frames);
	frame_stacks_fini(&s.stacks);
	free(s.values);
	return err && err != -EBADMSG ? profile_fault_errno(fault, err) : err;
}
