/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A bounded HTTP server in one thread, by libmicrohttpd. The caller has the poll loop:
 *
 *	nr = http_server_fill(s, fds);
 *	poll(fds, nr, http_server_timeout_ms(s));
 *	http_server_run(s, fds, nr);
 *
 * A request is read as a whole, then handle() gets it. handle() answers it, or keeps it and answers
 * it later: the connection waits meanwhile. The server watches waiting clients: see gone().
 *
 * Bounds:
 *
 *	connections at once, and of one address		64, 16
 *	URL, head, body					8 KiB, 32 KiB, 1 MiB
 *	time for the head of a first request, its body	10 s each
 *	time until the head of the next request is read	30 s
 *	time to take an answer				60 s
 */
#ifndef COLLECTOR_HTTP_SERVER_H
#define COLLECTOR_HTTP_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "http/answer.h"

#define HTTP_SERVER_MAX_CONNECTIONS	96
#define HTTP_SERVER_MAX_FDS		(HTTP_SERVER_MAX_CONNECTIONS + 1)

struct http_server;
struct metrics;
struct MHD_Connection;
struct MHD_Response;

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_OTHER };

struct http_request {
	enum http_method method;
	const char *url;	/* as it was sent */
	const char *path;	/* decoded */
	const char *query;	/* undecoded; "" if there is none */
	const char *body;	/* of a POST */
	size_t body_len;
	void *owner;		/* for the caller */

	/* The rest is private. */
	struct http_server *server;
	struct http_connection *slot;
	struct MHD_Connection *connection;
	struct MHD_Response *response;
	unsigned int status;
	bool is_read, is_waiting, is_gone, is_url_too_long;
	char *text;
	size_t room;
	char *body_text;
};

struct http_server_settings {
	int listen_fd;		/* of listen_address_open(); the caller closes it at the end */
	bool checks_host;	/* see host_header.h; needless for a socket in the file system */
	const char *host_names;	/* names that are allowed in Host, or NULL */
	const char *token;	/* that each client must send, or NULL: see token.h */
	bool has_tls;		/* with the certificate of tls_files.h; else plain HTTP */
	/* Answers the request now, or keeps it. */
	void (*handle)(void *ctx, struct http_request *r);
	/* The client of a request that was kept has gone. It must not be answered any more. */
	void (*gone)(void *ctx, struct http_request *r);
	void *ctx;
};

/*
 * Starts a server. settings is copied; what it points to is borrowed. The caller has called
 * libmicrohttpd_load().
 * Returns: the server, or NULL without memory.
 */
struct http_server *http_server_new(const struct http_server_settings *settings);

/* Ends all connections and frees the server. s may be NULL. */
void http_server_free(struct http_server *s);

/* Fills fds, of HTTP_SERVER_MAX_FDS. Returns: their number. */
nfds_t http_server_fill(struct http_server *s, struct pollfd *fds);

/* Returns the longest time for poll(), or -1 for no limit. */
int http_server_timeout_ms(const struct http_server *s);

/* Does what is due. fds are those of http_server_fill(), after poll(). */
void http_server_run(struct http_server *s, const struct pollfd *fds, nfds_t nr);

/* Sets the answers and the connections of m. */
void http_server_measure(const struct http_server *s, struct metrics *m);

/* Answers with the text of a. */
void http_answer_text(struct http_request *r, const struct answer *a);

/* Answers with the content of a file, from its start. Closes fd. */
void http_answer_file(struct http_request *r, const struct answer *a, int fd);

/* Answers with len bytes, which the server frees. */
void http_answer_bytes(struct http_request *r, const struct answer *a, char *bytes, size_t len);

/* Answers a HEAD with the headers of a body whose length is not known. */
void http_answer_head(struct http_request *r, const struct answer *a);

#endif /* COLLECTOR_HTTP_SERVER_H */
