// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/tls_files.c
// libs: -lgnutls
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <time.h>
#include <unistd.h>

#include "http/tls_files.h"

static char folder[] = "/tmp/tls.XXXXXX";
static char cert[64], key[64], other_key[64], empty[64];

static void save(const char *path, const gnutls_datum_t *data)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fwrite(data->data, 1, data->size, out);
	fclose(out);
}

static gnutls_x509_privkey_t make_key(const char *path)
{
	gnutls_x509_privkey_t made;
	gnutls_datum_t pem;

	assert_int_equal(gnutls_x509_privkey_init(&made), 0);
	assert_int_equal(gnutls_x509_privkey_generate(made, GNUTLS_PK_EDDSA_ED25519, 256, 0), 0);
	assert_int_equal(gnutls_x509_privkey_export2(made, GNUTLS_X509_FMT_PEM, &pem), 0);
	save(path, &pem);
	gnutls_free(pem.data);
	return made;
}

static void make_cert(gnutls_x509_privkey_t of)
{
	gnutls_x509_crt_t made;
	gnutls_datum_t pem;

	assert_int_equal(gnutls_x509_crt_init(&made), 0);
	gnutls_x509_crt_set_version(made, 3);
	gnutls_x509_crt_set_serial(made, "1", 1);
	gnutls_x509_crt_set_dn_by_oid(made, GNUTLS_OID_X520_COMMON_NAME, 0, "a", 1);
	gnutls_x509_crt_set_activation_time(made, 0);
	gnutls_x509_crt_set_expiration_time(made, time(NULL) + 1000);
	gnutls_x509_crt_set_key(made, of);
	assert_int_equal(gnutls_x509_crt_sign2(made, made, of, GNUTLS_DIG_SHA512, 0), 0);
	assert_int_equal(gnutls_x509_crt_export2(made, GNUTLS_X509_FMT_PEM, &pem), 0);
	save(cert, &pem);
	gnutls_free(pem.data);
	gnutls_x509_crt_deinit(made);
}

static int begin(void **state)
{
	gnutls_x509_privkey_t made;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(cert, sizeof(cert), "%s/cert", folder);
	snprintf(key, sizeof(key), "%s/key", folder);
	snprintf(other_key, sizeof(other_key), "%s/other", folder);
	snprintf(empty, sizeof(empty), "%s/empty", folder);
	made = make_key(key);
	make_cert(made);
	gnutls_x509_privkey_deinit(made);
	gnutls_x509_privkey_deinit(make_key(other_key));
	save(empty, &(gnutls_datum_t){ (unsigned char *)"", 0 });
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(cert);
	unlink(key);
	unlink(other_key);
	unlink(empty);
	return rmdir(folder);
}

static void test_pair(void **state)
{
	char why[TLS_FILES_WHY];
	struct tls_files t;

	(void)state;
	if (tls_files_read(&t, cert, key, why))
		fail_msg("%s", why);
	assert_non_null(strstr(t.cert, "BEGIN CERTIFICATE"));
	assert_non_null(strstr(t.key, "PRIVATE KEY"));
	tls_files_free(&t);
	assert_null(t.cert);
}

static void assert_refused(const char *cert_path, const char *key_path, const char *text)
{
	char why[TLS_FILES_WHY] = "";
	struct tls_files t;

	assert_true(tls_files_read(&t, cert_path, key_path, why) < 0);
	if (!strstr(why, text))
		fail_msg("'%s' lacks '%s'", why, text);
	assert_null(t.cert);
	assert_null(t.key);
}

static void test_refused_files(void **state)
{
	(void)state;
	assert_refused("/nonexistent", key, "cannot read /nonexistent: No such file");
	assert_refused(cert, "/nonexistent", "name another file with --tls-key");
	assert_refused(cert, other_key, "give PEM files of a certificate and of its key");
	assert_refused(key, cert, "give PEM files");
	assert_refused(empty, key, "give PEM files");
	assert_refused(cert, empty, "give PEM files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_refused_files),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
