/* SPDX-License-Identifier: GPL-2.0 */
/* libcurl, which is loaded when the first backend is parsed: see base/library.h. */
#ifndef COLLECTOR_LIBCURL_H
#define COLLECTOR_LIBCURL_H

#include <curl/curl.h>
#include "base/library.h"

/* The functions that are used, without "curl_". They are NULL before libcurl_load(). */
extern struct libcurl {
	LIBRARY_POINTER(curl_easy_cleanup) easy_cleanup;
	LIBRARY_POINTER(curl_easy_getinfo) easy_getinfo;
	LIBRARY_POINTER(curl_easy_init) easy_init;
	LIBRARY_POINTER(curl_easy_setopt) easy_setopt;
	LIBRARY_POINTER(curl_easy_strerror) easy_strerror;
	LIBRARY_POINTER(curl_free) free;
	LIBRARY_POINTER(curl_global_cleanup) global_cleanup;
	LIBRARY_POINTER(curl_global_init) global_init;
	LIBRARY_POINTER(curl_multi_add_handle) multi_add_handle;
	LIBRARY_POINTER(curl_multi_cleanup) multi_cleanup;
	LIBRARY_POINTER(curl_multi_info_read) multi_info_read;
	LIBRARY_POINTER(curl_multi_init) multi_init;
	LIBRARY_POINTER(curl_multi_perform) multi_perform;
	LIBRARY_POINTER(curl_multi_poll) multi_poll;
	LIBRARY_POINTER(curl_multi_remove_handle) multi_remove_handle;
	LIBRARY_POINTER(curl_slist_append) slist_append;
	LIBRARY_POINTER(curl_slist_free_all) slist_free_all;
	LIBRARY_POINTER(curl_url) url;
	LIBRARY_POINTER(curl_url_cleanup) url_cleanup;
	LIBRARY_POINTER(curl_url_get) url_get;
	LIBRARY_POINTER(curl_url_set) url_set;
} libcurl;

/* Loads the library, once. Returns: 0; or -ENOENT if it cannot be loaded, or lacks a function. */
int libcurl_load(void);

#endif /* COLLECTOR_LIBCURL_H */
