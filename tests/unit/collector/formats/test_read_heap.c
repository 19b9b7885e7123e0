// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/read_heap.c collector/formats/heap_sampling.c
// sources: collector/formats/address_profile.c collector/formats/frame_patterns.c
// sources: collector/formats/function_set.c collector/formats/go_comments.c
// sources: collector/formats/line_reader.c collector/formats/memory_map.c
// sources: collector/formats/perf_script_line.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/base/span_set.c collector/base/string_table.c
// libs: -lz -lisal -lxxhash -lm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "formats/read_heap.h"
#include "read_text.h"

#define IN_USE		"objects/count space/bytes "
#define ALLOCATED	"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes "

static bool claims(const char *text)
{
	return read_heap_claims((struct text_cursor){ text, text + strlen(text) });
}

static void test_heads(void **state)
{
	(void)state;
	assert_true(claims("heap profile: 1: 2 [3: 4] @ heap/1048576\n1: 2 [3: 4] @"));
	assert_true(claims("I log.cc:1] heap profile:   1:   2 [  3: 4 ] @ heapz_v2/524288"));
	assert_true(claims("heap profile: 1: 2 [3: 4] @ heapprofile\n"));
	assert_true(claims("heap profile: 1: 2 [3: 4] @ growthz\n"));
	assert_true(claims("heap profile: 1: 2 [3: 4] @ fragmentation"));
	assert_true(claims("heap profile: 1: 2 [3: 4] @ heap/"));
	assert_false(claims("heap profile: 1: 2 [3: 4] @ heapz_v3/1"));
	assert_false(claims("heap profile: 1: 2 [3: 4] @ heap/x"));
	assert_false(claims("heap profile: 1 2 [3: 4] @ heap/1"));
	assert_false(claims("heap profile: 1: 99999999999999999999 [3: 4] @ heap/1"));
	assert_false(claims("\nheap profile: 1: 2 [3: 4] @ heap/1"));
	assert_false(claims(""));
}

/* The sums of a Go profile with a rate of 512 KiB: an object of 512 KiB counts 1.58 times. */
static void test_go_is_sampled(void **state)
{
	(void)state;
	assert_profile(read_text(read_heap,
				 "heap profile: 3: 1048672 [3: 1048672] @ heap/1048576\n"
				 "2: 1048576 [2: 1048576] @ 0x420cef 0x422151\n"
				 "1: 96 [1: 96] @\n"),
		       IN_USE "period 524288\n"
		       "3 1658822 @ 0x420cee| 0x422150| {bytes=524288}\n"
		       "5461 524336 @ {bytes=96}\n");
}

/* In use and allocated values are scaled apart. The label is the size of an object in use. */
static void test_allocated(void **state)
{
	(void)state;
	assert_profile(read_text(read_heap,
				 "heap profile: 1: 10 [4: 44] @ heapprofile\n"
				 "  1:  10 [  3: 30] @ 0x10\n"
				 "0: 0 [1: 14] @ 0x20\n"),
		       ALLOCATED "period 1\n"
		       "3 30 1 10 @ 0xf| {bytes=10}\n"
		       "1 14 0 0 @ 0x1f| {bytes=14}\n");
	assert_profile(read_text(read_heap,
				 "heap profile: 1: 10 [0: 0] @ heapprofile\n"
				 "-1: -10 [0: 0] @ 0x10\n"),
		       IN_USE "period 1\n-1 -10 @ 0xf| {bytes=10}\n");
}

static void test_mappings_and_names(void **state)
{
	(void)state;
	assert_profile(read_text(read_heap,
				 "heap profile: 2: 20 [2: 20] @ growth\r\n"
				 "1: 10 [1: 10] @ 0x1011 0x2011\r\n"
				 "#\t0x1010\tf+0x3\t/src/f.c:12\r\n"
				 "#\t0x2010\tg\r\n"
				 "\n"
				 "1: 10 [1: 10] @ 0x3011\n"
				 "# a comment\n"
				 "MAPPED_LIBRARIES:\n"
				 "2000-3000 r-xp 00000000 08:01 12 /lib/libc.so.6\n"
				 "1000-2000 r-xp 00000000 08:01 11 /bin/program\n"),
		       IN_USE "period 1\n"
		       "1 10 @ 0x1010=f(/src/f.c:12)|/bin/program 0x2010=g|/lib/libc.so.6 {bytes=10}\n"
		       "1 10 @ 0x3010| {bytes=10}\n");
}

static void test_faults(void **state)
{
	static const char head[] = "heap profile: 1: 10 [1: 10] @ heap/2000\n";
	char text[256];
	static const struct {
		const char *lines;
		const char *want;
	} cases[] = {
		{ "a;b 12\n", "line 2: expected 'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES'" },
		{ "1: 10 [1: 10] @ 0x1\n1: 1", "line 3: expected 'OBJECTS: BYTES" },
		{ "1: 10 [1: 10] @ 0x1 0x2", "found the end of the file: get the file again" },
		{ "1: 10 [1: 10] @ 0x1ffffffffffffffff\n", "hexadecimal addresses" },
		{ "1: 10 [1: 10] @ 0x1 main\n", "hexadecimal addresses" },
		{ "0: 10 [1: 10] @ 0x1\n", "line 2: expected no bytes of 0 objects" },
		{ "9223372036854775807: 9223372036854775807 [1: 10] @ 0x1\n", "of 63 bits" },
		{ "9223372036854775808: 1 [1: 10] @ 0x1\n", "line 2: expected 'OBJECTS" },
		{ "MAPPED_LIBRARIES:\nheap profile: 1: 1 [1: 1] @ heap/2\n",
		  "line 3: expected mappings, found another profile" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s%s", head, cases[i].lines);
		assert_fault(read_heap, text, cases[i].want);
	}
}

static void test_frames_to_drop(void **state)
{
	struct model *m = read_text(read_heap, "heap profile: 1: 1 [1: 1] @ growth\n");

	(void)state;
	assert_non_null(strstr(model_string(m, m->drop_frames), "operator new"));
	assert_non_null(strstr(model_string(m, m->keep_frames), "reflectcall"));
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_go_is_sampled),
		cmocka_unit_test(test_allocated),
		cmocka_unit_test(test_mappings_and_names),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_frames_to_drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
