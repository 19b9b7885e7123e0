// SPDX-License-Identifier: GPL-2.0
#include "http/tls_files.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_text(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

static int read_text(const char *path, const char *option, char **text, char *why)
{
	gnutls_datum_t data;
	int err = gnutls_load_file(path, &data);

	if (err) {
		snprintf(why, TLS_FILES_WHY, "cannot read %s: %s: name another file with %s", path,
			 errno ? strerror(errno) : gnutls_strerror(err), option);
		return -EIO;
	}
	*text = (char *)data.data;	/* GnuTLS adds a NUL */
	return 0;
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
	snprintf(why, TLS_FILES_WHY, "cannot use %s and %s for TLS: %s: give PEM files of a "
		 "certificate and of its key", cert, key, gnutls_strerror(err));
	return -EINVAL;
}

int tls_files_read(struct tls_files *t, const char *cert, const char *key, char why[TLS_FILES_WHY])
{
	int err;

	*t = (struct tls_files){ 0 };
	errno = 0;
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
