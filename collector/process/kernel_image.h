/* SPDX-License-Identifier: GPL-2.0 */
/* The code of the running kernel and its modules: symbols and build IDs. */
#ifndef COLLECTOR_KERNEL_IMAGE_H
#define COLLECTOR_KERNEL_IMAGE_H

#include "elf/build_id.h"
#include "symbol/kallsyms.h"

struct kernel_image {
	int fd;				/* of kallsyms_open(). Negative: none, or it was read */
	struct kallsyms *symbols;	/* NULL: not read yet, or they cannot be read */
};

/* An image without symbols. */
#define KERNEL_IMAGE_NONE	((struct kernel_image){ .fd = -1 })

/* Frees the symbols, and closes the descriptor. */
void kernel_image_fini(struct kernel_image *k);

/*
 * Reads the symbols if they are not there yet.
 * Returns: 0; -ENOENT if there are none; or -ENOMEM, and the next call tries again.
 */
int kernel_image_load(struct kernel_image *k);

/* Reads the build ID of a range, by kallsyms_range.module, into hex. "" if it is not known. */
void kernel_image_build_id(const char *module, char hex[BUILD_ID_HEX_SIZE]);

#endif /* COLLECTOR_KERNEL_IMAGE_H */
