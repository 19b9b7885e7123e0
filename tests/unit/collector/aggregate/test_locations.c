// SPDX-License-Identifier: GPL-2.0
// sources: collector/aggregate/locations.c collector/process/mapped_files.c
// sources: collector/aggregate/named_code.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/process/kernel_image.c
// sources: collector/procfs/vdso.c collector/procfs/maps.c collector/symbol/perf_map.c
// sources: collector/symbol/kallsyms.c
// sources: collector/base/tuple_map.c collector/base/string_table.c
// sources: collector/base/regular_file.c collector/procfs/live_thread.c
// sources: collector/procfs/mapped_file.c collector/procfs/procfs.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
// libs: -Wl,--wrap=mapped_files_is_outdated
#include "fail_alloc.h"
#include "fakesym.h"
#include "filekey.h"
#include "folder.h"
#include "aggregate/locations.h"
#include "aggregate/named_code.h"

/* Offsets in the file. Other offsets have no symbol. */
static const struct fake_symbol symbols[] = {
	{ 0x1100, 1, { { .name = "work", .system_name = "_Zwork", .file = "a.c", .line = 7 } } },
	{ 0x1200, 2, { { .name = "inlined", .system_name = "inlined", .line = 3 },
		       { .name = "main", .system_name = "main", .line = 20 } } },
	{ 0 },
};

struct parts {
	struct mapped_files *files;
	struct locations *locations;
	struct maps *maps;	/* of a process with a program and code without a file */
	uint32_t file;		/* of the program */
};

static uint32_t outdated;	/* a file; MAPPED_FILES_NONE: there is none */

bool __wrap_mapped_files_is_outdated(const struct mapped_files *f, uint32_t file);
bool __wrap_mapped_files_is_outdated(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return outdated != MAPPED_FILES_NONE && file == outdated;
}

static struct maps *map(const struct maps_range *ranges, size_t nr)
{
	struct maps *maps = maps_new();

	assert_non_null(maps);
	for (size_t i = 0; i < nr; i++)
		assert_true(maps_insert(maps, &ranges[i]) >= 0);
	return maps;
}

static int setup(void **state)
{
	static const struct mapped_files_mapping nowhere = { .end = 1ULL << 47 };
	struct mapped_files_key key = { .ino = 0, .path = "[vdso]" };
	struct parts *p = calloc(1, sizeof(*p));
	struct maps_range ranges[2];

	assert_non_null(p);
	fake_symbols = symbols;
	fake_nr_lookups = 0;
	fake_nr_inlined = 0;
	outdated = MAPPED_FILES_NONE;
	p->files = mapped_files_new();
	p->locations = locations_new(p->files);
	p->file = mapped_files_intern(p->files, &key, &nowhere);
	ranges[0] = (struct maps_range){ 0x400000, 0x402000, 0x1000, p->file, 0 };
	ranges[1] = (struct maps_range){ 0x700000, 0x701000, 0x700000, MAPPED_FILES_NONE, 0 };
	p->maps = map(ranges, 2);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct parts *p = *state;

	locations_free(p->locations);
	maps_free(p->maps);
	mapped_files_free(p->files);
	free(p);
	return 0;
}

static void test_names(void **state)
{
	struct parts *p = *state;
	int64_t id = locations_intern(p->locations, p->maps, 0x400100);
	const struct location *location = locations_at(p->locations, id);

	assert_int_equal(location->address, 0x400100);
	assert_int_equal(location->mapping, 0);
	assert_int_equal(location->nr_lines, 1);
	assert_string_equal(location->lines[0].name, "work");
	assert_int_equal(location->lines[0].line, 7);
	id = locations_intern(p->locations, p->maps, 0x400200);
	location = locations_at(p->locations, id);
	assert_int_equal(location->nr_lines, 2);
	assert_string_equal(location->lines[0].name, "inlined");
	assert_string_equal(location->lines[1].name, "main");
	assert_true(location->named);
}

