// SPDX-License-Identifier: GPL-2.0
/*
 * libmicrohttpd 0.9.75 runs in its mode "external epoll": MHD_run() does all work in the thread of
 * the caller, whenever the epoll descriptor is readable.
 *
 * Its time-out counts from the last byte, and a client that sends a byte a second would stay for
 * ever. So each connection has a deadline here. At the deadline the socket is shut down: for
 * libmicrohttpd the client has gone then.
 *
 * libmicrohttpd does not watch the socket of a request that waits (MHD_suspend_connection()). So
 * poll() also waits for POLLRDHUP of such sockets. A client that shuts down its sending half counts
 * as gone, as for Go's server.
 */
#include "http/server.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/host_header.h"
#include "http/libmicrohttpd.h"
#include "http/metrics.h"
#include "http/query.h"
#include "http/tls_files.h"
#include "http/token.h"

/*
 * Parca keeps five connections for each process that it scrapes here: this is enough for twelve
 * processes. The other connections are left for other addresses.
 */
#define MAX_PER_ADDRESS		64
#define MAX_HEAD		(32U << 10)
#define MAX_BODY		(1U << 20)

#define SECOND			UINT64_C(1000000000)
#define READ_NS			(10 * SECOND)
#define IDLE_NS			(30 * SECOND)
#define WRITE_NS		(60 * SECOND)
#define NEVER			UINT64_MAX

/* TLS 1.2 and 1.3: see "Priority Strings" in the manual of GnuTLS. */
#define TLS_PRIORITIES		"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

struct http_connection {
	int fd;				/* -1: the slot is free */
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC */
	struct http_request *waiting;	/* NULL: none */
};

struct http_server {
	struct http_server_settings settings;
	struct MHD_Daemon *daemon;
	int epoll_fd;
	struct http_connection slots[HTTP_SERVER_MAX_CONNECTIONS];
	struct http_connection *polled[HTTP_SERVER_MAX_FDS];
	uint64_t answers[6];	/* as in struct metrics */
};

static void set_deadline(struct http_connection *slot, uint64_t ns)
{
	if (slot)
		slot->deadline_ns = ns == NEVER ? NEVER : clock_ns(CLOCK_MONOTONIC) + ns;
}

/* The response */

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
	libmicrohttpd.add_response_header(response, name, value);
}

static void add_headers(struct MHD_Response *response, const struct answer *a)
{
	char disposition[ANSWER_NAME_BYTES + 32];

	add_header(response, "Cache-Control", "no-store");
	if (!a->keeps_sniffing)
		add_header(response, "X-Content-Type-Options", "nosniff");
	if (a->type)
		add_header(response, "Content-Type", a->type);
	if (a->is_pprof_error)
		add_header(response, "X-Go-Pprof", "1");
	if (a->header)
		add_header(response, a->header, a->header_value);
	if (!a->file[0])
		return;
	snprintf(disposition, sizeof(disposition), "attachment; filename=\"%s\"", a->file);
	add_header(response, "Content-Disposition", disposition);
}

/*
 * response is NULL if there was no memory: then deliver() ends the connection. The next MHD_run()
 * delivers the answer of a request that waits.
 */
static void respond(struct http_request *r, const struct answer *a, struct MHD_Response *response)
{
	if (response)
		add_headers(response, a);
	r->response = response;
	r->status = a->status;
	r->server->answers[a->status < 600 ? a->status / 100 : 0]++;
	if (!r->is_waiting) {
		r->is_gone = !response;
		return;
	}
	r->is_waiting = false;
	r->is_gone = !response;
	r->slot->waiting = NULL;
	set_deadline(r->slot, WRITE_NS);
	libmicrohttpd.resume_connection(r->connection);
}

void http_answer_text(struct http_request *r, const struct answer *a)
{
	respond(r, a,
		libmicrohttpd.create_response_from_buffer(strlen(a->text), (void *)a->text,
							  MHD_RESPMEM_MUST_COPY));
}

void http_answer_file(struct http_request *r, const struct answer *a, int fd)
{
	struct MHD_Response *response = NULL;
	struct stat st;

	if (!fstat(fd, &st))
		response = libmicrohttpd.create_response_from_fd(st.st_size, fd);
	if (!response)
		close(fd);
	respond(r, a, response);
}

