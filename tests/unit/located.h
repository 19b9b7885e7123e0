/* SPDX-License-Identifier: GPL-2.0 */
/* A stack locator whose processes and mappings the test sets, for tests without rings. */
#ifndef TESTS_LOCATED_H
#define TESTS_LOCATED_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "aggregate/raw_stack.h"
#include "aggregate/stack_locator.h"
#include "device/device.h"
#include "life.h"

struct located {
	struct mapped_files *files;
	struct processes *processes;
	struct locations *locations;
	struct stack_locator locator;
};

/* No process of a test exists on this machine. */
int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	(void)d;
	(void)pid;
	(void)exec_id;
	return -ESRCH;
}

/* pid is that of the main program; 0: the first program that is known. located_free() frees it. */
static inline struct located *located_new(pid_t pid)
{
	struct located *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	l->files = mapped_files_new();
	assert_non_null(l->files);
	l->processes = processes_new(l->files, NULL);
	l->locations = locations_new(l->files);
	assert_true(l->processes && l->locations);
	l->locator = (struct stack_locator){
		.processes = l->processes, .locations = l->locations, .pid = pid,
		.exe_mapping = -1,
	};
	return l;
}

static inline void located_free(struct located *l)
{
	locations_free(l->locations);
	processes_free(l->processes);
	mapped_files_free(l->files);
	free(l);
}

/* Maps 64 KiB of the file name at start. */
static inline void located_map(struct located *l, struct process who, uint64_t start,
			       const char *name)
{
	uint64_t record[512];

	life_mmap(record, 2, who, start, start + 0x10000, 0, name);
	assert_int_equal(processes_take(l->processes, (struct pprof_event *)record), 0);
}

/* The process executes /bin/NAME, with its code at 0x400000. */
static inline void located_start(struct located *l, struct process who, const char *name)
{
	char path[32] = "/bin/";
	uint64_t record[512];

	life_exec(record, 1, who, 1, name);
	assert_int_equal(processes_take(l->processes, (struct pprof_event *)record), 0);
	located_map(l, who, 0x400000, strcat(path, name));
}

static inline uint32_t located_epoch(struct located *l, struct process who)
{
	int64_t epoch = processes_epoch(l->processes, who.pid, who.exec_id, 10);

	assert_true(epoch >= 0);
	return epoch;
}

static inline uint64_t located_address(struct located *l, uint64_t id)
{
	return locations_at(l->locations, id)->address;
}

static inline const char *located_name(struct located *l, uint64_t id)
{
	return locations_at(l->locations, id)->lines[0].name;
}

#endif /* TESTS_LOCATED_H */
