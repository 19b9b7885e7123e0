/* SPDX-License-Identifier: GPL-2.0 */
/* Explains why /dev/pprof does not open. */
#ifndef COLLECTOR_HOST_DEVICE_H
#define COLLECTOR_HOST_DEVICE_H

#include "doctor/finding.h"
#include "doctor/host_files.h"

/*
 * Prints a line with the cause and a hint for err, a negative errno of device_open(). The module is
 * loaded.
 */
void host_device_explain(const struct host *h, int err, struct findings *f);

#endif /* COLLECTOR_HOST_DEVICE_H */
