// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/tls_files.c
// sources: collector/base/library.c collector/base/libgnutls.c
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

static char folder[32];
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

	const unsigned int bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);

	assert_int_equal(gnutls_x509_privkey_init(&made), 0);
	assert_int_equal(gnutls_x509_privkey_generate(made, GNUTLS_PK_ECDSA, bits, 0), 0);
	assert_int_equal(gnutls_x509_privkey_export2_pkcs8(made, GNUTLS_X509_FMT_PEM, NULL, 0,
							   &pem), 0);
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
	assert_int_equal(gnutls_x509_crt_sign2(made, made, of, GNUTLS_DIG_SHA256, 0), 0);
	assert_int_equal(gnutls_x509_crt_export2(made, GNUTLS_X509_FMT_PEM, &pem), 0);
	save(cert, &pem);
	gnutls_free(pem.data);
	gnutls_x509_crt_deinit(made);
}

static int begin(void **state)
{
	gnutls_x509_privkey_t made;

	(void)state;
	strcpy(folder, "/tmp/tls.XXXXXX");
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

static unsigned int retrieve(gnutls_pcert_st **certs, gnutls_privkey_t *found)
{
	unsigned int nr = 0;

	assert_int_equal(tls_files_retrieve(NULL, NULL, 0, NULL, 0, certs, &nr, found), 0);
	return nr;
}

/* A second reading gives new connections a new pair, and leaves the first one in use. */
static void test_pairs(void **state)
{
	gnutls_pcert_st *first, *second;
	gnutls_privkey_t first_key, second_key;
	char why[TLS_FILES_WHY];

	(void)state;
	if (tls_files_read(cert, key, why))
		fail_msg("%s", why);
	assert_int_equal(retrieve(&first, &first_key), 1);
	assert_int_equal(tls_files_read(cert, key, why), 0);
	assert_int_equal(retrieve(&second, &second_key), 1);
	assert_ptr_not_equal(first, second);
	assert_ptr_not_equal(first_key, second_key);
	assert_int_equal(gnutls_privkey_get_pk_algorithm(first_key, NULL), GNUTLS_PK_ECDSA);
	tls_files_free();
}

/* Wrong files change nothing. */
static void assert_refused(const char *cert_path, const char *key_path, const char *text)
{
	gnutls_pcert_st *before, *after;
	char why[TLS_FILES_WHY] = "";
	gnutls_privkey_t found;

	assert_int_equal(tls_files_read(cert, key, why), 0);
	retrieve(&before, &found);
	if (!tls_files_read(cert_path, key_path, why))
		fail_msg("%s and %s are taken", cert_path, key_path);
	if (!strstr(why, text))
		fail_msg("'%s' lacks '%s'", why, text);
	retrieve(&after, &found);
	assert_ptr_equal(before, after);
	tls_files_free();
}

static void test_refused_files(void **state)
{
	(void)state;
	assert_refused("/dev/null/no", key, "cannot read /dev/null/no: Not a directory: name another");
	assert_refused(cert, "/dev/null/no", "name another file with --tls-key");
	assert_refused(cert, "/dev/zero", "name another file with --tls-key");
	assert_refused(cert, other_key, "give PEM files of a certificate and of its key");
	assert_refused(key, cert, "give PEM files");
	assert_refused(empty, key, "give PEM files");
	assert_refused(cert, empty, "give PEM files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_refused_files),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
