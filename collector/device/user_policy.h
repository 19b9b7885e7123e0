/* SPDX-License-Identifier: GPL-2.0 */
/* May users without CAP_PERFMON profile? The loaded module decides it: see kmod/session/. */
#ifndef COLLECTOR_USER_POLICY_H
#define COLLECTOR_USER_POLICY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the answer and its cause to text. root is the folder that holds /proc and /sys; "" for /.
 * Returns: 0, or -1: the module is not loaded, or is older than its parameter "users".
 */
int user_policy_describe(const char *root, char *text, size_t size);

/*
 * open() of the device failed with EACCES. Was it the module's policy? Else the mode of the file
 * device forbids it.
 */
bool user_policy_refused(const char *device);

#endif /* COLLECTOR_USER_POLICY_H */
