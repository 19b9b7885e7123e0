/* SPDX-License-Identifier: GPL-2.0 */
/* The file of the module that would be loaded. */
#ifndef COLLECTOR_MODFOUND_H
#define COLLECTOR_MODFOUND_H

#include "doctor/host_files.h"
#include "elf/kernel_module.h"

#define MODFOUND_NAME	"pprof.ko"

struct modfound {
	char path[PATH_MAX];	/* "" if there is none */
	struct modfile file;	/* of a compressed file, only the release is known */
	bool fits;		/* it is for the running kernel */
	bool is_installed;	/* modprobe finds it */
	bool is_compressed;
};

/* The installed file, then ./pprof.ko: the first one that fits, or else any. */
void modfound_find(const struct host *h, struct modfound *m);

#endif /* COLLECTOR_MODFOUND_H */
