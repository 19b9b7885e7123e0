// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/doctor/host.c collector/doctor/host_files.c
// sources: collector/doctor/host_kernel.c collector/doctor/host_module.c
// sources: collector/doctor/kernel_headers.c collector/doctor/distro.c
// sources: collector/doctor/dkms.c collector/doctor/module_search.c
// sources: collector/elf/kernel_module.c collector/process/command.c
// sources: collector/base/regular_file.c collector/doctor/finding.c collector/base/utf8.c
// sources: collector/elf/validate.c
// libs: -lelf -lz -llzma -Wl,--wrap=fopen,--wrap=gzopen,--wrap=access,--wrap=readlink
/*
 * Input: a byte with two bits, and then one content for all files and links of the machine and for
 * the names of apt's packages. The bits: the module is loaded; other files exist. Doctor must print
 * a line of text for each check, and read the configuration of a kernel correctly.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "doctor/apt_names.h"
#include "doctor/host.h"

#define ROOT		"/machine"

/* Doctor prints five lines without modules, and nine if all files are missing. */
#define MIN_LINES	5
#define MAX_LINES	9

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
gzFile __wrap_gzopen(const char *path, const char *mode);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
ssize_t __real_readlink(const char *path, char *buf, size_t size);
ssize_t __wrap_readlink(const char *path, char *buf, size_t size);

static const uint8_t *content;
static size_t bytes;
static bool is_loaded;
static bool files_exist;

static void check(bool holds)
{
	if (!holds)
		abort();
}

static int open_content(void)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, content, bytes) == (ssize_t)bytes && !lseek(fd, 0, SEEK_SET));
	return fd;
}

static bool is_ours(const char *path)
{
	return !strncmp(path, ROOT, sizeof(ROOT) - 1);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return is_ours(path) ? fdopen(open_content(), mode) : __real_fopen(path, mode);
}

gzFile __wrap_gzopen(const char *path, const char *mode)
{
	check(is_ours(path));
	return gzdopen(open_content(), mode);
}

int __wrap_access(const char *path, int mode)
{
	if (!is_ours(path))
		return __real_access(path, mode);
	return (strstr(path, "/sys/module/pprof") ? is_loaded : files_exist) - 1;
}

ssize_t __wrap_readlink(const char *path, char *buf, size_t size)
{
	size_t len = bytes < size ? bytes : size;

	if (!is_ours(path))
		return __real_readlink(path, buf, size);
	memcpy(buf, content, len);
	return len;
}

int apt_names_each(const char *prefix, apt_names_fn fn, void *ctx)
{
	char *lines = strndup((const char *)content, bytes), *rest = lines, *line;

	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, prefix, strlen(prefix)))
			fn(ctx, line);
	free(lines);
	return 0;
}

/* Checks that each line is printable and begins with a mark, and that the problems are counted. */
static void check_lines(const char *text, unsigned int nr_problems)
{
	static const char *const marks[] = { "ok       ", "warning  ", "problem  " };
	unsigned int nr[3] = { 0 }, mark;
	const char *end;

	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		check(end);
		for (mark = 0; mark < 3 && strncmp(text, marks[mark], strlen(marks[mark])); mark++)
			;
		check(mark < 3);
		nr[mark]++;
		for (const char *c = text; c < end; c++)
			check((unsigned char)*c >= ' ');
	}
	check(nr[0] + nr[1] + nr[2] >= MIN_LINES && nr[0] + nr[1] + nr[2] <= MAX_LINES);
	check(nr[2] == nr_problems);
}

/* check_config() searches the text itself. So it must not be compressed, nor have a NUL. */
static bool is_plain(const char *text)
{
	return *text != '\x1f' && strlen(text) == bytes;
}

/* Checks that a line names the options that are missing. A kernel without modules has another. */
static void check_config(char *found, const char *text)
{
	static const char *const needed[] = { "CONFIG_MODULES", "CONFIG_TRACEPOINTS",
		"CONFIG_KPROBES", "CONFIG_PERF_EVENTS" };
	char *missing = strstr(found, "\nproblem  config     the kernel was built without");
	char line[64];

	if (strstr(found, "\nproblem  config     this kernel loads no modules")) {
		check(!strstr(text, "\nCONFIG_MODULES=y\n"));
		return;
	}
	if (missing)
		missing[1 + strcspn(missing + 1, "\n")] = 0;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		snprintf(line, sizeof(line), "\n%s=y\n", needed[i]);
		check(!!strstr(text, line) != (missing && strstr(missing, needed[i])));
	}
}

static void examine(void)
{
	const struct host host = { .root = ROOT, .release = "6.12.1", .machine = "x86_64" };
	char *found, *text = calloc(1, bytes + 2);	/* a newline before the first line */
	struct findings f = { 0 };
	size_t size;

	f.out = open_memstream(&found, &size);
	host_check(&host, &f);
	fclose(f.out);
	check_lines(found, f.nr_problems);
	*text = '\n';
	memcpy(text + 1, content, bytes);
	if (is_plain(text + 1))
		check_config(found, text);
	free(found);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	is_loaded = data[0] & 1;
	files_exist = data[0] & 2;
	content = data + 1;
	bytes = size - 1;
	examine();
	return 0;
}
