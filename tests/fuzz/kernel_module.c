// SPDX-License-Identifier: GPL-2.0
// sources: collector/elf/kernel_module.c collector/elf/validate.c
// libs: -lelf -llzma
/*
 * Input: the file of a kernel module. The result contains only text of the file. elfutils is not
 * instrumented.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/kernel_module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* The release stands in the file after its key, up to a space. */
static bool is_release(const struct kernel_module *m, const uint8_t *data, size_t size)
{
	char want[sizeof(m->release) + sizeof("vermagic=")];
	size_t len = strnlen(m->release, sizeof(m->release));

	check(len < sizeof(m->release));
	snprintf(want, sizeof(want), "vermagic=%s", m->release);
	return !len || (!strchr(m->release, ' ') && memmem(data, size, want, strlen(want)));
}

static bool ends_signed(const uint8_t *data, size_t size)
{
	static const char end[] = "~Module signature appended~\n";
	const size_t len = sizeof(end) - 1;

	return size > len && !memcmp(data + size - len, end, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct kernel_module m;
	char path[64];

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (kernel_module_read(path, &m))
		check(!*m.release && !m.is_signed);
	else
		check(is_release(&m, data, size) && m.is_signed == ends_signed(data, size));
	close(fd);
	return 0;
}
