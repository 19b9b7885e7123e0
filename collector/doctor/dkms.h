/* SPDX-License-Identifier: GPL-2.0 */
/* What DKMS, which builds modules at kernel updates, has of the module. */
#ifndef COLLECTOR_DKMS_H
#define COLLECTOR_DKMS_H

#include <stdbool.h>

#include "doctor/host_files.h"

#define DKMS_DIR	"/var/lib/dkms"

struct dkms {
	char version[256];	/* "" if DKMS does not have the module */
	bool failed;		/* its last build, which was for the running kernel */
};

void dkms_read(const struct host *h, struct dkms *d);

/* The public key that DKMS signs with, as a path; NULL if there is none. */
const char *dkms_key(const struct host *h);

#endif /* COLLECTOR_DKMS_H */
