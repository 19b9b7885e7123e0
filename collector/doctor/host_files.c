// SPDX-License-Identifier: GPL-2.0
#include "doctor/host_files.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static void build_path(const struct host *h, char path[PATH_MAX], const char *format, va_list args)
{
	int len = snprintf(path, PATH_MAX, "%s", h->root);

	if (len < PATH_MAX)
		vsnprintf(path + len, PATH_MAX - len, format, args);
}

void host_files_path(const struct host *h, char path[PATH_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	build_path(h, path, format, args);
	va_end(args);
}

bool host_files_exist(const struct host *h, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, format);
	build_path(h, path, format, args);
	va_end(args);
	return !access(path, F_OK);
}

int host_files_read(const struct host *h, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	size_t nr;
	FILE *file;

	host_files_path(h, path, "%s", name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	nr = fread(buf, 1, size - 1, file);
	fclose(file);
	buf[nr] = 0;
	return nr;
}

int host_files_link(const struct host *h, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	ssize_t len;

	host_files_path(h, path, "%s", name);
	len = readlink(path, buf, size - 1);
	if (len >= 0)
		buf[len] = 0;
	return len;
}
