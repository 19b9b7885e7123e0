// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/command_line.c collector/cli/options.c collector/cli/option_values.c
// sources: collector/cli/options_profile.c collector/cli/options_subcommands.c
// sources: collector/cli/options_files.c
// sources: collector/cli/options_serve.c collector/http/listen_address.c
// sources: collector/cli/keywords.c collector/pprof/frame_filter.c collector/base/utf8.c
// sources: collector/session/settings.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/value_unit.c
// sources: collector/base/span_set.c collector/base/string_table.c
// sources: collector/push/backend.c collector/push/push_labels.c collector/push/push_settings.c
// sources: collector/push/libcurl.c
// sources: collector/base/library.c collector/base/libgnutls.c
// sources: collector/push/auth_file.c collector/push/url_template.c
// sources: collector/cli/options_push.c
// libs: -lm -lxxhash -lpcre2-8
#include "line.h"
#include "cli/keywords.h"
#include "pprof.h"
#include "aggregate/label_sets.h"
#include "aggregate/profile_types.h"

/* A word that is no profile type names a custom profile. */
static void test_custom(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "--profile net/http.conns --pid 12 --labels pid,comm,resource");
	assert_string_equal(c.run.custom, "net/http.conns");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_CUSTOM);
	assert_true(settings_at_once(&c.run));
	options_fini(&c);
	parse(&c, &l, "--profile conns --pid 12 --seconds 3");
	assert_false(settings_at_once(&c.run));
	options_fini(&c);
	parse(&c, &l, "--profile conns --pid 12 --profile cpu");
	assert_null(c.run.custom);
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_CPU);
	options_fini(&c);
}

static void test_custom_refused(void **state)
{
	static const char *const lines[][2] = {
		{ "--profile conns --all", "'conns': is no profile type (see --help), and a custom "
					   "profile takes one --pid PID and no --children" },
		{ "--profile conns -- true", "takes one --pid" },
		{ "--profile conns --pid 1,2", "takes one --pid" },
		{ "--profile conns --pid 1 --children", "takes one --pid" },
		{ "--profile conns --pid 1 --labels pid,tid", "leave out the labels" },
		{ "--profile conns,cpu --pid 1", "'conns,cpu': the profile types are cpu" },
		{ "--profile '' --pid 1", "'': the profile types are cpu" },
		{ "-q status", "command 'status': a subcommand comes before all options" },
	};
	struct capture out;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		assert_int_equal(try(&out, STDERR_FILENO, lines[i][0]), 2);
		assert_sentence(out.text, lines[i][1]);
	}
}

static void test_cgroup_refused(void **state)
{
	static const char *const lines[][2] = {
		{ "--cgroup ''", "'': must be a path" },
		{ "--cgroup / --pid 1", "exclude each other: give one" },
		{ "--cgroup / -- true", "exclude each other: give one" },
		{ "--cgroup / --all", "exclude each other: give one" },
		{ "--cgroup / --children", "leave --children out" },
		{ "--cgroup / --profile wall", "--cgroup takes cpu, threadcreate, thread and gr" },
		{ "--cgroup / --profile block", "use --pid for them" },
		{ "--cgroup / --profile mutex", "use --pid for them" },
		{ "--cgroup / --profile heap", "use --pid for them" },
		{ "--cgroup / --profile allocs", "use --pid for them" },
		{ "--cgroup / --profile all", "use --pid for them" },
		{ "--cgroup / --profile conns", "takes one --pid" },
		{ "--cgroup / --profile threadcreate --live", "leave it out" },
	};
	struct capture out;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		assert_int_equal(try(&out, STDERR_FILENO, lines[i][0]), 2);
		assert_sentence(out.text, lines[i][1]);
	}
}

