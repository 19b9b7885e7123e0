/* SPDX-License-Identifier: GPL-2.0 */
/* The vdso: code that the kernel maps into every process, and no file has. */
#ifndef COLLECTOR_VDSO_H
#define COLLECTOR_VDSO_H

/*
 * A copy of our own process's, which is that of all 64-bit processes of this
 * kernel, as an ELF file: a descriptor for the caller to close. -ENOENT if there
 * is none, or another negative errno.
 */
int vdso_open(void);

#endif /* COLLECTOR_VDSO_H */
