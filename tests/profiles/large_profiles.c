// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/encode.c collector/pprof/gzip_file.c collector/pprof/model.c
// sources: collector/pprof/protobuf.c collector/base/span_set.c collector/base/string_table.c
// libs: -lz -lxxhash
/*
 * Writes profiles of one made-up program, for measurements: large_profiles DIR NR SAMPLES NEW makes
 * DIR/large.0.pb.gz to DIR/large.NR-1.pb.gz with SAMPLES samples each. NEW percent of the stacks
 * are new in each profile. The others are taken from 200,000 stacks that all profiles share.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/encode.h"
#include "pprof/gzip_file.h"
#include "pprof/model.h"

#define NR_SHARED	200000
#define NR_FUNCTIONS	6000
#define NR_LOCATIONS	20000
#define NR_THREADS	64
#define MAX_DEPTH	48

static uint64_t seed;

/* A random number from 0 to n - 1. Steele and others, "Fast splittable generators", 2014. */
static uint64_t below(uint64_t n)
{
	uint64_t z = seed += 0x9E3779B97F4A7C15;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return (z ^ z >> 31) % n;
}

static int64_t check(int64_t result)
{
	if (result < 0)
		errx(1, "a profile cannot be built: %s", strerror(-result));
	return result;
}

static uint32_t text(struct model *m, const char *format, unsigned int number)
{
	char s[128];

	return check(model_add_string(m, s, snprintf(s, sizeof(s), format, number)));
}

static void add_header(struct model *m)
{
	struct model_value_type samples = { text(m, "samples", 0), text(m, "count", 0) };
	struct model_value_type cpu = { text(m, "cpu", 0), text(m, "nanoseconds", 0) };

	check(model_add_sample_type(m, &samples));
	check(model_add_sample_type(m, &cpu));
	m->period_type = cpu;
	m->period = 10000000;
	m->time_ns = 1790000000000000000;
	m->duration_ns = 10000000000;
}

static void add_tables(struct model *m)
{
	struct model_mapping mapping = {
		.start = 0x400000, .limit = 0x8400000, .flags = PROFILE_HAS_FUNCTIONS,
		.file = text(m, "/usr/bin/server", 0), .build_id = text(m, "0123456789abcdef", 0),
	};

	check(model_add_mapping(m, &mapping));
	for (unsigned int i = 0; i < NR_FUNCTIONS; i++) {
		struct model_function f = { .start_line = 1 + below(2000) };

		f.name = text(m, "server::module_%u::Handler::process(Request const&)", i);
		f.system_name = text(m, "_ZN6server6module7Handler7processERK7Request%u", i);
		f.file = text(m, "/build/server/src/module_%u.cc", i / 20);
		check(model_add_function(m, &f));
	}
	for (unsigned int i = 0; i < NR_LOCATIONS; i++) {
		struct model_location l = { .address = 0x400000 + below(0x8000000) };
		struct model_line lines[3];
		size_t nr = 1 + !below(3) + !below(6);

		for (size_t k = 0; k < nr; k++)
			lines[k] = (struct model_line){ .function = below(NR_FUNCTIONS),
							.line = 1 + below(3000) };
		check(model_add_location(m, &l, lines, nr));
	}
}

/* Each location calls four others, the first one of them most often. */
static size_t make_stack(uint32_t *stack)
{
	size_t depth = 8 + below(MAX_DEPTH - 8);
	uint32_t location = 0;

	for (size_t i = depth; i--;) {
		uint32_t choice = below(8);

		stack[i] = location;
		choice = choice < 5 ? 0 : choice - 4;
		location = (location * 4 + choice + 1) * 2654435761u % NR_LOCATIONS;
	}
	return depth;
}

/*
 * Shared stacks are deterministic: each has a seed of its own. Small numbers are used more often. A
 * stack is always in the same thread.
 */
static size_t choose_stack(uint32_t *stack, unsigned int percent_new, uint32_t *thread)
{
	uint64_t own, r;
	size_t depth;

	if (below(100) < percent_new) {
		*thread = below(NR_THREADS);
		return make_stack(stack);
	}
	r = below(NR_SHARED);
	own = seed;
	seed = r * r / NR_SHARED << 20;
	*thread = below(NR_THREADS);
	depth = make_stack(stack);
	seed = own;
	return depth;
}

static void add_sample(struct model *m, unsigned int percent_new)
{
	uint32_t stack[MAX_DEPTH], thread;
	size_t depth = choose_stack(stack, percent_new, &thread);
	struct model_label labels[] = {
		{ .key = text(m, "thread", 0), .str = text(m, "worker-%u", thread) },
		{ .key = text(m, "tid", 0), .num = 4000 + thread, .is_number = 1 },
	};
	int64_t count = 1 + !below(4) * below(300), values[] = { count, count * 10000000 };
	struct model_sample s = { .stack = check(model_add_stack(m, stack, depth)) };

	s.label_set = check(model_add_label_set(m, labels, 2));
	check(model_add_sample(m, &s, values));
}

static int write_file(void *ctx, const void *data, size_t len)
{
	return gzip_file_write(ctx, data, len);
}

static void write_profile(const char *dir, unsigned int number, size_t nr_samples, int percent_new)
{
	struct model *m = model_new();
	struct gzip_file *out;
	char path[4096];

	if (!m)
		err(1, "a profile");
	seed = 0;	/* all profiles have the same tables */
	add_header(m);
	add_tables(m);
	seed = ((uint64_t)number + 1) << 40;
	while (nr_samples--)
		add_sample(m, percent_new);
	snprintf(path, sizeof(path), "%s/large.%u.pb.gz", dir, number);
	out = gzip_file_open(path, GZIP_FILE_REPLACE);
	if (!out)
		err(1, "%s", path);
	check(encode_profile(m, write_file, out));
	check(gzip_file_commit(out, NULL));
	model_free(m);
}

int main(int argc, char **argv)
{
	if (argc != 5)
		errx(2, "usage: large_profiles DIR NR SAMPLES NEW");
	for (int i = 0; i < atoi(argv[2]); i++)
		write_profile(argv[1], i, strtoul(argv[3], NULL, 10), atoi(argv[4]));
	return 0;
}
