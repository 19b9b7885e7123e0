/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the file of the module that would be loaded. */
#ifndef COLLECTOR_MODULE_SEARCH_H
#define COLLECTOR_MODULE_SEARCH_H

#include "doctor/host_files.h"
#include "elf/kernel_module.h"

#define MODULE_SEARCH_NAME	"pprof.ko"

struct module_search {
	char path[PATH_MAX];	/* "" if there is none */
	struct kernel_module file;	/* of a compressed file, only the release is known */
	bool fits;		/* it was built for the running kernel */
	bool is_installed;	/* modprobe finds it */
	bool is_compressed;
};

/*
 * Finds the installed file or ./pprof.ko: the first one that fits the running kernel. If none fits,
 * it is ./pprof.ko, or else the installed file.
 */
void module_search_find(const struct host *h, struct module_search *m);

#endif /* COLLECTOR_MODULE_SEARCH_H */