void http_answer_bytes(struct http_request *r, const struct answer *a, char *bytes, size_t len)
{
	struct MHD_Response *response =
		libmicrohttpd.create_response_from_buffer(len, bytes, MHD_RESPMEM_MUST_FREE);

	if (!response)
		free(bytes);
	respond(r, a, response);
}

/* No body is sent after a HEAD. */
static ssize_t read_nothing(void *ctx, uint64_t at, char *out, size_t max)
{
	(void)ctx;
	(void)at;
	(void)out;
	(void)max;
	return MHD_CONTENT_READER_END_OF_STREAM;
}

/*
 * The flag ends the connection. Without it libmicrohttpd 0.9.75 announces chunks, and sends the
 * last chunk even after a HEAD: the client would read it as the start of the next answer.
 */
void http_answer_head(struct http_request *r, const struct answer *a)
{
	struct MHD_Response *response =
		libmicrohttpd.create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing,
							    NULL, NULL);

	if (response)
		libmicrohttpd.set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT,
						   MHD_RO_END);
	respond(r, a, response);
}

/* The request */

static enum http_method method_of(const char *method)
{
	if (!strcmp(method, "GET"))
		return HTTP_GET;
	if (!strcmp(method, "HEAD"))
		return HTTP_HEAD;
	return strcmp(method, "POST") ? HTTP_OTHER : HTTP_POST;
}

/* Splits the URL. Without memory the path stays NULL, and the connection ends. */
static void split_url(struct http_request *r, const char *url)
{
	size_t len = strlen(url), path_len = strcspn(url, "?");
	int decoded;

	if (len > QUERY_MAX_URL) {
		r->is_url_too_long = true;
		path_len = 0;
		len = 0;
	}
	r->text = malloc(2 * (len + 1));
	if (!r->text)
		return;
	memcpy(r->text, url, len);
	r->text[len] = 0;
	r->url = r->text;
	r->query = r->text + path_len + (path_len < len);
	/* No page has a path with a NUL, or with a "%" without two hex digits. */
	decoded = query_decode(r->text, path_len, false, r->text + len + 1);
	r->path = decoded < 0 || strlen(r->text + len + 1) != (size_t)decoded ? "" :
		  r->text + len + 1;
}

/*
 * A callback for the first line of each request. It is the only one that gets the undecoded URL.
 * The result is the request for all later callbacks.
 */
static void *begin(void *server, const char *url, struct MHD_Connection *connection)
{
	struct http_request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->server = server;
	r->connection = connection;
	split_url(r, url);
	return r;
}

static void free_request(struct http_request *r)
{
	if (r->response)
		libmicrohttpd.destroy_response(r->response);
	free(r->body_text);
	free(r->text);
	free(r);
}

static void leave(struct http_request *r)
{
	r->is_waiting = false;
	r->is_gone = true;
	r->slot->waiting = NULL;
	r->server->settings.gone(r->server->settings.ctx, r);
}

static void complete(void *server, struct MHD_Connection *connection, void **request,
		     enum MHD_RequestTerminationCode code)
{
	struct http_request *r = *request;

	(void)server;
	(void)connection;
	(void)code;
	if (!r)
		return;
	if (r->is_waiting)
		leave(r);
	set_deadline(r->slot, IDLE_NS);
	free_request(r);
	*request = NULL;
}