/* Code that an earlier window has learnt is not looked up again, and code without a symbol too. */
static void test_known_code(void **state)
{
	struct parts *p = *state;
	struct named_code *code = named_code_new();
	int64_t first = locations_intern(p->locations, p->maps, 0x400100);
	int64_t unnamed = locations_intern(p->locations, p->maps, 0x400300);

	assert_non_null(code);
	locations_learn(p->locations, code, 100);
	assert_true(locations_at(p->locations, first)->named);
	assert_false(locations_at(p->locations, unnamed)->named);
	assert_int_equal(named_code_nr(code), 2);
	locations_clear(p->locations);
	fake_nr_lookups = 0;
	unnamed = locations_intern(p->locations, p->maps, 0x400300);
	assert_false(locations_at(p->locations, unnamed)->named);
	assert_int_equal(fake_nr_lookups, 0);
	named_code_free(code);
}

/* Code without a symbol gets the name of its file. */
static void assert_unnamed(struct parts *p, uint64_t addr, const char *want)
{
	int64_t id = locations_intern(p->locations, p->maps, addr);
	const struct location *location = locations_at(p->locations, id);

	assert_false(location->named);
	assert_int_equal(location->address, addr);
	assert_int_equal(location->nr_lines, 1);
	assert_string_equal(location->lines[0].name, want);
	assert_string_equal(location->lines[0].system_name, want);
	assert_int_equal(location->lines[0].line, 0);
}

static void test_names_by_file(void **state)
{
	static const struct mapped_files_mapping nowhere = { .end = 1ULL << 47 };
	const struct mapped_files_key key = { .path = "/usr/lib/libx.so.1" };
	struct parts *p = *state;
	struct maps_range range = { 0x800000, 0x801000, 0x1000, 0, 0 };

	range.file = mapped_files_intern(p->files, &key, &nowhere);
	assert_true(maps_insert(p->maps, &range) >= 0);
	assert_unnamed(p, 0x400300, "[vdso]");
	assert_unnamed(p, 0x700123, "[anon]");
	assert_unnamed(p, 0x123456, "[unknown]");
	assert_unnamed(p, 0x800100, "[libx.so.1]");
	assert_unnamed(p, 0x800200, "[libx.so.1]");
	/* Without a file there is no look-up. */
	assert_int_equal(fake_nr_lookups, 1);
}

/* An address is looked up once, at the first locations_at(). */
static void test_names_are_looked_up_once(void **state)
{
	struct parts *p = *state;

	for (int i = 0; i < 10; i++) {
		assert_int_equal(locations_intern(p->locations, p->maps, 0x400100), 0);
		assert_int_equal(locations_intern(p->locations, p->maps, 0x400300), 1);
	}
	assert_int_equal(locations_nr(p->locations), 2);
	assert_int_equal(fake_nr_lookups, 0);
	for (int i = 0; i < 10; i++) {
		locations_at(p->locations, 0);
		locations_at(p->locations, 1);
	}
	assert_int_equal(fake_nr_lookups, 2);
}

/* After a clear, ids start anew, and symbols are looked up again. */
static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

/* What another process has looked up is not looked up here. */
static void test_set(void **state)
{
	static const struct frame lines[] = {
		{ .name = "f()", .system_name = "_Z1fv", .file = "f.cc", .line = 3 },
		{ .name = "main", .system_name = "main" },
	};
	struct parts *p = *state;
	int64_t id = locations_intern(p->locations, p->maps, 0x400100);
	int64_t none = locations_intern(p->locations, p->maps, 0x400150);
	int64_t memory = locations_intern(p->locations, p->maps, 0x700010);
	const struct location *location;
	size_t found = 0;

	assert_int_equal(locations_set(p->locations, id, lines, 2), 0);
	assert_int_equal(locations_set(p->locations, id, lines, 1), 0);
	assert_int_equal(locations_set(p->locations, none, NULL, 0), 0);
	assert_int_equal(locations_set(p->locations, memory, lines, 1), 0);
	assert_int_equal(locations_set(p->locations, memory + 1, lines, 1), -EINVAL);
	assert_int_equal(locations_set(p->locations, id, lines, LOCATIONS_MAX_LINES + 1), -EINVAL);
	locations_name_all(p->locations, never, NULL);
	assert_int_equal(fake_nr_lookups, 0);
	location = locations_at(p->locations, id);
	assert_int_equal(location->nr_lines, 2);
	assert_true(location->named);
	assert_string_equal(location->lines[0].name, "f()");
	assert_string_equal(location->lines[0].system_name, "_Z1fv");
	assert_string_equal(location->lines[0].file, "f.cc");
	assert_int_equal(location->lines[0].line, 3);
	assert_null(location->lines[1].file);
	assert_false(locations_at(p->locations, none)->named);
	assert_string_equal(locations_at(p->locations, none)->lines[0].name, "[vdso]");
	assert_string_equal(locations_at(p->locations, memory)->lines[0].name, "[anon]");
	assert_null(locations_next_found(p->locations, &found));
}

