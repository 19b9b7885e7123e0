// SPDX-License-Identifier: GPL-2.0
#include "report/debug_warnings.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/utf8.h"

/* The parts of a message: before the path, before the version of elfutils, if any, and after it. */
static const struct {
	const char *effect;
	const char *cause;
	const char *remedy;
} texts[DEBUG_FAULT_NR] = {
	[DEBUG_FAULT_COMPRESSION] = {
		"no lines and inlined functions from ", ", whose compression libelf ",
		" cannot read: use objcopy --decompress-debug-sections",
	},
	[DEBUG_FAULT_DWP] = {
		"no inlined functions from ", ", which libdw ",
		" cannot read: keep the .dwo files, or use elfutils 0.191",
	},
	[DEBUG_FAULT_SPLIT] = {
		"no inlined functions from ",
		", which is missing, damaged or of another build: build the program anew", NULL,
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
		fputs(texts[cause].cause, stderr);
		if (texts[cause].remedy)
			fprintf(stderr, "%s%s", dwfl_version(NULL), texts[cause].remedy);
		if (nr > 1)
			fprintf(stderr, " (and %" PRIu64 " more such files)", nr - 1);
		fputc('\n', stderr);
	}
}
