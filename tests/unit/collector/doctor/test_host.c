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
/* A process's rights, lockdown and debug files, and the machine as a whole. */
#include "machine.h"

static void test_all_is_well(void **state)
{
	(void)state;
	load_module();
	check();
	assert_int_equal(nr_problems, 0);
	assert_string_equal(text, "ok       kernel     " RELEASE ", x86_64\n"
			    "ok       config     the kernel has what the module needs\n"
			    "ok       headers    in /lib/modules/" RELEASE "/build\n"
			    "ok       module     loaded, version 1.2\n"
			    "ok       signature  the module was accepted; Secure Boot is off\n"
			    "ok       lockdown   none\n"
			    "ok       rights     all processes, audit and status\n"
			    "ok       debug info /usr/lib/debug\n");
}

/* No file is there: doctor calls nothing good that it did not see. */
static void test_an_empty_machine(void **state)
{
	(void)state;
	host.root = "nowhere";
	check();
	assert_int_equal(nr_problems, 2);
	assert_line("warning  config     not known, as /boot has no config-" RELEASE ": install the "
		    "kernel's headers, which contain it");
	assert_line("problem  headers    no package has those of " RELEASE ": run 'make KDIR=FOLDER' "
		    "with the kernel's build folder");
	assert_line("problem  module     not loaded, and there is no pprof.ko: run 'make' in the folder "
		    "of its source, and 'insmod pprof.ko' as root");
	assert_line("warning  rights     only processes of this user, in a container's user "
		    "namespace: run as root outside of it for all processes");
	assert_line("warning  debug info stripped files have names of exported functions only: install "
		    "your distribution's debug files, or set DEBUGINFOD_URLS");
}

static void test_users(void **state)
{
	(void)state;
	load_module();
	assert_int_equal(mkdir("root/sys/module/pprof/parameters", 0755), 0);
	write_file("root/sys/module/pprof/parameters/users", "0\n");
	check();
	assert_line("ok       users      may not profile (the module's parameter users is 0)");
}

static void test_lockdown(void **state)
{
	(void)state;
	load_module();
	write_file(SECURITY "/lockdown", "none integrity [confidentiality]\n");
	check();
	assert_int_equal(nr_problems, 1);
	assert_line("problem  lockdown   confidentiality, which forbids profiling: boot without "
		    "'lockdown=confidentiality'");
	assert_int_equal(remove(SECURITY "/lockdown"), 0);
	check();
	assert_line("ok       lockdown   none in /sys/kernel/security");
}

#define OWN	"warning  rights     only processes of this user: run as root for all, or see " \
		"NOTES in pprof-collect(8)"

static void test_rights(void **state)
{
	static const struct {
		const char *caps, *want;
	} cases[] = {
		{ "0000000000000000", OWN },
		{ "0000000000081000", OWN },
		{ "0000004000081000", "ok       rights     all processes, audit and status" },
		{ "0000000000281000", "ok       rights     all processes, audit and status" },
		{ "0000004000001000", "warning  rights     all processes, but other users' only with "
		  "--unwind fp and without function names: run as root (CAP_SYS_PTRACE)" },
		{ "0000004000080000", "warning  rights     all processes, but neither audit nor "
		  "status: run as root (CAP_NET_ADMIN)" },
	};
	char status[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(status, sizeof(status), "Name:\tx\nCapEff:\t%s\n", cases[i].caps);
		write_file("root/proc/self/status", status);
		check();
		assert_line(cases[i].want);
	}
}

/* The line names the first right that is missing. */
static void test_rights_without_netlink(void **state)
{
	(void)state;
	host.lacks_netlink = true;
	check();
	assert_line("warning  rights     all processes, but neither audit nor status, which work in "
		    "the host's network namespace only: start the container with '--network host'");
	write_file("root/proc/self/status", "Name:\tx\nCapEff:\t0000004000080000\n");
	check();
	assert_line("warning  rights     all processes, but neither audit nor status: run as root "
		    "(CAP_NET_ADMIN)");
}

static void test_rights_of_a_container(void **state)
{
	(void)state;
	assert_int_equal(remove("root/proc/self/ns/user"), 0);
	assert_int_equal(symlink("user:[4026532999]", "root/proc/self/ns/user"), 0);
	check();
	assert_line("warning  rights     only processes of this user, in a container's user "
		    "namespace: run as root outside of it for all processes");
}

static void test_rights_of_a_pid_namespace(void **state)
{
	(void)state;
	assert_int_equal(remove("root/proc/self/ns/pid"), 0);
	assert_int_equal(symlink("pid:[4026532999]", "root/proc/self/ns/pid"), 0);
	check();
	assert_line("warning  rights     all processes of this pid namespace, but neither audit nor "
		    "status, which work in the host's only: start the container with '--pid host'");
}

static void test_debug_files(void **state)
{
	(void)state;
	host.debug_urls = "http://x/";
	check();
	assert_line("ok       debug info /usr/lib/debug, and from http://x/");
	assert_int_equal(rmdir("root/usr/lib/debug/.build-id"), 0);
	check();
	assert_line("ok       debug info from http://x/");
	host.debug_urls = "";
	check();
	assert_line("warning  debug info stripped files have names of exported functions only: run "
		    "'apt install libc6-dbg' as root, or set DEBUGINFOD_URLS");
	write_file("root/etc/os-release", "ID=\"fedora\"\n");
	check();
	assert_line("warning  debug info stripped files have names of exported functions only: run "
		    "'dnf debuginfo-install glibc' as root, or set DEBUGINFOD_URLS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_is_well),
		TEST(test_an_empty_machine),
		TEST(test_users),
		TEST(test_lockdown),
		TEST(test_rights),
		TEST(test_rights_without_netlink),
		TEST(test_rights_of_a_container),
		TEST(test_rights_of_a_pid_namespace),
		TEST(test_debug_files),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
