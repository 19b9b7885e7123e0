// SPDX-License-Identifier: GPL-2.0
#include "push/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/libgnutls.h"
#include "push/libcurl.h"
#include "push/url_template.h"

#define NO_LIBRARY	"takes the library libcurl with GnuTLS, which cannot be loaded: install libcurl3-gnutls"
#define NO_MEMORY	"cannot be read: out of memory: free memory"

static const char *const kinds[PUSH_NR_KINDS] = {
	[PUSH_PYROSCOPE] = "pyroscope", [PUSH_PARCA] = "parca", [PUSH_OTLP] = "otlp",
	[PUSH_HTTP] = "http",		[PUSH_S3] = "s3",
};

/* Sets *kind. Returns: the URL after "KIND=", or NULL if there is no such kind. */
static const char *find_kind(const char *text, enum push_kind *kind)
{
	size_t len = strcspn(text, "=");

	for (*kind = 0; text[len] && *kind < PUSH_NR_KINDS; ++*kind)
		if (strlen(kinds[*kind]) == len && !memcmp(kinds[*kind], text, len))
			return text + len + 1;
	return NULL;
}

static bool has(CURLU *url, CURLUPart part)
{
	char *text = NULL;
	bool found = !libcurl.url_get(url, part, &text, 0);

	libcurl.free(text);
	return found;
}

static bool is_http(CURLU *url)
{
	char *scheme = NULL;
	bool found = !libcurl.url_get(url, CURLUPART_SCHEME, &scheme, 0) &&
		(!strcmp(scheme, "http") || !strcmp(scheme, "https"));

	libcurl.free(scheme);
	return found;
}

/* Returns: NULL, or a message about the path or the query. */
static const char *check_place(CURLU *url, enum push_kind kind, const char *text)
{
	char *path = NULL;
	bool has_key;

	if (kind < PUSH_HTTP)
		return has(url, CURLUPART_QUERY) ? "takes a URL without a query: leave '?...' out" :
			NULL;
	if (!url_template_is_valid(text))
		return "has a '%' that is neither %H, %s, %k, %p or %t nor an encoded byte: write "
			"%25 for a percent sign";
	if (kind == PUSH_HTTP)
		return NULL;
	if (libcurl.url_get(url, CURLUPART_PATH, &path, 0))
		return NO_MEMORY;
	has_key = path[0] && path[1] && strchr(path + 1, '/') && strchr(path + 1, '/')[1];
	libcurl.free(path);
	return has_key ? NULL : "has no bucket and key: give s3=https://HOST/BUCKET/KEY";
}

static const char *check_url(CURLU *url, enum push_kind kind, const char *text)
{
	if (libcurl.url_set(url, CURLUPART_URL, text, 0) || !is_http(url))
		return "is no URL that begins with http:// or https://: correct it";
	if (has(url, CURLUPART_USER) || has(url, CURLUPART_PASSWORD))
		return "has a user in the URL, which all users of this machine could read: give a "
			"file with --push-auth";
	if (has(url, CURLUPART_FRAGMENT))
		return "has a '#', which no server sees: leave it out";
	return check_place(url, kind, text);
}

/* Returns: "KIND=SCHEME://HOST:PORT", which the caller frees, or NULL if memory is short. */
static char *name_of(CURLU *url, enum push_kind kind)
{
	char *whole = NULL, *name = NULL;

	if (libcurl.url_set(url, CURLUPART_PATH, "/", 0) ||
	    libcurl.url_set(url, CURLUPART_QUERY, NULL, 0) ||
	    libcurl.url_get(url, CURLUPART_URL, &whole, 0))
		return NULL;
	if (asprintf(&name, "%s=%.*s", kinds[kind], (int)strlen(whole) - 1, whole) < 0)
		name = NULL;
	libcurl.free(whole);
	return name;
}

static char *base_of(const char *text, enum push_kind kind)
{
	size_t len = strlen(text);

	while (kind < PUSH_HTTP && text[len - 1] == '/')
		len--;
	return strndup(text, len);
}

const char *push_backend_parse(struct push_backend *b, const char *text)
{
	const char *wrong, *address = find_kind(text, &b->kind);
	CURLU *url;

	if (!address)
		return "is no backend: give pyroscope=URL, parca=URL, otlp=URL, http=URL or s3=URL";
	if (libcurl_load() || libgnutls_load())
		return NO_LIBRARY;
	url = libcurl.url();
	if (!url)
		return NO_MEMORY;
	*b = (struct push_backend){ .kind = b->kind };
	wrong = check_url(url, b->kind, address);
	if (!wrong) {
		b->url = base_of(address, b->kind);
		b->name = name_of(url, b->kind);
		wrong = b->url && b->name ? NULL : NO_MEMORY;
	}
	libcurl.url_cleanup(url);
	if (wrong)
		push_backend_fini(b);
	return wrong;
}

void push_backend_fini(struct push_backend *b)
{
	free(b->url);
	free(b->name);
	*b = (struct push_backend){ 0 };
}
