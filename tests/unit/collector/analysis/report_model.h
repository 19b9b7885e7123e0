/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profile that tests of reports print. Include it after cmocka.h. What the tests expect is
 * what Go's pprof printed for the same profile.
 */
#ifndef TESTS_REPORT_MODEL_H
#define TESTS_REPORT_MODEL_H

#include <string.h>

#include "pprof/model.h"

static inline uint32_t add_text(struct model *m, const char *s)
{
	int64_t id = model_add_string(m, s, strlen(s));

	assert_true(id >= 0);
	return id;
}

static inline void add_type(struct model *m, const char *type, const char *unit)
{
	struct model_value_type t = { add_text(m, type), add_text(m, unit) };

	assert_int_equal(model_add_sample_type(m, &t), 0);
}

static inline uint32_t add_mapping(struct model *m, uint64_t start, const char *file,
				   const char *build_id)
{
	struct model_mapping mapping = {
		.start = start, .limit = start + 0x1000, .file = add_text(m, file),
		.build_id = add_text(m, build_id),
		.flags = PROFILE_HAS_FUNCTIONS | PROFILE_HAS_LINE_NUMBERS,
	};
	int64_t id = model_add_mapping(m, &mapping);

	assert_true(id >= 0);
	return id;
}

/* A line of a function that starts at line 3 of its file. */
static inline struct model_line add_line(struct model *m, const char *name, const char *file,
					 int64_t line)
{
	struct model_function f = {
		.name = add_text(m, name), .system_name = add_text(m, name),
		.file = add_text(m, file), .start_line = 3,
	};
	int64_t id = model_add_function(m, &f);

	assert_true(id >= 0);
	return (struct model_line){ .function = id, .line = line, .column = 7 };
}

static inline uint32_t add_location(struct model *m, uint64_t address, uint32_t mapping,
				    const struct model_line *lines, size_t nr)
{
	struct model_location location = { .address = address, .mapping = mapping };
	int64_t id = model_add_location(m, &location, lines, nr);

	assert_true(id >= 0);
	return id;
}

/* A text, or a number if str is NULL. */
static inline struct model_label make_label(struct model *m, const char *key, const char *str,
					    int64_t num, const char *unit)
{
	return (struct model_label){
		.key = add_text(m, key), .str = str ? add_text(m, str) : 0, .num = num,
		.unit = add_text(m, unit), .is_number = !str,
	};
}

/* Adds a sample with values count and 10 ms * count. The stack is leaf first. */
static inline void add_sample(struct model *m, int64_t count, const uint32_t *stack, size_t nr,
			      const struct model_label *labels, size_t nr_labels)
{
	int64_t values[] = { count, 10000000 * count };
	struct model_sample s = {
		.stack = model_add_stack(m, stack, nr),
		.label_set = model_add_label_set(m, labels, nr_labels),
	};

	assert_int_equal(model_add_sample(m, &s, values), 0);
}

static inline void add_header(struct model *m)
{
	add_type(m, "samples", "count");
	add_type(m, "cpu", "nanoseconds");
	m->period_type = m->sample_types.items[1];
	m->period = 10000000;
	m->time_ns = 1700000000123000000;
	m->duration_ns = 10500000000;
	m->default_sample_type = add_text(m, "cpu");
	m->doc_url = add_text(m, "https://example.org/");
	assert_int_equal(model_add_comment(m, add_text(m, "#hidden")), 0);
	assert_int_equal(model_add_comment(m, add_text(m, "made by a test")), 0);
}

/*
 * main calls work, which has an inlined helper, is recursive, and calls into a library without
 * symbols. A frame is in no mapping, and a sample has no stack.
 */
static inline struct model *make_report_model(void)
{
	struct model *m = model_new();
	uint32_t prog, libc, in_main, in_work, in_helper, in_libc, nowhere;
	struct model_line lines[2];
	struct model_label labels[6];

	assert_non_null(m);
	add_header(m);
	prog = add_mapping(m, 0x400000, "/usr/bin/prog", "abcdef");
	libc = add_mapping(m, 0x7f0000000000, "/lib/libc.so.6", "");
	lines[0] = add_line(m, "main", "/proc/self/cwd/src/../prog.c", 12);
	in_main = add_location(m, 0x400100, prog, lines, 1);
	lines[0] = add_line(m, "work", "/src/work.c", 30);
	in_work = add_location(m, 0x400200, prog, lines, 1);
	lines[1] = lines[0];
	lines[1].line = 33;
	lines[0] = add_line(m, "helper", "/src/help.h", 5);
	in_helper = add_location(m, 0x400210, prog, lines, 2);
	in_libc = add_location(m, 0x7f0000000800, libc, NULL, 0);
	nowhere = add_location(m, 0x10, MODEL_NONE, NULL, 0);
	m->locations.items[nowhere].is_folded = true;
	m->functions.items[1].system_name = add_text(m, "_Z4workv");

	labels[0] = make_label(m, "thread", "worker 1", 0, "");
	labels[1] = make_label(m, "a!", "x", 0, "");
	labels[2] = make_label(m, "a", "y", 0, "");
	labels[3] = make_label(m, "a", "z", 0, "");
	labels[4] = make_label(m, "bytes", NULL, 4096, "bytes");
	labels[5] = make_label(m, "tid", NULL, 7, "");
	add_sample(m, 30, (uint32_t []){ in_helper, in_main }, 2, labels, 6);
	labels[0] = make_label(m, "thread", "main", 0, "");
	labels[4] = make_label(m, "bytes", NULL, 64, "");
	add_sample(m, 25, (uint32_t []){ in_work, in_work, in_main }, 3, labels, 1);
	add_sample(m, 12, (uint32_t []){ in_libc, in_work, in_main }, 3, labels + 4, 2);
	add_sample(m, 1, (uint32_t []){ nowhere }, 1, NULL, 0);
	add_sample(m, 2, NULL, 0, NULL, 0);
	return m;
}

#endif /* TESTS_REPORT_MODEL_H */
