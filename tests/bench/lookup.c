// SPDX-License-Identifier: GPL-2.0
// include: -Itests/unit/shim -I. -Ikmod
/*
 * Measures how fast the module's own code finds a rule in the unwind table of FILE, and how
 * fast a binary search in an array of rows of 8 bytes is.
 *
 *	lookup FILE
 *
 * hot: it looks up the same 16 addresses in turn. Each look-up depends on the one before.
 * cold: it looks up random addresses, and no cache holds a line of the table or the array.
 * It prints medians in nanoseconds, as lines of key=value.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/nospec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/unwind/compile.h"

#define NR_HOT		16
#define NR_LOOKUPS	4000000
#define NR_COLD		401
#define REPETITIONS	5
#define LINE_BYTES	64

struct flat_row {
	uint32_t at;	/* offset from the table's start */
	uint32_t code;	/* the rule, as in the table's rows */
};

/* Does the same as array_index_nospec() of the kernel. The compiler inlines it here. */
u64 shim_clamp(u64 index, u64 size)
{
	return index & -(u64)(index < size);
}

/*
 * Not linked: both look-ups must end in the same find_rule(), which is static, and must have
 * array_index_nospec() inline, as in the kernel.
 */
#include "kmod/unwind/table.c"

static struct cfi cfi;
static struct pprof_table table;
static struct flat_row *flat;
static uint32_t nr_rows;

static void or_die(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "lookup: %s failed\n", what);
	exit(1);
}

static void make_flat(void)
{
	const struct pprof_table_head *head = cfi.table;
	uint32_t page, row;

	nr_rows = head->nr_rows;
	flat = aligned_alloc(LINE_BYTES, (nr_rows * sizeof(*flat) + 63ULL) / 64 * 64);
	or_die(!!flat, "malloc");
	for (page = 0; page < head->nr_pages; page++) {
		for (row = table.pages[page]; row < table.pages[page + 1]; row++) {
			flat[row].at = page * PPROF_TABLE_PAGE_BYTES + table.rows[row].low;
			flat[row].code = code_of(&table.rows[row]);
		}
	}
}

static const struct pprof_rule *find_table(uint64_t offset, struct pprof_rule *room)
{
	return pprof_table_find(&table, offset, room);
}

static const struct pprof_rule *find_flat(uint64_t offset, struct pprof_rule *room)
{
	uint32_t at = offset - table.start, low = 0, high = nr_rows, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (flat[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return find_rule(&table, flat[low].code, room);
}

typedef const struct pprof_rule *(*find_fn)(uint64_t offset, struct pprof_rule *room);

static uint64_t random_offset(void)
{
	return table.start + (((uint64_t)random() << 31) + random()) % table.text_bytes;
}

static void check(void)
{
	struct pprof_rule ours, flats;

	for (int i = 0; i < 1000000; i++) {
		uint64_t offset = random_offset();

		or_die(!memcmp(find_table(offset, &ours), find_flat(offset, &flats), sizeof(ours)),
		       "comparing both");
	}
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, int nr)
{
	qsort(values, nr, sizeof(*values), ascending);
	return values[nr / 2];
}

static double time_hot(find_fn find)
{
	uint64_t offsets[NR_HOT], zero = 0;
	double times[REPETITIONS], start;
	struct pprof_rule room;

	for (int i = 0; i < NR_HOT; i++)
		offsets[i] = random_offset();
	for (int r = 0; r < REPETITIONS; r++) {
		start = now_ns();
		for (int i = 0; i < NR_LOOKUPS; i++)
			zero = (uint32_t)find(offsets[i % NR_HOT] + zero, &room)->cfa_offset >> 31;
		times[r] = (now_ns() - start) / NR_LOOKUPS;
	}
	return median(times, REPETITIONS);
}

static void flush(const void *data, uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes; at += LINE_BYTES)
		_mm_clflush((const char *)data + at);
}

/* Measures the time without a look-up: the cost of reading the clock. */
static const struct pprof_rule *find_nothing(uint64_t offset, struct pprof_rule *room)
{
	(void)offset;
	(void)room;
	return NULL;
}

static double time_cold(find_fn find)
{
	static double times[NR_COLD];
	const struct pprof_rule *rule;
	struct pprof_rule room;
	volatile uint8_t used;
	uint64_t offset;

	for (int i = 0; i < NR_COLD; i++) {
		offset = random_offset();
		flush(cfi.table, cfi.bytes);
		flush(flat, nr_rows * sizeof(*flat));
		_mm_mfence();
		times[i] = now_ns();
		rule = find(offset, &room);
		used = rule ? rule->cfa : 0;
		times[i] = now_ns() - times[i];
	}
	(void)used;
	return median(times, NR_COLD);
}

int main(int argc, char **argv)
{
	double nothing;
	int fd;

	or_die(argc == 2, "usage: lookup FILE; it");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	or_die(fd >= 0 && !cfi_compile(fd, &cfi), argv[1]);
	or_die(!pprof_table_init(&table, cfi.table, cfi.bytes), "the table's check");
	make_flat();
	check();
	nothing = time_cold(find_nothing);
	printf("rows=%u\n", nr_rows);
	printf("hot_ns=%.1f\nflat_hot_ns=%.1f\n", time_hot(find_table), time_hot(find_flat));
	printf("cold_ns=%.1f\nflat_cold_ns=%.1f\n", time_cold(find_table) - nothing,
	       time_cold(find_flat) - nothing);
	return 0;
}
