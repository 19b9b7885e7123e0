/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_STRING_H
#define SHIM_STRING_H

#include <string.h>

/* Truncates the text, always ends it, and fills the rest of @to with NULs. */
static inline void strscpy_pad(void *to, const char *from, size_t bytes)
{
	size_t length = strnlen(from, bytes - 1);

	memcpy(to, from, length);
	memset((char *)to + length, 0, bytes - length);
}

#endif