/* Fails if code of a changed file keeps a name, is looked up again, or gets a late one. */
static void test_forgotten_names(void **state)
{
	static const struct frame line = { .name = "old", .system_name = "old" };
	struct parts *p = *state;
	int64_t id = locations_intern(p->locations, p->maps, 0x400100);
	int64_t set = locations_intern(p->locations, p->maps, 0x400200);
	int64_t late = locations_intern(p->locations, p->maps, 0x400300);
	bool keep[2] = { true, true };

	locations_at(p->locations, id);
	assert_int_equal(locations_set(p->locations, set, &line, 1), 0);
	locations_forget_names(p->locations, keep);
	assert_string_equal(locations_at(p->locations, id)->lines[0].name, "work");
	keep[p->file] = false;
	outdated = p->file;
	locations_forget_names(p->locations, keep);
	assert_int_equal(locations_set(p->locations, late, &line, 1), 0);
	fake_nr_lookups = 0;
	assert_string_equal(locations_at(p->locations, id)->lines[0].name, "[vdso]");
	assert_string_equal(locations_at(p->locations, set)->lines[0].name, "[vdso]");
	assert_false(locations_at(p->locations, id)->named);
	assert_int_equal(fake_nr_lookups, 0);
	assert_string_not_equal(locations_at(p->locations, late)->lines[0].name, "old");
}

/* What was looked up here, and only that. */
static void test_found(void **state)
{
	struct parts *p = *state;
	size_t id = 0;

	locations_intern(p->locations, p->maps, 0x700010);
	locations_synthetic(p->locations, "lost");
	locations_intern(p->locations, p->maps, 0x400100);
	assert_null(locations_next_found(p->locations, &id));
	assert_int_equal(id, 3);
	locations_name_all(p->locations, never, NULL);
	id = 0;
	assert_string_equal(locations_next_found(p->locations, &id)->lines[0].name, "work");
	assert_int_equal(id, 2);
	id++;
	assert_null(locations_next_found(p->locations, &id));
}

/* Locations that are kept have their symbols and their mapping still. */
static void test_keep(void **state)
{
	struct parts *p = *state;
	int64_t none = -1;
	uint32_t new_ids[] = { LOCATIONS_REMOVED, 0, LOCATIONS_REMOVED, 1, 2 };

	assert_int_equal(locations_intern(p->locations, p->maps, 0x400150), 0);
	assert_int_equal(locations_intern(p->locations, p->maps, 0x400100), 1);
	assert_int_equal(locations_intern(p->locations, p->maps, 0x400200), 2);
	assert_int_equal(locations_synthetic(p->locations, "lost"), 3);
	assert_int_equal(locations_intern(p->locations, p->maps, 12), 4);
	locations_name_all(p->locations, never, NULL);
	allocations_left = 0;
	assert_int_equal(locations_keep(p->locations, new_ids, &none), -ENOMEM);
	allocations_left = -1;
	assert_int_equal(locations_nr(p->locations), 5);
	assert_int_equal(locations_keep(p->locations, new_ids, &none), 0);
	fake_nr_lookups = 0;
	assert_int_equal(locations_nr(p->locations), 3);
	assert_string_equal(locations_at(p->locations, 0)->lines[0].name, "work");
	assert_string_equal(locations_at(p->locations, 1)->lines[0].name, "lost");
	assert_string_equal(locations_at(p->locations, 2)->lines[0].name, "[unknown]");
	assert_int_equal(fake_nr_lookups, 0);
	assert_int_equal(locations_intern(p->locations, p->maps, 0x400100), 0);
	assert_int_equal(locations_synthetic(p->locations, "lost"), 1);
	assert_int_equal(locations_intern(p->locations, p->maps, 12), 2);
	assert_int_equal(locations_intern(p->locations, p->maps, 0x400200), 3);
	assert_int_equal(locations_at(p->locations, 3)->address, 0x400200);
	assert_int_equal(locations_nr_mappings(p->locations), 1);
}

