/* SPDX-License-Identifier: GPL-2.0 */
/* The certificate and the key of the server, from PEM files. */
#ifndef COLLECTOR_HTTP_TLS_FILES_H
#define COLLECTOR_HTTP_TLS_FILES_H

#include <gnutls/abstract.h>

/* Room for a message. */
#define TLS_FILES_WHY	512

/*
 * Reads both files, and checks that they belong together. From then on, tls_files_retrieve() gives
 * them to new connections. Earlier ones stay in memory until tls_files_free(): a handshake may
 * still use them.
 * Returns: 0; or a negative errno, and then why has a message, and nothing has changed.
 */
int tls_files_read(const char *cert, const char *key, char why[TLS_FILES_WHY]);

/* Frees all certificates and keys. */
void tls_files_free(void);

/* A gnutls_certificate_retrieve_function2: gives the newest pair. */
int tls_files_retrieve(gnutls_session_t session, const gnutls_datum_t *authorities, int nr,
		       const gnutls_pk_algorithm_t *algorithms, int nr_algorithms,
		       gnutls_pcert_st **certs, unsigned int *nr_certs, gnutls_privkey_t *key);

#endif /* COLLECTOR_HTTP_TLS_FILES_H */
