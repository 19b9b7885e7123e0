/* SPDX-License-Identifier: GPL-2.0 */
/* A server to which profiles are sent, as the command line names it: pyroscope=URL. */
#ifndef COLLECTOR_PUSH_BACKEND_H
#define COLLECTOR_PUSH_BACKEND_H

enum push_kind {
	PUSH_PYROSCOPE,		/* push.v1 over Connect */
	PUSH_PARCA,		/* WriteRaw over its JSON gateway */
	PUSH_OTLP,		/* profiles of OpenTelemetry over HTTP */
	PUSH_HTTP,		/* PUT of each profile, to a URL made from a template */
	PUSH_S3,		/* the same as PUSH_HTTP, signed for S3 */
	PUSH_NR_KINDS
};

struct push_backend {
	enum push_kind kind;
	/*
	 * Owned. For http and s3 a template: see push/url_template.h. Else the base of the URLs,
	 * without a slash at its end.
	 */
	char *url;
	/*
	 * Owned. For messages: "pyroscope=https://host:4040". It leaves out the query, which may
	 * hold a secret.
	 */
	char *name;
	/*
	 * All borrowed; NULL if not given. The files are read for each request, so they can be
	 * replaced.
	 */
	const char *auth_file;		/* see push/auth_file.h */
	const char *tenant;		/* X-Scope-OrgID */
	const char *cert_file;		/* PEM */
	const char *key_file;		/* PEM; NULL: cert_file has the key */
	const char *ca_file;		/* PEM; NULL: the certificates of the system */
	const char *region;		/* S3; NULL: the one in the host's name, or us-east-1 */
};

/*
 * Parses "KIND=URL" into b. push_backend_fini() frees its strings.
 * Returns: NULL; or a static message about the fault, and then b needs no push_backend_fini().
 */
const char *push_backend_parse(struct push_backend *b, const char *text);

/* Frees the strings of b. */
void push_backend_fini(struct push_backend *b);

#endif /* COLLECTOR_PUSH_BACKEND_H */
