// SPDX-License-Identifier: GPL-2.0
#include "push/transfers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "push/auth_file.h"
#include "push/backend.h"
#include "push/libcurl.h"
#include "push/push_request.h"
#include "push/retry.h"

#define CONNECT_S	10L
#define SILENT_S	60L
#define WHOLE_S		3600L
#define MAX_REPLY_BYTES	(1U << 20)

struct transfer {
	CURL *curl;
	struct curl_slist *headers;
	struct push_request request;
	char *secret;
	transfer_done *done;
	void *ctx;
	char error[CURL_ERROR_SIZE];	/* the message of libcurl or set_secret(), or "" */
	struct push_reply reply;
	size_t nr_received;
	struct transfer *next;
};

struct transfers {
	CURLM *multi;
	struct transfer *all;
};

struct transfers *transfers_new(void)
{
	struct transfers *t = calloc(1, sizeof(*t));

	if (t && !libcurl.global_init(CURL_GLOBAL_DEFAULT)) {
		t->multi = libcurl.multi_init();
		if (t->multi)
			return t;
		libcurl.global_cleanup();
	}
	free(t);
	errno = ENOMEM;
	return NULL;
}

static void free_transfer(struct transfer *x)
{
	libcurl.easy_cleanup(x->curl);
	libcurl.slist_free_all(x->headers);
	push_request_fini(&x->request);
	auth_file_free(x->secret);
	free(x);
}

/* Takes x out of the set. */
static void take_out(struct transfers *t, struct transfer *x)
{
	struct transfer **at = &t->all;

	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
	libcurl.multi_remove_handle(t->multi, x->curl);
}

void transfers_free(struct transfers *t)
{
	if (!t)
		return;
	while (t->all) {
		struct transfer *x = t->all;

		take_out(t, x);
		free_transfer(x);
	}
	libcurl.multi_cleanup(t->multi);
	libcurl.global_cleanup();
	free(t);
}

/* Keeps the start of the reply for messages. After MAX_REPLY_BYTES the transfer ends. */
static size_t take_body(char *data, size_t size, size_t nr, void *ctx)
{
	struct transfer *x = ctx;
	struct push_reply *reply = &x->reply;
	size_t room = sizeof(reply->body) - reply->body_len, len = size * nr;

	x->nr_received += len;
	if (x->nr_received > MAX_REPLY_BYTES)
		return 0;
	if (room > len)
		room = len;
	memcpy(reply->body + reply->body_len, data, room);
	reply->body_len += room;
	return len;
}

static int add_header(struct transfer *x, const char *header)
{
	struct curl_slist *longer = libcurl.slist_append(x->headers, header);

	if (!longer)
		return -ENOMEM;
	x->headers = longer;
	return 0;
}

static int add_named_header(struct transfer *x, const char *name, const char *value)
{
	char *header;
	int err;

	if (asprintf(&header, "%s: %s", name, value) < 0)
		return -ENOMEM;
	err = add_header(x, header);
	free(header);
	return err;
}

static int add_headers(struct transfer *x, const struct push_backend *b)
{
	int err = b->tenant ? add_named_header(x, "X-Scope-OrgID", b->tenant) : 0;

	for (size_t i = 0; !err && i < x->request.nr_headers; i++)
		err = add_header(x, x->request.headers[i]);
	return err;
}

/* Amazon's hosts have the region in their names: BUCKET.s3.REGION.amazonaws.com. */
static void find_region(const char *url, char region[64])
{
	const char *at = strstr(url, "s3."), *end = at ? strstr(at + 3, ".amazonaws.com") : NULL;

	snprintf(region, 64, "us-east-1");
	if (end && !memchr(at + 3, '.', end - at - 3) && !memchr(at + 3, '/', end - at - 3))
		snprintf(region, 64, "%.*s", (int)(end - at - 3), at + 3);
}

