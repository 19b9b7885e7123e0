// SPDX-License-Identifier: GPL-2.0
#include "report/debug_warnings.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/utf8.h"

/* The texts before the path of the file and after it. %s is the version of elfutils. */
static const struct {
	const char *effect;
	const char *cause;
} texts[DEBUG_FAULT_NR] = {
	[DEBUG_FAULT_COMPRESSION] = {
		"no lines and inlined functions from ",
		", whose compression libelf %s cannot read: use objcopy --decompress-debug-sections",
	},
};

void debug_warnings_print(const struct mapped_files *files)
{
	const char *path = NULL;
	uint64_t nr;

	for (unsigned int cause = DEBUG_FAULT_NONE + 1; cause < DEBUG_FAULT_NR; cause++) {
		nr = mapped_files_nr_faulty(files, cause, &path);
		if (!nr)
			continue;
		fprintf(stderr, "pprof-collect: %s", texts[cause].effect);
		utf8_print(stderr, path);
		fprintf(stderr, texts[cause].cause, dwfl_version(NULL));
		if (nr > 1)
			fprintf(stderr, " (and %" PRIu64 " more such files)", nr - 1);
		fputc('\n', stderr);
	}
}
