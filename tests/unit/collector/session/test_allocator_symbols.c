// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/allocator_symbols.c collector/elf/plt.c
// sources: collector/elf/validate.c collector/elf/string_section.c
// sources: collector/arch/x86/machine_code.c
// libs: -lelf -llzma
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>

#include "session/allocator_symbols.h"
#include "elffile.h"
#include "pprof.h"

/* The functions of a fixture; the code before them is some PLT, or nothing. */
static struct allocator read_fixture(const char *name, enum allocator_names names)
{
	struct elffile e = elffile_read(name);
	int fd = elffile_open(&e);
	struct allocator a;

	assert_int_equal(allocator_read(fd, names, &a), 0);
	close(fd);
	free(e.bytes);
	return a;
}

static void assert_functions(const struct allocator *a, const struct allocator_function *want,
			     unsigned int nr)
{
	uint64_t malloc_at = 0;

	assert_int_equal(a->nr, nr);
	for (unsigned int i = 0; i < nr; i++)
		if (a->list[i].function == PPROF_HEAP_MALLOC && !malloc_at)
			malloc_at = a->list[i].offset;
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(a->list[i].function, want[i].function);
		assert_int_equal(a->list[i].offset - malloc_at, want[i].offset);
	}
}

/* Both have the same functions, in the same order and distances. */
static void assert_alike(const struct allocator *a, const struct allocator *b)
{
	assert_int_equal(a->nr, b->nr);
	for (unsigned int i = 0; i < a->nr; i++) {
		assert_int_equal(a->list[i].function, b->list[i].function);
		assert_int_equal(a->list[i].offset - a->list[0].offset,
				 b->list[i].offset - b->list[0].offset);
	}
}

/* From malloc(); free()'s is behind its test, since the branch is cheaper. */
static const struct allocator_function c_functions[] = {
	{ PPROF_HEAP_FREE, 0x60 + 3 }, { PPROF_HEAP_REALLOC, 0x40 },
	{ PPROF_HEAP_MALLOC, 0 }, { PPROF_HEAP_ALIGNED, 0x80 },
	{ PPROF_HEAP_POSIX_MEMALIGN, 0xa0 }, { PPROF_HEAP_OUTER_CALLOC, 0x20 },
};

/* jemalloc's, which call no other inside. */
static const struct allocator_function prefixed_functions[] = {
	{ PPROF_HEAP_FREE, 0x60 + 3 }, { PPROF_HEAP_REALLOC, 0x40 },
	{ PPROF_HEAP_MALLOC, 0 }, { PPROF_HEAP_CALLOC, 0x20 },
	{ PPROF_HEAP_ALIGNED, 0x80 }, { PPROF_HEAP_POSIX_MEMALIGN, 0xa0 },
};

static const struct allocator_function cxx_functions[] = {
	{ PPROF_HEAP_FREE, 0x60 + 3 }, { PPROF_HEAP_FREE, 0xe0 },
	{ PPROF_HEAP_REALLOC, 0x40 }, { PPROF_HEAP_MALLOC, 0 },
	{ PPROF_HEAP_MALLOC, 0x240 }, { PPROF_HEAP_CALLOC, 0x20 },
	{ PPROF_HEAP_ALIGNED, 0x80 }, { PPROF_HEAP_POSIX_MEMALIGN, 0xa0 },
	{ PPROF_HEAP_NEW, 0xc0 },
};

/* That operator new never throws: it is a malloc(). */
static const struct allocator_function asan_functions[] = {
	{ PPROF_HEAP_FREE, 0x60 + 3 }, { PPROF_HEAP_FREE, 0xe0 },
	{ PPROF_HEAP_REALLOC, 0x40 }, { PPROF_HEAP_MALLOC, 0 },
	{ PPROF_HEAP_MALLOC, 0xc0 }, { PPROF_HEAP_CALLOC, 0x20 },
	{ PPROF_HEAP_ALIGNED, 0x80 }, { PPROF_HEAP_POSIX_MEMALIGN, 0xa0 },
};

static void test_c(void **state)
{
	struct allocator a = read_fixture("allocator.c", ALLOCATOR_COMMON);

	(void)state;
	assert_functions(&a, c_functions, 6);
	a = read_fixture("allocator.c", ALLOCATOR_PREFIXED);
	assert_int_equal(a.nr, 0);
}

