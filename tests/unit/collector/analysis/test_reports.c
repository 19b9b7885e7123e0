// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/top.c collector/analysis/tree.c collector/analysis/traces.c
// sources: collector/analysis/tags.c collector/analysis/raw.c collector/analysis/comments.c
// sources: collector/analysis/graph.c collector/analysis/graph_head.c collector/analysis/report.c
// sources: collector/analysis/frame_table.c collector/analysis/granularity.c
// sources: collector/analysis/label_groups.c collector/analysis/label_units.c
// sources: collector/analysis/columns.c collector/analysis/path.c collector/analysis/unit.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/pprof/model.c collector/pprof/value_unit.c collector/pprof/profile_fault.c
// sources: collector/base/span_set.c collector/base/string_table.c collector/base/tuple_map.c
// sources: collector/base/utf8.c
// libs: -lxxhash -lm -lpcre2-8
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/* What is expected was printed by Go's pprof for the same profile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/comments.h"
#include "analysis/granularity.h"
#include "analysis/graph.h"
#include "analysis/label_units.h"
#include "analysis/raw.h"
#include "analysis/regex.h"
#include "analysis/report.h"
#include "analysis/tags.h"
#include "analysis/top.h"
#include "analysis/traces.h"
#include "analysis/tree.h"
#include "fail_alloc.h"
#include "pprof/profile_fault.h"
#include "report_model.h"

#define HEAD \
	"File: prog\n" \
	"Build ID: abcdef\n" \
	"made by a test\n" \
	"Type: cpu\n" \
	"Doc: https://example.org/\n" \
	"Time: 2023-11-14 22:13:20 UTC\n" \
	"Duration: 10.50s, Total samples = 700ms ( 6.67%)\n"

static const char top[] =
	HEAD
	"Showing nodes accounting for 680ms, 97.14% of 700ms total\n"
	"      flat  flat%   sum%        cum   cum%\n"
	"     300ms 42.86% 42.86%      300ms 42.86%  helper (inline)\n"
	"     250ms 35.71% 78.57%      670ms 95.71%  work\n"
	"     120ms 17.14% 95.71%      120ms 17.14%  [libc.so.6]\n"
	"      10ms  1.43% 97.14%       10ms  1.43%  <unknown>\n"
	"         0     0% 97.14%      670ms 95.71%  main\n";

static const char top_by_address[] =
	HEAD
	"Showing nodes accounting for 680ms, 97.14% of 700ms total\n"
	"      flat  flat%   sum%        cum   cum%\n"
	"     300ms 42.86% 42.86%      300ms 42.86%  0000000000400210 helper /src/help.h:5:7 (inline)\n"
	"     250ms 35.71% 78.57%      370ms 52.86%  0000000000400200 work /src/work.c:30:7\n"
	"     120ms 17.14% 95.71%      120ms 17.14%  00007f0000000800 [libc.so.6]\n"
	"      10ms  1.43% 97.14%       10ms  1.43%  0000000000000010 <unknown>\n"
	"         0     0% 97.14%      670ms 95.71%  0000000000400100 main prog.c:12:7\n"
	"         0     0% 97.14%      300ms 42.86%  0000000000400210 work /src/work.c:33:7\n";

static const char top_of_files[] =
	HEAD
	"Showing nodes accounting for 680ms, 97.14% of 700ms total\n"
	"      flat  flat%   sum%        cum   cum%\n"
	"     300ms 42.86% 42.86%      300ms 42.86%  /src/help.h (inline)\n"
	"     250ms 35.71% 78.57%      670ms 95.71%  /src/work.c\n"
	"     120ms 17.14% 95.71%      120ms 17.14%  [libc.so.6]\n"
	"      10ms  1.43% 97.14%       10ms  1.43%  <unknown>\n"
	"         0     0% 97.14%      670ms 95.71%  prog.c\n";

static const char mean_by_cum[] =
	"File: prog\n"
	"Build ID: abcdef\n"
	"made by a test\n"
	"Type: mean_cpu\n"
	"Doc: https://example.org/\n"
	"Time: 2023-11-14 22:13:20 UTC\n"
	"Duration: 10.50s, Total samples = 10ms (0.095%)\n"
	"Showing nodes accounting for 40ms, 400.00% of 10ms total\n"
	"      flat  flat%   sum%        cum   cum%\n"
	"         0     0%     0%       10ms   100%  main prog.c:12\n"
	"      10ms   100%   100%       10ms   100%  work /src/work.c:30\n"
	"      10ms   100% 200.00%       10ms   100%  helper /src/help.h:5 (inline)\n"
	"         0     0% 200.00%       10ms   100%  work /src/work.c:33\n"
	"      10ms   100% 300.00%       10ms   100%  [libc.so.6]\n"
	"      10ms   100% 400.00%       10ms   100%  <unknown>\n";

static const char limited_top[] =
	HEAD
	"Showing nodes accounting for 550ms, 78.57% of 700ms total\n"
	"Dropped 1 node (cum <= 70ms)\n"
	"Showing top 2 nodes out of 4\n"
	"      flat  flat%   sum%        cum   cum%\n"
	"     300ms 42.86% 42.86%      300ms 42.86%  helper (inline)\n"
	"     250ms 35.71% 78.57%      670ms 95.71%  work\n";

/* /proc/self/cwd/src/ goes before the ".." of the path counts. */
static const char divided_top[] =
	"Showing nodes accounting for 6800us, 97.14% of 7000us total\n"
	"      flat  flat%   sum%        cum   cum%\n"
	"    3000us 42.86% 42.86%     3000us 42.86%  helper src/help.h (inline)\n"
	"    2500us 35.71% 78.57%     6700us 95.71%  work src/work.c\n"
	"    1200us 17.14% 95.71%     1200us 17.14%  [libc.so.6]\n"
	"     100us  1.43% 97.14%      100us  1.43%  <unknown>\n"
	"         0     0% 97.14%     6700us 95.71%  main ../prog.c\n";

