// SPDX-License-Identifier: GPL-2.0
#include "push/libcurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#define LIBCURL_ROW(name)	{ "curl_" #name, (void **)&libcurl.name },

struct libcurl libcurl;

static const struct {
	const char *name;
	void **function;
} functions[] = { LIBCURL_FUNCTIONS(LIBCURL_ROW) };

/* Debian's build with GnuTLS has a name of its own. */
static void *open_library(void)
{
	void *library = dlopen("libcurl-gnutls.so.4", RTLD_NOW);

	return library ? library : dlopen("libcurl.so.4", RTLD_NOW);
}

int libcurl_load(void)
{
	static void *library;

	if (!library)
		library = open_library();
	for (size_t i = 0; library && i < sizeof(functions) / sizeof(*functions); i++) {
		*functions[i].function = dlsym(library, functions[i].name);
		if (!*functions[i].function)
			return -ENOENT;
	}
	return library ? 0 : -ENOENT;
}
