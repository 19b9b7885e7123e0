/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_FILE_H
#define SHIM_FILE_H

#include <linux/fs.h>

/* The file itself is the test's, and stays. */
#define get_file(file)	((file)->shim_refs++)
#define fput(file)	((file)->shim_refs--)

#endif
