/* SPDX-License-Identifier: GPL-2.0 */
/* The state of the module in DKMS, which rebuilds modules at kernel updates. */
#ifndef COLLECTOR_DKMS_H
#define COLLECTOR_DKMS_H

#include <stdbool.h>

#include "doctor/host_files.h"

#define DKMS_DIR	"/var/lib/dkms"

struct dkms {
	char version[256];	/* "" if DKMS does not have the module */
	bool failed;		/* its last build was for the running kernel, and failed */
};

/* Reads the state into d. */
void dkms_read(const struct host *h, struct dkms *d);

/*
 * Returns the path of the public key of the pair with which DKMS signs modules, a constant; or NULL
 * if there is none.
 */
const char *dkms_key(const struct host *h);

#endif /* COLLECTOR_DKMS_H */
