// SPDX-License-Identifier: GPL-2.0
#include "process/kernel_image.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/kernel_notes.h"

void kernel_image_fini(struct kernel_image *k)
{
	if (k->fd >= 0)
		close(k->fd);
	kallsyms_free(k->symbols);
}

int kernel_image_load(struct kernel_image *k)
{
	if (k->fd < 0)
		return k->symbols ? 0 : -ENOENT;
	k->symbols = kallsyms_read(k->fd);
	if (!k->symbols && errno == ENOMEM)
		return -ENOMEM;
	close(k->fd);
	k->fd = -1;
	return k->symbols ? 0 : -ENOENT;
}

/* A module is "[NAME]". */
void kernel_image_build_id(const char *module, char hex[BUILD_ID_HEX_SIZE])
{
	char name[NAME_MAX + 1];

	snprintf(name, sizeof(name), "%.*s", (int)strlen(module) - 2, module + 1);
	kernel_notes_build_id(strcmp(module, KALLSYMS_KERNEL) ? name : NULL, hex);
}
