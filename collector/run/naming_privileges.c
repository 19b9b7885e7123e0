// SPDX-License-Identifier: GPL-2.0
#include "run/naming_privileges.h"

#include <stdbool.h>
#include <unistd.h>

#include "run/privileges.h"
#include "symbol/cache_dir.h"
#include "symbol/elf_symbolizer.h"

int naming_privileges_keep(int *folders, size_t nr)
{
	bool is_free = elf_symbolizer_has_servers();
	int err;

	folders[nr++] = is_free ? -1 : cache_dir_open_folder();
	err = privileges_end_profile(is_free ? NULL : folders, is_free ? 0 : nr);
	while (nr)
		if (folders[--nr] >= 0)
			close(folders[nr]);
	return err;
}
