// SPDX-License-Identifier: GPL-2.0
#include "push/url_template.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S	1000000000

static bool is_byte(const char *at)
{
	return isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2]);
}

bool url_template_is_valid(const char *url)
{
	for (url = strchr(url, '%'); url; url = strchr(url + 1, '%'))
		if (!is_byte(url) && (!url[1] || !strchr("Hskpt", url[1])))
			return false;
	return true;
}

/* A dot at the start is replaced, so the name cannot be ".." or a hidden file. */
static void put_name(FILE *out, const char *name)
{
	if (!name || !*name)
		name = "unknown";
	for (const char *c = name; *c; c++) {
		bool is_kept = isalnum((unsigned char)*c) || strchr("-_", *c) ||
			(*c == '.' && c != name);

		putc(is_kept && (unsigned char)*c < 0x80 ? *c : '_', out);
	}
}

static void put_time(FILE *out, int64_t time_ns)
{
	const time_t seconds = time_ns / NS_PER_S;
	char text[32];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc);
	fputs(text, out);
}

static void put_value(FILE *out, char letter, const struct url_template_values *v)
{
	switch (letter) {
	case 'H':
		put_name(out, v->host);
		break;
	case 's':
		put_name(out, v->service);
		break;
	case 'k':
		put_name(out, v->type);
		break;
	case 'p':
		put_name(out, v->pid);
		break;
	case 't':
		put_time(out, v->time_ns);
		break;
	}
}

char *url_template_fill(const char *url, const struct url_template_values *v)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (; *url; url++)
		if (*url == '%' && !is_byte(url))
			put_value(out, *++url, v);
		else
			putc(*url, out);
	return fclose(out) ? NULL : text;
}
