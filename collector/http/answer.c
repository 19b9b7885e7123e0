// SPDX-License-Identifier: GPL-2.0
#include "http/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void answer_ok(struct answer *a, const char *type)
{
	*a = (struct answer){ .status = 200, .type = type };
}

/* The text always ends with a newline, even if it is truncated. */
static void set_error(struct answer *a, unsigned int status, const char *fmt, va_list args)
{
	*a = (struct answer){ .status = status, .type = ANSWER_PLAIN };
	vsnprintf(a->text, sizeof(a->text) - 1, fmt, args);
	strcat(a->text, "\n");
}

void answer_error(struct answer *a, unsigned int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_error(a, status, fmt, args);
	va_end(args);
	a->is_pprof_error = true;
}

void answer_refuse(struct answer *a, unsigned int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_error(a, status, fmt, args);
	va_end(args);
}

void answer_name_file(struct answer *a, const char *name, const char *suffix)
{
	snprintf(a->file, sizeof(a->file), "%s%s", name, suffix);
	for (char *c = a->file; *c; c++)
		if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
			*c = '_';
}