static const char tree[] =
	HEAD
	"Showing nodes accounting for 680ms, 97.14% of 700ms total\n"
	"----------------------------------------------------------+-------------\n"
	"      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t " "\n"
	"----------------------------------------------------------+-------------\n"
	"                                             300ms   100% |   work (inline)\n"
	"     300ms 42.86% 42.86%      300ms 42.86%                | helper\n"
	"----------------------------------------------------------+-------------\n"
	"                                             670ms   100% |   main\n"
	"     250ms 35.71% 78.57%      670ms 95.71%                | work\n"
	"                                             300ms 44.78% |   helper (inline)\n"
	"                                             120ms 17.91% |   [libc.so.6]\n"
	"----------------------------------------------------------+-------------\n"
	"                                             120ms   100% |   work\n"
	"     120ms 17.14% 95.71%      120ms 17.14%                | [libc.so.6]\n"
	"----------------------------------------------------------+-------------\n"
	"      10ms  1.43% 97.14%       10ms  1.43%                | <unknown>\n"
	"----------------------------------------------------------+-------------\n"
	"         0     0% 97.14%      670ms 95.71%                | main\n"
	"                                             670ms   100% |   work\n"
	"----------------------------------------------------------+-------------\n";

static const char limited_tree[] =
	HEAD
	"Showing nodes accounting for 550ms, 78.57% of 700ms total\n"
	"Dropped 2 nodes (cum <= 140ms)\n"
	"----------------------------------------------------------+-------------\n"
	"      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t " "\n"
	"----------------------------------------------------------+-------------\n"
	"                                             300ms   100% |   work (inline)\n"
	"     300ms 42.86% 42.86%      300ms 42.86%                | helper\n"
	"----------------------------------------------------------+-------------\n"
	"                                             670ms   100% |   main\n"
	"     250ms 35.71% 78.57%      670ms 95.71%                | work\n"
	"                                             300ms 44.78% |   helper (inline)\n"
	"----------------------------------------------------------+-------------\n"
	"         0     0% 78.57%      670ms 95.71%                | main\n"
	"                                             670ms   100% |   work\n"
	"----------------------------------------------------------+-------------\n";

static const char peeked[] =
	HEAD
	"Showing nodes accounting for 680ms, 97.14% of 700ms total\n"
	"----------------------------------------------------------+-------------\n"
	"      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t " "\n"
	"----------------------------------------------------------+-------------\n"
	"                                             300ms   100% |   work (inline)\n"
	"     300ms 42.86% 42.86%      300ms 42.86%                | helper\n"
	"----------------------------------------------------------+-------------\n"
	"         0     0% 42.86%      670ms 95.71%                | main\n"
	"                                             670ms   100% |   work\n"
	"----------------------------------------------------------+-------------\n";

