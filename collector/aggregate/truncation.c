// SPDX-License-Identifier: GPL-2.0
#include "aggregate/truncation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "process/mapped_files.h"

void truncation_fini(struct truncation *truncation)
{
	free(truncation->by_file);
	*truncation = (struct truncation){ 0 };
}

int truncation_add(struct truncation *truncation, uint32_t file, uint64_t count)
{
	size_t room = truncation->by_file ? truncation->room : 0;
	uint64_t *by_file = array_grow(truncation->by_file, &truncation->room, (size_t)file + 1,
				       sizeof(*by_file));

	if (!by_file)
		return -ENOMEM;
	memset(by_file + room, 0, (truncation->room - room) * sizeof(*by_file));
	truncation->by_file = by_file;
	by_file[file] += count;
	return 0;
}

uint32_t truncation_worst(const struct truncation *truncation, uint64_t *count)
{
	uint32_t worst = MAPPED_FILES_NONE;

	*count = 0;
	for (uint32_t file = MAPPED_FILES_NONE + 1; truncation->by_file && file < truncation->room;
	     file++) {
		if (truncation->by_file[file] <= *count)
			continue;
		worst = file;
		*count = truncation->by_file[file];
	}
	return worst;
}
