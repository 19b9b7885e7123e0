/* SPDX-License-Identifier: GPL-2.0 */
/* As in a kernel without uprobes. kmod/base/uretprobe.h then declares what it needs itself. */
#ifndef SHIM_UPROBES_H
#define SHIM_UPROBES_H
#endif
