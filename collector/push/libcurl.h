/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libcurl, loaded by the first backend. Linked, it and the 18 libraries that it needs would take
 * 3.5 ms of CPU of each start, and 1 MB of each process, although most send nothing:
 * perf stat -r 50 ./pprof-collect --version.
 */
#ifndef COLLECTOR_LIBCURL_H
#define COLLECTOR_LIBCURL_H

#include <curl/curl.h>

/* The functions that are used, without "curl_". */
#define LIBCURL_FUNCTIONS(F)							\
	F(easy_cleanup) F(easy_getinfo) F(easy_init) F(easy_setopt)		\
	F(easy_strerror) F(free) F(global_cleanup) F(global_init)		\
	F(multi_add_handle) F(multi_cleanup) F(multi_info_read) F(multi_init)	\
	F(multi_perform) F(multi_poll) F(multi_remove_handle) F(slist_append)	\
	F(slist_free_all) F(url) F(url_cleanup) F(url_get) F(url_set)

#define LIBCURL_POINTER(name)	__typeof__(curl_##name) *name;

/* For use after libcurl_load(). */
extern struct libcurl {
	LIBCURL_FUNCTIONS(LIBCURL_POINTER)
} libcurl;

/* Loads the library, once. Returns: 0; or -ENOENT if it is not installed, or lacks a function. */
int libcurl_load(void);

#endif /* COLLECTOR_LIBCURL_H */
