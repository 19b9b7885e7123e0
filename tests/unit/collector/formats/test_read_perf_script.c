// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/function_set.c collector/formats/line_reader.c
// sources: collector/formats/memory_map.c collector/formats/perf_script_line.c
// sources: collector/formats/perf_script_stack.c collector/formats/read_perf_script.c
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

#include "formats/read_perf_script.h"
#include "read_text.h"

static bool claims(const char *text)
{
	return read_perf_script_claims((struct text_cursor){ text, text + strlen(text) });
}

static void test_heads(void **state)
{
	(void)state;
	assert_true(claims("# ========\n# captured on: x\n#\n\nbash 1 2.000000: 1 cycles:\n"));
	assert_true(claims("    bash 1 [000] 2.000000: sched:sched_switch: prev_comm=x 1\n"));
	assert_false(claims("main;f 12\n"));
	assert_false(claims(""));
}

/* perf record -g: equal stacks of a thread are one sample. */
static void test_stacks(void **state)
{
	static const char text[] =
		"# header\n"
		"bash 10   1.000001:     250000 cpu-clock:\n"
		"\tffffffff815e55ce do_wp_page+0x67e ([kernel.kallsyms])\n"
		"\t           1e620 main+0x2660 (/usr/bin/my prog)\n"
		"\n"
		"bash 10   1.000004:     250001 cpu-clock:\n"
		"\tffffffff815e55ce do_wp_page+0x67e ([kernel.kallsyms])\n"
		"\t           1e620 main+0x2660 (/usr/bin/my prog)\n"
		"\n"
		"sh 7/11 [001] 1.000003:     250000 cpu-clock:\n"
		"\t           1e621 main+0x2661 (/usr/bin/my prog)\n"
		"\t            5000 [unknown] (/lib/libc.so.6)\n"
		"\t               0 [unknown] ([unknown])\n"
		"\n";
	struct model *m = read_text(read_perf_script, text);

	(void)state;
	assert_int_equal(m->duration_ns, 3000);
	assert_int_equal(m->functions.nr, 3);
	assert_int_equal(m->mappings.items[0].flags, PROFILE_HAS_FUNCTIONS);
	assert_string_equal(model_string(m, m->mappings.items[0].file), "/usr/bin/my prog");
	assert_int_equal(m->mappings.items[2].flags, 0);
	assert_profile(m, "samples/count cpu-clock/nanoseconds period 0\n"
			  "2 500001 @ 0xffffffff815e55ce=do_wp_page|[kernel.kallsyms]"
			  " 0x1e620=main|/usr/bin/my prog {comm=\"bash\"} {tid=10}\n"
			  "1 250000 @ 0x1e621=main|/usr/bin/my prog 0x5000|/lib/libc.so.6"
			  " [unknown] {comm=\"sh\"} {pid=7} {tid=11}\n");
}

/* perf record --call-graph dwarf: a location has the functions that are inlined into it. */
static void test_inlined(void **state)
{
	static const char text[] =
		"a 1 2.000000: 1 cycles:u:\n"
		"\t 10 mix (inlined)\n"
		"\t 10 outer (inlined)\n"
		"\t 10 work+0x1 (/a)\n"
		"\t 20 lost (inlined)\n"
		"\t 30 main+0x2 (/a)\n"
		"\t 40 last (inlined)\n\n";

	(void)state;
	assert_profile(read_text(read_perf_script, text),
		       "samples/count cycles:u/count period 0\n"
		       "1 1 @ 0x10=mix,outer,work|/a 0x20=lost 0x30=main|/a 0x40=last"
		       " {comm=\"a\"} {tid=1}\n");
}

/* Each event is a type. The first one of the file is the one that readers show. */
static void test_events(void **state)
{
	static const char text[] =
		"a 1 2.0: 100 cycles:\n\t 10 f (/a)\n\n"
		"a 1 2.0: 7 task-clock:u:\n\t 10 f (/a)\n\n"
		"a 1 2.0: 100 cycles:\n\t 10 f (/a)\n\n";
	struct model *m = read_text(read_perf_script, text);

	(void)state;
	assert_string_equal(model_string(m, m->default_sample_type), "cycles");
	assert_profile(m, "cycles/count task-clock:u/nanoseconds period 0\n"
			  "200 7 @ 0x10=f|/a {comm=\"a\"} {tid=1}\n");
}

/* Samples without stacks: their frame is in the first line, or they have none. */
static void test_without_stacks(void **state)
{
	static const char frames[] =
		"      my prog  1  2.0:  5 cycles:     564a4342fa15 work+0xb5 (/a)\n"
		"      my prog  1  2.0:  6 cycles:     564a4342fa15 work+0xb5 (/a)\n";
	static const char tracepoints[] =
		"a 1 [000] 2.0: sched:sched_switch: prev_pid=1\n"
		"a 1 [000] 2.0: sched:sched_switch: prev_pid=2\n";

	(void)state;
	assert_profile(read_text(read_perf_script, frames),
		       "samples/count cycles/count period 0\n"
		       "2 11 @ 0x564a4342fa15=work|/a {comm=\"my prog\"} {tid=1}\n");
	assert_profile(read_text(read_perf_script, tracepoints),
		       "sched:sched_switch/count period 0\n2 @ {comm=\"a\"} {tid=1}\n");
}

/* Other fields, side-band events, and source lines. */
static void test_other_lines(void **state)
{
	static const char text[] =
		"a 1 2.0: PERF_RECORD_COMM: a:1/1\n"
		"a 1 2.0:\n\t 10 f+0x1 (/a)\n  a.c:12\n"
		"        20 g (/a)\n  a.c:13 (inlined)\n\n\n";

	(void)state;
	assert_profile(read_text(read_perf_script, text),
		       "samples/count period 0\n1 @ 0x10=f|/a 0x20=g|/a {comm=\"a\"} {tid=1}\n");
	assert_profile(read_text(read_perf_script, "a 1 2.0: PERF_RECORD_EXIT(1:1)\n"),
		       "samples/count period 0\n");
}

static void test_faults(void **state)
{
	char text[8192];
	size_t len = 0;

	(void)state;
	assert_fault(read_perf_script, "a 1 2.0: 1 c:\n\t 10 f (/a)\nmain;f 12\n",
		     "line 3: expected a frame 'ADDRESS SYMBOL (DSO)'");
	assert_fault(read_perf_script, "a 1 2.0: 1 c:\n\t 10 f (/a)\n\nmain;f 12\n",
		     "line 4: expected a sample 'COMM TID TIME: PERIOD EVENT:'");
	assert_fault(read_perf_script, "a 1 2.0: 1 c:\n\t 10 f (/a)\n\t 10 ma",
		     "line 3: expected a whole line, found the end of the file");
	assert_fault(read_perf_script, "a 1 2.0: 9223372036854775807 c:\na 1 2.0: 1 c:\n",
		     "expected sums of periods of 63 bits");
	for (int i = 0; i < 65; i++)
		len += sprintf(text + len, "a 1 2.0: event-%d:\n", i);
	assert_fault(read_perf_script, text, "line 65: expected at most 64 events");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_without_stacks),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