/* The message lists all types. */
static void test_unknown_kind(void **state)
{
	struct capture out;

	(void)state;
	assert_int_equal(try(&out, STDERR_FILENO, "-a --profile cpu,goroutine"), 2);
	for (const struct keyword *profile_type = keywords_types; profile_type->name;
	     profile_type++)
		if (!strstr(out.text, profile_type->name))
			fail_msg("%s is not listed", profile_type->name);
}

static void test_all_options(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-p 1,2 --pid=3 --children -s 1.5 --profile cpu,threadcreate --hz 10000 "
	      "-q --buffer-pages 8 --unwind fp --max-frames 256");
	assert_int_equal(c.run.nr_pids, 3);
	assert_int_equal(c.run.pids[0], 1);
	assert_int_equal(c.run.pids[1], 2);
	assert_int_equal(c.run.pids[2], 3);
	assert_true(c.run.children && c.run.quiet);
	assert_null(c.run.flame);
	assert_int_equal(c.run.nr_functions, 10);
	assert_int_equal(c.run.duration_ns, 1500000000);
	assert_int_equal(c.run.profile_types,
			 1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_THREADCREATE);
	assert_int_equal(c.run.hz, 10000);
	assert_int_equal(c.run.buffer_pages, 8);
	assert_int_equal(c.run.max_frames, 256);
	assert_false(c.run.tables);
	options_fini(&c);
	parse(&c, &l, "--all --seconds 1e-12 --profile threadcreate --hz 1 -o out --max-stacks 1 --unwind table "
	      "--labels comm,pid,tid,thread,cpu,resource,trace");
	assert_true(c.run.all);
	assert_int_equal(c.run.duration_ns, 1);
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_THREADCREATE);
	assert_int_equal(c.run.hz, 1);
	assert_string_equal(c.run.output, "out");
	assert_int_equal(c.run.max_stacks, 1);
	assert_true(c.run.tables);
	assert_int_equal(c.run.labels, 0x3001f);
	assert_null(c.run.cgroup);
	options_fini(&c);
	parse(&c, &l, "--cgroup /system.slice/a.service// --labels cgroup,container,pod,unit --profile "
	      "cpu,threadcreate,thread,growth");
	assert_string_equal(c.run.cgroup, "/system.slice/a.service");
	assert_int_equal(c.run.labels, LABELS_OF_CGROUP);
	options_fini(&c);
}

static void test_windows(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-a --every 10s --dir d");
	assert_int_equal(c.run.every_ns, UINT64_C(10000000000));
	assert_string_equal(c.run.dir, "d");
	assert_int_equal(c.run.keep_windows + c.run.keep_bytes + c.run.keep_seconds, 0);
	options_fini(&c);
	/* A snapshot of each window is no snapshot at once. */
	parse(&c, &l, "-p 1 --profile thread --every 1d --dir d --keep 2 --keep 10GB");
	assert_int_equal(c.run.every_ns, UINT64_C(86400000000000));
	assert_int_equal(c.run.keep_windows, 0);
	assert_int_equal(c.run.keep_bytes, UINT64_C(10000000000));
	assert_false(settings_at_once(&c.run));
	options_fini(&c);
	parse(&c, &l, "-a --every 1m --dir d --keep 24h --by comm");
	assert_int_equal(c.run.keep_seconds, 86400);
	assert_int_equal(settings_labels(&c.run), LABELS_WANT_COMM);
	options_fini(&c);
	parse(&c, &l, "-a --every 1h --dir d --keep 24");
	assert_int_equal(c.run.keep_windows, 24);
	assert_int_equal(settings_labels(&c.run), 0);
	options_fini(&c);
	parse(&c, &l, "-a --every 1h --dir d --by cgroup --labels tid");
	assert_int_equal(c.run.by, SETTINGS_BY_CGROUP);
	assert_int_equal(settings_labels(&c.run), LABELS_WANT_CGROUP | LABELS_WANT_TID);
	options_fini(&c);
	parse(&c, &l, "-a --every 1h --dir d --by process --labels tid");
	assert_int_equal(settings_labels(&c.run),
			 LABELS_WANT_PID | LABELS_WANT_TID | LABELS_WANT_COMM);
	options_fini(&c);
}

