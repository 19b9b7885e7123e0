// SPDX-License-Identifier: GPL-2.0
// sources: collector/host.c collector/modfile.c collector/finding.c collector/utf8.c
// sources: collector/elfbounds.c
// libs: -lelf -lz -llzma -Wl,--wrap=fopen,--wrap=gzopen,--wrap=access
/*
 * Input: whether the module is loaded, and what each of the machine's files says.
 * The doctor has a line of text for each check, and finds what a plain
 * configuration has.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "host.h"

#define ROOT		"/machine"
#define NR_CHECKS	8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
gzFile __wrap_gzopen(const char *path, const char *mode);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);

static const uint8_t *content;
static size_t bytes;
static bool is_loaded;

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
	return is_ours(path) ? is_loaded - 1 : __real_access(path, mode);
}

/* Lines of printable text, each with its mark. */
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
	check(nr[0] + nr[1] + nr[2] == NR_CHECKS && nr[2] == nr_problems);
}

/* What is compressed can't be looked through here. */
static bool is_plain(const char *text)
{
	return *text != '\x1f' && strlen(text) == bytes;
}

/* The rest of found's line tells what lacks. */
static void check_config(char *found, const char *text)
{
	static const char *const needed[] = { "CONFIG_MODULES", "CONFIG_TRACEPOINTS",
		"CONFIG_KPROBES", "CONFIG_PERF_EVENTS" };
	char *missing = strstr(found, "the kernel was built without"), line[64];

	if (missing)
		missing[strcspn(missing, "\n")] = 0;
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
	content = data + 1;
	bytes = size - 1;
	examine();
	return 0;
}