/* A mapping is removed with its last location, and is new when it comes again. */
static void test_keep_mappings(void **state)
{
	const struct maps_range ranges[] = {
		{ 0x10000, 0x20000, 0, 11, 0 }, { 0x30000, 0x40000, 0, 12, 0 },
		{ 0x50000, 0x60000, 0, 13, 0 },
	};
	const uint32_t new_ids[] = { LOCATIONS_REMOVED, LOCATIONS_REMOVED, 0 };
	struct parts *p = *state;
	struct maps *maps = map(ranges, 3);
	bool marks[14] = { false };
	int64_t main_mapping = 1;

	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(locations_intern(p->locations, maps, ranges[i].start + 8), i);
	assert_int_equal(locations_keep(p->locations, new_ids, &main_mapping), 0);
	assert_int_equal(main_mapping, 0);
	assert_int_equal(locations_nr_mappings(p->locations), 2);
	assert_int_equal(locations_mapping_at(p->locations, 0)->file, 12);
	assert_int_equal(locations_file(p->locations, 0), 13);
	locations_mark_files(p->locations, marks);
	assert_true(!marks[11] && marks[12] && marks[13]);
	assert_int_equal(locations_intern(p->locations, maps, 0x50008), 0);
	assert_int_equal(locations_intern(p->locations, maps, 0x10008), 1);
	assert_int_equal(locations_file(p->locations, 1), 11);
	assert_int_equal(locations_intern(p->locations, maps, 0x30008), 2);
	assert_int_equal(locations_nr_mappings(p->locations), 3);
	maps_free(maps);
}

static void test_cleared(void **state)
{
	struct parts *p = *state;

	for (int i = 1; i <= 3; i++) {
		assert_int_equal(locations_intern(p->locations, p->maps, 0x400300), 0);
		assert_int_equal(locations_intern(p->locations, p->maps, 0x400100), 1);
		assert_int_equal(locations_nr(p->locations), 2);
		assert_int_equal(locations_nr_mappings(p->locations), 1);
		locations_at(p->locations, 0);
		assert_true(locations_at(p->locations, 1)->named);
		assert_int_equal(fake_nr_lookups, 2 * i);
		locations_clear(p->locations);
		assert_int_equal(locations_nr(p->locations), 0);
		assert_int_equal(locations_nr_mappings(p->locations), 0);
	}
}

/* Code that another process maps at another address is the same location. */
static void test_bases_fall_together(void **state)
{
	struct parts *p = *state;
	const struct maps_range other = { 0x7f1000, 0x7f4000, 0x1000, p->file, 0 };
	struct maps *maps = map(&other, 1);
	int64_t id = locations_intern(p->locations, p->maps, 0x400100);

	assert_int_equal(locations_intern(p->locations, maps, 0x7f1100), id);
	assert_int_equal(locations_at(p->locations, id)->address, 0x400100);
	assert_int_equal(locations_nr_mappings(p->locations), 1);
	/* The mapping is as long as the longest one. */
	assert_int_equal(locations_mapping_at(p->locations, 0)->start, 0x400000);
	assert_int_equal(locations_mapping_at(p->locations, 0)->end, 0x403000);
	assert_int_equal(locations_mapping_at(p->locations, 0)->offset, 0x1000);
	assert_int_equal(locations_mapping_at(p->locations, 0)->file, p->file);
	maps_free(maps);
}

static void test_other_files_and_offsets_do_not(void **state)
{
	struct parts *p = *state;
	const struct maps_range ranges[] = {
		{ 0x400000, 0x402000, 0x3000, p->file, 0 },
		{ 0x500000, 0x502000, 0x1000, p->file + 1, 0 },
	};
	struct maps *maps = map(ranges, 2);
	int64_t id = locations_intern(p->locations, p->maps, 0x400100);

	assert_int_not_equal(locations_intern(p->locations, maps, 0x400100), id);
	assert_int_not_equal(locations_intern(p->locations, maps, 0x500100), id);
	assert_int_equal(locations_nr_mappings(p->locations), 3);
	assert_int_equal(locations_nr(p->locations), 3);
	maps_free(maps);
}

static bool is_over(void *left)
{
	int *nr = left;

	return !*nr || !--*nr;
}

