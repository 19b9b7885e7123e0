// SPDX-License-Identifier: GPL-2.0
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/profile_types.h"
#include "analysis/filter.h"
#include "analysis/regex.h"
#include "pprof.h"

void options_init(struct options *options, enum options_command command)
{
	*options = (struct options){
		.command = command,
		.is_diff = command == OPTIONS_DIFF,
		.read.base_sign = MERGE_DIFF_BASE,
		.run = {
			.profile_types = 1U << PROFILE_TYPE_CPU,
			.hz = 100,
			.block_rate_ns = 1000000,
			.mutex_fraction = 1,
			.growth_rate = 65536,
			.heap_rate = 512 << 10,
			.buffer_pages = 128,
			.max_stacks = 1000000,
			.tables = true,
			.max_frames = PPROF_DEFAULT_FRAMES,
			.nr_functions = 10,
		},
	};
}

void options_fini(struct options *options)
{
	free(options->run.pids);
	free(options->elf_files.items);
	push_settings_fini(&options->push);
	free(options->read.files.items);
	free(options->read.bases.items);
	regex_free(options->read.peek);
	regex_free(options->serve.comm);
	filter_free(options->read.filter);
}

enum options_command options_find_command(const char *keyword)
{
	static const char *const names[] = {
		[OPTIONS_AUDIT] = "audit",	[OPTIONS_STATUS] = "status",
		[OPTIONS_DOCTOR] = "doctor",	[OPTIONS_CFI] = "cfi",
		[OPTIONS_LIST] = "list",	[OPTIONS_PUSH] = "push",
		[OPTIONS_FLAME] = "flame",
		[OPTIONS_MERGE] = "merge",	[OPTIONS_DIFF] = "diff",
		[OPTIONS_FILTER] = "filter",	[OPTIONS_CONVERT] = "convert",
		[OPTIONS_CHECK] = "check",
		[OPTIONS_TOP] = "top",		[OPTIONS_TREE] = "tree",
		[OPTIONS_PEEK] = "peek",	[OPTIONS_TRACES] = "traces",
		[OPTIONS_TAGS] = "tags",	[OPTIONS_COMMENTS] = "comments",
		[OPTIONS_RAW] = "raw",		[OPTIONS_SERVE] = "serve",
	};

	for (size_t i = OPTIONS_PROFILE + 1; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(keyword, names[i]))
			return i;
	return OPTIONS_PROFILE;
}