static const char traces[] =
	HEAD
	"-----------+-------------------------------------------------------\n"
	"         a:  y z\n"
	"        a!:  x\n"
	"    thread:  worker 1\n"
	"       tid:  7\n"
	"     bytes:  4kB\n"
	"     300ms   helper (inline)\n"
	"             work\n"
	"             main\n"
	"-----------+-------------------------------------------------------\n"
	"    thread:  main\n"
	"     250ms   work\n"
	"             work\n"
	"             main\n"
	"-----------+-------------------------------------------------------\n"
	"       tid:  7\n"
	"     bytes:  64B\n"
	"     120ms   [libc.so.6]\n"
	"             work\n"
	"             main\n"
	"-----------+-------------------------------------------------------\n"
	"      10ms   <unknown>\n"
	"-----------+-------------------------------------------------------\n";

static const char traces_by_line[] =
	HEAD
	"-----------+-------------------------------------------------------\n"
	"         a:  y z\n"
	"        a!:  x\n"
	"    thread:  worker 1\n"
	"       tid:  7\n"
	"     bytes:  4kB\n"
	"     300ms   helper /src/help.h:5:7 (inline)\n"
	"             work /src/work.c:33:7\n"
	"             main /proc/self/cwd/prog.c:12:7\n"
	"-----------+-------------------------------------------------------\n"
	"    thread:  main\n"
	"     250ms   work /src/work.c:30:7\n"
	"             work /src/work.c:30:7\n"
	"             main /proc/self/cwd/prog.c:12:7\n"
	"-----------+-------------------------------------------------------\n"
	"       tid:  7\n"
	"     bytes:  64B\n"
	"     120ms   [libc.so.6]\n"
	"             work /src/work.c:30:7\n"
	"             main /proc/self/cwd/prog.c:12:7\n"
	"-----------+-------------------------------------------------------\n"
	"      10ms   <unknown>\n"
	"-----------+-------------------------------------------------------\n";

static const char tags[] =
	" a: Total 600ms of 700ms (85.71%)\n"
	"    300ms (42.86%): y\n"
	"    300ms (42.86%): z\n"
	"\n"
	" a!: Total 300ms of 700ms (42.86%)\n"
	"     300ms (42.86%): x\n"
	"\n"
	" bytes: Total 420ms of 700ms (60.00%)\n"
	"        300ms (42.86%): 4kB\n"
	"        120ms (17.14%): 64B\n"
	"\n"
	" thread: Total 550ms of 700ms (78.57%)\n"
	"         300ms (42.86%): worker 1\n"
	"         250ms (35.71%): main\n"
	"\n"
	" tid: Total 420ms of 700ms (60.00%)\n"
	"      420ms (60.00%): 7\n"
	"\n";

static const char raw[] =
	"Comment: #hidden\n"
	"Comment: made by a test\n"
	"Doc: https://example.org/\n"
	"PeriodType: cpu nanoseconds\n"
	"Period: 10000000\n"
	"Time: 2023-11-14 22:13:20.123 +0000 UTC\n"
	"Duration: 10.5\n"
	"Samples:\n"
	"samples/count cpu/nanoseconds[dflt]\n"
	"         30  300000000: 3 1 " "\n"
	"                a!:[x] a:[y z] thread:[worker 1]\n"
	"                bytes:[4096 bytes] tid:[7]\n"
	"         25  250000000: 2 2 1 " "\n"
	"                thread:[main]\n"
	"         12  120000000: 4 2 1 " "\n"
	"                bytes:[64] tid:[7]\n"
	"          1   10000000: 5 " "\n"
	"          2   20000000: " "\n"
	"Locations\n"
	"     1: 0x400100 M=1 main /proc/self/cwd/src/../prog.c:12:7 s=3\n"
	"     2: 0x400200 M=1 work /src/work.c:30:7 s=3(_Z4workv)\n"
	"     3: 0x400210 M=1 helper /src/help.h:5:7 s=3\n"
	"             work /src/work.c:33:7 s=3(_Z4workv)\n"
	"     4: 0x7f0000000800 M=2 " "\n"
	"     5: 0x10 [F] " "\n"
	"Mappings\n"
	"1: 0x400000/0x401000/0x0 /usr/bin/prog abcdef [FN][LN]\n"
	"2: 0x7f0000000000/0x7f0000001000/0x0 /lib/libc.so.6  [FN][LN]\n";

