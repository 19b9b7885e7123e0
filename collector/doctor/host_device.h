/* SPDX-License-Identifier: GPL-2.0 */
/* Explains why /dev/pprof does not open. */
#ifndef COLLECTOR_HOSTDEVICE_H
#define COLLECTOR_HOSTDEVICE_H

#include "doctor/finding.h"
#include "doctor/host_files.h"

/*
 * Prints a line with the cause and a hint for err, a negative errno of dev_open(). The module is
 * loaded.
 */
void hostdevice_explain(const struct host *h, int err, struct findings *f);

#endif /* COLLECTOR_HOSTDEVICE_H */