/* Once is_over() is true, no more symbols are looked up, by locations_at() either. */
static void test_naming_ends_early(void **state)
{
	struct parts *p = *state;
	int left = 5;

	for (uint64_t at = 0; at < 8; at++)
		assert_true(locations_intern(p->locations, p->maps, 0x400100 + at) >= 0);
	assert_int_equal(locations_name_all(p->locations, is_over, &left), -EINTR);
	assert_int_equal(fake_nr_lookups, 4);
	assert_int_equal(fake_nr_in_use, 0);
	assert_string_equal(locations_at(p->locations, 0)->lines[0].name, "work");
	assert_string_equal(locations_at(p->locations, 7)->lines[0].name, "[vdso]");
	assert_int_equal(fake_nr_lookups, 4);
}

/* All symbols of one file are looked up before those of the other, in any order of locations. */
static void test_all_names_at_once(void **state)
{
	static const struct mapped_files_mapping nowhere = { .end = 1ULL << 47 };
	const struct mapped_files_key key = key_of("/bin/sh");
	struct parts *p = *state;
	struct maps_range range = { 0x800000, 0x802000, 0x1000, 0, 0 };
	int left = 100;

	range.file = mapped_files_intern(p->files, &key, &nowhere);
	assert_true(maps_insert(p->maps, &range) >= 0);
	for (uint64_t at = 0; at < 8; at++) {
		assert_true(locations_intern(p->locations, p->maps, 0x400100 + at) >= 0);
		assert_true(locations_intern(p->locations, p->maps, 0x800100 + at) >= 0);
	}
	locations_synthetic(p->locations, "none");
	fake_most_in_use = 0;
	assert_int_equal(locations_name_all(p->locations, is_over, &left), 0);
	assert_int_equal(fake_nr_lookups, 16);
	assert_int_equal(fake_most_in_use, 1);
	assert_int_equal(fake_nr_in_use, 0);
	assert_string_equal(locations_at(p->locations, 0)->lines[0].name, "work");
	assert_string_equal(locations_at(p->locations, 1)->lines[0].name, "work");
	assert_int_equal(fake_nr_lookups, 16);
}

static void test_unmapped(void **state)
{
	struct parts *p = *state;
	int64_t id = locations_intern(p->locations, p->maps, 0x123456);

	assert_int_equal(locations_intern(p->locations, p->maps, 0x123456), id);
	assert_int_not_equal(locations_intern(p->locations, p->maps, 0x123457), id);
	assert_int_equal(locations_at(p->locations, id)->mapping, LOCATIONS_NO_MAPPING);
	assert_int_equal(locations_at(p->locations, id)->address, 0x123456);
	assert_int_equal(locations_nr_mappings(p->locations), 0);
	assert_int_equal(fake_nr_lookups, 0);
}

static void test_anonymous_code(void **state)
{
	struct parts *p = *state;
	int64_t id = locations_intern(p->locations, p->maps, 0x700123);
	const struct location *location = locations_at(p->locations, id);

	assert_int_equal(location->address, 0x700123);
	assert_int_equal(locations_mapping_at(p->locations, location->mapping)->file,
			 MAPPED_FILES_NONE);
	assert_int_equal(fake_nr_lookups, 0);
}

