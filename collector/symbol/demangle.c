// SPDX-License-Identifier: GPL-2.0
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "symbol/demangle_dlang.h"

/*
 * libiberty takes 40 bytes of stack for each letter of the name. By default it refuses names from
 * 1024 letters on; real templates are longer. So DMGL_NO_RECURSE_LIMIT is set, and this limit
 * replaces its own.
 */
#define MAX_NAME_LEN	4096

struct out {
	char *buf;
	size_t len;
	size_t size;
	jmp_buf full;
};

/*
 * A short mangled name can stand for a text of 2^30 letters, and libiberty has no way to stop
 * early. It holds no heap memory while it prints, so longjmp() leaks nothing.
 */
static void append(const char *text, size_t len, void *arg)
{
	struct out *o = arg;

	if (len >= o->size - o->len)
		longjmp(o->full, 1);
	memcpy(o->buf + o->len, text, len);
	o->len += len;
}

static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_D", 2) ||
	       !strncmp(name, "_GLOBAL_", 8);
}

/* Rust is tried first: its legacy names are valid C++ names, with a hash at the end. */
static bool print(const char *mangled, struct out *o)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (!strncmp(mangled, "_D", 2)) {
		o->len = demangle_dlang(mangled, o->buf, o->size);
		return o->len;
	}
	if (setjmp(o->full))
		return false;
	if (rust_demangle_callback(mangled, options, append, o))
		return true;
	o->len = 0;
	return cplus_demangle_v3_callback(mangled, options | DMGL_NO_RECURSE_LIMIT, append, o);
}

/* A suffix such as "@plt" or "@@VERSION" is no part of the mangled name. It is kept. */
const char *demangle_name(const char *name, char *buf, size_t size)
{
	struct out o = { .buf = buf, .size = size };
	const char *suffix = strchrnul(name, '@');
	char mangled[MAX_NAME_LEN + 1];

	if (!size || !is_mangled(name) || suffix - name > MAX_NAME_LEN)
		return name;
	memcpy(mangled, name, suffix - name);
	mangled[suffix - name] = '\0';
	if (!print(mangled, &o) || !o.len || strlen(suffix) >= size - o.len)
		return name;
	strcpy(buf + o.len, suffix);
	return buf;
}
