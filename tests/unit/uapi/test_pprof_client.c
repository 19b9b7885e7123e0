// SPDX-License-Identifier: GPL-2.0
// flags: -std=gnu11 -O1 -g -fsanitize=thread
// libs: -pthread -Wl,--wrap=open,--wrap=ioctl,--wrap=close
/* The header that programs use; the module is played by this file. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <cmocka.h>

#define PPROF_CLIENT_FRAMES	4

#include "pprof_client.h"

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

#define FIRST_FD	100

static struct {
	int open_error;
	int nr_opened;
	int nr_closed;
	int good;	/* files below are another process's, or closed */
	int error;	/* of those */
	int refuse;	/* the next call */
	struct pprof_custom custom;
	uint64_t frames[4];
	uint64_t address_space;
	uint32_t words[8];
	int nr_words;
	int refuse_words;
} kernel;

static __thread struct pprof_label told_label;	/* the last of this thread */

static int tell_word(struct pprof_label_slot *word)
{
	if (kernel.refuse_words) {
		errno = kernel.refuse_words;
		return -1;
	}
	word->address_space = kernel.address_space;
	word->address = (uintptr_t)&kernel.words[__atomic_fetch_add(&kernel.nr_words, 1,
								   __ATOMIC_RELAXED) % 8];
	return 0;
}

/* In the order of their making. */
static int tell_names(struct pprof_custom_list *list)
{
	static const struct pprof_custom_name made[] = {
		{ 1, "files" }, { 2, "\xc3\xbc" }, { 3, "conns" }, { 4, "Files" }, { 5, "file" },
	};

	list->nr = sizeof(made) / sizeof(*made);
	assert_true(list->room >= list->nr);
	memcpy((void *)(uintptr_t)list->names, made, sizeof(made));
	return 0;
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
	if (strcmp(path, "/dev/pprof"))
		return __real_open(path, flags, mode);
	assert_int_equal(flags, 02000001);	/* O_WRONLY | O_CLOEXEC, by whatever name */
	errno = kernel.open_error;
	return errno ? -1 : FIRST_FD + __atomic_fetch_add(&kernel.nr_opened, 1, __ATOMIC_RELAXED);
}

int __wrap_close(int fd)
{
	if (fd < FIRST_FD)
		return __real_close(fd);
	__atomic_fetch_add(&kernel.nr_closed, 1, __ATOMIC_RELAXED);
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	struct pprof_custom *custom = arg;

	assert_int_equal(custom->size, _IOC_SIZE(request));
	errno = fd < FIRST_FD + __atomic_load_n(&kernel.good, __ATOMIC_RELAXED) ? kernel.error :
										 kernel.refuse;
	if (errno)
		return -1;
	if (request == PPROF_IOC_LABEL_SLOT)
		return tell_word(arg);
	if (request == PPROF_IOC_CUSTOM_LIST)
		return tell_names(arg);
	if (request == PPROF_IOC_LABEL) {
		told_label = *(struct pprof_label *)arg;
		((struct pprof_label *)arg)->set = kernel.address_space;
	}
	if (request != PPROF_IOC_CUSTOM || custom->op == PPROF_CUSTOM_REMOVE)
		return 0;
	kernel.custom = *custom;
	if (custom->op == PPROF_CUSTOM_ADD)
		memcpy(kernel.frames, (void *)(uintptr_t)custom->frames,
		       custom->nr_frames * sizeof(*kernel.frames));
	custom->count = 17;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.address_space = 4097;
	pprof_client_file = 0;
	pprof_client_labels = NULL;
	memset(&pprof_client_slot, 0, sizeof(pprof_client_slot));
	errno = 0;
	return 0;
}

static void test_calls(void **state)
{
	char name[PPROF_CUSTOM_NAME_BYTES + 1];

	(void)state;
	assert_int_equal(pprof_new_profile("conns"), 0);
	assert_int_equal(kernel.custom.op, PPROF_CUSTOM_NEW);
	assert_string_equal((char *)kernel.custom.name, "conns");
	assert_int_equal(pprof_count("conns"), 17);
	assert_int_equal(pprof_lookup("conns"), 0);
	assert_int_equal(pprof_remove("conns", name), 0);
	assert_int_equal(kernel.nr_opened, 1);
	memset(name, 'x', sizeof(name));
	name[PPROF_CUSTOM_NAME_BYTES] = 0;
	assert_int_equal(pprof_new_profile(name), -EINVAL);
	name[PPROF_CUSTOM_NAME_BYTES - 1] = 0;
	assert_int_equal(pprof_new_profile(name), 0);
	kernel.refuse = ENOENT;
	assert_int_equal(pprof_count("conns"), -ENOENT);
	assert_int_equal(pprof_lookup("conns"), -ENOENT);
	assert_int_equal(kernel.nr_closed, 0);
	assert_int_equal(errno, 0);
}

