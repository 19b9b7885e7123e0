/* SPDX-License-Identifier: GPL-2.0 */
/* As of a kernel without them: what is awaited then, kmod/base/uretprobe.h says itself. */
#ifndef SHIM_UPROBES_H
#define SHIM_UPROBES_H
#endif
