/* SPDX-License-Identifier: GPL-2.0 */
/* Makes a temporary folder, which is the current folder of the tests. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[32];

static inline int enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/unit.XXXXXX");
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int leave_folder(void **state)
{
	(void)state;
	return chdir("/") || nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Returns the path of a file in the folder, valid until the next call. */
static inline const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

#endif /* TESTS_FOLDER_H */
