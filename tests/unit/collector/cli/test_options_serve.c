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

#include "aggregate/profile_types.h"

static void test_defaults(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "serve --pid 5,6");
	assert_int_equal(c.command, OPTIONS_SERVE);
	assert_int_equal(c.run.nr_pids, 2);
	assert_string_equal(c.serve.listen, "127.0.0.1:6060");
	assert_true(listen_address_is_local(&c.serve.address));
	assert_null(c.serve.token_file);
	assert_null(c.serve.tls_cert);
	options_fini(&c);
}

static void test_all_options(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "serve --all --listen 0.0.0.0:80 --host a,b --token-file t --tls-cert c "
	      "--tls-key k --profile heap,block");
	assert_true(c.run.all);
	assert_false(listen_address_is_local(&c.serve.address));
	assert_string_equal(c.serve.hosts, "a,b");
	assert_string_equal(c.serve.token_file, "t");
	assert_string_equal(c.serve.tls_cert, "c");
	assert_string_equal(c.serve.tls_key, "k");
	assert_int_equal(c.run.profile_types, 1U << PROFILE_TYPE_HEAP | 1U << PROFILE_TYPE_BLOCK);
	options_fini(&c);
	parse(&c, &l, "serve --comm ^a --comm ^b$ --unix /run/s");
	assert_non_null(c.serve.comm);
	assert_string_equal(c.serve.unix_path, "/run/s");
	assert_true(listen_address_is_local(&c.serve.address));
	options_fini(&c);
}

static void test_cgroup(void **state)
{
	struct options c;
	struct line l;

	(void)state;
	parse(&c, &l, "serve --cgroup /a.slice/b.service/");
	assert_string_equal(c.run.cgroup, "/a.slice/b.service");
	assert_false(c.run.all);
	options_fini(&c);
}

/* What other machines reach takes TLS, or a token, or --insecure. */
static void test_public_addresses(void **state)
{
	static const char *const lines[] = {
		"serve --all --listen 0.0.0.0:80 --insecure",
		"serve --all --listen 0.0.0.0:80 --token-file t",
		"serve --all --listen [::]:80 --tls-cert c --tls-key k",
	};
	struct options c;
	struct line l;

	(void)state;
	for (size_t i = 0; i < NR(lines); i++) {
		parse(&c, &l, lines[i]);
		options_fini(&c);
	}
}

#define A10	"aaaaaaaaaa"

static void test_refused_lines(void **state)
{
	static const char *const lines[][2] = {
		{ "serve", "give --pid PID, --all, --comm REGEX, or --cgroup PATH" },
		{ "serve --all --pid 1", "exclude each other" },
		{ "serve --comm a --pid 1", "exclude each other" },
		{ "serve --all --cgroup /", "exclude each other" },
		{ "serve --comm (", "--comm '('" },
		{ "serve --pid 0", "--pid '0'" },
		{ "serve --pid 1 x", "takes options only" },
		{ "serve --pid 1 --listen 6060", "must be an IP address and a port" },
		{ "serve --pid 1 --listen a.example:80", "must be an IP address and a port" },
		{ "serve --pid 1 --listen 0.0.0.0:80", "or --insecure to let everyone in" },
		{ "serve --pid 1 --listen [::]:80", "or --insecure to let everyone in" },
		{ "serve --pid 1 --listen 1.1.1.1:8 --unix s", "exclude each other" },
		{ "serve --pid 1 --tls-cert c", "give both --tls-cert and --tls-key" },
		{ "serve --pid 1 --tls-key k", "give both --tls-cert and --tls-key" },
		{ "serve --pid 1 --profile own", "--profile 'own'" },
		{ "serve --pid 1 --unix " A10 A10 A10 A10 A10 A10 A10 A10 A10 A10 A10,
		  "at most 107 bytes" },
	};

	(void)state;
	assert_refused(lines, NR(lines));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_all_options),
		cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_public_addresses),
		cmocka_unit_test(test_refused_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
