/* SPDX-License-Identifier: GPL-2.0 */
/* A server to which profiles are sent, as the command line names it: pyroscope=URL. */
#ifndef COLLECTOR_PUSH_BACKEND_H
#define COLLECTOR_PUSH_BACKEND_H

enum push_kind {
	PUSH_PYROSCOPE,		/* push.v1 over Connect */
	PUSH_PARCA,		/* WriteRaw over its JSON gateway */
	PUSH_OTLP,		/* OTLP profiles over HTTP */
	PUSH_HTTP,		/* PUT of the profile to a URL of its own */
	PUSH_S3,		/* the same, signed for S3 */
	PUSH_NR_KINDS
};

struct push_backend {
	enum push_kind kind;
	/*
	 * Owned. The base, without a slash at its end; for http and s3 a template: see
	 * push/url_template.h.
	 */
	char *url;
	/*
	 * Owned. For messages: "pyroscope=https://host:4040". It has no query: that may be secret.
	 */
	char *name;
	/* Borrowed; NULL: none. Files are read for each request, so they can be replaced. */
	const char *auth_file;		/* see push/auth_file.h */
	const char *tenant;		/* X-Scope-OrgID */
	const char *cert_file;		/* PEM */
	const char *key_file;		/* PEM; NULL: the key is in cert_file */
	const char *ca_file;		/* PEM; NULL: those of the system */
	const char *region;		/* of S3; NULL: that of the host's name, or us-east-1 */
};

/*
 * Parses "KIND=URL". push_backend_fini() frees b.
 * Returns: NULL; or a message about what is wrong. Then b needs no push_backend_fini().
 */
const char *push_backend_parse(struct push_backend *b, const char *text);

/* Frees the strings of b. */
void push_backend_fini(struct push_backend *b);

#endif /* COLLECTOR_PUSH_BACKEND_H */
