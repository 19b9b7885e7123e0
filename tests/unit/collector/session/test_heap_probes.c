// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/session/heap_errors.c collector/session/heap_probes.c
// sources: collector/session/allocator_symbols.c
// sources: collector/procfs/link_map.c collector/procfs/procfs.c
// sources: collector/session/linked_files.c collector/procfs/maps.c collector/elf/plt.c
// sources: collector/device/error_text.c collector/elf/validate.c
// sources: collector/elf/string_section.c collector/base/regular_file.c
// sources: collector/procfs/live_thread.c collector/process/command.c
// sources: collector/procfs/mapped_file.c
// sources: collector/arch/x86/machine_code.c collector/arch/x86/probed_call.c
// libs: -lelf -llzma -Wl,--wrap=regular_open,--wrap=mapped_open
/* The device is played by this file, and files that can't be opened. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "capture.h"
#include "device/device.h"
#include "session/heap_probes.h"
#include "procfs/mapped_file.h"
#include "base/regular_file.h"

/* Of a process, all but its program. */
static bool lacks_libraries;
/* The fixture that a process seems to execute; NULL: what it does. */
static const char *program;

int __real_regular_open(const char *path);
int __wrap_regular_open(const char *path);
int __real_mapped_open(const char *path, const struct mapped_inode *inode);
int __wrap_mapped_open(const char *path, const struct mapped_inode *inode);

int __wrap_regular_open(const char *path)
{
	char fixture[4096];

	if (program && strstr(path, "/exe")) {
		snprintf(fixture, sizeof(fixture), "%s/%s", getenv("FIXTURES"), program);
		return __real_regular_open(fixture);
	}
	return __real_regular_open(path);
}

int __wrap_mapped_open(const char *path, const struct mapped_inode *inode)
{
	return lacks_libraries ? -ENOENT : __real_mapped_open(path, inode);
}

static struct {
	struct pprof_heap_probe probes[PPROF_MAX_HEAP_PROBES];
	uint32_t nr;
	uint32_t nr_tried;	/* calls of the breakpoint that was tried */
	int error;
} told;

struct device *device_open(void)
{
	return calloc(1, 1);
}

void device_close(struct device *d)
{
	free(d);
}

void device_foreign_abi(unsigned int *major, unsigned int *minor)
{
	*major = *minor = 0;
}

int device_setup(struct device *d, uint32_t flags, uint32_t ring_bytes, uint32_t max_frames)
{
	(void)d;
	(void)max_frames;
	assert_int_equal(flags, 0);
	assert_int_equal(ring_bytes, PPROF_MIN_RING_BYTES);
	return 0;
}

int device_attach(struct device *d, pid_t *pid, uint64_t *exec_id)
{
	(void)d;
	*exec_id = 1;
	assert_int_equal(*pid, getpid());
	return 0;
}

/* The session's is NULL; another one is for what is tried. */
int device_heap(struct device *d, const struct pprof_heap_probe *probes, uint32_t nr)
{
	if (told.error || !nr)
		return told.error ? told.error : -EINVAL;
	if (d) {
		assert_int_equal(nr, 1);
		assert_int_equal(probes[0].function, PPROF_HEAP_FREE);
		told.nr_tried++;
		return 0;
	}
	assert_true(nr > told.nr);
	for (uint32_t i = 1; i < nr; i++)
		assert_true(probes[i - 1].function <= probes[i].function);
	memcpy(told.probes, probes, nr * sizeof(*probes));
	told.nr = nr;
	return 0;
}

int device_start(struct device *d, uint32_t source, uint64_t period)
{
	(void)d;
	(void)period;
	assert_int_equal(source, PPROF_SOURCE_HEAP);
	return 0;
}

static struct capture c;

static int setup(void **state)
{
	memset(&told, 0, sizeof(told));
	lacks_libraries = false;
	program = NULL;
	*state = heap_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	heap_free(*state);
	return 0;
}

static void assert_functions_of(const char *path)
{
	struct stat want, st;

	assert_int_equal(stat(path, &want), 0);
	assert_true(told.nr >= 6);
	assert_int_equal(told.probes[0].function, PPROF_HEAP_FREE);
	for (uint32_t i = 0; i < told.nr; i++) {
		assert_int_equal(fstat(told.probes[i].fd, &st), 0);
		assert_int_equal(st.st_ino, want.st_ino);
		for (uint32_t j = 0; j < i; j++)
			assert_int_not_equal(told.probes[i].offset, told.probes[j].offset);
	}
}

/* The file that serves whoever calls malloc() here: a sanitizer's, or libc. */
static void assert_own_allocator(void)
{
	Dl_info info;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info));
	assert_functions_of(info.dli_fname);
}

