// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/thread_contexts.c collector/procfs/maps.c
// sources: collector/procfs/live_thread.c collector/procfs/time_namespace.c
/* The files are played by this file. The dynamic linker fills in memory of this process. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "elf/tls_symbol.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "session/thread_contexts.h"

/* The list of files grows by doubling from 16 on. */
enum { PROGRAM = 1, LIBRARY, OTHER, LIBC, MUSL, FAR = 100, NR_FILES };

static const char *const paths[NR_FILES] = {
	[PROGRAM] = "/bin/app", [LIBRARY] = "/lib/libtracer.so", [OTHER] = "/lib/libother.so",
	[LIBC] = "/usr/lib/libc.so.6", [MUSL] = "/lib/ld-musl-x86_64.so.1",
	[FAR] = "/lib/libfar.so",
};

/* By PPROF_CONTEXT_*, and the version of the layout of labels. */
static struct tls_symbol symbols[PPROF_NR_CONTEXTS][NR_FILES];
static uint32_t version;
static int nr_read, last_opened;
static uint64_t words[2], tls_index[2];

uint32_t mapped_files_first(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return file;
}

const char *mapped_files_path(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return paths[file];
}

int mapped_files_open(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	last_opened = file;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int tls_symbol_read(int fd, const char *name, struct tls_symbol *s)
{
	bool is_otel = !strcmp(name, "otel_thread_ctx_v1");

	assert_true(fd >= 0);
	assert_true(is_otel || !strcmp(name, "custom_labels_current_set"));
	nr_read++;
	*s = symbols[is_otel ? PPROF_CONTEXT_OTEL : PPROF_CONTEXT_LABELS][last_opened];
	return 0;
}

bool tls_symbol_has_version(int fd, const char *name, uint32_t value)
{
	assert_true(fd >= 0);
	assert_string_equal(name, "custom_labels_abi_version");
	return value == version;
}

static struct thread_contexts *contexts;
static struct maps *maps;

static int setup(void **state)
{
	(void)state;
	memset(symbols, 0, sizeof(symbols));
	memset(words, 0, sizeof(words));
	nr_read = 0;
	version = 1;
	maps = maps_new();
	contexts = thread_contexts_new(NULL);
	return contexts && maps ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	thread_contexts_free(contexts);
	maps_free(maps);
	return 0;
}

static void map(uint32_t file, uint64_t since_ns)
{
	const struct maps_range range = {
		.start = 0x10000 * file, .end = 0x10000 * file + 0x1000, .offset = 0x1000,
		.file = file, .since_ns = since_ns,
	};

	assert_true(maps_insert(maps, &range) >= 0);
}

/* Defines a variable in a file. Its slot is words[]. */
static void define_of(int format, uint32_t file, enum tls_access access, int64_t offset)
{
	symbols[format][file] = (struct tls_symbol){
		.access = access, .offset = offset, .second = offset,
		.slot = (uintptr_t)words - 0x10000 * file + 0x5000,
		.code_offset = 0x1000, .code_address = 0x5000,
	};
}

static void define(uint32_t file, enum tls_access access, int64_t offset)
{
	define_of(PPROF_CONTEXT_OTEL, file, access, offset);
}

static int find(struct pprof_tls_address *found)
{
	const struct processes_exec exec = { .pid = getpid(), .maps = maps };

	return thread_contexts_find(contexts, &exec, found);
}

static void expect_of(int format, uint32_t kind, uint32_t module, int64_t offset)
{
	struct pprof_tls_address found;

	assert_int_equal(find(&found), 0);
	assert_int_equal(found.kind, kind);
	assert_int_equal(found.format, format);
	assert_int_equal(found.module, module);
	assert_int_equal(found.offset, offset);
}

static void expect(uint32_t kind, uint32_t module, int64_t offset)
{
	expect_of(PPROF_CONTEXT_OTEL, kind, module, offset);
}

static void test_none(void **state)
{
	(void)state;
	expect(PPROF_TLS_NONE, 0, 0);
	map(LIBC, 0);
	map(LIBRARY, 0);
	expect(PPROF_TLS_NONE, 0, 0);
	expect(PPROF_TLS_NONE, 0, 0);
	assert_int_equal(nr_read, 2 * PPROF_NR_CONTEXTS);	/* each file once */
}

static void test_program(void **state)
{
	(void)state;
	define(PROGRAM, TLS_ACCESS_PROGRAM, -24);
	define(LIBRARY, TLS_ACCESS_OFFSET, 0);
	words[0] = -64;
	map(LIBRARY, 0);
	map(PROGRAM, 0);
	expect(PPROF_TLS_STATIC, 0, -24);	/* it replaces that of the library */
}

static void test_offset(void **state)
{
	(void)state;
	define(LIBRARY, TLS_ACCESS_OFFSET, 0);
	map(LIBRARY, 0);
	words[0] = -64;
	expect(PPROF_TLS_STATIC, 0, -64);
	words[0] = -65;
	expect(PPROF_TLS_NONE, 0, 0);
	words[0] = 64;
	expect(PPROF_TLS_NONE, 0, 0);
	words[0] = INT64_MIN;
	expect(PPROF_TLS_NONE, 0, 0);
}

static void test_module(void **state)
{
	(void)state;
	define(LIBRARY, TLS_ACCESS_MODULE, 16);
	map(LIBRARY, 0);
	words[0] = 3;
	words[1] = 16;
	expect(PPROF_TLS_NONE, 0, 0);	/* which libc? */
	map(LIBC, 0);
	expect(PPROF_TLS_DTV_GLIBC, 3, 16);
	words[1] = 24;			/* that of another file */
	expect(PPROF_TLS_NONE, 0, 0);
	words[1] = 16;
	words[0] = PPROF_MAX_TLS_MODULE + 1;
	expect(PPROF_TLS_NONE, 0, 0);
	words[0] = 3;
	map(MUSL, 0);
	expect(PPROF_TLS_NONE, 0, 0);
}

static void test_descriptor(void **state)
{
	(void)state;
	define(LIBRARY, TLS_ACCESS_DESCRIPTOR, 16);
	map(LIBRARY, 0);
	map(MUSL, 0);
	words[0] = 0x1234;
	words[1] = -48;
	expect(PPROF_TLS_STATIC, 0, -48);
	words[1] = (uintptr_t)tls_index;
	tls_index[0] = 2;
	tls_index[1] = 16;
	expect(PPROF_TLS_DTV_MUSL, 2, 16);
	tls_index[1] = 8;
	expect(PPROF_TLS_NONE, 0, 0);
	words[1] = 8;			/* no memory */
	expect(PPROF_TLS_NONE, 0, 0);
}

/* Files after the library make the list of files move. */
static void test_many_files(void **state)
{
	(void)state;
	define(LIBRARY, TLS_ACCESS_OFFSET, 0);
	words[0] = -64;
	map(LIBRARY, 0);
	map(FAR, 0);
	expect(PPROF_TLS_STATIC, 0, -64);
}

static void test_two_libraries(void **state)
{
	(void)state;
	define(LIBRARY, TLS_ACCESS_OFFSET, 0);
	define(OTHER, TLS_ACCESS_OFFSET, 0);
	words[0] = -64;
	map(LIBRARY, 0);
	expect(PPROF_TLS_STATIC, 0, -64);
	map(OTHER, 0);
	expect(PPROF_TLS_NONE, 0, 0);
}

static void test_linker_is_not_done(void **state)
{
	struct pprof_tls_address found;

	(void)state;
	define(LIBRARY, TLS_ACCESS_DESCRIPTOR, 0);
	map(LIBRARY, clock_ns(CLOCK_MONOTONIC));
	map(LIBC, 0);
	assert_int_equal(find(&found), -EAGAIN);
	assert_int_equal(found.kind, PPROF_TLS_NONE);
	words[0] = 1;
	words[1] = -8;
	expect(PPROF_TLS_STATIC, 0, -8);
}

static void test_labels(void **state)
{
	(void)state;
	define_of(PPROF_CONTEXT_LABELS, LIBRARY, TLS_ACCESS_DESCRIPTOR, 16);
	map(LIBRARY, 0);
	map(LIBC, 0);
	words[0] = 0x1234;
	words[1] = -48;
	expect_of(PPROF_CONTEXT_LABELS, PPROF_TLS_STATIC, 0, -48);
	words[1] = 8;			/* no memory: the kind and the format are 0 */
	expect(PPROF_TLS_NONE, 0, 0);
}

static void test_another_version_of_labels(void **state)
{
	(void)state;
	version = 2;
	define_of(PPROF_CONTEXT_LABELS, PROGRAM, TLS_ACCESS_PROGRAM, -16);
	define(LIBRARY, TLS_ACCESS_OFFSET, 0);
	map(PROGRAM, 0);
	expect(PPROF_TLS_NONE, 0, 0);
	words[0] = -64;
	map(LIBRARY, 0);
	expect(PPROF_TLS_STATIC, 0, -64);	/* it has no such version */
}

/* Fails if labels of the program hide the trace of a library. */
static void test_both(void **state)
{
	(void)state;
	define_of(PPROF_CONTEXT_LABELS, PROGRAM, TLS_ACCESS_PROGRAM, -16);
	map(PROGRAM, 0);
	expect_of(PPROF_CONTEXT_LABELS, PPROF_TLS_STATIC, 0, -16);
	define(LIBRARY, TLS_ACCESS_OFFSET, 0);
	words[0] = -64;
	map(LIBRARY, 0);
	expect(PPROF_TLS_STATIC, 0, -64);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_none),
		WITH_SETUP(test_program),
		WITH_SETUP(test_offset),
		WITH_SETUP(test_module),
		WITH_SETUP(test_descriptor),
		WITH_SETUP(test_many_files),
		WITH_SETUP(test_two_libraries),
		WITH_SETUP(test_linker_is_not_done),
		WITH_SETUP(test_labels),
		WITH_SETUP(test_another_version_of_labels),
		WITH_SETUP(test_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
