// SPDX-License-Identifier: GPL-2.0
#include "badfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "cfi.h"
#include "utf8.h"

static bool is_damaged(int err)
{
	return err == -ENOEXEC || err == -EIO;
}

void badfile_warn(const struct files *files, const struct tables_bad *bad)
{
	fprintf(stderr, "pprof-collect: cannot look for the callers of ");
	utf8_print(stderr, files_path(files, bad->file));
	fprintf(stderr, is_damaged(bad->err) ? ", as it %s: install it anew" : ": %s",
		cfi_reason(bad->err));
	if (bad->nr > 1)
		fprintf(stderr, " (and %" PRIu64 " more such files)", bad->nr - 1);
	fputc('\n', stderr);
}
