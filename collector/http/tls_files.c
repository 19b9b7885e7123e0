// SPDX-License-Identifier: GPL-2.0
#include "http/tls_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/libgnutls.h"

/* Chains of certificates are far smaller. */
#define MAX_PEM	(256U << 10)

/* Longest chain of certificates. */
#define MAX_CHAIN	16

struct tls_pair {
	struct tls_pair *older;
	gnutls_pcert_st certs[MAX_CHAIN];
	unsigned int nr_certs;
	gnutls_privkey_t key;
};

/* The texts of the two files, while they are read. */
struct tls_texts {
	char *cert;
	char *key;
};

/* The callback of GnuTLS has no argument of its own, so this is not in a struct. */
static struct tls_pair *newest;

static void free_text(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

/* Returns: 0 and *text, with a NUL; -EFBIG over MAX_PEM bytes; or a negative errno. */
static int read_all(int fd, char **text)
{
	char *bytes = malloc(MAX_PEM + 1);
	ssize_t got = 1;
	size_t len = 0;

	if (!bytes)
		return -ENOMEM;
	while (got > 0 && len < MAX_PEM) {
		got = read(fd, bytes + len, MAX_PEM - len);
		len += got > 0 ? got : 0;
	}
	bytes[len] = 0;
	if (got) {
		int err = got < 0 ? -errno : -EFBIG;

		explicit_bzero(bytes, len);
		free(bytes);
		return err;
	}
	*text = bytes;
	return 0;
}

static int read_text(const char *path, const char *option, char **text, char *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : read_all(fd, text);

	if (fd >= 0)
		close(fd);
	if (err)
		snprintf(why, TLS_FILES_WHY, "cannot read %s: %s: name another file with %s", path,
			 strerror(-err), option);
	return err;
}

/* The texts of GnuTLS end with a full stop. */
static void explain(char *why, const char *cert, const char *key, int err)
{
	const char *text = libgnutls.strerror(err);
	int len = strlen(text);

	len -= len && text[len - 1] == '.';
	snprintf(why, TLS_FILES_WHY, "cannot use %s and %s for TLS: %.*s: give PEM files of a "
		 "certificate and of its key", cert, key, len, text);
}

static gnutls_datum_t datum(const char *text)
{
	return (gnutls_datum_t){ (unsigned char *)text, strlen(text) };
}

/* Do the texts make a certificate and its key? Returns: 0, or an error of GnuTLS. */
static int check(const struct tls_texts *t)
{
	const gnutls_datum_t cert = datum(t->cert), key = datum(t->key);
	gnutls_certificate_credentials_t credentials;
	int err = libgnutls.certificate_allocate_credentials(&credentials);

	if (err)
		return err;
	err = libgnutls.certificate_set_x509_key_mem(credentials, &cert, &key, GNUTLS_X509_FMT_PEM);
	libgnutls.certificate_free_credentials(credentials);
	return err < 0 ? err : 0;
}

static void free_pair(struct tls_pair *pair)
{
	for (unsigned int i = 0; i < pair->nr_certs; i++)
		libgnutls.pcert_deinit(&pair->certs[i]);
	if (pair->key)
		libgnutls.privkey_deinit(pair->key);
	free(pair);
}

/* Returns: 0, or an error of GnuTLS. */
static int fill_pair(struct tls_pair *pair, const struct tls_texts *t)
{
	const gnutls_datum_t cert = datum(t->cert), key = datum(t->key);
	unsigned int nr = MAX_CHAIN;
	int err = libgnutls.pcert_list_import_x509_raw(pair->certs, &nr, &cert, GNUTLS_X509_FMT_PEM,
						    0);

	if (err)
		return err;
	pair->nr_certs = nr;
	err = libgnutls.privkey_init(&pair->key);
	return err ? err : libgnutls.privkey_import_x509_raw(pair->key, &key, GNUTLS_X509_FMT_PEM,
							  NULL, 0);
}

/* Returns: 0, or an error of GnuTLS. */
static int add_pair(const struct tls_texts *t)
{
	struct tls_pair *pair = calloc(1, sizeof(*pair));
	int err = pair ? fill_pair(pair, t) : GNUTLS_E_MEMORY_ERROR;

	if (!err) {
		pair->older = newest;
		newest = pair;
	} else if (pair) {
		free_pair(pair);
	}
	return err;
}

static int use(const struct tls_texts *t, const char *cert, const char *key, char *why)
{
	int err = check(t);

	if (!err)
		err = add_pair(t);
	if (!err)
		return 0;
	explain(why, cert, key, err);
	return -EINVAL;
}

static int load_library(char *why)
{
	int err = libgnutls_load();

	if (err)
		snprintf(why, TLS_FILES_WHY, "cannot load the library GnuTLS: install libgnutls30");
	return err;
}

int tls_files_read(const char *cert, const char *key, char why[TLS_FILES_WHY])
{
	struct tls_texts t = { 0 };
	int err = load_library(why);

	if (!err)
		err = read_text(cert, "--tls-cert", &t.cert, why);
	if (!err)
		err = read_text(key, "--tls-key", &t.key, why);
	if (!err)
		err = use(&t, cert, key, why);
	free_text(t.cert);
	free_text(t.key);
	return err;
}

void tls_files_free(void)
{
	struct tls_pair *older;

	for (; newest; newest = older) {
		older = newest->older;
		free_pair(newest);
	}
}

int tls_files_retrieve(gnutls_session_t session, const gnutls_datum_t *authorities, int nr,
		       const gnutls_pk_algorithm_t *algorithms, int nr_algorithms,
		       gnutls_pcert_st **certs, unsigned int *nr_certs, gnutls_privkey_t *key)
{
	(void)session;
	(void)authorities;
	(void)nr;
	(void)algorithms;
	(void)nr_algorithms;
	*certs = newest->certs;
	*nr_certs = newest->nr_certs;
	*key = newest->key;
	return 0;
}
