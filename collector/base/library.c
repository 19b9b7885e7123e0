// SPDX-License-Identifier: GPL-2.0
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>

static int find_symbols(void *handle, const struct library *library)
{
	for (size_t i = 0; i < library->nr_symbols; i++) {
		*library->symbols[i].address = dlsym(handle, library->symbols[i].name);
		if (!*library->symbols[i].address)
			return -ENOENT;
	}
	return 0;
}

int library_load(struct library *library)
{
	void *handle;

	if (library->handle)
		return 0;
	handle = dlopen(library->names[0], RTLD_NOW);
	if (!handle && library->names[1])
		handle = dlopen(library->names[1], RTLD_NOW);
	if (!handle || find_symbols(handle, library))
		return -ENOENT;
	library->handle = handle;
	return 0;
}
