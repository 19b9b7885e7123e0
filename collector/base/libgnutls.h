/* SPDX-License-Identifier: GPL-2.0 */
/* GnuTLS, which is loaded for a backend, or for the certificate of a server: see base/library.h. */
#ifndef COLLECTOR_LIBGNUTLS_H
#define COLLECTOR_LIBGNUTLS_H

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include "base/library.h"

/* What is used, without "gnutls_". All are NULL before libgnutls_load(). free is a variable. */
extern struct libgnutls {
	LIBRARY_POINTER(gnutls_base64_encode2) base64_encode2;
	LIBRARY_POINTER(gnutls_certificate_allocate_credentials) certificate_allocate_credentials;
	LIBRARY_POINTER(gnutls_certificate_free_credentials) certificate_free_credentials;
	LIBRARY_POINTER(gnutls_certificate_set_x509_key_mem) certificate_set_x509_key_mem;
	LIBRARY_POINTER(gnutls_hash_fast) hash_fast;
	LIBRARY_POINTER(gnutls_pcert_deinit) pcert_deinit;
	LIBRARY_POINTER(gnutls_pcert_list_import_x509_raw) pcert_list_import_x509_raw;
	LIBRARY_POINTER(gnutls_privkey_deinit) privkey_deinit;
	LIBRARY_POINTER(gnutls_privkey_import_x509_raw) privkey_import_x509_raw;
	LIBRARY_POINTER(gnutls_privkey_init) privkey_init;
	LIBRARY_POINTER(gnutls_strerror) strerror;
	gnutls_free_function *free;
} libgnutls;

/* Loads the library, once. Returns: 0; or -ENOENT if it cannot be loaded, or lacks a function. */
int libgnutls_load(void);

#endif /* COLLECTOR_LIBGNUTLS_H */