static void test_own_process(void **state)
{
	struct heap *h = *state;

	assert_int_equal(heap_set_device(h, NULL), 0);
	assert_int_equal(heap_add_process(h, getpid()), 0);
	/* A second time is nothing new. */
	assert_int_equal(heap_add_process(h, getpid()), 0);
	heap_add_child(h, getpid());
	assert_own_allocator();
	heap_measure_trap(h);
	assert_int_equal(told.nr_tried, 1);
}

#define PROGRAM(...)	((char *const[]){ __VA_ARGS__, NULL })

/* What its dynamic linker will find. */
static void test_program(void **state)
{
	struct heap *h = *state;
	Dl_info info;

	assert_int_equal(heap_add_program(h, PROGRAM("sh"), getpid()), 0);
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "getauxval"), &info));
	assert_functions_of(info.dli_fname);
}

/* The command line starts the dynamic linker, and its argument is the program. */
static void test_program_of_a_dynamic_linker(void **state)
{
	char linker[] = "/lib64/ld-linux-x86-64.so.2";
	Dl_info info;

	assert_int_equal(heap_add_program(*state, PROGRAM(linker, "/bin/sh", "-c", ":"), getpid()),
			 0);
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "getauxval"), &info));
	assert_functions_of(info.dli_fname);
}

/* The options of the dynamic linker count, and the program comes before its libraries. */
static void test_program_behind_options(void **state)
{
	char linker[] = "/lib64/ld-linux-x86-64.so.2", preloaded[4096];

	snprintf(preloaded, sizeof(preloaded), "%s/allocator.c", getenv("FIXTURES"));
	assert_int_equal(heap_add_program(*state, PROGRAM(linker, "--inhibit-cache", "--preload",
							  preloaded, "/bin/sh"), getpid()), 0);
	assert_functions_of(preloaded);
}

/* A dynamic linker alone has no allocator. */
static void test_dynamic_linker_alone(void **state)
{
	char linker[] = "/lib64/ld-linux-x86-64.so.2";

	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(heap_add_program(*state, PROGRAM(linker, "--list"), getpid()), -1);
	assert_sentence(capture_end(&c), "no known allocator");
}

/* It must be something that is executed by what we are. */
static void test_script(void **state)
{
	char path[] = "/tmp/heap-script-XXXXXX";
	int fd = mkstemp(path);
	struct heap *h = *state;

	assert_int_equal(dprintf(fd, "#!/bin/sh\n"), 10);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	assert_int_equal(heap_add_program(h, PROGRAM(path), getpid()), 0);
	assert_own_allocator();
	unlink(path);
}

static void assert_no_allocator(struct heap *h, const char *fixture, const char *says)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("FIXTURES"), fixture);
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(heap_add_program(h, PROGRAM(path), getpid()), -1);
	assert_sentence(capture_end(&c), says);
	assert_int_equal(told.nr, 0);
}

/* What is static, and has none that is known, does not use that of this process. */
static void test_program_without(void **state)
{
	assert_no_allocator(*state, "allocator.stripped",
			    "no file has the symbols free and one of malloc, _rjem_malloc, "
			    "je_malloc, tc_malloc: use --profile growth");
}

/* Nor does one of 32 bits. */
static void test_program_of_32_bits(void **state)
{
	assert_no_allocator(*state, "bare32", "is of 32 bits");
}

/* Not executed: there are kernels that can't, and machines where they may not. */
static void test_process_of_32_bits(void **state)
{
	program = "bare32";
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(heap_add_process(*state, getpid()), -1);
	assert_sentence(capture_end(&c), "is of 32 bits");
	assert_int_equal(told.nr, 0);
}

/* What is in a file that can't be opened is not known. */
static void test_unopened_files(void **state)
{
	struct heap *h = *state;

	lacks_libraries = true;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(heap_add_process(h, getpid()), -1);
	assert_sentence(capture_end(&c), "cannot be opened: restart it if they were updated, "
					 "or run as root");
	assert_int_equal(told.nr, 0);
}

/* As it is given, it is printed by the dynamic linker. */
static void test_relative_preload(void **state)
{
	struct heap *h = *state;
	char path[4096];

	snprintf(path, sizeof(path), "%s/allocator.c", getenv("FIXTURES"));
	assert_int_equal(symlink(path, "./preloaded.so"), 0);
	setenv("LD_PRELOAD", "./preloaded.so", 1);
	assert_int_equal(heap_add_program(h, PROGRAM("sh"), getpid()), 0);
	unsetenv("LD_PRELOAD");
	unlink("./preloaded.so");
	assert_functions_of(path);
}

/* A fixture that has all functions is asked before the process that is to execute it. */
static void test_program_with_its_own(void **state)
{
	struct heap *h = *state;
	struct stat want, st;
	char path[4096];

	snprintf(path, sizeof(path), "%s/allocator.static", getenv("FIXTURES"));
	assert_int_equal(stat(path, &want), 0);
	assert_int_equal(heap_add_program(h, PROGRAM(path), getpid()), 0);
	assert_int_equal(told.nr, 6);
	assert_int_equal(fstat(told.probes[0].fd, &st), 0);
	assert_int_equal(st.st_ino, want.st_ino);
}

