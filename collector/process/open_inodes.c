// SPDX-License-Identifier: GPL-2.0
#include "process/open_inodes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

struct inode {
	uint64_t dev;
	uint64_t ino;
};

int open_inodes_init(struct open_inodes *o)
{
	*o = (struct open_inodes){ .inodes = strtab_new() };
	return o->inodes ? 0 : -ENOMEM;
}

void open_inodes_fini(struct open_inodes *o)
{
	strtab_free(o->inodes);
	free(o->holders);
}

uint32_t *open_inodes_get(struct open_inodes *o, const struct stat *st, bool *is_new)
{
	const struct inode inode = { st->st_dev, st->st_ino };
	size_t nr = strtab_nr(o->inodes);
	uint32_t *holders = array_grow(o->holders, &o->room, nr + 1, sizeof(*holders));
	int64_t index;

	if (!holders)
		return NULL;
	o->holders = holders;
	index = strtab_intern(o->inodes, (const char *)&inode, sizeof(inode));
	*is_new = index == (int64_t)nr;
	return index < 0 ? NULL : &holders[index];
}

/* The indices of those that are kept do not grow, so the holders are moved in place. */
int open_inodes_keep(struct open_inodes *o, const bool *keep)
{
	struct strtab *inodes = strtab_new();
	int64_t index = inodes ? 0 : -ENOMEM;

	for (size_t i = 1; index >= 0 && i < strtab_nr(o->inodes); i++)
		if (keep[o->holders[i]])
			index = strtab_intern(inodes, strtab_at(o->inodes, i),
					      strtab_len(o->inodes, i));
	if (index < 0) {
		strtab_free(inodes);
		return index;
	}
	index = 1;
	for (size_t i = 1; i < strtab_nr(o->inodes); i++)
		if (keep[o->holders[i]])
			o->holders[index++] = o->holders[i];
	strtab_free(o->inodes);
	o->inodes = inodes;
	return 0;
}
