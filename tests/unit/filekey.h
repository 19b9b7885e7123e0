/* SPDX-License-Identifier: GPL-2.0 */
/* Makes the key of a file as the kernel's records describe it. */
#ifndef TESTS_FILEKEY_H
#define TESTS_FILEKEY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <cmocka.h>

#include "process/mapped_files.h"

static inline struct mapped_files_key key_of(const char *path)
{
	struct mapped_files_key key = { .path = path };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	key.dev_major = major(st.st_dev);
	key.dev_minor = minor(st.st_dev);
	key.ino = st.st_ino;
	return key;
}

#endif
