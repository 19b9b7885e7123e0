// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/perf_script_line.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "formats/perf_script_line.h"

static struct text_cursor text(const char *s)
{
	return (struct text_cursor){ s, s + strlen(s) };
}

/* Shows what the line says: comm|pid|tid|time|period|event|rest. */
static const char *head(const char *line)
{
	static char shown[256];
	struct perf_script_head h;

	if (!perf_script_parse_head(text(line), &h))
		return "none";
	snprintf(shown, sizeof(shown), "%.*s|%lld|%lld|%lld|%lld|%.*s|%.*s%s",
		 (int)text_left(&h.comm), h.comm.at, h.has_pid ? (long long)h.pid : 0,
		 (long long)h.tid, h.has_time ? (long long)h.time_ns : 0,
		 h.has_period ? (long long)h.period : -1, (int)text_left(&h.event), h.event.at,
		 (int)text_left(&h.rest), h.rest.at, h.is_sideband ? "|sideband" : "");
	return shown;
}

/* Shows a frame: address|symbol|dso. */
static const char *frame_of(bool (*parse)(struct text_cursor c, struct perf_script_frame *frame),
			    const char *line)
{
	static char shown[256];
	struct perf_script_frame f;

	if (!parse(text(line), &f))
		return "none";
	snprintf(shown, sizeof(shown), "%llx|%.*s|%.*s%s", (unsigned long long)f.address,
		 (int)text_left(&f.symbol), f.symbol.at, (int)text_left(&f.dso), f.dso.at,
		 f.is_inlined ? "|inlined" : "");
	return shown;
}

#define assert_head(line, want)		assert_string_equal(head(line), want)
#define assert_frame(line, want)	\
	assert_string_equal(frame_of(perf_script_parse_frame, line), want)
#define assert_only_frame(line, want)	\
	assert_string_equal(frame_of(perf_script_parse_only_frame, line), want)

static void test_heads(void **state)
{
	(void)state;
	assert_head("bash 12060   506.213574:     250000 cpu-clock: ",
		    "bash|0|12060|506213574000|250000|cpu-clock| ");
	assert_head("my prog 12359/12360 [003]  2.543299123:          1      page-faults:u: ",
		    "my prog|12359|12360|2543299123|1|page-faults:u| ");
	assert_head("            perf 13218 [000]  2735.628740: sched:sched_switch: prev_pid=1 x: 2",
		    "perf|0|13218|2735628740000|-1|sched:sched_switch| prev_pid=1 x: 2");
	assert_head("java 25607 4794564.109216: 1 cpu/cycles/ppp: ",
		    "java|0|25607|4794564109216000|1|cpu/cycles/ppp| ");
	assert_head(":-1    -1 [001]  5.000001: cycles:", ":-1|0|-1|5000001000|-1|cycles|");
}

/* Names with blanks and numbers, and names that look like other fields. */
static void test_names(void **state)
{
	(void)state;
	assert_head("a 12 b 34 5.000000: 1 cycles: ", "a 12 b|0|34|5000000000|1|cycles| ");
	assert_head("a 12 34 5.000000: 1 cycles: ", "a 12|0|34|5000000000|1|cycles| ");
	assert_head("1 2 3.000000: cycles: ", "1|0|2|3000000000|-1|cycles| ");
	assert_head("    77 3.000000: cycles: ", "|0|77|3000000000|-1|cycles| ");
	assert_head("kworker/0:1-ev 7 3.0: cycles: ", "kworker/0:1-ev|0|7|3000000000|-1|cycles| ");
}

static void test_other_fields(void **state)
{
	(void)state;
	assert_head("bash 1 2.000000: ", "bash|0|1|2000000000|-1||");
	assert_head("bash 1 250000 cycles:", "bash|0|1|0|250000|cycles|");
	assert_head("bash 1/2 [000] cycles:", "bash|1|2|0|-1|cycles|");
	assert_head("bash 1 2.0: PERF_RECORD_MMAP2 1/1: [0x1(0x2)]: r-xp /bin/a",
		    "bash|0|1|2000000000|-1|||sideband");
}

static void test_no_heads(void **state)
{
	(void)state;
	assert_head("", "none");
	assert_head("main;f 12", "none");
	assert_head("bash 1 cycles", "none");
	assert_head("bash cycles: 1", "none");
	assert_head("bash 1 2.0", "none");
	assert_head("a log 12 says: something", "none");
	assert_head("bash 1 99999999999.000000: x", "none");
	assert_head("heap profile: 1: 2 [3: 4] @ heap/2", "none");
	assert_head("\tffffffff815e55ce do_wp_page+0x67e ([kernel.kallsyms])", "none");
}

static void test_frames(void **state)
{
	(void)state;
	assert_frame("\tffffffff815e55ce do_wp_page+0x67e ([kernel.kallsyms])",
		     "ffffffff815e55ce|do_wp_page|[kernel.kallsyms]");
	assert_frame("\t           1e620 std::f<int (*)(int)>(char) const+0x0 (/lib/a b.so)",
		     "1e620|std::f<int (*)(int)>(char) const|/lib/a b.so");
	assert_frame("\t 1 f (/memfd:jit (deleted))", "1|f|/memfd:jit (deleted)");
	assert_frame("\t 1 mix (inlined)", "1|mix||inlined");
	assert_frame("\t 0 [unknown] ([unknown])", "0|[unknown]|[unknown]");
	assert_frame("\t 1 operator()(int)", "1|operator()(int)|");
	assert_frame("\t 1 (/bin/a)", "1||/bin/a");
	assert_frame("\t 1 f)", "1|f)|");
	assert_frame("\t 1", "1||");
	assert_frame("\t 1 f+0x (/a)", "1|f+0x|/a");
	assert_frame("\t xyz f (/a)", "none");
	assert_frame("\t 11111111111111111 f (/a)", "none");
	assert_frame("", "none");
}

static void test_only_frames(void **state)
{
	(void)state;
	assert_only_frame("     564a4342fa15 work+0xb5 (/my prog)", "564a4342fa15|work|/my prog");
	assert_only_frame(" ffffffff815e55ce f ([a])", "ffffffff815e55ce|f|[a]");
	assert_only_frame(" add 5 (x)", "none");
	assert_only_frame("", "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_other_fields),
		cmocka_unit_test(test_no_heads),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_only_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