static void test_ended(void **state)
{
	struct heap *h = *state;

	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(heap_add_process(h, 0x7fffffff), -1);
	assert_sentence(capture_end(&c), "process 2147483647 has ended");
}

static void test_refused(void **state)
{
	static const struct {
		int error;
		const char *says;
	} cases[] = {
		{ -EPERM, "needs CAP_PERFMON" },
		{ -EOPNOTSUPP, "CONFIG_UPROBES or CONFIG_MEMCG" },
		{ -EREMOTE, "FUSE" },
		{ -ENOTTY, "take the module and pprof-collect from one build" },
		{ -EIO, "cannot find or probe an allocator" },
	};
	struct heap *h = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		told.error = cases[i].error;
		capture_begin(&c, STDERR_FILENO);
		assert_int_equal(heap_set_device(h, NULL), -1);
		assert_sentence(capture_end(&c), cases[i].says);
		capture_begin(&c, STDERR_FILENO);
		assert_int_equal(heap_add_process(h, getpid()), -1);
		assert_sentence(capture_end(&c), cases[i].says);
	}
}

/* Where none is asked for. */
static void test_none(void **state)
{
	(void)state;
	assert_int_equal(heap_set_device(NULL, NULL), 0);
	assert_int_equal(heap_add_process(NULL, 1), 0);
	assert_int_equal(heap_add_program(NULL, PROGRAM("sh"), 1), 0);
	heap_add_child(NULL, 1);
	heap_warn_of_children(NULL);
	heap_measure_trap(NULL);
	heap_warn_of_execs(NULL, 1);
	heap_print_cost(NULL, NULL, 1);
	heap_free(NULL);
}

static void test_words(void **state)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	heap_print_cost(*state, out, 12345);
	fclose(out);
	assert_string_equal(text, "heap: 12345 calls of the allocator hit a breakpoint\n");
	free(text);
	capture_begin(&c, STDERR_FILENO);
	heap_warn_of_execs(*state, 0);
	heap_warn_of_execs(*state, 3);
	assert_sentence(capture_end(&c), "heap: 3 programs were executed meanwhile");
}

static void assert_empty(struct heap *h, uint64_t traps, uint64_t lost, const char *says)
{
	capture_begin(&c, STDERR_FILENO);
	heap_warn_of_empty(h, traps, 1, lost);
	heap_warn_of_empty(NULL, traps, 0, lost);
	heap_warn_of_empty(h, traps, 0, lost);
	assert_sentence(capture_end(&c), says);
}

/* An empty profile has one warning, which names the cause. */
static void test_empty(void **state)
{
	assert_empty(*state, 0, 0, "heap: no call of an allocator was seen: ");
	assert_empty(*state, 5, 0, "heap: none of the objects that were allocated was sampled: ");
	assert_empty(*state, 5, 3, "heap: all 3 samples were lost: ");
}

/* Of each call and of all of them: a million take as many s as one takes us. */
static void test_cost(void **state)
{
	char *text, each[32] = "", all[32] = "";
	size_t size;
	FILE *out = open_memstream(&text, &size);

	heap_measure_trap(*state);
	assert_int_equal(told.nr_tried, 1);
	heap_print_cost(*state, out, 1000000);
	fclose(out);
	sscanf(text, "heap: 1000000 calls of the allocator hit a breakpoint, at least %31s us each "
	       "as measured here: %31s s of the program's time\n", each, all);
	assert_true(atof(each) > 0);
	assert_string_equal(each, all);
	free(text);
}

/* What is wrong with a child's allocator ends nothing, and is told. */
static void test_child_left_out(void **state)
{
	struct heap *h = *state;

	told.error = -EACCES;
	heap_add_child(h, getpid());
	told.error = 0;
	assert_int_equal(told.nr, 0);
	capture_begin(&c, STDERR_FILENO);
	heap_warn_of_children(h);
	assert_sentence(capture_end(&c), "heap: 1 children are left out");
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_own_process),
		WITH_SETUP(test_program),
		WITH_SETUP(test_program_of_a_dynamic_linker),
		WITH_SETUP(test_program_behind_options),
		WITH_SETUP(test_dynamic_linker_alone),
		WITH_SETUP(test_script),
		WITH_SETUP(test_program_without),
		WITH_SETUP(test_program_of_32_bits),
		WITH_SETUP(test_process_of_32_bits),
		WITH_SETUP(test_unopened_files),
		WITH_SETUP(test_relative_preload),
		WITH_SETUP(test_child_left_out),
		WITH_SETUP(test_program_with_its_own),
		WITH_SETUP(test_ended),
		WITH_SETUP(test_refused),
		cmocka_unit_test(test_none),
		WITH_SETUP(test_words),
		WITH_SETUP(test_empty),
		WITH_SETUP(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
