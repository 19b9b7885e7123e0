// SPDX-License-Identifier: GPL-2.0
// sources: kmod/session/ioctl.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/* How arguments of ioctls get in and out, and which file has which. Their work is played here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/pid.h>
#include <linux/uaccess.h>

#include "kmod/client/client.h"
#include "kmod/client/custom_profiles.h"
#include "kmod/session/attach.h"
#include "kmod/session/ioctl.h"
#include "kmod/session/unwind_upload.h"

#define USER_BYTES	8192

struct pid_namespace init_pid_ns;
struct task_struct *current;
int shim_nr_held;
bool shim_irqs_are_off;

static struct pprof_session session;
static u8 client_memory;
static struct pprof_client *const client = (struct pprof_client *)&client_memory;
static _Alignas(8) u8 user[USER_BYTES];
static size_t readable, writable;	/* bytes of user[] */
static size_t nr_written;
static u32 other_size;	/* another thread writes it after the first read; 0: none does */
static int nr_calls, call_error;
static struct pid process;
static _Alignas(8) u8 seen[512];	/* the argument of the last call */

unsigned long copy_from_user(void *to, const void *from, unsigned long bytes)
{
	if ((const u8 *)from + bytes > user + readable)
		return bytes;
	memcpy(to, from, bytes);
	if (other_size && from == user)
		*(u32 *)user = other_size;
	return 0;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long bytes)
{
	assert_ptr_equal(to, user);
	if (bytes > writable)
		return bytes;
	memcpy(to, from, bytes);
	nr_written = bytes;
	return 0;
}

static int call(const void *arg, size_t bytes)
{
	memcpy(seen, arg, bytes);
	nr_calls++;
	return call_error;
}

