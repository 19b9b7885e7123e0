// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/encode.c collector/pprof/model.c collector/pprof/protobuf.c
// sources: collector/base/span_set.c collector/base/string_table.c
// libs: -lxxhash
/*
 * Writes random profiles: random_profiles DIR NR makes DIR/random.0.pb to DIR/random.NR-1.pb. The
 * number is the seed. They have all that a profile may have, sense or not.
 *
 * Go's pprof sorts frames by value and name, and leaves the order open if both are equal. So no two
 * frames have the same name here, and values that are equal but for their sign are unlikely.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/encode.h"
#include "pprof/model.h"

#define MAX_DEPTH	12
#define MAX_TYPES	3
#define NR(array)	(sizeof(array) / sizeof(*(array)))
/* One of the items of an array. */
#define PICK(array)	((array)[below(NR(array))])

static uint64_t seed;

/* A random number from 0 to n - 1. Steele and others, "Fast splittable generators", 2014. */
static uint64_t below(uint64_t n)
{
	uint64_t z = seed += 0x9E3779B97F4A7C15;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return (z ^ z >> 31) % n;
}

static bool one_in(uint64_t n)
{
	return !below(n);
}

static int64_t check(int64_t result)
{
	if (result < 0)
		errx(1, "a profile cannot be built: %s", strerror(-result));
	return result;
}

static uint32_t text(struct model *m, const char *s)
{
	return check(model_add_string(m, s, strlen(s)));
}

static void add_types(struct model *m)
{
	static const char * const units[] = {
		"count", "nanoseconds", "bytes", "ms", "widgets", "", "seconds", "kilobytes", "gcu",
	};
	size_t nr = 1 + below(MAX_TYPES);

	for (size_t i = 0; i < nr; i++) {
		char name[] = { 't', '0' + i, '\0' };
		struct model_value_type type = { text(m, name), text(m, PICK(units)) };

		check(model_add_sample_type(m, &type));
	}
	m->default_sample_type = one_in(2) ? text(m, "t0") : 0;
	m->period_type = (struct model_value_type){ text(m, "cpu"), text(m, "nanoseconds") };
	m->period = below(10000000);
}

static void add_header(struct model *m)
{
	static const char * const comments[] = { "#hidden", "made up", "", "two\nlines", "\xff" };
	static const int64_t spans[] = { 900, 1000000, 1000000000, 1000000000000000 };

	add_types(m);
	m->time_ns = one_in(2) ? (int64_t)below(INT64_MAX) - INT64_MAX / 4 : 0;
	m->duration_ns = one_in(2) ? below(PICK(spans)) : 0;
	m->doc_url = one_in(4) ? text(m, "https://example.org/") : 0;
	while (!one_in(3))
		check(model_add_comment(m, text(m, PICK(comments))));
}

static void add_mappings(struct model *m)
{
	static const char * const files[] = { "/bin/prog", "/lib/libc.so.6", "[vdso]", "a/", "/" };

	for (size_t i = below(4); i--;) {
		struct model_mapping mapping = {
			.start = i << 20, .limit = (i + 1) << 20, .offset = below(3) << 12,
			.file = text(m, PICK(files)), .flags = below(16),
			.build_id = one_in(2) ? text(m, "abc123") : 0,
		};

		check(model_add_mapping(m, &mapping));
	}
}

static void add_functions(struct model *m)
{
	static const char * const names[] = {
		"f", "std::vector<int, std::allocator<int> >::at(int&&) ", "gr\xc3\xb6\xc3\x9f" "e",
		"runtime.main.func", "a name with blanks ", "\xff\xfe",
	};
	static const char * const files[] = {
		"", "/src/a.c", "/src//b/../c.c", "./d.c", "../../e.c", "/proc/self/cwd/x/y.c",
		"/proc/self/cwd/./z.c", "/../q.c", "a/./b/..", "\xc3\xbc.c", "/proc/self/cwd/",
	};
	char name[128];

	for (size_t i = 1 + below(40); i--;) {
		struct model_function f = { .start_line = below(50) };

		snprintf(name, sizeof(name), "%s%zu", PICK(names), i);
		f.name = text(m, name);
		f.system_name = one_in(4) ? text(m, "_Z1fv") : f.name;
		f.file = text(m, PICK(files));
		check(model_add_function(m, &f));
	}
}