/* libstdc++'s operators call malloc(), and would count twice, as would one that jumps. */
static void test_operators(void **state)
{
	struct allocator a = read_fixture("allocator.cxx", ALLOCATOR_COMMON);

	(void)state;
	assert_functions(&a, cxx_functions, 9);
	a = read_fixture("allocator.asan", ALLOCATOR_COMMON);
	assert_functions(&a, asan_functions, 8);
	a = read_fixture("allocator.ends", ALLOCATOR_COMMON);
	assert_functions(&a, asan_functions, 8);
	a = read_fixture("allocator.c_new", ALLOCATOR_COMMON);
	assert_functions(&a, c_functions, 6);
}

/*
 * A malloc() that jumps through the PLT: to a name that no other file is asked for, it
 * is the allocator's own; to a known one, that is what counts.
 */
static void test_jumps_by_name(void **state)
{
	struct allocator a = read_fixture("allocator.intercepts", ALLOCATOR_COMMON);

	(void)state;
	assert_functions(&a, c_functions, 6);
	a = read_fixture("allocator.forwards", ALLOCATOR_COMMON);
	assert_int_equal(a.nr, 0);
}

static void test_programs(void **state)
{
	struct allocator a = read_fixture("allocator.static", ALLOCATOR_COMMON);

	(void)state;
	assert_functions(&a, c_functions, 6);
	a = read_fixture("allocator.staticpie", ALLOCATOR_COMMON);
	assert_functions(&a, c_functions, 6);
	a = read_fixture("allocator.hidden", ALLOCATOR_COMMON);
	assert_functions(&a, c_functions, 6);
	a = read_fixture("allocator.kept_hidden", ALLOCATOR_COMMON);
	assert_functions(&a, c_functions, 6);
	a = read_fixture("allocator.all_local", ALLOCATOR_COMMON);
	assert_functions(&a, c_functions, 6);
	/* Elsewhere a local one is a function of the program's own. */
	a = read_fixture("allocator.local", ALLOCATOR_COMMON);
	assert_int_equal(a.nr, 0);
	a = read_fixture("allocator.prefixed", ALLOCATOR_PREFIXED);
	assert_functions(&a, prefixed_functions, 6);
	a = read_fixture("allocator.prefixed", ALLOCATOR_COMMON);
	assert_int_equal(a.nr, 0);
	a = read_fixture("allocator.stripped", ALLOCATOR_COMMON);
	assert_int_equal(a.nr, 0);
}

/* ld makes libc.a's malloc() local in a static PIE, but not its free(). */
static void test_libc_a(void **state)
{
	struct allocator want = read_fixture("allocates.static", ALLOCATOR_COMMON), a;

	(void)state;
	assert_true(want.nr >= 8);
	a = read_fixture("allocates.staticpie", ALLOCATOR_COMMON);
	assert_alike(&a, &want);
	a = read_fixture("allocates.rdynamic", ALLOCATOR_COMMON);
	assert_alike(&a, &want);
}

static void test_no_malloc(void **state)
{
	struct allocator a = read_fixture("allocator.none", ALLOCATOR_COMMON);

	(void)state;
	assert_int_equal(a.nr, 0);
	a = read_fixture("chain", ALLOCATOR_COMMON);
	assert_int_equal(a.nr, 0);
}

static uint64_t offset_of(const struct allocator *a, uint32_t function)
{
	for (unsigned int i = 0; i < a->nr; i++)
		if (a->list[i].function == function)
			return a->list[i].offset;
	return UINT64_MAX;
}

static uint64_t distance(const struct allocator *a, uint32_t from, uint32_t to)
{
	return offset_of(a, to) - offset_of(a, from);
}

/* What is asked before a throw: by a stub, which is before the text, or here. */
static void test_fails(void **state)
{
	struct allocator a = read_fixture("allocator.asks", ALLOCATOR_COMMON);

	(void)state;
	assert_int_equal(a.nr, 9);
	assert_int_equal(a.list[2].function, PPROF_HEAP_NEW_HANDLER);
	assert_true(offset_of(&a, PPROF_HEAP_NEW_HANDLER) < offset_of(&a, PPROF_HEAP_MALLOC));
	assert_int_equal(distance(&a, PPROF_HEAP_MALLOC, PPROF_HEAP_NEW_HANDLED), 0xc0);
	a = read_fixture("allocator.owns", ALLOCATOR_COMMON);
	assert_int_equal(a.nr, 9);
	assert_int_equal(distance(&a, PPROF_HEAP_MALLOC, PPROF_HEAP_NEW_HANDLED), 0xc0);
	assert_true(distance(&a, PPROF_HEAP_NEW_HANDLED, PPROF_HEAP_NEW_HANDLER) < 0x400);
	assert_int_equal(offset_of(&a, PPROF_HEAP_NEW), UINT64_MAX);
	/* What has no operator of its own does not throw. */
	a = read_fixture("allocator.prefixed_asks", ALLOCATOR_PREFIXED);
	assert_int_equal(a.nr, 6);
	assert_int_equal(offset_of(&a, PPROF_HEAP_NEW_HANDLER), UINT64_MAX);
}

