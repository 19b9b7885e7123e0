/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libcurl, loaded by the first backend. Linked, it and the 18 libraries that it needs would take
 * 3.5 ms of CPU of each start, and 1 MB of each process, although most send nothing:
 * perf stat -r 50 ./pprof-collect --version.
 */
#ifndef COLLECTOR_LIBCURL_H
#define COLLECTOR_LIBCURL_H

#include <curl/curl.h>

/* The functions that are used, without "curl_". For use after libcurl_load(). */
extern struct libcurl {
	__typeof__(&curl_easy_cleanup) easy_cleanup;
	__typeof__(&curl_easy_getinfo) easy_getinfo;
	__typeof__(&curl_easy_init) easy_init;
	__typeof__(&curl_easy_setopt) easy_setopt;
	__typeof__(&curl_easy_strerror) easy_strerror;
	__typeof__(&curl_free) free;
	__typeof__(&curl_global_cleanup) global_cleanup;
	__typeof__(&curl_global_init) global_init;
	__typeof__(&curl_multi_add_handle) multi_add_handle;
	__typeof__(&curl_multi_cleanup) multi_cleanup;
	__typeof__(&curl_multi_info_read) multi_info_read;
	__typeof__(&curl_multi_init) multi_init;
	__typeof__(&curl_multi_perform) multi_perform;
	__typeof__(&curl_multi_poll) multi_poll;
	__typeof__(&curl_multi_remove_handle) multi_remove_handle;
	__typeof__(&curl_slist_append) slist_append;
	__typeof__(&curl_slist_free_all) slist_free_all;
	__typeof__(&curl_url) url;
	__typeof__(&curl_url_cleanup) url_cleanup;
	__typeof__(&curl_url_get) url_get;
	__typeof__(&curl_url_set) url_set;
} libcurl;

/* Loads the library, once. Returns: 0; or -ENOENT if it is not installed, or lacks a function. */
int libcurl_load(void);

#endif /* COLLECTOR_LIBCURL_H */
