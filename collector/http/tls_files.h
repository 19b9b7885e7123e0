/* SPDX-License-Identifier: GPL-2.0 */
/* The certificate and the key of the server, from PEM files. */
#ifndef COLLECTOR_HTTP_TLS_FILES_H
#define COLLECTOR_HTTP_TLS_FILES_H

/* Room for a message. */
#define TLS_FILES_WHY	512

struct tls_files {
	char *cert;		/* the text of the file, with its chain; NULL: not read */
	char *key;
};

/*
 * Reads both files, and checks that they belong together.
 * Returns: 0; or a negative errno, and then why has a message. Nothing is in t then.
 */
int tls_files_read(struct tls_files *t, const char *cert, const char *key, char why[TLS_FILES_WHY]);

/* Frees the texts, and clears the key first. */
void tls_files_free(struct tls_files *t);

#endif /* COLLECTOR_HTTP_TLS_FILES_H */
