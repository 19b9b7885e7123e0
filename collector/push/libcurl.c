// SPDX-License-Identifier: GPL-2.0
#include "push/libcurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#define ROW(name)	{ "curl_" #name, (void **)&libcurl.name }

struct libcurl libcurl;

static const struct {
	const char *name;
	void **function;
} functions[] = {
	ROW(easy_cleanup), ROW(easy_getinfo), ROW(easy_init), ROW(easy_setopt),
	ROW(easy_strerror), ROW(free), ROW(global_cleanup), ROW(global_init),
	ROW(multi_add_handle), ROW(multi_cleanup), ROW(multi_info_read), ROW(multi_init),
	ROW(multi_perform), ROW(multi_poll), ROW(multi_remove_handle), ROW(slist_append),
	ROW(slist_free_all), ROW(url), ROW(url_cleanup), ROW(url_get), ROW(url_set),
};

/* Debian's build with GnuTLS has another name than upstream's. */
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
