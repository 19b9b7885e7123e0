/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libcurl, which is loaded when the first backend is parsed. If it were linked, it and the 18
 * libraries that it needs would cost each start 3.5 ms of CPU time, and each process 1 MB. Most
 * runs send nothing. Measured by: perf stat -r 50 ./pprof-collect --version.
 */
#ifndef COLLECTOR_LIBCURL_H
#define COLLECTOR_LIBCURL_H

#include <curl/curl.h>
#include <stddef.h>

/* The type of a pointer to a function. sparse does not know "typeof(function) *". */
#define POINTER(function)	typeof(1 ? (function) : NULL)

/* The functions that are used, without "curl_". They are NULL before libcurl_load(). */
extern struct libcurl {
	POINTER(curl_easy_cleanup) easy_cleanup;
	POINTER(curl_easy_getinfo) easy_getinfo;
	POINTER(curl_easy_init) easy_init;
	POINTER(curl_easy_setopt) easy_setopt;
	POINTER(curl_easy_strerror) easy_strerror;
	POINTER(curl_free) free;
	POINTER(curl_global_cleanup) global_cleanup;
	POINTER(curl_global_init) global_init;
	POINTER(curl_multi_add_handle) multi_add_handle;
	POINTER(curl_multi_cleanup) multi_cleanup;
	POINTER(curl_multi_info_read) multi_info_read;
	POINTER(curl_multi_init) multi_init;
	POINTER(curl_multi_perform) multi_perform;
	POINTER(curl_multi_poll) multi_poll;
	POINTER(curl_multi_remove_handle) multi_remove_handle;
	POINTER(curl_slist_append) slist_append;
	POINTER(curl_slist_free_all) slist_free_all;
	POINTER(curl_url) url;
	POINTER(curl_url_cleanup) url_cleanup;
	POINTER(curl_url_get) url_get;
	POINTER(curl_url_set) url_set;
} libcurl;

#undef POINTER

/* Loads the library, once. Returns: 0; or -ENOENT if it cannot be loaded, or lacks a function. */
int libcurl_load(void);

#endif /* COLLECTOR_LIBCURL_H */