static const char raw_without_inlined[] =
	"Comment: #hidden\n"
	"Comment: made by a test\n"
	"Doc: https://example.org/\n"
	"PeriodType: cpu nanoseconds\n"
	"Period: 10000000\n"
	"Time: 2023-11-14 22:13:20.123 +0000 UTC\n"
	"Duration: 10.5\n"
	"Samples:\n"
	"samples/count cpu/nanoseconds[dflt]\n"
	"         30  300000000: 3 1 " "\n"
	"                a!:[x] a:[y z] thread:[worker 1]\n"
	"                bytes:[4096 bytes] tid:[7]\n"
	"         25  250000000: 2 2 1 " "\n"
	"                thread:[main]\n"
	"         12  120000000: 4 2 1 " "\n"
	"                bytes:[64] tid:[7]\n"
	"          1   10000000: 5 " "\n"
	"          2   20000000: " "\n"
	"Locations\n"
	"     1: 0x400100 M=1 main /proc/self/cwd/src/../prog.c:12:0 s=3\n"
	"     2: 0x400200 M=1 work /src/work.c:30:0 s=3(_Z4workv)\n"
	"     3: 0x400210 M=1 work /src/work.c:33:0 s=3(_Z4workv)\n"
	"     4: 0x7f0000000800 M=2 " "\n"
	"     5: 0x10 [F] " "\n"
	"Mappings\n"
	"1: 0x400000/0x401000/0x0 /usr/bin/prog abcdef [FN][LN]\n"
	"2: 0x7f0000000000/0x7f0000001000/0x0 /lib/libc.so.6  [FN][LN]\n";

static const char comments[] =
	"#hidden\n"
	"made by a test\n";

/* A report, and the settings that it is printed with. */
struct run {
	int (*print)(FILE *out, const struct run *run);
	const char *text;
	struct granularity_settings granularity;
	struct graph_settings graph;
	bool is_mean;
	bool is_peek;
	double ratio;
	/* Of the model, filled in by print_run(). */
	struct report report;
	struct label_units units;
	struct regex *peek;
};

static int print_top(FILE *out, const struct run *run)
{
	return top_print(out, &run->report, &run->graph);
}

static int print_tree(FILE *out, const struct run *run)
{
	return tree_print(out, &run->report, &run->graph, run->peek);
}

static int print_traces(FILE *out, const struct run *run)
{
	return traces_print(out, &run->report, &run->units);
}

static int print_tags(FILE *out, const struct run *run)
{
	return tags_print(out, &run->report, &run->units);
}

static int print_raw(FILE *out, const struct run *run)
{
	return raw_print(out, run->report.model);
}

static int print_comments(FILE *out, const struct run *run)
{
	comments_print(out, run->report.model);
	return 0;
}

static const struct run runs[] = {
	{ .print = print_top, .text = top, .graph = GRAPH_TOP_SETTINGS },
	{ .print = print_top, .text = top_by_address,
	  .granularity.level = GRANULARITY_ADDRESSES },
	{ .print = print_top, .text = top_of_files,
	  .granularity.level = GRANULARITY_FILES },
	{ .print = print_top, .text = mean_by_cum,
	  .granularity.level = GRANULARITY_LINES, .graph = { .is_by_cum = true }, .is_mean = true },
	{ .print = print_top, .text = limited_top,
	  .graph = { .node_fraction = 0.1, .max_nodes = 2 } },
	{ .print = print_top, .text = divided_top, .granularity.level = GRANULARITY_FILEFUNCTIONS,
	  .graph = { .is_compact = true, .trim_path = "/src/a:/proc/self/cwd/src/:" },
	  .ratio = 0.01 },
	{ .print = print_tree, .text = tree, .graph = GRAPH_TOP_SETTINGS },
	{ .print = print_tree, .text = limited_tree,
	  .graph = { .node_fraction = 0.2, .edge_fraction = 0.2 } },
	{ .print = print_tree, .text = peeked, .is_peek = true },
	{ .print = print_traces, .text = traces },
	{ .print = print_traces, .text = traces_by_line,
	  .granularity.level = GRANULARITY_LINES, .granularity.has_columns = true },
	{ .print = print_tags, .text = tags },
	{ .print = print_raw, .text = raw, .granularity.level = GRANULARITY_ADDRESSES },
	{ .print = print_raw, .text = raw_without_inlined,
	  .granularity.level = GRANULARITY_ADDRESSES, .granularity.omits_inlined = true },
	{ .print = print_comments, .text = comments },
};

