/* SPDX-License-Identifier: GPL-2.0 */
/* What the command line of `pprof-collect serve` sets beside struct settings. */
#ifndef COLLECTOR_SERVE_SETTINGS_H
#define COLLECTOR_SERVE_SETTINGS_H

#include <stdbool.h>

#include "http/listen_address.h"

struct regex;

struct serve_settings {
	struct regex *comm;		/* targets are the processes of such names; or NULL */
	const char *listen;		/* as it was given; NULL: a socket in the file system */
	const char *unix_path;		/* NULL: none */
	struct listen_address address;
	const char *hosts;		/* names that are allowed in Host, or NULL */
	const char *token_file;		/* NULL: no token */
	const char *tls_cert;		/* PEM files; NULL: plain HTTP */
	const char *tls_key;
	bool is_insecure;		/* other machines may ask without TLS and without a token */
};

#endif /* COLLECTOR_SERVE_SETTINGS_H */
