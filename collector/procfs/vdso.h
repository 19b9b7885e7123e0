/* SPDX-License-Identifier: GPL-2.0 */
/* The vDSO: code that the kernel maps into every process. It is in no file on disk. */
#ifndef COLLECTOR_VDSO_H
#define COLLECTOR_VDSO_H

/*
 * Copies the vDSO of this process into a memory file, as an ELF file. All 64-bit processes of
 * this kernel have the same one.
 * Returns: a descriptor that the caller closes; -ENOENT if there is no vDSO; -EIO, or another
 * negative errno.
 */
int vdso_open(void);

#endif /* COLLECTOR_VDSO_H */