/* With less room the first of them, whenever they were made. */
static void test_list(void **state)
{
	static const char *const sorted[] = { "Files", "conns", "file", "files", "\xc3\xbc" };
	struct pprof_custom_name names[6];

	(void)state;
	assert_int_equal(pprof_profiles(NULL, 0), 5);
	for (int room = 1; room <= 6; room++) {
		memset(names, 0, sizeof(names));
		assert_int_equal(pprof_profiles(names, room), 5);
		for (int i = 0; i < 5; i++)
			assert_string_equal((char *)names[i].name, i < room ? sorted[i] : "");
	}
	assert_int_equal(names[0].count, 4);
	assert_int_equal(names[5].count, 0);
	kernel.refuse = ENOMEM;
	assert_int_equal(pprof_profiles(names, 6), -ENOMEM);
}

static void test_no_module(void **state)
{
	(void)state;
	kernel.open_error = ENOENT;
	assert_int_equal(pprof_new_profile("conns"), -ENOENT);
	assert_int_equal(pprof_add("conns", &kernel, 0), -ENOENT);
	kernel.open_error = 0;	/* it may come later */
	assert_int_equal(pprof_new_profile("conns"), 0);
	assert_int_equal(errno, 0);
}

static __attribute__((noinline)) int inner(int skip)
{
	return pprof_add("conns", &kernel, skip);
}

static __attribute__((noinline)) int outer(int skip)
{
	int err = inner(skip);

	__asm__ volatile("" : "+r"(err));
	return err;
}

/* A return address in a function that is short. */
static int is_in(uint64_t pc, int (*function)(int))
{
	return pc > (uintptr_t)function && pc < (uintptr_t)function + 300;
}

static void test_stacks(void **state)
{
	(void)state;
	assert_int_equal(outer(0), 0);
	assert_int_equal(kernel.custom.value, (uintptr_t)&kernel);
	assert_int_equal(kernel.custom.nr_frames, 4);
	assert_int_equal(kernel.custom.flags, PPROF_CUSTOM_TRUNCATED);
	assert_true(is_in(kernel.frames[0], inner));
	assert_true(is_in(kernel.frames[1], outer));
	assert_int_equal(outer(1), 0);
	assert_true(is_in(kernel.frames[0], outer));
	assert_int_equal(outer(-1), 0);
	assert_true(is_in(kernel.frames[0], inner));
	assert_int_equal(outer(0x7fffffff), 0);
	assert_int_equal(kernel.custom.nr_frames, 0);
	assert_int_equal(kernel.custom.flags, 0);
}

/* One that is older takes the file for a session. */
static void test_older_module(void **state)
{
	(void)state;
	kernel.good = 1000;
	kernel.error = ENOTTY;
	assert_int_equal(pprof_new_profile("conns"), -ENOTTY);
	assert_int_equal(pprof_add("conns", &kernel, 0), -ENOTTY);
	assert_int_equal(kernel.nr_opened, 2);
	assert_int_equal(kernel.nr_closed, 2);
}

/* After a fork: the parent's file is ours to close. */
static void test_the_parents_file(void **state)
{
	(void)state;
	assert_int_equal(pprof_new_profile("conns"), 0);
	kernel.good = 1;
	kernel.error = ESRCH;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pprof_new_profile("conns"), 0);
	assert_int_equal(kernel.nr_opened, 2);
	assert_int_equal(kernel.nr_closed, 1);
	kernel.good = 1000;
	assert_int_equal(pprof_new_profile("conns"), -ESRCH);	/* not for ever */
	assert_int_equal(kernel.nr_opened, 3);
}

/* Under its number there is nothing, or something else: that is not ours to close. */
static void test_a_file_that_is_gone(void **state)
{
	(void)state;
	assert_int_equal(pprof_new_profile("conns"), 0);
	for (int i = 1; i < 10; i++) {
		kernel.good = 1;
		kernel.error = i % 2 ? EBADF : ENOTTY;
		assert_int_equal(pprof_new_profile("conns"), 0);
		assert_int_equal(kernel.nr_opened, 1 + i);
		assert_int_equal(kernel.nr_closed, i);
	}
	kernel.good = 0;	/* another thread has it */
	assert_int_equal(pprof_new_profile("conns"), 0);
	assert_int_equal(kernel.nr_opened, 10);
}

static void *call(void *arg)
{
	int err;

	for (int i = 0; i < 1000; i++) {
		err = pprof_remove("conns", arg);
		if (err && err != -ESRCH)	/* it went bad as it was opened */
			abort();
	}
	return NULL;
}

