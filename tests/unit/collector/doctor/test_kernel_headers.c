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
/* Kernel headers, the compiler that they want, and the packages that bring them. */
#include "machine.h"

#define HAND_MADE	"run 'make KDIR=FOLDER' with the kernel's build folder"

/* The same release in other clothes; its headers are missing. */
static void set_release(const char *release)
{
	assert_int_equal(system("rm -rf " MODULES "/build"), 0);
	host.release = release;
}

static void test_headers_that_apt_has(void **state)
{
	(void)state;
	set_release(RELEASE);
	apt_has("linux-headers-" RELEASE);
	check();
	assert_line("problem  headers    not installed: run 'apt install linux-headers-" RELEASE
		    "' as root, to build the module");
	write_file("root/etc/os-release", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n");
	check();
	assert_line("problem  headers    not installed: run 'apt install linux-headers-" RELEASE
		    "' as root, to build the module");
	apt_has(NULL);
	apt_fails = true;
	check();
	assert_line("problem  headers    not installed: run 'apt install linux-headers-" RELEASE
		    "' as root, to build the module");
}

static void test_headers_are_not_needed_for_a_built_module(void **state)
{
	(void)state;
	set_release(RELEASE);
	make_module("pprof.ko", RELEASE, "");
	check();
	assert_line("ok       headers    not installed; the module is built already");
	assert_int_equal(remove("pprof.ko"), 0);
	load_module();
	check();
	assert_line("ok       headers    not installed; the module is built already");
}

static void test_apt_without_lists(void **state)
{
	(void)state;
	set_release(RELEASE);
	apt_has("linux-base");
	check();
	assert_line("problem  headers    not installed, and apt has no package lists: run 'apt update' "
		    "as root, then doctor again");
}

#define APT_HAS(...)	memcpy(apt_names, (const char *[]){ __VA_ARGS__, NULL }, \
			       sizeof((const char *[]){ __VA_ARGS__, NULL }))

/* An old release, which left the archive: the same flavour, and the same series first. */
static void test_release_that_apt_has_no_more(void **state)
{
	(void)state;
	set_release("6.1.0-9-cloud-amd64");
	APT_HAS("linux-headers-6.12-cloud-amd64", "linux-headers-6.1.0-56-amd64",
		"linux-headers-6.1.0-47-cloud-amd64", "linux-headers-6.1.0-50-cloud-amd64",
		"linux-headers-6.12.117+deb12-cloud-amd64", "linux-headers-6.1.0-8-cloud-amd64",
		"linux-image-6.1.0-50-cloud-amd64");
	check();
	assert_line("problem  headers    apt has none for 6.1.0-9-cloud-amd64 any more: run 'apt install "
		    "linux-image-6.1.0-50-cloud-amd64 linux-headers-6.1.0-50-cloud-amd64' as root, and "
		    "reboot");
	host.release = "6.10.3-cloud-amd64";
	check();
	assert_line("problem  headers    apt has none for 6.10.3-cloud-amd64 any more: run 'apt install "
		    "linux-image-6.12.117+deb12-cloud-amd64-unsigned "
		    "linux-headers-6.12.117+deb12-cloud-amd64' as root, and reboot");
	host.release = "6.12.118+deb12-cloud-amd64";
	check();
	assert_line("problem  headers    apt has none for 6.12.118+deb12-cloud-amd64, only older ones: "
		    "run 'apt update' as root, then doctor again");
}

static void test_kernel_that_no_package_has(void **state)
{
	(void)state;
	set_release("6.12.1-mine");
	apt_has("linux-headers-6.1.0-56-amd64");
	check();
	assert_line("problem  headers    no package has those of 6.12.1-mine: " HAND_MADE);
	host.release = "6.12.1";
	check();
	assert_line("problem  headers    no package has those of 6.12.1: " HAND_MADE);
	make_folder("root/lib/modules/6.12.1");
	assert_int_equal(symlink("/srv/linux", "root/lib/modules/6.12.1/build"), 0);
	check();
	assert_line("problem  headers    /lib/modules/6.12.1/build is a link to /srv/linux, which has no "
		    "Makefile: restore that folder, or run 'make KDIR=FOLDER' with the kernel's build "
		    "folder");
}

static void test_headers_of_other_distributions(void **state)
{
	(void)state;
	set_release("6.12.1-200.fc41.x86_64");
	write_file("root/etc/os-release", "ID='fedora'\nVERSION_ID=41\n");
	check();
	assert_line("problem  headers    not installed: run 'dnf install kernel-devel-6.12.1-200.fc41."
		    "x86_64' as root; if dnf has none, 'dnf upgrade kernel', and reboot");
	write_file("root/etc/os-release", "ID=rocky\nID_LIKE=\"rhel centos fedora\"\n");
	check();
	assert_line("problem  headers    not installed: run 'dnf install kernel-devel-6.12.1-200.fc41."
		    "x86_64' as root; if dnf has none, 'dnf upgrade kernel', and reboot");
	host.release = "6.12.1";
	check();
	assert_line("problem  headers    no package has those of 6.12.1: " HAND_MADE);
	host.release = RELEASE;
	write_file("root/etc/os-release", "ID=arch\nNAME=debian\n");
	check();
	assert_line("problem  headers    not installed: install your distribution's package of those of "
		    RELEASE ", or run 'make KDIR=FOLDER' with the kernel's build folder");
}

static void test_headers_in_a_container(void **state)
{
	(void)state;
	set_release(RELEASE);
	assert_int_equal(remove("root/proc/self/ns/pid"), 0);
	assert_int_equal(symlink("pid:[4026532999]", "root/proc/self/ns/pid"), 0);
	check();
	assert_line("problem  headers    not installed, and the kernel is not this container's: build "
		    "and load the module outside of it");
}

static void write_compiler(const char *name)
{
	char line[128];

	snprintf(line, sizeof(line), "CONFIG_X=y\nCONFIG_CC_VERSION_TEXT=\"%s (Debian) 12\"\n",
		 name);
	write_file(MODULES "/build/.config", line);
}

static void test_compiler(void **state)
{
	(void)state;
	check();
	assert_null(strstr(text, " compiler "));
	write_compiler("sh");
	check();
	assert_line("ok       compiler   sh");
	write_compiler("x86_64-linux-gnu-gcc-99");
	apt_has("gcc-99");
	check();
	assert_line("problem  compiler   the headers want x86_64-linux-gnu-gcc-99, which is not "
		    "installed: run 'apt install gcc-99' as root");
	apt_has("gcc-99-base");
	check();
	assert_line("problem  compiler   the headers want x86_64-linux-gnu-gcc-99, which apt does not "
		    "have: build with another one, 'make CC=gcc'");
	write_file("root/etc/os-release", "ID=fedora\n");
	check();
	assert_line("problem  compiler   the headers want x86_64-linux-gnu-gcc-99, which is not "
		    "installed: run 'dnf install gcc-99' as root");
	write_file("root/etc/os-release", "ID=arch\n");
	write_compiler("clang-99");
	check();
	assert_line("problem  compiler   the headers want clang-99, which is not installed: install "
		    "clang-99");
	make_module("pprof.ko", RELEASE, "");
	check();
	assert_null(strstr(text, " compiler "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_headers_that_apt_has),
		TEST(test_headers_are_not_needed_for_a_built_module),
		TEST(test_apt_without_lists),
		TEST(test_release_that_apt_has_no_more),
		TEST(test_kernel_that_no_package_has),
		TEST(test_headers_of_other_distributions),
		TEST(test_headers_in_a_container),
		TEST(test_compiler),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