/* Generated code is looked up by its address in the perf map. */
static void test_perfmap(void **state)
{
	struct parts *p = *state;
	struct maps_range range = { 0x900000, 0x902000, 0x900000, 0, 0 };
	const struct location *location;
	char path[64], unnamed[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	snprintf(unnamed, sizeof(unnamed), "[perf-%d.map]", getpid());
	write_file(path, "900100 80 JS:^work a.js:1\n");
	range.file = mapped_files_intern_perfmap(p->files, getpid(), MAPPED_FILES_NONE, false);
	assert_int_equal(unlink(path), 0);
	assert_true(maps_insert(p->maps, &range) >= 0);
	location = locations_at(p->locations, locations_intern(p->locations, p->maps, 0x900110));
	assert_true(location->named);
	assert_int_equal(location->address, 0x900110);
	assert_int_equal(location->nr_lines, 1);
	assert_string_equal(location->lines[0].name, "JS:^work a.js:1");
	assert_string_equal(location->lines[0].system_name, "JS:^work a.js:1");
	assert_null(location->lines[0].file);
	assert_unnamed(p, 0x900180, unnamed);
	assert_int_equal(fake_nr_lookups, 0);
}

static void test_synthetic(void **state)
{
	struct parts *p = *state;
	int64_t lost = locations_synthetic(p->locations, "lost"), other;
	const struct location *location;

	other = locations_synthetic(p->locations, "other");
	assert_int_not_equal(lost, other);
	assert_int_equal(locations_synthetic(p->locations, "lost"), lost);
	/* The array moves as it grows. */
	for (uint64_t i = 0; i < 1000; i++)
		locations_intern(p->locations, p->maps, i);
	location = locations_at(p->locations, lost);
	assert_int_equal(location->address, 0);
	assert_int_equal(location->mapping, LOCATIONS_NO_MAPPING);
	assert_int_equal(location->nr_lines, 1);
	assert_string_equal(location->lines[0].name, "lost");
	assert_string_equal(location->lines[0].system_name, "lost");
	assert_string_equal(locations_at(p->locations, other)->lines[0].name, "other");
	/* An address and a name are different, even if the numbers are equal. */
	assert_int_not_equal(locations_intern(p->locations, p->maps, 0), lost);
}

/* A mapping may be added before any code in it. */
static void test_mapping_in_advance(void **state)
{
	struct parts *p = *state;
	int64_t id = locations_mapping(p->locations, maps_at(p->maps, 1));

	assert_int_equal(id, 0);
	assert_int_equal(locations_mapping(p->locations, maps_at(p->maps, 1)), 0);
	assert_int_equal(locations_nr(p->locations), 0);
	locations_intern(p->locations, p->maps, 0x400100);
	assert_int_equal(locations_at(p->locations, 0)->mapping, 1);
	locations_intern(p->locations, p->maps, 0x700100);
	assert_int_equal(locations_at(p->locations, 1)->mapping, 0);
}

static int intern_some(struct parts *p, struct locations *l)
{
	int64_t id = locations_synthetic(l, "lost");

	if (id >= 0)
		id = locations_intern(l, p->maps, 0x400100);
	if (id >= 0)
		id = locations_intern(l, p->maps, 0x123456);
	for (uint64_t i = 0; id >= 0 && i < 100; i++)
		id = locations_intern(l, p->maps, 0x400400 + i);
	return id < 0 ? id : 0;
}

static void test_every_allocation_may_fail(void **state)
{
	struct parts *p = *state;
	int nr_failures = 0, err = -ENOMEM;

	for (long n = 0; err; n++) {
		struct locations *l;

		allocations_left = n;
		errno = 0;
		l = locations_new(p->files);
		assert_true(l || errno == ENOMEM);
		err = l ? intern_some(p, l) : -ENOMEM;
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		nr_failures += err < 0;
		locations_free(l);
	}
	assert_true(nr_failures > 10);
	locations_free(NULL);
}

/* Without memory for its symbols, a location has the name of its file. */
static void test_no_memory_for_a_name(void **state)
{
	struct parts *p = *state;
	int64_t id = locations_intern(p->locations, p->maps, 0x400100);

	mapped_files_build_id(p->files, p->file);
	allocations_left = 0;
	assert_false(locations_at(p->locations, id)->named);
	allocations_left = -1;
	assert_int_equal(locations_at(p->locations, id)->nr_lines, 1);
}

/* At the limit, known locations keep their ids, and all new ones are one location. */
static void test_limit_of_locations(void **state)
{
	struct parts *p = *state;
	const struct maps_range large = { 1ULL << 40, 1ULL << 41, 0, p->file, 0 };
	int64_t known = locations_intern(p->locations, p->maps, 0x400100), over, lost;

	assert_true(maps_insert(p->maps, &large) >= 0);
	for (uint64_t addr = 1; locations_nr(p->locations) < LOCATIONS_MAX; addr++)
		locations_intern(p->locations, p->maps, 1ULL << 40 | addr);
	over = locations_intern(p->locations, p->maps, 0x400200);
	assert_string_equal(locations_at(p->locations, over)->lines[0].name, LOCATIONS_OVER_NAME);
	assert_int_equal(locations_intern(p->locations, p->maps, 0x400300), over);
	assert_int_equal(locations_intern(p->locations, p->maps, 1ULL << 41), over);
	assert_int_equal(locations_intern(p->locations, p->maps, 0x400100), known);
	assert_int_equal(locations_intern(p->locations, p->maps, 1ULL << 40 | 7), 7);
	lost = locations_synthetic(p->locations, "lost");
	assert_string_equal(locations_at(p->locations, lost)->lines[0].name, "lost");
	assert_int_equal(locations_nr(p->locations), LOCATIONS_MAX + 2);
}

/* Addresses in no mapping must not use up the limit for code. */
static void test_limit_of_unmapped_locations(void **state)
{
	struct parts *p = *state;
	uint64_t addr = 0x800000;
	int64_t over, known;

	do
		over = locations_intern(p->locations, p->maps, addr++);
	while (strcmp(locations_at(p->locations, over)->lines[0].name, LOCATIONS_OVER_NAME) &&
	       locations_nr(p->locations) < LOCATIONS_MAX);
	assert_true(locations_nr(p->locations) <= LOCATIONS_MAX / 10);
	assert_int_equal(locations_intern(p->locations, p->maps, addr), over);
	known = locations_intern(p->locations, p->maps, 0x400100);
	assert_string_equal(locations_at(p->locations, known)->lines[0].name, "work");
	locations_clear(p->locations);
	known = locations_intern(p->locations, p->maps, addr);
	assert_string_equal(locations_at(p->locations, known)->lines[0].name, "[unknown]");
}

/* Inlined frames are limited. Beyond it, the outermost function is still known. */
static void test_no_end_of_inlined_frames(void **state)
{
	struct parts *p = *state;
	const struct maps_range large = { 1ULL << 40, 1ULL << 41, 0x10000, p->file, 0 };
	const struct location *location;
	uint64_t addr = 1ULL << 40;
	size_t nr_lines = 0;

	fake_nr_inlined = 62;
	assert_true(maps_insert(p->maps, &large) >= 0);
	do {
		location = locations_at(p->locations,
					locations_intern(p->locations, p->maps, addr++));
		nr_lines += location->nr_lines;
	} while (location->nr_lines == 63 && addr < (1ULL << 40) + LOCATIONS_MAX);
	assert_int_equal(location->nr_lines, 1);
	assert_string_equal(location->lines[0].name, "outer");
	assert_true(nr_lines * sizeof(*location->lines) <= 256 << 20);
}

static void test_no_end_of_mappings(void **state)
{
	struct parts *p = *state;
	struct maps_range range = { 0x400000, 0x401000, 0, p->file, 0 };
	int64_t known = locations_intern(p->locations, p->maps, 0x400100), over;

	for (range.offset = 0x2000; locations_nr_mappings(p->locations) < LOCATIONS_MAX;
	     range.offset += 0x1000)
		assert_true(locations_mapping(p->locations, &range) > 0);
	assert_int_equal(locations_mapping(p->locations, &range), -ENOSPC);
	over = locations_intern(p->locations, p->maps, 0x700100);
	assert_string_equal(locations_at(p->locations, over)->lines[0].name, LOCATIONS_OVER_NAME);
	assert_int_equal(locations_intern(p->locations, p->maps, 0x400100), known);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_names),
		WITH_SETUP(test_known_code),
		WITH_SETUP(test_names_by_file),
		WITH_SETUP(test_names_are_looked_up_once),
		WITH_SETUP(test_set),
		WITH_SETUP(test_forgotten_names),
		WITH_SETUP(test_found),
		WITH_SETUP(test_keep),
		WITH_SETUP(test_keep_mappings),
		WITH_SETUP(test_cleared),
		WITH_SETUP(test_bases_fall_together),
		WITH_SETUP(test_other_files_and_offsets_do_not),
		WITH_SETUP(test_naming_ends_early),
		WITH_SETUP(test_all_names_at_once),
		WITH_SETUP(test_unmapped),
		WITH_SETUP(test_anonymous_code),
		WITH_SETUP(test_perfmap),
		WITH_SETUP(test_synthetic),
		WITH_SETUP(test_mapping_in_advance),
		WITH_SETUP(test_every_allocation_may_fail),
		WITH_SETUP(test_no_memory_for_a_name),
		WITH_SETUP(test_limit_of_locations),
		WITH_SETUP(test_limit_of_unmapped_locations),
		WITH_SETUP(test_no_end_of_inlined_frames),
		WITH_SETUP(test_no_end_of_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
