// SPDX-License-Identifier: GPL-2.0
#include "analysis/comments.h"

#include "analysis/report.h"
#include "pprof/model.h"

void comments_print(FILE *out, const struct model *m)
{
	for (size_t i = 0; i < m->comments.nr; i++) {
		report_print_string(out, m, m->comments.items[i]);
		putc('\n', out);
	}
}
