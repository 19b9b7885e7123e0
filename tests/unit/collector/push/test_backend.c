// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/backend.c collector/push/libcurl.c collector/push/url_template.c
// sources: collector/base/library.c collector/base/libgnutls.c
// libs: -Wl,--wrap=dlopen
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "push/backend.h"

static bool is_missing;	/* libcurl */

void *__wrap_dlopen(const char *name, int flags);
void *__real_dlopen(const char *name, int flags);

void *__wrap_dlopen(const char *name, int flags)
{
	return is_missing ? NULL : __real_dlopen(name, flags);
}

static void takes(const char *text, enum push_kind kind, const char *url, const char *name)
{
	struct push_backend b;

	assert_null(push_backend_parse(&b, text));
	assert_int_equal(b.kind, kind);
	assert_string_equal(b.url, url);
	assert_string_equal(b.name, name);
	push_backend_fini(&b);
}

static void refuses(const char *text, const char *why)
{
	struct push_backend b;
	const char *wrong = push_backend_parse(&b, text);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, why));
}

/* It is looked for again: this test comes first. */
static void no_library(void **state)
{
	(void)state;
	is_missing = true;
	refuses("http=https://a", "cannot be loaded: install");
	refuses("loki=http://a", "no backend");
	is_missing = false;
	takes("http=https://a", PUSH_HTTP, "https://a", "http=https://a");
}

static void kinds(void **state)
{
	(void)state;
	takes("pyroscope=http://a:4040", PUSH_PYROSCOPE, "http://a:4040", "pyroscope=http://a:4040");
	takes("parca=https://a/x/", PUSH_PARCA, "https://a/x", "parca=https://a");
	takes("otlp=http://[::1]:4318//", PUSH_OTLP, "http://[::1]:4318", "otlp=http://[::1]:4318");
	takes("http=https://a/%H/%t?key=1", PUSH_HTTP, "https://a/%H/%t?key=1", "http=https://a");
	takes("s3=https://a/bucket/%k", PUSH_S3, "https://a/bucket/%k", "s3=https://a");
	refuses("loki=http://a", "no backend");
	refuses("pyroscope", "no backend");
	refuses("http://a", "no backend");
	refuses("", "no backend");
}

static void urls(void **state)
{
	(void)state;
	refuses("http=", "no URL");
	refuses("http=a/b", "no URL");
	refuses("http=ftp://a/b", "no URL");
	refuses("http=file:///etc/passwd", "no URL");
	refuses("http=http://a b/", "no URL");
	refuses("http=http://a/\r\nX: y", "no URL");
	refuses("http=http://u:p@a/", "user");
	refuses("http=http://u@a/", "user");
	refuses("http=http://a/#x", "'#'");
	refuses("pyroscope=http://a/?x=1", "query");
}

static void templates(void **state)
{
	(void)state;
	refuses("http=http://a/%x", "%H");
	refuses("http=http://a/100%", "%H");
	takes("http=http://a/100%25", PUSH_HTTP, "http://a/100%25", "http=http://a");
	refuses("s3=https://a", "bucket");
	refuses("s3=https://a/bucket", "bucket");
	refuses("s3=https://a/bucket/", "bucket");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_library), cmocka_unit_test(kinds),
		cmocka_unit_test(urls), cmocka_unit_test(templates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
