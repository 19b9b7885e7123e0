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
/* The module's file, DKMS, and the signature. */
#include "machine.h"

#define BUILD	"run 'make' in the folder of its source, and 'insmod pprof.ko' as root"
#define SIGN	", and pprof.ko has none: run '/lib/modules/" RELEASE "/build/scripts/sign-file " \
		"sha256 KEY CERTIFICATE pprof.ko' with a key that the machine trusts"
#define SIGNED	"SIGNATURE~Module signature appended~\\n"

#define DKMS		"root/var/lib/dkms"

static void test_module_that_is_built(void **state)
{
	(void)state;
	make_module("pprof.ko", RELEASE, "");
	check();
	assert_int_equal(nr_problems, 1);
	assert_line("problem  module     not loaded: run 'insmod pprof.ko' as root");
}

/* The release is the whole first word. */
static void test_module_of_another_kernel(void **state)
{
	(void)state;
	make_module("pprof.ko", RELEASE "2", "");
	check();
	assert_line("problem  module     not loaded, and pprof.ko is for the kernel " RELEASE "2: "
		    BUILD);
	make_module("pprof.ko", "6.12.1", "");
	check();
	assert_line("problem  module     not loaded, and pprof.ko is for the kernel 6.12.1: "
		    BUILD);
}

/* An installed file that fits is better than one of the current folder. */
static void test_module_that_is_installed(void **state)
{
	(void)state;
	make_module("pprof.ko", RELEASE, "");
	make_module(MODULES "/updates/pprof.ko", RELEASE, "");
	write_file(MODULES "/modules.dep", "kernel/notpprof.ko: kernel/x.ko\nno colon\n"
		   "kernel/pprof.kobject:\nupdates/pprof.ko:\n");
	check();
	assert_line("problem  module     not loaded: run 'modprobe pprof' as root");
	make_module(MODULES "/updates/pprof.ko", "6.1.0", "");
	check();
	assert_line("problem  module     not loaded: run 'insmod pprof.ko' as root");
	assert_int_equal(remove("pprof.ko"), 0);
	check();
	assert_line("problem  module     not loaded, and root/lib/modules/" RELEASE
		    "/updates/pprof.ko is for the kernel 6.1.0: " BUILD);
}

static void test_module_that_is_compressed(void **state)
{
	static const char *const ends[] = { "xz", "zst", "gz" };
	char deps[64];

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(deps, sizeof(deps), "updates/dkms/pprof.ko.%s:\n", ends[i]);
		write_file(MODULES "/modules.dep", deps);
		check();
		assert_line("problem  module     not loaded: run 'modprobe pprof' as root");
	}
}

static void test_file_that_is_no_module(void **state)
{
	(void)state;
	write_file("pprof.ko", "text");
	check();
	assert_line("problem  module     not loaded, and there is no pprof.ko: " BUILD);
	assert_int_equal(system(": | as -o pprof.ko -"), 0);
	check();
	assert_line("problem  module     not loaded, and there is no pprof.ko: " BUILD);
}

static void test_module_in_a_container(void **state)
{
	(void)state;
	make_module("pprof.ko", RELEASE, "");
	assert_int_equal(remove("root/proc/self/ns/pid"), 0);
	assert_int_equal(symlink("pid:[4026532999]", "root/proc/self/ns/pid"), 0);
	check();
	assert_line("problem  module     not loaded: load it outside of this container, and start the "
		    "container with '--device /dev/pprof'");
}

static void test_loading_is_off(void **state)
{
	(void)state;
	make_module("pprof.ko", RELEASE, "");
	write_file("root/proc/sys/kernel/modules_disabled", "1\n");
	check();
	assert_int_equal(nr_problems, 1);
	assert_line("problem  module     not loaded, and kernel.modules_disabled=1 forbids it until "
		    "the next boot: take it out of /etc/sysctl.d, and reboot");
	write_file("root/proc/sys/kernel/modules_disabled", "0\n");
	check();
	assert_line("problem  module     not loaded: run 'insmod pprof.ko' as root");
	write_file("root/proc/sys/kernel/modules_disabled", "1\n");
	load_module();
	check();
	assert_line("ok       module     loaded, version 1.2");
}

/* Two versions, and the link that DKMS makes of an installed one. */
static void add_to_dkms(void)
{
	make_folder(DKMS "/pprof/1.9/source " DKMS "/pprof/1.10/source " DKMS "/pprof/1.10/build");
	write_file(DKMS "/pprof/1.9/source/dkms.conf", "");
	write_file(DKMS "/pprof/1.10/source/dkms.conf", "");
	assert_int_equal(symlink("1.9/6.1.0/x86_64", DKMS "/pprof/kernel-6.1.0-x86_64"), 0);
}

