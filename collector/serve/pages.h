/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Answers requests. A request that needs no rights is answered at once. Any other one becomes a
 * collection: see serve/runner.h.
 */
#ifndef COLLECTOR_SERVE_PAGES_H
#define COLLECTOR_SERVE_PAGES_H

struct http_request;
struct serve_pages;
struct serve_result;
struct serve_targets;

/*
 * Makes the pages for these targets, which are borrowed. runner is the descriptor of
 * serve_runner_start().
 * Returns: the pages, for serve_pages_free(); or NULL without memory.
 */
struct serve_pages *serve_pages_new(const struct serve_targets *targets, int runner);

/* Call this after http_server_free(). p may be NULL. */
void serve_pages_free(struct serve_pages *p);

/*
 * Callbacks for http/server.h. pages is the struct serve_pages. serve_pages_gone() cancels the
 * collection of a client that has closed its connection.
 */
void serve_pages_handle(void *pages, struct http_request *r);
void serve_pages_gone(void *pages, struct http_request *r);

/* Answers the request of a result, if its client is still there. Closes the result's files. */
void serve_pages_take(struct serve_pages *p, const struct serve_result *result);

#endif /* COLLECTOR_SERVE_PAGES_H */
