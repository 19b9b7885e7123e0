// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/doctor/host_device.c collector/doctor/host_kernel.c
// sources: collector/doctor/host_files.c collector/device/error_text.c
// sources: collector/doctor/finding.c collector/base/utf8.c
// libs: -lz
/* /dev/pprof that does not open. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include "device/device.h"
#include "folder.h"
#include "doctor/host_device.h"

static const struct host host = { .root = "root", .release = "6.12.1" };

void device_foreign_abi(unsigned int *major, unsigned int *minor)
{
	*major = 9;
	*minor = 8;
}

static void assert_explained(int err, const char *want)
{
	char *text, line[512];
	size_t size;
	struct findings f = { .out = open_memstream(&text, &size) };

	host_device_explain(&host, err, &f);
	fclose(f.out);
	snprintf(line, sizeof(line), "problem  device     %s\n", want);
	assert_string_equal(text, line);
	free(text);
}

static int make_machine(void **state)
{
	(void)state;
	return system("rm -rf root; mkdir -p root/dev root/run/udev root/sys/class/misc/pprof "
		      "root/proc/self/ns; echo 10:122 >root/sys/class/misc/pprof/dev; "
		      "ln -s 'pid:[4026531836]' root/proc/self/ns/pid");
}

static void test_no_node(void **state)
{
	(void)state;
	assert_explained(-ENOENT, "there is no /dev/pprof: run 'mknod -m 666 /dev/pprof c 10 122' as "
			 "root");
	write_file("root/run/udev/control", "");
	assert_explained(-ENOENT, "there is no /dev/pprof: run 'mknod -m 600 /dev/pprof c 10 122 && "
			 "udevadm trigger --sysname-match=pprof' as root");
	assert_int_equal(remove("root/sys/class/misc/pprof/dev"), 0);
	assert_explained(-ENOENT, "there is no /dev/pprof: unload the module, and load it again");
}

static void test_no_node_in_a_container(void **state)
{
	(void)state;
	assert_int_equal(remove("root/proc/self/ns/pid"), 0);
	assert_int_equal(symlink("pid:[4026532999]", "root/proc/self/ns/pid"), 0);
	assert_explained(-ENOENT, "there is no /dev/pprof: start the container with "
			 "'--device /dev/pprof'");
}

/* The file stands for the node: it belongs to a group of this user's, or to root's. */
static void test_no_rights(void **state)
{
	const struct group *group;
	const struct passwd *user = getpwuid(getuid());
	char want[256];

	(void)state;
	write_file("root/dev/pprof", "");
	assert_int_equal(chmod("root/dev/pprof", 0600), 0);
	assert_explained(-EACCES, "only root may open /dev/pprof, maybe by a rule of udev: run 'chmod "
			 "666 /dev/pprof' as root");
	if (getuid() || !user)
		skip();
	group = getgrgid(1);
	assert_non_null(group);
	snprintf(want, sizeof(want), "only the group %s may open /dev/pprof: run 'usermod -aG %s %s' as "
		 "root, and log in again", group->gr_name, group->gr_name, user->pw_name);
	assert_int_equal(chown("root/dev/pprof", 0, 1), 0);
	assert_int_equal(chmod("root/dev/pprof", 0660), 0);
	assert_explained(-EACCES, want);
	assert_int_equal(chmod("root/dev/pprof", 0640), 0);
	assert_explained(-EACCES, "only root may open /dev/pprof, maybe by a rule of udev: run 'chmod "
			 "666 /dev/pprof' as root");
}

/* The mode of the file allows it, by its group or to all. */
static void test_users_may_not_profile(void **state)
{
	static const char want[] = "users may not profile: run 'echo 1 >/sys/module/pprof/parameters/"
				   "users' as root, or lower kernel.perf_event_paranoid to 2";

	(void)state;
	write_file("root/dev/pprof", "");
	assert_int_equal(chmod("root/dev/pprof", 0666), 0);
	assert_explained(-EACCES, want);
	assert_int_equal(chmod("root/dev/pprof", 0660), 0);
	assert_explained(-EACCES, want);
}

static void test_other_errors(void **state)
{
	char want[200];

	(void)state;
	snprintf(want, sizeof(want), "the loaded pprof module has version 9.8 of the interface "
		 "and this program %d.%d: take both from one build",
		 PPROF_ABI_MAJOR, PPROF_ABI_MINOR);
	assert_explained(-EPROTO, want);
	assert_explained(-EIO, "cannot open /dev/pprof: Input/output error: see the kernel's "
			 "log (dmesg)");
}

#define TEST(fn)	cmocka_unit_test_setup(fn, make_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_node),
		TEST(test_no_node_in_a_container),
		TEST(test_no_rights),
		TEST(test_users_may_not_profile),
		TEST(test_other_errors),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
