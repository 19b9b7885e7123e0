// SPDX-License-Identifier: GPL-2.0
#include "aggregate/truncation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "process/mapped_files.h"

void cuts_fini(struct cuts *cuts)
{
	free(cuts->by_file);
	*cuts = (struct cuts){ 0 };
}

int cuts_add(struct cuts *cuts, uint32_t file, uint64_t count)
{
	size_t room = cuts->by_file ? cuts->room : 0;
	uint64_t *by_file = array_grow(cuts->by_file, &cuts->room, (size_t)file + 1,
				       sizeof(*by_file));

	if (!by_file)
		return -ENOMEM;
	memset(by_file + room, 0, (cuts->room - room) * sizeof(*by_file));
	cuts->by_file = by_file;
	by_file[file] += count;
	return 0;
}

uint32_t cuts_worst(const struct cuts *cuts, uint64_t *count)
{
	uint32_t worst = FILES_NONE;

	*count = 0;
	for (uint32_t file = FILES_NONE + 1; cuts->by_file && file < cuts->room; file++) {
		if (cuts->by_file[file] <= *count)
			continue;
		worst = file;
		*count = cuts->by_file[file];
	}
	return worst;
}
