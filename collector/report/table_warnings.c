// SPDX-License-Identifier: GPL-2.0
#include "report/table_warnings.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "unwind/compile.h"
#include "base/utf8.h"

/* Returns what the user can do, or what the module does; or NULL. */
static const char *find_advice(int err)
{
	switch (err) {
	case -ENOMSG:	/* such as the core file of SBCL */
		return "callers are found by frame pointers there";
	case -ENOEXEC:
		return "if it is damaged, install it anew";
	case -EIO:
		return "install it anew";
	case -ENOTSUP:
		return "run a 64-bit build of it";
	}
	return NULL;
}

void table_warnings_print(const struct mapped_files *files, const struct unwind_tables_bad *bad)
{
	const char *advice = find_advice(bad->err);

	fprintf(stderr, "pprof-collect: cannot unwind by tables in ");
	utf8_print(stderr, mapped_files_path(files, bad->file));
	if (advice)
		fprintf(stderr, ", as it %s: %s", cfi_reason(bad->err), advice);
	else
		fprintf(stderr, ": %s", cfi_reason(bad->err));
	if (bad->nr > 1)
		fprintf(stderr, " (and %" PRIu64 " more such files)", bad->nr - 1);
	fputc('\n', stderr);
}
