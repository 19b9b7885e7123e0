// SPDX-License-Identifier: GPL-2.0
#include "push/libcurl.h"

#define ROW(name)	{ "curl_" #name, (void **)&libcurl.name }

struct libcurl libcurl;

static const struct library_symbol symbols[] = {
	ROW(easy_cleanup), ROW(easy_getinfo), ROW(easy_init), ROW(easy_setopt),
	ROW(easy_strerror), ROW(free), ROW(global_cleanup), ROW(global_init),
	ROW(multi_add_handle), ROW(multi_cleanup), ROW(multi_info_read), ROW(multi_init),
	ROW(multi_perform), ROW(multi_poll), ROW(multi_remove_handle), ROW(slist_append),
	ROW(slist_free_all), ROW(url), ROW(url_cleanup), ROW(url_get), ROW(url_set),
};

/* Debian's build with GnuTLS has another name than upstream's. */
static struct library library = {
	.names = { "libcurl-gnutls.so.4", "libcurl.so.4" },
	.symbols = symbols, .nr_symbols = sizeof(symbols) / sizeof(*symbols),
};

int libcurl_load(void)
{
	return library_load(&library);
}
