/* SPDX-License-Identifier: GPL-2.0 */
/* As in a kernel without uprobes. kmod/base/uretprobe.h then declares what it needs itself. */
#ifndef SHIM_UPROBES_H
#define SHIM_UPROBES_H

#include <linux/err.h>
#include <sys/types.h>

struct inode;
struct uprobe_consumer;

struct uprobe *uprobe_register(struct inode *inode, loff_t offset, loff_t ref_offset,
			       struct uprobe_consumer *consumer);
void uprobe_unregister_nosync(struct uprobe *uprobe, struct uprobe_consumer *consumer);
void uprobe_unregister_sync(void);

#endif