static void test_periods(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-a --profile block,mutex");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_BLOCK | 1U << PROFILE_TYPE_MUTEX);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_CPU), 10000000);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_BLOCK), 1000000);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_MUTEX), 1);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_THREADCREATE), 0);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_GROWTH), 65536);
	options_fini(&c);
	parse(&c, &l, "-a --profile growth --growth-rate 4096");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_GROWTH);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_GROWTH), 4096);
	options_fini(&c);
	parse(&c, &l, "-p 1 --profile thread --debug 2");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_THREAD);
	assert_true(settings_at_once(&c.run));
	assert_true(settings_dump(&c.run));
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_THREAD), 0);
	options_fini(&c);
	parse(&c, &l, "-p 1 --profile thread --seconds 1 --debug 1");
	assert_false(settings_at_once(&c.run));
	assert_false(settings_dump(&c.run));
	options_fini(&c);
	parse(&c, &l, "-p 1 --profile threadcreate --debug 2");
	assert_false(settings_at_once(&c.run));
	assert_false(settings_dump(&c.run));
	options_fini(&c);
	parse(&c, &l, "-p 1 --profile heap,allocs");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_HEAP | 1U << PROFILE_TYPE_ALLOCS);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_HEAP), 524288);
	options_fini(&c);
	parse(&c, &l, "-p 1 --profile allocs --heap-rate 1 -o out");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_ALLOCS);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_HEAP), 1);
	options_fini(&c);
	parse(&c, &l, "-a --profile all --hz 1000 --block-rate 1 --mutex-fraction 100");
	assert_true(c.run.profile_types & 1U << PROFILE_TYPE_CPU);
	assert_true(c.run.profile_types & 1U << PROFILE_TYPE_THREADCREATE);
	assert_false(c.run.profile_types & (1U << PROFILE_TYPE_HEAP | 1U << PROFILE_TYPE_ALLOCS));
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_CPU), 1000000);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_BLOCK), 1);
	assert_int_equal(settings_period(&c.run, PPROF_SOURCE_MUTEX), 100);
	options_fini(&c);
}

/* Fails if a type that has frames of the kernel is missing in the list. */
static void test_kernel(void **state)
{
	static const char *const arguments[] = {
		"-a --kernel", "-a --kernel --profile wall", "-a --kernel --profile threadcreate,mutex",
		"-a --kernel --profile block", "-p 1 --kernel --profile heap,growth",
	};
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-a");
	assert_false(c.run.kernel);
	options_fini(&c);
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
		parse(&c, &l, arguments[i]);
		assert_true(c.run.kernel);
		options_fini(&c);
	}
}

static void test_live(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-a --profile threadcreate");
	assert_false(c.run.live);
	options_fini(&c);
	parse(&c, &l, "-a --profile cpu,threadcreate --live --debug 0");
	assert_true(c.run.live);
	options_fini(&c);
}

static void test_forms(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-a --debug 2");
	assert_int_equal(c.run.debug, 2);
	options_fini(&c);
	parse(&c, &l, "-a --drop-frames= --drop-frames malloc|free --keep-frames main.* --debug 0");
	assert_int_equal(c.run.debug, 0);
	assert_string_equal(c.run.drop_frames, "malloc|free");
	assert_string_equal(c.run.keep_frames, "main.*");
	options_fini(&c);
}

static void test_each_label(void **state)
{
	static const char *const lines[] = {
		"-a --labels pid", "-a --labels tid", "-a --labels cpu", "-a --labels thread",
		"-a --labels comm",
	};
	struct options c;
	struct line l;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		parse(&c, &l, lines[i]);
		assert_int_equal(c.run.labels, 1U << i);
		options_fini(&c);
	}
}

