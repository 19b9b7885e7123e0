/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared libraries that are loaded when they are needed, as most runs neither send nor serve. If
 * they were linked, libmicrohttpd and GnuTLS would raise the CPU time of each start from 1.3 to
 * 3.0 ms, and libcurl by 3.5 ms more. Measured by: perf stat -r 100 ./pprof-collect --version.
 */
#ifndef COLLECTOR_LIBRARY_H
#define COLLECTOR_LIBRARY_H

#include <stddef.h>

/* The type of a pointer to a function. sparse does not know "typeof(function) *". */
#define LIBRARY_POINTER(function)	typeof(1 ? (function) : NULL)

struct library_symbol {
	const char *name;
	void **address;		/* where its address is written */
};

/* names: the first one that is found is taken; NULL: there is no second one. */
struct library {
	const char *names[2];
	const struct library_symbol *symbols;
	size_t nr_symbols;
	void *handle;		/* NULL: not loaded */
};

/*
 * Loads the library and finds its symbols. It stays loaded; further calls do nothing.
 * Returns: 0; or -ENOENT if it cannot be loaded, or lacks a symbol.
 * Calls from several threads need a lock.
 */
int library_load(struct library *library);

#endif /* COLLECTOR_LIBRARY_H */