/* The secret is KEY:SECRET or KEY:SECRET:SESSION. */
static int sign_for_s3(struct transfer *x, const struct push_backend *b)
{
	char region[64], scope[80];
	char *session = strchr(x->secret, ':');
	int err = 0;

	find_region(b->url, region);
	snprintf(scope, sizeof(scope), "aws:amz:%s:s3", b->region ? b->region : region);
	if (session)
		session = strchr(session + 1, ':');
	if (session) {
		*session = '\0';
		err = add_named_header(x, "x-amz-security-token", session + 1);
	}
	libcurl.easy_setopt(x->curl, CURLOPT_AWS_SIGV4, scope);
	libcurl.easy_setopt(x->curl, CURLOPT_USERPWD, x->secret);
	return err;
}

/* Returns: 0; -ENOMEM; or 1 if the request cannot be sent, after it set the reply. */
static int set_secret(struct transfer *x, const struct push_backend *b)
{
	int err;

	if (!b->auth_file)
		return 0;
	err = auth_file_read(b->auth_file, &x->secret);
	if (err) {
		x->reply.outcome = PUSH_NOT_TRUSTED;
		snprintf(x->error, sizeof(x->error), "cannot read %.160s: %s", b->auth_file,
			 err == -EBADMSG ? "it is not one line" : strerror(-err));
		return err == -ENOMEM ? err : 1;
	}
	if (b->kind == PUSH_S3)
		return sign_for_s3(x, b);
	if (strchr(x->secret, ':')) {
		libcurl.easy_setopt(x->curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
		libcurl.easy_setopt(x->curl, CURLOPT_USERPWD, x->secret);
	} else {
		libcurl.easy_setopt(x->curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
		libcurl.easy_setopt(x->curl, CURLOPT_XOAUTH2_BEARER, x->secret);
	}
	return 0;
}

static void set_tls(CURL *curl, const struct push_backend *b)
{
	libcurl.easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (b->ca_file) {
		libcurl.easy_setopt(curl, CURLOPT_CAINFO, b->ca_file);
		libcurl.easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
	if (b->cert_file) {
		libcurl.easy_setopt(curl, CURLOPT_SSLCERT, b->cert_file);
		libcurl.easy_setopt(curl, CURLOPT_SSLKEY, b->key_file ? b->key_file : b->cert_file);
	}
}

/*
 * A busy backend answers late, and may have accepted the profile when a limit passes: another try
 * then counts it twice. So the limit is for silence, and is as long as that of common proxies.
 */
static void set_limits(CURL *curl)
{
	libcurl.easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	libcurl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	libcurl.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	libcurl.easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	libcurl.easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, SILENT_S);
	libcurl.easy_setopt(curl, CURLOPT_TIMEOUT, WHOLE_S);
}

/* CURLOPT_POSTFIELDS is a body in memory, for any method. */
static void set_request(struct transfer *x)
{
	const struct push_request *r = &x->request;

	libcurl.easy_setopt(x->curl, CURLOPT_URL, r->url);
	libcurl.easy_setopt(x->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.nr);
	libcurl.easy_setopt(x->curl, CURLOPT_POSTFIELDS, r->body.items ? (char *)r->body.items : "");
	libcurl.easy_setopt(x->curl, CURLOPT_CUSTOMREQUEST, r->method);
	libcurl.easy_setopt(x->curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	libcurl.easy_setopt(x->curl, CURLOPT_USERAGENT, "pprof-collect/" VERSION);
	libcurl.easy_setopt(x->curl, CURLOPT_HTTPHEADER, x->headers);
	libcurl.easy_setopt(x->curl, CURLOPT_WRITEFUNCTION, take_body);
	libcurl.easy_setopt(x->curl, CURLOPT_WRITEDATA, x);
	libcurl.easy_setopt(x->curl, CURLOPT_ERRORBUFFER, x->error);
	libcurl.easy_setopt(x->curl, CURLOPT_PRIVATE, x);
}

static int set_all(struct transfer *x, const struct push_backend *b)
{
	int err;

	x->curl = libcurl.easy_init();
	err = x->curl ? add_headers(x, b) : -ENOMEM;
	if (!err)
		err = set_secret(x, b);
	if (err)
		return err;
	set_request(x);
	set_limits(x->curl);
	set_tls(x->curl, b);
	return 0;
}

int transfers_start(struct transfers *t, const struct push_backend *b, struct push_request *r,
		    transfer_done *done, void *ctx)
{
	struct transfer *x = calloc(1, sizeof(*x));
	int err;

	if (!x) {
		push_request_fini(r);
		return -ENOMEM;
	}
	x->request = *r;
	*r = (struct push_request){ 0 };
	x->done = done;
	x->ctx = ctx;
	err = set_all(x, b);
	if (!err && libcurl.multi_add_handle(t->multi, x->curl))
		err = -ENOMEM;
	if (err < 0) {
		free_transfer(x);
		return err;
	}
	x->next = t->all;
	t->all = x;
	return 0;
}

static enum push_outcome outcome_of(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
	case CURLE_WRITE_ERROR:		/* the reply was too long: its status is known */
		return PUSH_ANSWERED;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_URL_MALFORMAT:
		return PUSH_NOT_TRUSTED;
	default:
		return PUSH_NO_ANSWER;
	}
}

/* The text comes from another host: a terminal must not interpret its control characters. */
static void clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
			*text = ' ';
}

static void set_text(struct transfer *x, CURLcode code)
{
	struct push_reply *reply = &x->reply;

	if (reply->outcome == PUSH_ANSWERED)
		snprintf(reply->text, sizeof(reply->text), "HTTP status %ld%s%.*s", reply->status,
			 reply->body_len ? ": " : "", (int)reply->body_len, reply->body);
	else
		snprintf(reply->text, sizeof(reply->text), "%s",
			 x->error[0] ? x->error : libcurl.easy_strerror(code));
	clean(reply->text);
}

/* Sets the reply of a request that libcurl has ended. */
static void read_reply(struct transfer *x, CURLcode code)
{
	curl_off_t after = 0;

	x->reply.outcome = outcome_of(code);
	libcurl.easy_getinfo(x->curl, CURLINFO_RESPONSE_CODE, &x->reply.status);
	libcurl.easy_getinfo(x->curl, CURLINFO_RETRY_AFTER, &after);
	x->reply.retry_after_s = after > 0 ? after : 0;
	set_text(x, code);
}

static void end(struct transfers *t, struct transfer *x)
{
	take_out(t, x);
	x->done(x->ctx, &x->reply);
	free_transfer(x);
}

static struct transfer *find_unstarted(const struct transfers *t)
{
	struct transfer *x = t->all;

	while (x && x->reply.outcome == PUSH_ANSWERED)
		x = x->next;
	return x;
}

/* Calls done() for each request that has ended, or could not be started. Returns: was there one? */
static bool end_all(struct transfers *t)
{
	struct transfer *x = find_unstarted(t);
	bool found = x;
	CURLMsg *message;
	int nr_left;

	for (; x; x = find_unstarted(t)) {
		set_text(x, CURLE_OK);
		end(t, x);
	}
	while ((message = libcurl.multi_info_read(t->multi, &nr_left))) {
		if (message->msg != CURLMSG_DONE)
			continue;
		libcurl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &x);
		read_reply(x, message->data.result);
		end(t, x);
		found = true;
	}
	return found;
}

/*
 * A fast server may have replied in the first curl_multi_perform(). Then curl_multi_poll() is left
 * out: it would wait.
 */
void transfers_wait(struct transfers *t, int fd, int timeout_ms)
{
	struct curl_waitfd extra = { .fd = fd, .events = CURL_WAIT_POLLIN };
	int nr_running;

	libcurl.multi_perform(t->multi, &nr_running);
	if (end_all(t))
		return;
	libcurl.multi_poll(t->multi, &extra, fd >= 0, timeout_ms, NULL);
	libcurl.multi_perform(t->multi, &nr_running);
	end_all(t);
}
