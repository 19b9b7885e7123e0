// SPDX-License-Identifier: GPL-2.0
/*
 * A D name of 100 letters can stand for a text of some GB: a type may refer twice to the type
 * before it. libiberty has no callback for D as it has for C++. It builds the text in memory from
 * xmalloc() and xrealloc(), and ends the process if there is none. So these two are defined here,
 * in place of libiberty's own. They count the bytes, and leave the demangler if it asks for more
 * than any real name needs. The memory that it holds then is lost. So after some such names no D
 * name is demangled any more.
 *
 * Such a name can also take hours. A template argument that is a symbol begins with S and a number.
 * The demangler does not know where the number ends, and tries each of its digits. Each try may
 * find another such argument. So a name with many of these digits is left as it is.
 */
#include "symbol/demangle_dlang.h"

#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of Phobos 2.100, D's standard library, need 23 KB and 3 such digits at most. */
#define MAX_BYTES	((size_t)256 << 10)
#define MAX_DIGITS	8
#define MAX_LOST	16

static __thread struct {
	size_t left;		/* bytes that the demangler may still ask for */
	unsigned int nr_lost;
	jmp_buf too_large;
} memory;

static void spend(size_t bytes)
{
	if (bytes > memory.left)
		longjmp(memory.too_large, 1);
	memory.left -= bytes;
}

void *xrealloc(void *old, size_t bytes)
{
	void *new;

	spend(bytes);
	new = realloc(old, bytes);
	if (!new)
		longjmp(memory.too_large, 1);
	return new;
}

void *xmalloc(size_t bytes)
{
	return xrealloc(NULL, bytes);
}

static size_t count_digits(const char *mangled)
{
	size_t nr = 0;

	while ((mangled = strchr(mangled, 'S'))) {
		mangled++;
		nr += strspn(mangled, "0123456789");
	}
	return nr;
}

/* Returns the readable form, which the caller frees, or NULL. */
static char *demangle(const char *mangled)
{
	if (memory.nr_lost >= MAX_LOST || count_digits(mangled) > MAX_DIGITS)
		return NULL;
	memory.left = MAX_BYTES;
	if (!setjmp(memory.too_large))
		return dlang_demangle(mangled, DMGL_DLANG);
	memory.nr_lost++;
	return NULL;
}

/* A mangled name has no dot: that of gcc's clones begins their suffix. */
size_t demangle_dlang(const char *name, char *buf, size_t size)
{
	const char *suffix = strchrnul(name, '.');
	char *mangled = strndup(name, suffix - name);
	char *readable = mangled ? demangle(mangled) : NULL;
	size_t len = 0;

	if (readable)
		len = snprintf(buf, size, *suffix ? "%s [clone %s]" : "%s", readable, suffix);
	free(readable);
	free(mangled);
	return len < size ? len : 0;
}