static struct model_line random_line(const struct model *m)
{
	int64_t line = (int64_t)below(30) - (one_in(20) ? 40 : 0);

	return (struct model_line){
		.function = below(m->functions.nr), .line = line,
		.column = line && one_in(3) ? below(9) : 0,
	};
}

static void add_locations(struct model *m)
{
	for (size_t i = 1 + below(60); i--;) {
		struct model_location l = {
			.address = one_in(8) ? 0 : below(1 << 22), .is_folded = one_in(10),
			.mapping = MODEL_NONE,
		};
		struct model_line lines[3];
		size_t nr = below(NR(lines) + 1);

		if (m->mappings.nr && !one_in(5))
			l.mapping = below(m->mappings.nr);
		for (size_t k = 0; k < nr; k++)
			lines[k] = random_line(m);
		check(model_add_location(m, &l, lines, nr));
	}
}

static struct model_label random_label(struct model *m, int64_t max)
{
	static const char * const keys[] = { "thread", "a", "a!", "a key with blanks", "\xc3\xbc" };
	static const char * const texts[] = { "x", "y", "worker 1", "a\ttab", "10", "\xfe" };
	static const char * const number_keys[] = { "bytes", "request", "tid", "a" };
	static const char * const units[] = { "", "bytes", "ms", "widgets" };

	if (one_in(2))
		return (struct model_label){
			.key = text(m, PICK(keys)), .str = text(m, PICK(texts)),
		};
	return (struct model_label){
		.key = text(m, PICK(number_keys)), .num = 1 + below(max),
		.unit = text(m, PICK(units)), .is_number = 1,
	};
}

/* Returns: a label set of at most three labels, and the one of a base. */
static uint32_t random_labels(struct model *m, int64_t max, bool is_base)
{
	struct model_label labels[4];
	size_t nr = below(NR(labels));

	for (size_t i = 0; i < nr; i++)
		labels[i] = random_label(m, max);
	if (is_base)
		labels[nr++] = (struct model_label){
			.key = text(m, "pprof::base"), .str = text(m, "true"),
		};
	return check(model_add_label_set(m, labels, nr));
}

static void add_sample(struct model *m, int64_t max, bool is_difference)
{
	struct model_sample s = { .label_set = random_labels(m, max, is_difference && one_in(2)) };
	size_t depth = below(MAX_DEPTH + 1);
	uint32_t stack[MAX_DEPTH];
	int64_t values[MAX_TYPES];

	for (size_t i = 0; i < m->sample_types.nr; i++) {
		values[i] = one_in(6) ? 0 : below(max);
		if (is_difference && one_in(3))
			values[i] = -values[i];
	}
	for (size_t i = 0; i < depth; i++)
		stack[i] = below(m->locations.nr);
	s.stack = check(model_add_stack(m, stack, depth));
	check(model_add_sample(m, &s, values));
}

static void add_samples(struct model *m)
{
	static const int64_t sizes[] = { 1000000, 1000000000, 1000000000000, 100000000000000000 };
	bool is_difference = one_in(4);
	/* Small numbers have the same size more often. */
	int64_t max = is_difference ? sizes[3] : PICK(sizes);

	for (size_t i = below(200); i--;)
		add_sample(m, max, is_difference);
}

static int write_file(void *ctx, const void *data, size_t len)
{
	return fwrite(data, 1, len, ctx) == len ? 0 : -EIO;
}

static void write_profile(const char *dir, unsigned int number)
{
	struct model *m = model_new();
	char path[4096];
	FILE *out;

	if (!m)
		err(1, "a profile");
	seed = number;
	add_header(m);
	add_mappings(m);
	add_functions(m);
	add_locations(m);
	add_samples(m);
	snprintf(path, sizeof(path), "%s/random.%u.pb", dir, number);
	out = fopen(path, "w");
	if (!out)
		err(1, "%s", path);
	check(encode_profile(m, write_file, out));
	if (fclose(out))
		err(1, "%s", path);
	model_free(m);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		errx(2, "usage: random_profiles DIR NR");
	for (int i = 0; i < atoi(argv[2]); i++)
		write_profile(argv[1], i);
	return 0;
}