static struct http_connection *find_slot(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		libmicrohttpd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static const char *header_of(const struct http_request *r, const char *name)
{
	return libmicrohttpd.lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

/* A body of several GB is refused by its Content-Length, before it is uploaded. */
static bool is_body_too_long(const struct http_request *r)
{
	const char *length = header_of(r, "Content-Length");

	return length && strtoull(length, NULL, 10) > MAX_BODY;
}

/* Checks the head of a request. Returns: is it refused? Then *a says why. */
static bool refuse_head(const struct http_request *r, struct answer *a)
{
	const struct http_server_settings *s = &r->server->settings;
	const char *host = header_of(r, "Host");

	if (r->is_url_too_long) {
		answer_refuse(a, 414, "the URL is longer than %d bytes", QUERY_MAX_URL);
	} else if (is_body_too_long(r)) {
		answer_refuse(a, 413, "the body is longer than %u bytes", MAX_BODY);
	} else if (s->checks_host && !(host && host_header_is_allowed(host, s->host_names))) {
		answer_refuse(a, 403, "the header Host names neither an IP address nor localhost: "
			      "start pprof-collect serve with --host NAME to allow a name");
	} else if (s->token && !token_is_given(header_of(r, "Authorization"), s->token)) {
		answer_refuse(a, 401, "the token is missing or wrong: send the one of --token-file");
		a->header = "WWW-Authenticate";
		a->header_value = "Basic realm=\"pprof-collect\"";
	} else {
		return false;
	}
	return true;
}

/* Queues r->response. Returns: MHD_YES, or MHD_NO, which ends the connection. */
static enum MHD_Result deliver(struct http_request *r)
{
	enum MHD_Result result = MHD_NO;

	if (r->response) {
		set_deadline(r->slot, WRITE_NS);
		result = libmicrohttpd.queue_response(r->connection, r->status, r->response);
		libmicrohttpd.destroy_response(r->response);
		r->response = NULL;
	}
	return result;
}

static enum MHD_Result read_head(struct http_request *r, const char *method)
{
	struct answer refusal;

	r->is_read = true;
	r->method = method_of(method);
	r->slot = find_slot(r->connection);
	set_deadline(r->slot, READ_NS);
	if (!r->path || !r->slot)
		return MHD_NO;
	if (!refuse_head(r, &refusal))
		return MHD_YES;
	http_answer_text(r, &refusal);
	return deliver(r);
}

/* A body that is too long and came without Content-Length ends the connection. */
static enum MHD_Result read_body(struct http_request *r, const char *data, size_t *len)
{
	size_t room = r->room ? r->room : 4096;
	char *text;

	if (r->body_len + *len > MAX_BODY)
		return MHD_NO;
	while (room < r->body_len + *len)
		room *= 2;
	text = room == r->room ? r->body_text : realloc(r->body_text, room);
	if (!text)
		return MHD_NO;
	r->body_text = text;
	r->room = room;
	memcpy(text + r->body_len, data, *len);
	r->body_len += *len;
	*len = 0;
	return MHD_YES;
}

static enum MHD_Result handle(struct http_request *r)
{
	r->body = r->body_text ? r->body_text : "";
	set_deadline(r->slot, NEVER);
	r->server->settings.handle(r->server->settings.ctx, r);
	if (r->response || r->is_gone)
		return deliver(r);
	r->is_waiting = true;
	r->slot->waiting = r;
	libmicrohttpd.suspend_connection(r->connection);
	return MHD_YES;
}

/*
 * A callback: first for the head, then for each part of the body, then at its end, and once more
 * when a request that waited goes on.
 */
static enum MHD_Result proceed(void *server, struct MHD_Connection *connection, const char *path,
			       const char *method, const char *version, const char *data,
			       size_t *len, void **request)
{
	struct http_request *r = *request;

	(void)server;
	(void)connection;
	(void)path;
	(void)version;
	if (!r || r->is_gone)
		return MHD_NO;
	if (!r->is_read)
		return read_head(r, method);
	if (*len)
		return read_body(r, data, len);
	return r->response ? deliver(r) : handle(r);
}

/* The connection */

static int socket_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		libmicrohttpd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* A callback for the start and the end of a connection. *slot is its slot. */
static void notice(void *server, struct MHD_Connection *connection, void **slot,
		   enum MHD_ConnectionNotificationCode code)
{
	struct http_server *s = server;
	struct http_connection *c = *slot;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (c)
			c->fd = -1;
		return;
	}
	for (c = s->slots; c < s->slots + HTTP_SERVER_MAX_CONNECTIONS && c->fd >= 0; c++)
		;
	if (c == s->slots + HTTP_SERVER_MAX_CONNECTIONS)
		return;
	c->fd = socket_of(connection);
	c->waiting = NULL;
	set_deadline(c, READ_NS);
	*slot = c;
}

static struct MHD_Daemon *start(struct http_server *s)
{
	const struct http_server_settings *set = &s->settings;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)tls_files_retrieve },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)TLS_PRIORITIES },
		{ MHD_OPTION_END, 0, NULL },
	};
	unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;

	if (set->has_tls)
		flags |= MHD_USE_TLS;
	else
		tls[0].option = MHD_OPTION_END;
	return libmicrohttpd.start_daemon(flags, 0, NULL, NULL, proceed, s,
					  MHD_OPTION_LISTEN_SOCKET, set->listen_fd,
					  MHD_OPTION_CONNECTION_LIMIT, HTTP_SERVER_MAX_CONNECTIONS,
					  MHD_OPTION_PER_IP_CONNECTION_LIMIT, MAX_PER_ADDRESS,
					  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_HEAD,
					  MHD_OPTION_URI_LOG_CALLBACK, begin, s,
					  MHD_OPTION_NOTIFY_COMPLETED, complete, s,
					  MHD_OPTION_NOTIFY_CONNECTION, notice, s,
					  MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
					  MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

struct http_server *http_server_new(const struct http_server_settings *settings)
{
	struct http_server *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->settings = *settings;
	for (size_t i = 0; i < HTTP_SERVER_MAX_CONNECTIONS; i++)
		s->slots[i].fd = -1;
	s->daemon = start(s);
	if (!s->daemon) {
		free(s);
		return NULL;
	}
	s->epoll_fd = libmicrohttpd.get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	return s;
}

/* A request that waits must go on, since MHD_stop_daemon() aborts otherwise. */
void http_server_free(struct http_server *s)
{
	struct http_request *r;

	if (!s)
		return;
	for (size_t i = 0; i < HTTP_SERVER_MAX_CONNECTIONS; i++) {
		r = s->slots[i].waiting;
		if (s->slots[i].fd < 0 || !r)
			continue;
		leave(r);
		libmicrohttpd.resume_connection(r->connection);
	}
	libmicrohttpd.run(s->daemon);
	libmicrohttpd.quiesce_daemon(s->daemon);
	libmicrohttpd.stop_daemon(s->daemon);
	free(s);
}

void http_server_measure(const struct http_server *s, struct metrics *m)
{
	memcpy(m->answers, s->answers, sizeof(m->answers));
	m->nr_connections = 0;
	for (size_t i = 0; i < HTTP_SERVER_MAX_CONNECTIONS; i++)
		m->nr_connections += s->slots[i].fd >= 0;
}

nfds_t http_server_fill(struct http_server *s, struct pollfd *fds)
{
	nfds_t nr = 0;

	fds[nr++] = (struct pollfd){ .fd = s->epoll_fd, .events = POLLIN };
	for (size_t i = 0; i < HTTP_SERVER_MAX_CONNECTIONS; i++) {
		if (s->slots[i].fd < 0 || !s->slots[i].waiting)
			continue;
		s->polled[nr] = &s->slots[i];
		fds[nr++] = (struct pollfd){ .fd = s->slots[i].fd, .events = POLLRDHUP };
	}
	return nr;
}

/* Returns the next deadline of a connection. */
static uint64_t next_deadline(const struct http_server *s)
{
	uint64_t next = NEVER;

	for (size_t i = 0; i < HTTP_SERVER_MAX_CONNECTIONS; i++)
		if (s->slots[i].fd >= 0 && s->slots[i].deadline_ns < next)
			next = s->slots[i].deadline_ns;
	return next;
}

int http_server_timeout_ms(const struct http_server *s)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next = next_deadline(s), ms = INT_MAX;
	MHD_UNSIGNED_LONG_LONG of_library;

	if (next != NEVER)
		ms = next > now ? (next - now) / 1000000 + 1 : 0;
	if (libmicrohttpd.get_timeout(s->daemon, &of_library) == MHD_YES && of_library < ms)
		ms = of_library;
	return ms >= INT_MAX ? -1 : (int)ms;
}

static void end_late_connections(struct http_server *s)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < HTTP_SERVER_MAX_CONNECTIONS; i++) {
		if (s->slots[i].fd < 0 || now < s->slots[i].deadline_ns)
			continue;
		shutdown(s->slots[i].fd, SHUT_RDWR);
		s->slots[i].deadline_ns = NEVER;
	}
}

void http_server_run(struct http_server *s, const struct pollfd *fds, nfds_t nr)
{
	struct http_request *r;

	for (nfds_t i = 1; i < nr; i++) {
		r = s->polled[i]->waiting;
		if (!fds[i].revents || s->polled[i]->fd != fds[i].fd || !r)
			continue;
		leave(r);
		libmicrohttpd.resume_connection(r->connection);
	}
	end_late_connections(s);
	libmicrohttpd.run(s->daemon);
}
