/* SPDX-License-Identifier: GPL-2.0 */
/* The packages of the machine's distribution. */
#ifndef COLLECTOR_DISTRO_H
#define COLLECTOR_DISTRO_H

#include <stdbool.h>

#include "doctor/host_files.h"

enum distro { DISTRO_OTHER, DISTRO_APT, DISTRO_DNF };

/* By /etc/os-release; DISTRO_OTHER if its package manager is not known. */
enum distro distro_read(const struct host *h);

/* What apt offers in the place of the headers of a kernel. */
struct distro_headers {
	bool is_known;		/* apt gave an answer */
	bool has_any;		/* headers of any kernel: the package lists are not empty */
	bool has_exact;		/* those of the kernel itself */
	char newest[128];	/* release of the same flavour, the same series first; "" if none */
};

/* Asks apt, which takes up to a second. */
void distro_find_headers(const char *release, struct distro_headers *d);

/* Is a package of that name known to apt? True if apt gives no answer. */
bool distro_has_package(const char *name);

/* Is release later than other? */
bool distro_is_later(const char *release, const char *other);

#endif /* COLLECTOR_DISTRO_H */