static void test_dkms(void **state)
{
	(void)state;
	add_to_dkms();
	check();
	assert_line("problem  module     not loaded, and DKMS has not built version 1.10 for this "
		    "kernel: run 'dkms autoinstall -k " RELEASE "' as root");
	write_file(DKMS "/pprof/1.10/build/make.log",
		   "DKMS make.log for pprof-1.10 for kernel " RELEASE "2 (x86_64)\n for " RELEASE " ");
	check();
	assert_line("problem  module     not loaded, and DKMS has not built version 1.10 for this "
		    "kernel: run 'dkms autoinstall -k " RELEASE "' as root");
	write_file(DKMS "/pprof/1.10/build/make.log",
		   "DKMS make.log for pprof-1.10 for kernel " RELEASE " (x86_64)\n");
	check();
	assert_line("problem  module     not loaded, and DKMS could not build version 1.10 for this "
		    "kernel: see /var/lib/dkms/pprof/1.10/build/make.log");
	write_file(MODULES "/modules.dep", "updates/dkms/pprof.ko.xz:\n");
	check();
	assert_line("problem  module     not loaded: run 'modprobe pprof' as root");
}

static void test_signature_that_is_enforced(void **state)
{
	(void)state;
	write_file("root/sys/module/module/parameters/sig_enforce", "Y\n");
	check();
	assert_line("warning  signature  needed (Secure Boot is off): sign pprof.ko once it is built");
	make_module("pprof.ko", RELEASE, "");
	check();
	assert_line("problem  signature  needed (Secure Boot is off)" SIGN);
	make_module("pprof.ko", RELEASE, SIGNED);
	check();
	assert_line("warning  signature  needed (Secure Boot is off): if the kernel says that the key "
		    "of pprof.ko was rejected, run 'mokutil --import CERTIFICATE' as root and reboot");
	make_module("pprof.ko", RELEASE, SIGNED "x");
	check();
	assert_line("problem  signature  needed (Secure Boot is off)" SIGN);
}

/* Under Secure Boot, Debian's kernels lock themselves down, and want a signature. */
static void test_secure_boot(void **state)
{
	static const char on[] = { 6, 0, 0, 0, 1 }, off[] = { 6, 0, 0, 0, 0 };
	FILE *f = fopen(SECURE_BOOT, "w");

	(void)state;
	make_module("pprof.ko", RELEASE, "");
	assert_int_equal(fwrite(on, 1, sizeof(on), f), sizeof(on));
	fclose(f);
	check();
	assert_line("ok       signature  not needed; Secure Boot is on");
	write_file(SECURITY "/lockdown", "none [integrity] confidentiality\n");
	check();
	assert_line("problem  signature  needed (Secure Boot is on)" SIGN);
	assert_line("ok       lockdown   integrity");
	f = fopen(SECURE_BOOT, "w");
	assert_int_equal(fwrite(off, 1, sizeof(off), f), sizeof(off));
	fclose(f);
	check();
	assert_line("problem  signature  needed (Secure Boot is off)" SIGN);
}

/* DKMS signs what it builds; which key, depends on the distribution. */
static void test_signature_of_dkms(void **state)
{
	static const char path[] = "root/lib/modules/" RELEASE "/updates/dkms/pprof.ko";

	(void)state;
	make_folder(MODULES "/updates/dkms " DKMS " root/var/lib/shim-signed/mok");
	make_module(path, RELEASE, SIGNED);
	write_file(MODULES "/modules.dep", "updates/dkms/pprof.ko:\n");
	write_file("root/sys/module/module/parameters/sig_enforce", "Y\n");
	write_file("root/var/lib/shim-signed/mok/MOK.der", "");
	check();
	assert_line("warning  signature  needed (Secure Boot is off): if the kernel says that the key "
		    "of root/lib/modules/" RELEASE "/updates/dkms/pprof.ko was rejected, run "
		    "'mokutil --import /var/lib/shim-signed/mok/MOK.der' as root and reboot");
	write_file(DKMS "/mok.pub", "");
	write_file(MODULES "/modules.dep", "updates/dkms/pprof.ko.zst:\n");
	check();
	assert_line("warning  signature  needed (Secure Boot is off): if the kernel says that the key "
		    "of root/lib/modules/" RELEASE "/updates/dkms/pprof.ko.zst was rejected, run "
		    "'mokutil --import /var/lib/dkms/mok.pub' as root and reboot");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_module_that_is_built),
		TEST(test_module_of_another_kernel),
		TEST(test_module_that_is_installed),
		TEST(test_module_that_is_compressed),
		TEST(test_file_that_is_no_module),
		TEST(test_module_in_a_container),
		TEST(test_loading_is_off),
		TEST(test_dkms),
		TEST(test_signature_that_is_enforced),
		TEST(test_secure_boot),
		TEST(test_signature_of_dkms),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
