// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/doctor/host.c collector/doctor/host_files.c
// sources: collector/doctor/host_kernel.c collector/doctor/host_module.c
// sources: collector/doctor/kernel_headers.c collector/doctor/distro.c
// sources: collector/doctor/dkms.c collector/doctor/module_search.c
// sources: collector/elf/kernel_module.c collector/process/command.c
// sources: collector/base/regular_file.c collector/doctor/finding.c collector/base/utf8.c
// sources: collector/elf/validate.c
// libs: -lelf -lz -llzma
/* The kernel's release and its configuration. */
#include "machine.h"

#define LIST	": if the module fails, boot one of 5.10, 6.1, 6.12, 7.2, 7.3"
#define NEWER	" is newer than 7.3, the newest one that was tested" LIST
#define BETWEEN	" should work, but was not tested" LIST
#define OLD	" is too old: boot 5.10 or a later one"

static void test_releases(void **state)
{
	static const struct {
		const char *release, *machine, *want;
	} cases[] = {
		{ "5.10.0-32", "x86_64", "ok       kernel     5.10.0-32, x86_64" },
		{ "6.1.0", "x86_64", "ok       kernel     6.1.0, x86_64" },
		{ "6.12.117+deb13", "x86_64", "ok       kernel     6.12.117+deb13, x86_64" },
		{ "7.2.12", "x86_64", "ok       kernel     7.2.12, x86_64" },
		{ "7.3-rc1", "x86_64", "ok       kernel     7.3-rc1, x86_64" },
		{ "5.9.19", "x86_64", "problem  kernel     5.9.19" OLD },
		{ "4.19.0", "x86_64", "problem  kernel     4.19.0" OLD },
		{ "5.1.0", "x86_64", "problem  kernel     5.1.0" OLD },
		{ "5.15.3", "x86_64", "warning  kernel     5.15.3" BETWEEN },
		{ "6.120.1", "x86_64", "warning  kernel     6.120.1" BETWEEN },
		{ "7.4.0", "x86_64", "warning  kernel     7.4.0" NEWER },
		{ "7.30.0", "x86_64", "warning  kernel     7.30.0" NEWER },
		{ "8.0", "x86_64", "warning  kernel     8.0" NEWER },
		{ "6.12.0", "aarch64", "problem  kernel     6.12.0 is for aarch64"
		  ": profile on a machine with x86_64" },
		{ "strange", "x86_64", "problem  kernel     strange" OLD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		host.release = cases[i].release;
		host.machine = cases[i].machine;
		check();
		assert_line(cases[i].want);
	}
}

/* A made-up configuration without some of its lines. */
static void drop_options(const char *pattern)
{
	char command[256];

	write_file("root/boot/config-" RELEASE, CONFIG);
	snprintf(command, sizeof(command), "sed -i '/%s/d' root/boot/config-" RELEASE, pattern);
	assert_int_equal(system(command), 0);
}

static void test_config_that_lacks_something(void **state)
{
	(void)state;
	drop_options("KPROBES\\|PERF\\|MEMCG");
	check();
	assert_line("problem  config     the kernel was built without CONFIG_KPROBES, "
		    "CONFIG_PERF_EVENTS: boot your distribution's kernel");
	drop_options("TRACEPOINTS");
	check();
	assert_line("problem  config     the kernel was built without CONFIG_TRACEPOINTS: "
		    "boot your distribution's kernel");
	write_file("root/boot/config-" RELEASE, "# CONFIG_KPROBES is not set\n" CONFIG);
	check();
	assert_line("ok       config     the kernel has what the module needs");
}

static void test_config_without_heap_profiles(void **state)
{
	(void)state;
	drop_options("UPROBES\\|MEMCG");
	check();
	assert_line("warning  config     the kernel was built without CONFIG_UPROBES, CONFIG_MEMCG, so "
		    "there are no heap profiles: use --profile growth");
	drop_options("MEMCG");
	check();
	assert_line("warning  config     the kernel was built without CONFIG_MEMCG, so "
		    "there are no heap profiles: use --profile growth");
}

/* Neither headers nor a module would help: there are no lines of these. */
static void assert_no_modules(void)
{
	check();
	assert_int_equal(nr_problems, 1);
	assert_line("problem  config     this kernel loads no modules (CONFIG_MODULES is not set): boot "
		    "your distribution's kernel, or try the module in a VM ('make vm-shell')");
	assert_null(strstr(text, " headers "));
	assert_null(strstr(text, " module  "));
	assert_null(strstr(text, " signature "));
}

/* /proc/modules decides: /boot may have the configuration of another kernel. */
static void test_kernel_without_modules(void **state)
{
	(void)state;
	assert_int_equal(remove("root/proc/modules"), 0);
	assert_no_modules();
	assert_int_equal(system("rm -r root/proc"), 0);
	check();
	assert_non_null(strstr(text, " headers "));
	drop_options("MODULES");
	check();
	assert_null(strstr(text, " headers "));
}

/* gzgets() cuts a long line: the rest of it must not pass for an option. */
static void test_config_with_a_long_line(void **state)
{
	static const char lacking[] = "CONFIG_MODULES=y\nCONFIG_TRACEPOINTS=y\n"
				      "CONFIG_PERF_EVENTS=y\n";
	char config[600];

	(void)state;
	for (int len = 200; len < 300; len++) {
		snprintf(config, sizeof(config), "CONFIG_CMDLINE=%0*dCONFIG_KPROBES=y\n%s", len, 0,
			 lacking);
		write_file("root/boot/config-" RELEASE, config);
		check();
		assert_line("problem  config     the kernel was built without CONFIG_KPROBES: "
			    "boot your distribution's kernel");
	}
}

static void test_places_of_the_config(void **state)
{
	static const char *const places[] = {
		MODULES "/config", "root/proc/config.gz", MODULES "/build/.config",
	};
	char command[256];

	(void)state;
	assert_int_equal(rename("root/boot/config-" RELEASE, "config"), 0);
	check();
	assert_line("warning  config     not known, as /boot has no config-" RELEASE ": install the "
		    "kernel's headers, which contain it");
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(command, sizeof(command), "%s <config >%s",
			 strstr(places[i], ".gz") ? "gzip" : "cat", places[i]);
		assert_int_equal(system(command), 0);
		check();
		assert_line("ok       config     the kernel has what the module needs");
		assert_int_equal(remove(places[i]), 0);
	}
	load_module();
	check();
	assert_line("ok       config     not known, but the module is loaded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_releases),
		TEST(test_config_that_lacks_something),
		TEST(test_config_without_heap_profiles),
		TEST(test_kernel_without_modules),
		TEST(test_config_with_a_long_line),
		TEST(test_places_of_the_config),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