/* The last one counts: types and labels are not added up. */
static void test_options_given_twice(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-a --profile cpu --profile threadcreate --hz 5 --hz 7");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_THREADCREATE);
	assert_int_equal(c.run.hz, 7);
	options_fini(&c);
}

/* Words after the name of the program belong to the program. */
static void test_program(void **state)
{
	static const char *const lines[] = {
		"--hz 99 -- prog --hz x", "--hz 99 -- prog --hz x --",
	};
	struct options c;
	struct line l;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		parse(&c, &l, lines[i]);
		assert_int_equal(c.run.hz, 99);
		assert_string_equal(c.run.program[0], "prog");
		assert_string_equal(c.run.program[1], "--hz");
		assert_string_equal(c.run.program[2], "x");
		assert_true(!c.run.program[3] || !strcmp(c.run.program[3], "--"));
		options_fini(&c);
	}
	parse(&c, &l, "-q -- status");
	assert_string_equal(c.run.program[0], "status");
	options_fini(&c);
	parse(&c, &l, "-- status");
	assert_int_equal(c.command, OPTIONS_PROFILE);
	assert_string_equal(c.run.program[0], "status");
	options_fini(&c);
}

static const char *const bad_lines[][2] = {
	{ "", "nothing to profile" },
	{ "--", "nothing to profile" },
	{ "--seconds 1", "nothing to profile" },
	{ "-p 1 --live", "--live adds to the threadcreate profile" },
	{ "-p 1 --kernel --profile mutex", "--kernel adds to cpu, wall, threadcreate, block and" },
	{ "-p 1 --kernel --profile thread,heap", "none of which is taken" },
	{ "-p 1 -a", "exclude each other" },
	{ "-p 1 -- prog", "exclude each other" },
	{ "-a -- prog", "exclude each other" },
	{ "foo", "command 'foo': is neither a subcommand nor after '--': give '--' before" },
	{ "--hz 99 prog --hz x", "command 'prog': is neither" },
	{ "prog -- x", "command 'prog': is neither" },
	{ "stat", "command 'stat': is neither" },
	{ "-a -o x --profile cpu,threadcreate", "--output names one file" },
	{ "-a --flame x --profile cpu,threadcreate", "--flame names one file" },
	{ "-a --top 3 --quiet", "--top prints what --quiet forbids" },
	{ "-a --top x", "--top 'x'" },
	{ "-p 0", "--pid '0'" },
	{ "-p -1", "--pid '-1'" },
	{ "-p abc", "--pid 'abc'" },
	{ "-p 12x", "--pid '12x'" },
	{ "-p 1,", "--pid ''" },
	{ "-p ,1", "--pid ''" },
	{ "-p ''", "--pid ''" },
	{ "-p 2147483648", "--pid '2147483648'" },
	{ "-p 99999999999999999999", "--pid '99999999999999999999'" },
	{ "-a -s 0", "--seconds '0'" },
	{ "-a -s -1", "--seconds '-1'" },
	{ "-a -s abc", "--seconds 'abc'" },
	{ "-a -s 1s", "--seconds '1s'" },
	{ "-a -s ''", "--seconds ''" },
	{ "-a -s nan", "--seconds 'nan'" },
	{ "-a -s inf", "--seconds 'inf'" },
	{ "-a -s 1e300", "--seconds '1e300'" },
	{ "-a --hz 0", "--hz '0'" },
	{ "-a --hz 10001", "--hz '10001'" },
	{ "-a --hz 20000", "--hz '20000'" },
	{ "-a --hz -5", "--hz '-5'" },
	{ "-a --hz 1.5", "--hz '1.5'" },
	{ "-a --hz ''", "--hz ''" },
	{ "-a --profile heaps", "--profile 'heaps'" },
	{ "-a --profile heap", "name processes with --pid" },
	{ "-a --profile cpu,allocs", "name processes with --pid" },
	{ "-p 1 --profile heap,allocs -o x", "leave --output out" },
	{ "-p 1 --heap-rate 0", "--heap-rate '0'" },
	{ "-p 1 --heap-rate 1073741825", "--heap-rate '1073741825'" },
	{ "-a --profile cpu,", "--profile 'cpu,'" },
	{ "-a --profile cpu,wall,cpu", "cpu profiling already in use" },
	{ "-a --profile block,all", "block profiling already in use: name each type once" },
	{ "-a --profile ''", "--profile ''" },
	{ "-a --profile cp", "--profile 'cp'" },
	{ "-a --profile cpux", "--profile 'cpux'" },
	{ "-a --labels user", "--labels 'user'" },
	{ "-a --labels pid,,tid", "--labels 'pid,,tid'" },
	{ "-a --buffer-pages 100", "--buffer-pages '100'" },
	{ "-a --buffer-pages 4", "--buffer-pages '4'" },
	{ "-a --buffer-pages 32768", "--buffer-pages '32768'" },
	{ "-a --max-stacks 0", "--max-stacks '0'" },
	{ "-a --max-frames 0", "--max-frames '0'" },
	{ "-a --max-frames 257", "--max-frames '257'" },
	{ "-a --unwind dwarf", "--unwind 'dwarf'" },
	{ "-a --unwind ''", "--unwind ''" },
	{ "-a --debug 3", "--debug '3'" },
	{ "-a --debug text", "--debug 'text'" },
	{ "-a --drop-frames (a", "--drop-frames '(a': must have a ) to each (" },
	{ "-a --keep-frames a**", "--keep-frames 'a**'" },
	{ "--profile thread -- true", "give --seconds N" },
	{ "-a --debug 1 --drop-frames a", "text shows all frames" },
	{ "-a --debug 1 --keep-frames a", "text shows all frames" },
	{ "-a --profile threadcreate --live --debug 1", "leave --live out, or --debug" },
	{ "-a --every 10s", "give --dir FOLDER" },
	{ "-a --dir d", "give --every TIME" },
	{ "-a --keep 2", "give --every TIME" },
	{ "-a --by comm", "give --every TIME" },
	{ "-a --every 1s --dir d --by name", "--by 'name': must be process, comm or cgroup" },
	{ "-a --every 10", "--every '10': must be from 1s to 1d" },
	{ "-a --every 0s", "--every '0s'" },
	{ "-a --every 25h", "--every '25h'" },
	{ "-a --every s", "--every 's'" },
	{ "-a --every 1GB", "--every '1GB'" },
	{ "-a --every 1s --dir d --keep 0", "--keep '0': must be a number of windows" },
	{ "-a --every 1s --dir d --keep 10gb", "--keep '10gb'" },
	{ "-a --every 1s --dir d --keep 99999999999999999999s", "--keep '9999" },
	{ "-a --every 1s --dir d -o x", "--every writes many" },
	{ "-a --every 1s --dir d --flame x", "--every writes many" },
	{ "-a --every 1s --dir d --top 5", "--every writes many" },
	{ "-a --every 1s --dir d --debug 1", "--every writes the usual format" },
	{ "-a --every 1s --dir d --profile threadcreate --live", "leave --live or --every out" },
	{ "-p 1 --every 1s --dir d --profile conns", "a custom profile is kept by its program" },
	{ "-a --profile threadcreate,thread --debug 2 --live", "no place for the values" },
};

static void test_bad_values(void **state)
{
	(void)state;
	assert_refused(bad_lines, NR(bad_lines));
}

static void test_end(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "-a --flame x.svg --top 30");
	assert_string_equal(c.run.flame, "x.svg");
	assert_int_equal(c.run.nr_functions, 30);
	options_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_custom),
		cmocka_unit_test(test_custom_refused),
		cmocka_unit_test(test_cgroup_refused),
		cmocka_unit_test(test_unknown_kind),
		cmocka_unit_test(test_all_options),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_each_label),
		cmocka_unit_test(test_options_given_twice),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
