/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes unwind tables and ranges that are valid, nearly valid, or noise. The valid ones are for
 * the text of this program, which the victims execute. Their rules are random, so walks of
 * the victims' stacks lead to any address.
 */
#ifndef BADTABLES_H
#define BADTABLES_H

#include <fcntl.h>
#include <sys/stat.h>

#include "badrules.h"
#include "fuzzer.h"

#define MANY_PAGES	10000U
#define NR_TABLES	6U	/* table numbers 0 to 6 are used */
#define NR_RANGES	20U

/* The victims spend their time in this function. */
static void burn(void);

/* Puts a table at f->data, for the ioctl at f->arg. */
static size_t fill_table_add(struct fuzzer *f)
{
	struct pprof_table_add add = { .size = sizeof(add), .data = (uintptr_t)f->data };
	uint32_t nr_pages = one_in(f, 8) ? MANY_PAGES : SOME_PAGES;
	struct pprof_table_head *table;
	struct row rows[MAX_ROWS];

	table = make_table(rows, fill_rows(&f->random, rows), nr_pages, PPROF_TABLE_BASE);
	add.bytes = table->bytes;
	memcpy(f->data, table, table->bytes);
	free(table);
	for (int i = one_in(f, 2) ? pick(f, 4) : 0; i > 0; i--)
		f->data[pick(f, add.bytes)] = random64(f);
	if (one_in(f, 16)) {	/* the table ends at the end of the memory, or beyond */
		add.data = (uintptr_t)f->data + DATA_BYTES - add.bytes + 8 * pick(f, 2);
		memmove(f->data + DATA_BYTES - add.bytes, f->data, add.bytes);
	}
	memcpy(f->arg, &add, sizeof(add));
	return sizeof(add);
}

static size_t fill_table_drop(struct fuzzer *f)
{
	struct pprof_table_drop drop = { .size = sizeof(drop), .table = pick(f, NR_TABLES + 1) };

	memcpy(f->arg, &drop, sizeof(drop));
	return sizeof(drop);
}

/* Mostly this program's file, which the victims map; else any descriptor, or none. */
static size_t fill_table_bind(struct fuzzer *f)
{
	struct pprof_table_bind bind = { .size = sizeof(bind), .table = pick(f, NR_TABLES + 1) };
	struct stat st = { .st_ino = 0 };
	static int own;

	if (!own)
		own = open("/proc/self/exe", O_RDONLY);
	bind.fd = one_in(f, 4) ? (int)pick(f, 20) - 2 : own;
	fstat(bind.fd, &st);
	bind.ctime_sec = st.st_ctim.tv_sec;
	bind.ctime_nsec = one_in(f, 8) ? random64(f) : (uint64_t)st.st_ctim.tv_nsec;
	memcpy(f->arg, &bind, sizeof(bind));
	return sizeof(bind);
}

/* The first range is the text of this program. Its bias makes tables begin at burn(). */
static inline void fill_ranges_after_text(struct fuzzer *f, struct pprof_range *ranges, uint32_t nr)
{
	extern const char __executable_start[], etext[];
	uint64_t at = (uintptr_t)__executable_start, bytes = etext - __executable_start;

	for (uint32_t i = 0; i < nr; i++) {
		ranges[i] = (struct pprof_range) {
			.start = at, .end = at + bytes,
			.table = !i || one_in(f, 64) ? pick(f, NR_TABLES + 1) : 0,
			.bias = i ? at : (uintptr_t)burn & -PPROF_TABLE_PAGE_BYTES,
		};
		at = ranges[i].end + PAGE_BYTES * pick(f, 3);
		bytes = 1 + pick(f, 9 * PAGE_BYTES);
	}
}

static size_t fill_ranges(struct fuzzer *f)
{
	struct pprof_range *range = (struct pprof_range *)f->data;
	struct pprof_ranges ranges = {
		.size = sizeof(ranges), .ranges = (uintptr_t)range, .pid = some_pid(f),
		.nr = pick(f, one_in(f, 16) ? PPROF_MAX_RANGES : NR_RANGES),
	};

	read_exec_id(one_in(f, 8) ? some_fd(f) : f->fd, ranges.pid, &ranges.exec_id);
	fill_ranges_after_text(f, range, ranges.nr);
	if (one_in(f, 8) && ranges.nr)
		((uint64_t *)range)[pick(f, ranges.nr * sizeof(*range) / 8)] = odd_number(f);
	memcpy(f->arg, &ranges, sizeof(ranges));
	return sizeof(ranges);
}

#endif