/* How many functions the names of libc stand for: some are one, and which varies. */
static unsigned int count_functions_of(void *libc)
{
	static const char *const names[] = {
		"free", "free_sized", "free_aligned_sized", "realloc", "malloc", "calloc",
		"aligned_alloc", "memalign", "posix_memalign", "valloc", "pvalloc",
	};
	void *found[sizeof(names) / sizeof(*names)];
	unsigned int nr = 0, at;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		found[nr] = dlsym(libc, names[i]);
		for (at = 0; found[at] != found[nr]; at++)
			;
		nr += found[nr] && at == nr;
	}
	return nr;
}

/* This process's. */
static void test_libc(void **state)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY);
	int fd = open("/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY);
	struct allocator a;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(allocator_read(fd, ALLOCATOR_COMMON, &a), 0);
	assert_int_equal(a.nr, count_functions_of(libc));
	assert_int_equal(a.list[0].function, PPROF_HEAP_FREE);
	assert_int_equal(a.list[1].function, PPROF_HEAP_REALLOC);
	assert_int_equal(a.list[a.nr - 1].function, PPROF_HEAP_VALLOC);
	close(fd);
	dlclose(libc);
}

static void refuse(struct elffile *e)
{
	int fd = elffile_open(e);
	struct allocator a;

	assert_int_equal(allocator_read(fd, ALLOCATOR_COMMON, &a), -ENOEXEC);
	assert_int_equal(a.nr, 0);
	close(fd);
}

static void test_other_files(void **state)
{
	struct elffile e = elffile_read("allocator.c"), compat = elffile_read("bare32");

	(void)state;
	refuse(&compat);
	elffile_header(&e)->e_machine = EM_AARCH64;
	refuse(&e);
	memset(e.bytes, 0, e.size);
	refuse(&e);
	e.size = 0;
	refuse(&e);
	free(e.bytes);
	free(compat.bytes);
}

/* libelf would take memory for each, or look for the end of the names at each. */
static void test_hostile(void **state)
{
	struct elffile e = elffile_read("allocator.c");
	Elf64_Ehdr *ehdr = elffile_header(&e);
	Elf64_Shdr *list = (Elf64_Shdr *)(e.bytes + ehdr->e_shoff), *symbols, *names;
	uint16_t nr = ehdr->e_shnum;
	struct allocator a;
	int fd;

	(void)state;
	ehdr->e_shnum = 0;
	list->sh_size = 1U << 26;
	refuse(&e);
	ehdr->e_shnum = nr;
	symbols = elffile_section(&e, ".dynsym");
	names = &list[symbols->sh_link];
	e.bytes[names->sh_offset + names->sh_size - 1] = 'x';
	fd = elffile_open(&e);
	assert_int_equal(allocator_read(fd, ALLOCATOR_COMMON, &a), 0);
	assert_int_equal(a.nr, 0);
	close(fd);
	free(e.bytes);
}

/* Whatever a byte of it says, there is an answer. */
static void test_damaged(void **state)
{
	struct elffile e = elffile_read("allocator.cxx");

	(void)state;
	for (size_t i = 0; i < e.size; i += 1 + e.size / 4000) {
		uint8_t byte = e.bytes[i];
		struct allocator a;
		int fd;

		e.bytes[i] ^= 0xff;
		fd = elffile_open(&e);
		allocator_read(fd, ALLOCATOR_COMMON, &a);
		assert_true(a.nr <= ALLOCATOR_MAX);
		close(fd);
		e.bytes[i] = byte;
	}
	free(e.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_jumps_by_name),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_libc_a),
		cmocka_unit_test(test_no_malloc),
		cmocka_unit_test(test_fails),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
