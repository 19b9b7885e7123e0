// SPDX-License-Identifier: GPL-2.0
#include "http/tls_files.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Chains of certificates are far smaller. */
#define MAX_PEM	(256U << 10)

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
	const char *text = gnutls_strerror(err);
	size_t len = strlen(text);

	snprintf(why, TLS_FILES_WHY, "cannot use %s and %s for TLS: %.*s: give PEM files of a "
		 "certificate and of its key", cert, key, (int)(len - (len && text[len - 1] == '.')),
		 text);
}

/* Do the texts make a certificate and its key? */
static int check(const struct tls_files *t, const char *cert, const char *key, char *why)
{
	const gnutls_datum_t cert_data = { (unsigned char *)t->cert, strlen(t->cert) };
	const gnutls_datum_t key_data = { (unsigned char *)t->key, strlen(t->key) };
	gnutls_certificate_credentials_t credentials;
	int err = gnutls_certificate_allocate_credentials(&credentials);

	if (!err) {
		err = gnutls_certificate_set_x509_key_mem(credentials, &cert_data, &key_data,
							  GNUTLS_X509_FMT_PEM);
		gnutls_certificate_free_credentials(credentials);
	}
	if (err >= 0)
		return 0;
	explain(why, cert, key, err);
	return -EINVAL;
}

int tls_files_read(struct tls_files *t, const char *cert, const char *key, char why[TLS_FILES_WHY])
{
	int err;

	*t = (struct tls_files){ 0 };
	err = read_text(cert, "--tls-cert", &t->cert, why);
	if (!err)
		err = read_text(key, "--tls-key", &t->key, why);
	if (!err)
		err = check(t, cert, key, why);
	if (err)
		tls_files_free(t);
	return err;
}

void tls_files_free(struct tls_files *t)
{
	free_text(t->cert);
	free_text(t->key);
	*t = (struct tls_files){ 0 };
}