/* However the threads meet, one file is left, and each other one closed once. */
static void test_threads(void **state)
{
	pthread_t threads[4];

	(void)state;
	kernel.error = ESRCH;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, call, NULL);
	for (int i = 0; i < 20; i++) {
		__atomic_store_n(&kernel.good, __atomic_load_n(&kernel.nr_opened, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
		usleep(500);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(kernel.nr_opened - kernel.nr_closed, 1);
}

/* One call a thread, and none for a change. */
static void test_labels(void **state)
{
	(void)state;
	assert_int_equal(pprof_with_label(0, "role", "reader"), 4097);
	assert_int_equal(told_label.set, 0);
	assert_string_equal((char *)told_label.key, "role");
	assert_string_equal((char *)told_label.value, "reader");
	kernel.words[0] = 7;	/* it is a thread with an inheritance */
	assert_int_equal(pprof_labels(), 7);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(pprof_set_labels(4097 + i), 0);
		assert_int_equal(kernel.words[0], 4097 + i);
		assert_int_equal(pprof_labels(), 4097 + i);
	}
	assert_int_equal(kernel.nr_words, 1);
	assert_int_equal(kernel.nr_opened, 1);
	assert_int_equal(pprof_with_label(4097, "step", ""), 4097);
	assert_int_equal(told_label.set, 4097);
}

/* Who has no sets asks for nothing, however often. */
static void test_no_labels(void **state)
{
	char text[300];

	(void)state;
	kernel.open_error = ENOENT;
	assert_int_equal(pprof_with_label(0, "role", "reader"), -ENOENT);
	kernel.open_error = 0;
	assert_int_equal(pprof_labels(), 0);
	assert_int_equal(pprof_set_labels(0), 0);
	assert_int_equal(pprof_set_labels(-ENOENT), -ENOENT);
	memset(text, 'x', sizeof(text));
	text[PPROF_LABEL_VALUE_BYTES] = 0;
	assert_int_equal(pprof_with_label(0, "key", text), -EINVAL);
	text[PPROF_LABEL_KEY_BYTES] = 0;
	assert_int_equal(pprof_with_label(0, text, "value"), -EINVAL);
	assert_int_equal(kernel.nr_opened, 0);
}

static void test_too_many_threads(void **state)
{
	(void)state;
	assert_true(pprof_with_label(0, "role", "reader") > 0);
	kernel.refuse_words = ENOSPC;
	assert_int_equal(pprof_set_labels(5), -ENOSPC);
	kernel.refuse_words = EPERM;	/* nobody asks again */
	assert_int_equal(pprof_set_labels(6), 0);
	assert_int_equal(pprof_labels(), 6);
}

/* What was the process's bound, or its user's then, is not its child's. */
static void test_child_of_a_thread_without_a_word(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	assert_true(pprof_with_label(0, "role", "reader") > 0);
	kernel.refuse_words = ENOSPC;
	assert_int_equal(pprof_set_labels(5), -ENOSPC);
	kernel.refuse_words = 0;
	pid = fork();
	if (!pid) {
		kernel.address_space += 4096;
		if (pprof_with_label(0, "role", "child") < 0 || pprof_set_labels(9))
			_exit(1);
		_exit(kernel.words[0] == 9 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The parent's words are not there: nothing may touch them. */
static void test_labels_of_a_child(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	assert_true(pprof_with_label(0, "role", "reader") > 0);
	assert_int_equal(pprof_set_labels(5), 0);
	pid = fork();
	if (!pid) {
		if (pprof_labels() || pprof_set_labels(0) || kernel.words[0] != 5)
			_exit(1);
		kernel.address_space += 4096;
		if (pprof_with_label(0, "role", "child") < 0 || pprof_set_labels(9))
			_exit(2);
		_exit(kernel.words[0] == 5 && kernel.words[1] == 9 ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(pprof_labels(), 5);
}

static void *label(void *set)
{
	for (int i = 0; i < 1000; i++)
		if (pprof_with_label(0, "role", "reader") < 0 ||
		    pprof_set_labels((intptr_t)set) || pprof_labels() != (intptr_t)set)
			abort();
	return NULL;
}

static void test_labels_of_threads(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (intptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, label, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(kernel.nr_words, 4);
	assert_int_equal(kernel.words[0] + kernel.words[1] + kernel.words[2] + kernel.words[3], 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_calls, setup),
		cmocka_unit_test_setup(test_list, setup),
		cmocka_unit_test_setup(test_no_module, setup),
		cmocka_unit_test_setup(test_stacks, setup),
		cmocka_unit_test_setup(test_older_module, setup),
		cmocka_unit_test_setup(test_the_parents_file, setup),
		cmocka_unit_test_setup(test_a_file_that_is_gone, setup),
		cmocka_unit_test_setup(test_threads, setup),
		cmocka_unit_test_setup(test_labels, setup),
		cmocka_unit_test_setup(test_no_labels, setup),
		cmocka_unit_test_setup(test_too_many_threads, setup),
		cmocka_unit_test_setup(test_child_of_a_thread_without_a_word, setup),
		cmocka_unit_test_setup(test_labels_of_a_child, setup),
		cmocka_unit_test_setup(test_labels_of_threads, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
