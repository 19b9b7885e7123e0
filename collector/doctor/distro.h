/* SPDX-License-Identifier: GPL-2.0 */
/* The packages of the machine's distribution. */
#ifndef COLLECTOR_DISTRO_H
#define COLLECTOR_DISTRO_H

#include <stdbool.h>

#include "doctor/host_files.h"

enum distro { DISTRO_OTHER, DISTRO_APT, DISTRO_DNF };

/* Returns the package manager, by /etc/os-release; DISTRO_OTHER if it is not a known one. */
enum distro distro_read(const struct host *h);

/* The kernel headers that apt offers. */
struct distro_headers {
	bool is_known;		/* apt gave an answer */
	bool has_any;		/* there are headers of some kernel: apt has package lists */
	bool has_exact;		/* there are headers of this kernel */
	/* The latest release of the same flavour, of the same series if possible; "" if none. */
	char newest[128];
};

/* Searches the headers of a kernel release. Runs apt-cache, which takes up to a second. */
void distro_find_headers(const char *release, struct distro_headers *d);

/* Does apt know a package of that name? Returns true if apt gives no answer. */
bool distro_has_package(const char *name);

/* Is release later than other? */
bool distro_is_later(const char *release, const char *other);

#endif /* COLLECTOR_DISTRO_H */
