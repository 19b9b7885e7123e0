// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/line_reader.c collector/formats/memory_map.c
// sources: collector/formats/perf_script_line.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/base/span_set.c collector/base/string_table.c
// libs: -lz -lisal -lxxhash
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "formats/memory_map.h"
#include "read_text.h"

/* Addresses of the locations that the next profile has. */
static uint64_t addresses[8];
static size_t nr_addresses;

static int read_map(struct line_reader *lines, struct model *m)
{
	struct memory_map map = { .m = m };
	int err;

	for (size_t i = 0; i < nr_addresses; i++)
		model_add_location(m, &(struct model_location){
			.address = addresses[i], .mapping = MODEL_NONE }, NULL, 0);
	err = memory_map_read(&map, lines, false);
	if (!err)
		err = memory_map_attach(&map);
	memory_map_fini(&map);
	return err;
}

/* Returns the mappings as text, a line each, and the mapping of each location. */
static char *show_map(const struct model *m)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < m->mappings.nr; i++) {
		const struct model_mapping *e = &m->mappings.items[i];

		fprintf(out, "%" PRIx64 "-%" PRIx64 " @%" PRIx64 " %s,%s\n", e->start, e->limit,
			e->offset, model_string(m, e->file), model_string(m, e->build_id));
	}
	for (size_t i = 0; i < m->locations.nr; i++)
		fprintf(out, "%d ", (int)m->locations.items[i].mapping);
	fclose(out);
	return text;
}

static void assert_map(const char *lines, const char *want)
{
	char text[4096], *shown;
	struct model *m;

	snprintf(text, sizeof(text), "MAPPED_LIBRARIES:\n%s", lines);
	m = read_text(read_map, text);
	shown = show_map(m);
	assert_string_equal(shown, want);
	free(shown);
	model_free(m);
}

static void test_forms_of_lines(void **state)
{
	(void)state;
	nr_addresses = 0;
	assert_map("55d0c0000000-55d0c0002000 r-xp 00001000 fd:01 1234   /bin/a b (deleted)\n",
		   "55d0c0000000-55d0c0002000 @1000 /bin/a,\n");
	assert_map("1000-2000 r-xp 00000000 00:00 0\n", "1000-2000 @0 ,\n");
	assert_map("  0x1000-0x2000: /bin/a (@ff00) abc123\n", "1000-2000 @ff00 /bin/a,abc123\n");
	assert_map("1000 2000 r-xs /bin/a not-hex\n", "1000-2000 @0 /bin/a,\n");
	assert_map("1000-2000 r-xp (@30)\n", "1000-2000 @30 ,\n");
	assert_map("ui.cc:12] 1000-2000 /bin/a\n", "1000-2000 @0 /bin/a,\n");
	assert_map("1000-2000 rw-p /bin/a\n1000-2000\n", "1000-2000 @0 ,\n");
	assert_map("1000-\n-2000\n1000-2000x\n\nother\n10000000000000000-2 /a\n", "");
}

static void test_variables(void **state)
{
	(void)state;
	nr_addresses = 0;
	assert_map("$a\n  build=/b\n a = x$build\n1000-2000 $build/c$a$none\n",
		   "1000-2000 @0 /b/cx/b$none,\n");
}

static void test_the_program_is_first(void **state)
{
	(void)state;
	nr_addresses = 0;
	assert_map("1000-2000 [vdso]\n3000-4000 /l.so\n5000-6000 /l.so.6\n7000-8000 /l.so_1\n"
		   "9000-a000 /a.sock\nb000-c000 /b\n",
		   "9000-a000 @0 /a.sock,\n3000-4000 @0 /l.so,\n5000-6000 @0 /l.so.6,\n"
		   "7000-8000 @0 /l.so_1,\n1000-2000 @0 [vdso],\nb000-c000 @0 /b,\n");
}

static void test_adjacent_mappings_are_one(void **state)
{
	(void)state;
	nr_addresses = 0;
	assert_map("1000-2000 /a (@1000)\n2000-3000 /a (@2000)\n3000-4000 /a (@9000)\n",
		   "1000-3000 @1000 /a,\n3000-4000 @9000 /a,\n");
	assert_map("1000-2000\n2000-3000 /a (@0) ab\n3000-4000 /b\n4001-5000 /b\n",
		   "1000-3000 @0 /a,ab\n3000-4000 @0 /b,\n4001-5000 @0 /b,\n");
}

static void test_repairs(void **state)
{
	(void)state;
	nr_addresses = 0;
	assert_map("400000-500000 /anon_hugepage\n500000-600000 /a (@100000)\n",
		   "400000-600000 @0 /a,\n");
	assert_map("400000-500000 /anon_hugepage (@30)\n500000-600000 /a (@100000)\n",
		   "400000-600000 @0 /a,\n");
}

/* Below, inside, between, and above the mappings; and no address at all. */
static void test_locations(void **state)
{
	(void)state;
	nr_addresses = 7;
	memcpy(addresses, (uint64_t[]){ 0x0, 0x1000, 0x1fff, 0x2000, 0x8500, 0x7fff, 0x9800 },
	       7 * sizeof(*addresses));
	assert_map("9000-a000 /l.so (@1000)\n1000-2000 /a\n",
		   "1000-2000 @0 /a,\n8000-a000 @0 /l.so,\n0-ffffffffffffffff @0 ,\n"
		   "-1 0 0 2 1 2 1 ");
	assert_map("", "0-ffffffffffffffff @0 ,\n-1 0 0 0 0 0 0 ");
}

static void test_faults(void **state)
{
	static char many[3 << 20];
	size_t len = sprintf(many, "MAPPED_LIBRARIES:\na=");

	(void)state;
	nr_addresses = 0;
	assert_fault(read_map, "MAPPED_LIBRARIES:\n--- contention:\n", "found another profile");
	assert_fault(read_map, "MAPPED_LIBRARIES:\n1-2 /a\nmain;f 12\n",
		     "line 3: expected mappings, found another profile");
	assert_fault(read_map, "MAPPED_LIBRARIES:\na 1 2.000000: 1 cycles:\n", "another profile");
	memset(many + len, 'x', 2 << 20);
	strcpy(many + len + (2 << 20), "\n1-2 $a\n");
	assert_fault(read_map, many, "line 3: expected at most 1 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_lines),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_the_program_is_first),
		cmocka_unit_test(test_adjacent_mappings_are_one),
		cmocka_unit_test(test_repairs),
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