int pprof_session_setup(struct pprof_session *of, const struct pprof_setup *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_session_start(struct pprof_session *of, const struct pprof_start *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_session_stop(struct pprof_session *of, const struct pprof_stop *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_session_heap(struct pprof_session *of, const struct pprof_heap *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_session_threads(struct pprof_session *of, struct pprof_threads *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_upload_table(struct pprof_session *of, struct pprof_table_add *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_upload_drop(struct pprof_session *of, const struct pprof_table_drop *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_upload_bind(struct pprof_session *of, const struct pprof_table_bind *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_upload_ranges(struct pprof_session *of, const struct pprof_ranges *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_client_custom(struct pprof_client *of, struct pprof_custom *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_client_label(struct pprof_client *of, struct pprof_label *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_client_label_slot(struct pprof_client *of, struct pprof_label_slot *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_client_list(struct pprof_client *of, struct pprof_custom_list *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_client_read(struct pprof_client *of, struct pprof_custom_read *arg)
{
	return call(arg, sizeof(*arg));
}

int pprof_session_attach(struct pprof_session *of, struct pprof_attach *attach)
{
	attach->exec_id = 99;
	return call(attach, sizeof(*attach));
}

int pprof_session_exec_id(struct pprof_session *of, struct pprof_attach *attach)
{
	return pprof_session_attach(of, attach);
}

int pprof_session_look(struct pprof_session *of, struct pprof_attach *attach, struct pid **found)
{
	*found = get_pid(&process);
	attach->pid = 1000;
	attach->exec_id = 99;
	return 0;
}

u64 pprof_session_sources(void)
{
	return 0x7f;
}

struct pprof_client *pprof_client_find(struct pid *of, u64 exec_id)
{
	return client;
}

void pprof_client_put(struct pprof_client *of)
{
}

int pprof_client_check(const struct pprof_client *of)
{
	return 0;
}

bool pprof_custom_name_is_valid(const u8 *name)
{
	return *name;
}

static int begin(void **state)
{
	memset(user, 0, sizeof(user));
	memset(seen, 0xff, sizeof(seen));
	readable = USER_BYTES;
	writable = USER_BYTES;
	nr_written = 0;
	other_size = 0;
	nr_calls = 0;
	call_error = 0;
	return 0;
}

static long on_session(unsigned int cmd)
{
	return pprof_ioctl(&session, NULL, cmd, user);
}

static long on_client(unsigned int cmd)
{
	return pprof_ioctl(NULL, client, cmd, user);
}

static const unsigned int of_session[] = {
	PPROF_IOC_INFO, PPROF_IOC_SETUP, PPROF_IOC_ATTACH, PPROF_IOC_EXEC_ID, PPROF_IOC_START,
	PPROF_IOC_STOP, PPROF_IOC_TABLE_ADD, PPROF_IOC_TABLE_DROP, PPROF_IOC_TABLE_BIND,
	PPROF_IOC_RANGES,
	PPROF_IOC_THREADS, PPROF_IOC_HEAP, PPROF_IOC_CUSTOM_READ,
};

static const unsigned int of_client[] = {
	PPROF_IOC_CUSTOM, PPROF_IOC_LABEL, PPROF_IOC_LABEL_SLOT,
};

/* Fails if the wrong kind of file reaches the function, or is reported after a bad argument. */
static void test_the_wrong_file(void **state)
{
	readable = 0;
	for (int i = 0; i < ARRAY_SIZE(of_session); i++) {
		assert_int_equal(on_client(of_session[i]), -EBADF);
		assert_int_equal(on_session(of_session[i]), -EFAULT);
	}
	for (int i = 0; i < ARRAY_SIZE(of_client); i++) {
		assert_int_equal(on_session(of_client[i]), -EBADF);
		assert_int_equal(on_client(of_client[i]), -EFAULT);
	}
	assert_int_equal(on_session(PPROF_IOC_CUSTOM_LIST), -EFAULT);
	assert_int_equal(on_client(PPROF_IOC_CUSTOM_LIST), -EFAULT);
	assert_int_equal(nr_calls, 0);
}

/* Fails if a number or a magic that does not exist is taken for one that does. */
static void test_no_such_ioctl(void **state)
{
	for (unsigned int nr = 0; nr < 256; nr++) {
		if (nr >= 0x10 && nr <= 0x20)
			continue;
		assert_int_equal(on_session(_IO(PPROF_IOC_MAGIC, nr)), -ENOTTY);
		assert_int_equal(on_client(_IO(PPROF_IOC_MAGIC, nr)), -ENOTTY);
	}
	assert_int_equal(on_session(_IO(PPROF_IOC_MAGIC + 1, 0x10)), -ENOTTY);
	assert_int_equal(on_client(_IO(PPROF_IOC_MAGIC - 1, 0x1c)), -ENOTTY);
}

/* Fails if the size in the command counts: the struct of another version has another size. */
static void test_the_command_of_another_version(void **state)
{
	*(u32 *)user = 24;
	assert_int_equal(on_session(_IOC(_IOC_NONE, PPROF_IOC_MAGIC, 0x10, 4)), 0);
	assert_int_equal(nr_written, sizeof(struct pprof_info));
}

/* Fails if a bound of the size is another one. */
static void test_sizes(void **state)
{
	static const u32 bad[] = { 0, 3, 4097, UINT32_MAX };

	for (int i = 0; i < ARRAY_SIZE(bad); i++) {
		*(u32 *)user = bad[i];
		assert_int_equal(on_session(PPROF_IOC_SETUP), -EINVAL);
	}
	*(u32 *)user = 4096;
	assert_int_equal(on_session(PPROF_IOC_SETUP), 0);
	user[4095] = 1;
	assert_int_equal(on_session(PPROF_IOC_SETUP), -E2BIG);
	user[4095] = 0;
	*(u32 *)user = 4;
	assert_int_equal(on_session(PPROF_IOC_SETUP), 0);
	assert_int_equal(nr_calls, 2);
}

/* Fails if a smaller struct is not filled up with zeroes, or if more than it has is written. */
static void test_an_older_caller(void **state)
{
	struct pprof_attach *attach = (struct pprof_attach *)user;

	memset(user, 0xff, sizeof(user));
	*attach = (struct pprof_attach) { .size = 16, .pid = 5, .exec_id = UINT64_MAX };
	assert_int_equal(on_session(PPROF_IOC_ATTACH), 0);
	assert_int_equal(((struct pprof_attach *)seen)->pid, 5);
	assert_int_equal(nr_written, 16);
	assert_int_equal(attach->exec_id, UINT64_MAX);
	attach->size = sizeof(*attach);
	assert_int_equal(on_session(PPROF_IOC_ATTACH), 0);
	assert_int_equal(nr_written, sizeof(*attach));
	assert_int_equal(attach->exec_id, 99);
}

/* Fails if more is written than a newer caller's struct has here, or if its size is changed. */
static void test_a_newer_caller(void **state)
{
	struct pprof_attach *attach = (struct pprof_attach *)user;

	*attach = (struct pprof_attach) { .size = 64, .pid = 5 };
	assert_int_equal(on_session(PPROF_IOC_ATTACH), 0);
	assert_int_equal(nr_written, sizeof(*attach));
	assert_int_equal(attach->size, 64);
}

/* Fails if the size is used that another thread wrote after it was checked. */
static void test_a_size_that_changes(void **state)
{
	struct pprof_attach *attach = (struct pprof_attach *)user;

	*attach = (struct pprof_attach) { .size = 16, .pid = 5 };
	other_size = 4096;
	assert_int_equal(on_session(PPROF_IOC_ATTACH), 0);
	assert_int_equal(nr_written, 16);
}

/* Fails if an argument is copied out that only goes in, or after an error. */
static void test_what_is_copied_out(void **state)
{
	struct pprof_threads *threads = (struct pprof_threads *)user;

	*threads = (struct pprof_threads) { .size = sizeof(*threads) };
	assert_int_equal(on_session(PPROF_IOC_START), 0);
	assert_int_equal(on_session(PPROF_IOC_STOP), 0);
	assert_int_equal(nr_written, 0);
	call_error = -EAGAIN;
	assert_int_equal(on_session(PPROF_IOC_THREADS), -EAGAIN);
	assert_int_equal(nr_written, 0);
	call_error = 0;
	assert_int_equal(on_session(PPROF_IOC_THREADS), 0);
	assert_int_equal(nr_written, sizeof(*threads));
	writable = 0;
	assert_int_equal(on_session(PPROF_IOC_THREADS), -EFAULT);
}

/* Fails if a flag or a padding is not checked before the work is done. */
static void test_padding(void **state)
{
	struct pprof_info *info = (struct pprof_info *)user;
	struct pprof_attach *attach = (struct pprof_attach *)user;
	struct pprof_table_add *add = (struct pprof_table_add *)user;
	struct pprof_table_bind *bind = (struct pprof_table_bind *)user;
	struct pprof_ranges *ranges = (struct pprof_ranges *)user;
	struct pprof_threads *threads = (struct pprof_threads *)user;
	struct pprof_label_slot *slot = (struct pprof_label_slot *)user;

	*info = (struct pprof_info) { .size = sizeof(*info), .pad = 1 };
	assert_int_equal(on_session(PPROF_IOC_INFO), -EINVAL);
	*attach = (struct pprof_attach) { .size = sizeof(*attach), .pid = 1, .flags = 1 };
	assert_int_equal(on_session(PPROF_IOC_ATTACH), -EINVAL);
	assert_int_equal(on_session(PPROF_IOC_EXEC_ID), -EINVAL);
	*attach = (struct pprof_attach) { .size = sizeof(*attach), .pid = 1, .pad = 1 };
	assert_int_equal(on_session(PPROF_IOC_ATTACH), -EINVAL);
	*attach = (struct pprof_attach) { .size = sizeof(*attach), .pid = -1 };
	assert_int_equal(on_session(PPROF_IOC_ATTACH), -EINVAL);
	*add = (struct pprof_table_add) { .size = sizeof(*add), .pad = 1 };
	assert_int_equal(on_session(PPROF_IOC_TABLE_ADD), -EINVAL);
	*bind = (struct pprof_table_bind) { .size = sizeof(*bind), .ctime_nsec = 1000000000 };
	assert_int_equal(on_session(PPROF_IOC_TABLE_BIND), -EINVAL);
	*ranges = (struct pprof_ranges) { .size = sizeof(*ranges), .pid = 1, .pad = 1 };
	assert_int_equal(on_session(PPROF_IOC_RANGES), -EINVAL);
	*ranges = (struct pprof_ranges) { .size = sizeof(*ranges) };
	assert_int_equal(on_session(PPROF_IOC_RANGES), -EINVAL);
	*threads = (struct pprof_threads) { .size = sizeof(*threads), .flags = 1 };
	assert_int_equal(on_session(PPROF_IOC_THREADS), -EINVAL);
	*threads = (struct pprof_threads) { .size = sizeof(*threads), .pad = 1 };
	assert_int_equal(on_session(PPROF_IOC_THREADS), -EINVAL);
	*slot = (struct pprof_label_slot) { .size = sizeof(*slot), .pad = 1 };
	assert_int_equal(on_client(PPROF_IOC_LABEL_SLOT), -EINVAL);
	assert_int_equal(nr_calls, 0);
}

/* Fails if the answer has a field of the caller, or lacks one. */
static void test_info(void **state)
{
	struct pprof_info *info = (struct pprof_info *)user;

	*info = (struct pprof_info) { .size = sizeof(*info), .nr_cpus = 77, .sources = 1ULL << 63 };
	assert_int_equal(on_session(PPROF_IOC_INFO), 0);
	assert_int_equal(info->abi_major, PPROF_ABI_MAJOR);
	assert_int_equal(info->abi_minor, PPROF_ABI_MINOR);
	assert_int_equal(info->nr_cpus, 4);
	assert_int_equal(info->sources, 0x7f);
}

/* Fails if a session lists a client's own profiles, a client another's, or a reference is kept. */
static void test_lists(void **state)
{
	struct pprof_custom_list *list = (struct pprof_custom_list *)user;
	struct pprof_custom_read *read = (struct pprof_custom_read *)user;

	*list = (struct pprof_custom_list) { .size = sizeof(*list) };
	assert_int_equal(on_session(PPROF_IOC_CUSTOM_LIST), -EINVAL);
	assert_int_equal(on_client(PPROF_IOC_CUSTOM_LIST), 0);
	list->pid = 5;
	assert_int_equal(on_client(PPROF_IOC_CUSTOM_LIST), -EINVAL);
	assert_int_equal(on_session(PPROF_IOC_CUSTOM_LIST), 0);
	assert_int_equal(list->pid, 1000);
	*read = (struct pprof_custom_read) { .size = sizeof(*read), .pid = 5, .name = "n",
					     .bytes = PPROF_MIN_CUSTOM_BYTES - 1 };
	assert_int_equal(on_session(PPROF_IOC_CUSTOM_READ), -EINVAL);
	read->bytes++;
	assert_int_equal(on_session(PPROF_IOC_CUSTOM_READ), 0);
	assert_int_equal(read->exec_id, 99);
	assert_int_equal(process.refs, 0);
	assert_int_equal(shim_nr_held, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_wrong_file, begin),
		cmocka_unit_test_setup(test_no_such_ioctl, begin),
		cmocka_unit_test_setup(test_the_command_of_another_version, begin),
		cmocka_unit_test_setup(test_sizes, begin),
		cmocka_unit_test_setup(test_an_older_caller, begin),
		cmocka_unit_test_setup(test_a_newer_caller, begin),
		cmocka_unit_test_setup(test_a_size_that_changes, begin),
		cmocka_unit_test_setup(test_what_is_copied_out, begin),
		cmocka_unit_test_setup(test_padding, begin),
		cmocka_unit_test_setup(test_info, begin),
		cmocka_unit_test_setup(test_lists, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
