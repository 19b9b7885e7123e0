// SPDX-License-Identifier: GPL-2.0
#include "doctor/finding.h"

#include <limits.h>
#include <stdarg.h>

#include "base/utf8.h"

static const char *const words[] = {
	[FINDING_OK]		= "ok",
	[FINDING_WARNING]	= "warning",
	[FINDING_PROBLEM]	= "problem",
};

void finding_print(struct findings *f, enum finding_mark mark, const char *check,
		   const char *format, ...)
{
	char text[PATH_MAX + 512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(f->out, "%-8s %-10s ", words[mark], check);
	utf8_print(f->out, text);
	putc('\n', f->out);
	f->nr_problems += mark == FINDING_PROBLEM;
}
