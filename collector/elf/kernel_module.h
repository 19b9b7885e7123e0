/* SPDX-License-Identifier: GPL-2.0 */
/* A kernel module's file: the kernel that it was built for, and whether it has a signature. */
#ifndef COLLECTOR_KERNEL_MODULE_H
#define COLLECTOR_KERNEL_MODULE_H

#include <stdbool.h>

struct kernel_module {
	char release[128];	/* as `uname -r` prints it; "" if the file does not contain it */
	/* A signature is appended; it is not verified, and the signer is not known. */
	bool is_signed;
};

/*
 * Reads the file at path into m.
 * Returns: 0; -ENOEXEC for a file that is no kernel module; or another negative errno of open().
 */
int kernel_module_read(const char *path, struct kernel_module *m);

#endif /* COLLECTOR_KERNEL_MODULE_H */