static void init_run(struct run *run, struct model *m)
{
	struct profile_fault fault;

	run->report = (struct report){
		.model = m, .type = 1, .is_mean = run->is_mean, .unit = UNIT_MINIMUM,
		.total = report_total(m, 1, run->is_mean), .ratio = run->ratio,
	};
	assert_int_equal(label_units_init(&run->units, m), 0);
	granularity_apply(m, &run->granularity);
	if (run->is_peek)
		assert_int_equal(regex_new(&run->peek, "help|main", 9, &fault), 0);
}

/* Prints a report after some allocations. Returns: what was printed, which the caller frees. */
static char *print_run(struct run run, long nr_allocations, int *err)
{
	struct model *m = make_report_model();
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	init_run(&run, m);
	allocations_left = nr_allocations;
	*err = run.print(out, &run);
	allocations_left = -1;
	fclose(out);
	regex_free(run.peek);
	label_units_fini(&run.units);
	model_free(m);
	return text;
}

static void test_reports(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		int err;
		char *text = print_run(runs[i], -1, &err);

		assert_int_equal(err, 0);
		assert_string_equal(text, runs[i].text);
		free(text);
	}
}

/* Only raw and traces print samples before they know whether memory is enough. */
static void test_every_allocation_may_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		bool is_long = runs[i].print == print_raw || runs[i].print == print_traces;
		int err = -ENOMEM;

		for (long nr = 0; err; nr++) {
			char *text = print_run(runs[i], nr, &err);

			assert_in_range(nr, 0, 1000);
			assert_true(!err || err == -ENOMEM);
			if (err && !is_long)
				assert_string_equal(text, "");
			if (!err)
				assert_string_equal(text, runs[i].text);
			free(text);
		}
	}
}

static void test_peek_without_a_match_prints_nothing(void **state)
{
	struct model *m = make_report_model();
	struct report r = { .model = m, .type = 1, .unit = UNIT_MINIMUM, .total = 700000000 };
	struct graph_settings s = { 0 };
	struct profile_fault fault;
	struct regex *peek;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	assert_int_equal(regex_new(&peek, "nothing", 7, &fault), 0);
	assert_int_equal(tree_print(out, &r, &s, peek), -ENOENT);
	fclose(out);
	assert_int_equal(len, 0);
	free(text);
	regex_free(peek);
	model_free(m);
}

/* Two locations were added after the file was read. */
static void test_raw_prints_the_ids_of_the_file(void **state)
{
	static uint64_t mapping_ids[] = { 70, 3 }, location_ids[] = { 9, 1ULL << 40, 2 };
	struct model *m = make_report_model();
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	m->mapping_ids.items = mapping_ids;
	m->mapping_ids.nr = 2;
	m->location_ids.items = location_ids;
	m->location_ids.nr = 3;
	assert_int_equal(raw_print(out, m), 0);
	fclose(out);
	assert_non_null(strstr(text, "300000000: 2 9 " "\n"));
	assert_non_null(strstr(text, "120000000: 1099511627777 1099511627776 9 " "\n"));
	assert_non_null(strstr(text, "\n     9: 0x400100 M=70 main"));
	assert_non_null(strstr(text, "\n1099511627776: 0x400200 M=70 work"));
	assert_non_null(strstr(text, "\n1099511627777: 0x7f0000000800 M=3 " "\n"));
	assert_non_null(strstr(text, "\n1099511627778: 0x10 [F] " "\n"));
	assert_non_null(strstr(text, "\n70: 0x400000/"));
	free(text);
	m->mapping_ids.items = NULL;
	m->location_ids.items = NULL;
	model_free(m);
}

/* The zone of times is the local one. */
static int set_zone(void **state)
{
	(void)state;
	return setenv("TZ", "UTC", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reports),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_peek_without_a_match_prints_nothing),
		cmocka_unit_test(test_raw_prints_the_ids_of_the_file),
	};

	return cmocka_run_group_tests(tests, set_zone, NULL);
}
