// SPDX-License-Identifier: GPL-2.0
#include "serve/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aggregate/profile_types.h"
#include "http/answer.h"
#include "http/index_page.h"
#include "http/metrics.h"
#include "http/route.h"
#include "http/server.h"
#include "procfs/procfs.h"
#include "serve/jobs.h"
#include "serve/log.h"
#include "serve/module_state.h"
#include "serve/targets.h"
#include "serve/usage.h"
#include "session/settings.h"

/* Limit of the processes that an index lists. */
#define MAX_LISTED	64

/* Limit of a command line, and of the list of a target's profiles. */
#define MAX_FILE	(4U << 20)

struct serve_pages {
	const struct serve_targets *targets;
	struct metrics metrics;		/* as of the last request for them */
	struct jobs jobs;
};

struct serve_pages *serve_pages_new(const struct serve_targets *targets, int runner)
{
	struct serve_pages *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->targets = targets;
	p->jobs.runner = runner;
	return p;
}

void serve_pages_free(struct serve_pages *p)
{
	free(p);
}

void serve_pages_gone(void *pages, struct http_request *r)
{
	struct serve_pages *p = pages;

	job_cancel(&p->jobs, r->owner);
}

/* Simple pages */

static void refuse(struct http_request *r, unsigned int status, const char *text)
{
	struct answer a;

	answer_refuse(&a, status, "%s", text);
	http_answer_text(r, &a);
}

/* Sends what was written to out, a stream of open_memstream() for *bytes and *len. Closes it. */
static void send_page(struct http_request *r, const struct answer *a, FILE *out, char **bytes,
		      const size_t *len)
{
	if (fclose(out)) {
		free(*bytes);
		refuse(r, 500, "out of memory: ask again");
	} else {
		http_answer_bytes(r, a, *bytes, *len);
	}
}

static void refuse_method(struct http_request *r, const char *allowed)
{
	struct answer a;

	answer_refuse(&a, 405, "Method Not Allowed");
	a.header = "Allow";
	a.header_value = allowed;
	http_answer_text(r, &a);
}

static void send_health(struct http_request *r)
{
	struct answer a;

	if (!module_state_is_loaded()) {
		refuse(r, 503, "the module pprof is not loaded: run 'modprobe pprof'");
		return;
	}
	answer_ok(&a, ANSWER_PLAIN);
	strcpy(a.text, "ok\n");
	http_answer_text(r, &a);
}

/* As http.Redirect() of Go: the query stays. */
static void redirect(struct http_request *r)
{
	size_t path_len = strcspn(r->url, "?");
	char *place = NULL;
	struct answer a;

	answer_ok(&a, ANSWER_HTML);
	if (asprintf(&place, "%.*s/%s", (int)path_len, r->url, r->url + path_len) < 0)
		place = NULL;
	a.status = 301;
	a.keeps_sniffing = true;
	a.header = "Location";
	a.header_value = place ? place : "/debug/pprof/";
	strcpy(a.text, "<a href=\"/debug/pprof/\">Moved Permanently</a>.\n\n");
	http_answer_text(r, &a);
	free(place);
}

/* Reads a file of at most MAX_FILE bytes, from its start. Returns: the bytes, or NULL. */
static char *read_file(int fd, size_t *len)
{
	char *bytes = NULL, *more;
	size_t room = 0;
	ssize_t got = 1;

	for (*len = 0; got > 0 && *len < MAX_FILE; *len += got > 0 ? got : 0) {
		if (*len + 1 >= room) {
			room = room ? 2 * room : 4096;
			more = realloc(bytes, room);
			if (!more)
				break;
			bytes = more;
		}
		got = pread(fd, bytes + *len, room - *len - 1, *len);
	}
	if (bytes)
		bytes[*len] = 0;
	return bytes;
}

/*
 * NUL bytes separate arguments, and /proc adds one at the end, which is left out. For gperftools,
 * newlines stand in place of all of them.
 * Returns: the number of bytes.
 */
static size_t separate(char *bytes, size_t len, bool is_gperftools)
{
	for (size_t i = 0; is_gperftools && i < len; i++)
		if (!bytes[i])
			bytes[i] = '\n';
	return len && !is_gperftools && !bytes[len - 1] ? len - 1 : len;
}

static void send_cmdline(struct http_request *r, pid_t pid, bool is_gperftools)
{
	char path[32], *bytes = NULL;
	struct answer a;
	size_t len = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = pid ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		bytes = read_file(fd, &len);
		close(fd);
	}
	if (!bytes) {
		answer_error(&a, 404, pid ? "the process has ended" :
			     "a command line is of one process: ask for "
			     "/pid/PID/debug/pprof/cmdline");
		http_answer_text(r, &a);
		return;
	}
	answer_ok(&a, ANSWER_PLAIN);
	http_answer_bytes(r, &a, bytes, separate(bytes, len, is_gperftools));
}

/* Metrics */

static void measure(struct serve_pages *p, const struct http_request *r)
{
	struct metrics *m = &p->metrics;

	http_server_measure(r->server, m);
	memcpy(m->work, p->jobs.ended, sizeof(m->work));
	m->nr_running = jobs_count(&p->jobs);
	m->sessions = *p->targets->settings->totals;
	m->is_loaded = module_state_is_loaded();
	serve_usage_measure(m);
}

static void send_metrics(struct serve_pages *p, struct http_request *r)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&bytes, &len);
	struct answer a;

	if (!out) {
		refuse(r, 500, "out of memory: ask again");
		return;
	}
	measure(p, r);
	metrics_write(out, &p->metrics);
	answer_ok(&a, METRICS_CONTENT_TYPE);
	send_page(r, &a, out, &bytes, &len);
}

/* The index */

static void name_targets(const struct serve_pages *p, struct index_page_target *targets,
			 char comms[][PPROF_COMM_LEN + 1], size_t *nr)
{
	pid_t pids[MAX_LISTED];

	*nr = serve_targets_list(p->targets, pids, MAX_LISTED);
	for (size_t i = 0; i < *nr; i++) {
		comms[i][0] = 0;
		procfs_comm(pids[i], comms[i], sizeof(comms[i]));
		targets[i] = (struct index_page_target){ pids[i], comms[i] };
	}
}

static void send_index(const struct serve_pages *p, struct http_request *r, pid_t pid,
		       const char *profiles, size_t profiles_len)
{
	struct index_page_target targets[MAX_LISTED];
	char comms[MAX_LISTED][PPROF_COMM_LEN + 1], comm[PPROF_COMM_LEN + 1] = "";
	struct index_page page = {
		.pid = pid, .comm = comm, .profiles = profiles, .len = profiles_len,
		.targets = targets, .cgroup = p->targets->settings->cgroup,
	};
	char *bytes = NULL;
	size_t len = 0;
	struct answer a;
	FILE *out = open_memstream(&bytes, &len);

	if (!out) {
		refuse(r, 500, "out of memory: ask again");
		return;
	}
	name_targets(p, targets, comms, &page.nr_targets);
	if (pid)
		procfs_comm(pid, comm, sizeof(comm));
	index_page_write(out, &page);
	answer_ok(&a, ANSWER_HTML);
	send_page(r, &a, out, &bytes, &len);
}

/*
 * The page has no counts if it is of several processes, without the module, or at the limit of
 * jobs.
 */
static void ask_index(struct serve_pages *p, struct http_request *r, pid_t pid)
{
	const struct serve_collection c = { .kind = SERVE_LIST, .pid = pid };

	if (!pid || !jobs_ask(&p->jobs, r, &c, -1))
		send_index(p, r, pid, INDEX_PAGE_NO_COUNTS, strlen(INDEX_PAGE_NO_COUNTS));
}

static void take_index(const struct serve_pages *p, struct job *job, bool is_done, int fd)
{
	char *lines = NULL;
	size_t len = 0;

	if (is_done)
		lines = read_file(fd, &len);
	if (lines)
		send_index(p, job->request, job->collection.pid, lines, len);
	else
		send_index(p, job->request, job->collection.pid, INDEX_PAGE_NO_COUNTS,
			   strlen(INDEX_PAGE_NO_COUNTS));
	free(lines);
}

/* Symbols */

static void ask_symbols(struct serve_pages *p, struct http_request *r, pid_t pid)
{
	const struct serve_collection c = { .kind = SERVE_SYMBOLS, .pid = pid };
	bool has_body = r->method == HTTP_POST;
	const char *text = has_body ? r->body : r->query;
	ssize_t len = has_body ? r->body_len : strlen(r->query);
	int fd = memfd_create("addresses", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, len) != len || !jobs_ask(&p->jobs, r, &c, fd))
		refuse(r, 503, "too many requests at once: ask again later");
	if (fd >= 0)
		close(fd);
}

/* Profiles */

static void fill_collection(struct serve_collection *c, const struct profile_request *profile,
			    pid_t pid)
{
	*c = (struct serve_collection){
		.kind = SERVE_PROFILE, .pid = pid, .type = profile->type,
		.seconds = profile->seconds, .debug = profile->debug,
		.is_goroutine = profile->is_goroutine, .is_flame = profile->is_flame,
	};
	/* A name that is too long becomes "". No profile has either of the two. */
	if (profile->type == PROFILE_TYPE_CUSTOM && strlen(profile->name) < sizeof(c->custom))
		strcpy(c->custom, profile->name);
}

static void send_profile_head(struct http_request *r, const struct profile_request *profile)
{
	struct answer a;

	profile_request_answer(profile, &a);
	http_answer_head(r, &a);
}

static void refuse_cumulative(struct http_request *r, const struct profile_request *profile)
{
	struct answer a;

	answer_error(&a, 404, "%s counts from the start of the server, which was started without it: "
		     "start 'pprof-collect serve' with --profile %s, or ask for %s?seconds=N",
		     profile->name, profile->name, profile->name);
	http_answer_text(r, &a);
}

static void start_profile(struct serve_pages *p, struct http_request *r,
			  const struct profile_request *profile, pid_t pid,
			  const struct answer *refusal)
{
	struct serve_collection c;
	struct answer busy;
	struct job *job;

	fill_collection(&c, profile, pid);
	if (refusal || r->method == HTTP_HEAD)
		c.kind = SERVE_CUSTOM_EXISTS;
	job = jobs_ask(&p->jobs, r, &c, -1);
	if (!job) {
		profile_request_busy(profile, &busy);
		http_answer_text(r, &busy);
		return;
	}
	job->profile = *profile;
	job->is_refused = refusal;
	if (refusal)
		job->refusal = *refusal;
}

static void ask_profile(struct serve_pages *p, struct http_request *r, const char *name, pid_t pid)
{
	const struct settings *settings = p->targets->settings;
	struct profile_request profile;
	struct answer refusal;
	int err = profile_request_read(&profile, name, r->query, &refusal);
	const char *why = serve_targets_refusal(settings, pid, profile.type);

	if (profile.type == PROFILE_TYPE_CUSTOM) {
		/* The name is a part of the path, which is valid as long as the request. */
		start_profile(p, r, &profile, pid, err ? &refusal : NULL);
	} else if (err) {
		http_answer_text(r, &refusal);
	} else if (why) {
		answer_error(&refusal, 404, "%s", why);
		http_answer_text(r, &refusal);
	} else if (profile_request_is_cumulative(&profile) &&
		   !(settings->profile_types & 1U << profile.type)) {
		refuse_cumulative(r, &profile);
	} else if (r->method == HTTP_HEAD) {
		send_profile_head(r, &profile);
	} else {
		start_profile(p, r, &profile, pid, NULL);
	}
}

static void answer_unknown(struct http_request *r)
{
	struct answer a;

	answer_error(&a, 404, "Unknown profile");
	http_answer_text(r, &a);
}

static void answer_failure(const struct job *job, const char *text)
{
	struct answer a;

	if (job->collection.kind == SERVE_SYMBOLS)
		answer_error(&a, 500, "%s", text);
	else
		profile_request_fail(&job->profile, text, &a);
	serve_log(job->request->url, text);
	http_answer_text(job->request, &a);
}

/* Answers a job that succeeded. Returns: true if the request has taken fd. */
static bool answer_success(const struct job *job, int fd)
{
	struct answer a;

	if (job->is_refused) {
		http_answer_text(job->request, &job->refusal);
		return false;
	}
	if (job->collection.kind == SERVE_CUSTOM_EXISTS) {
		send_profile_head(job->request, &job->profile);
		return false;
	}
	if (job->collection.kind == SERVE_SYMBOLS)
		answer_ok(&a, ANSWER_PLAIN);
	else
		profile_request_answer(&job->profile, &a);
	http_answer_file(job->request, &a, fd);
	return true;
}

/* The last line of the messages says why the work failed. */
static void answer_error_of(const struct job *job, const struct serve_result *result)
{
	char text[ANSWER_TEXT_BYTES];

	if (WIFSIGNALED(result->status))
		snprintf(text, sizeof(text), "the work was ended by signal %d: ask again",
			 WTERMSIG(result->status));
	else
		serve_log_last_line(result->err_fd, text, sizeof(text));
	answer_failure(job, text);
}

/* Answers a job that ended. Returns: true if the request has taken result->out_fd. */
static bool answer_job(const struct serve_pages *p, struct job *job,
		       const struct serve_result *result)
{
	bool is_done = result->status == SERVE_DONE && result->out_fd >= 0;

	if (job->collection.kind == SERVE_LIST)
		take_index(p, job, is_done, result->out_fd);
	else if (is_done)
		return answer_success(job, result->out_fd);
	else if (WIFEXITED(result->status) && WEXITSTATUS(result->status) == SERVE_UNKNOWN)
		answer_unknown(job->request);
	else
		answer_error_of(job, result);
	return false;
}

void serve_pages_take(struct serve_pages *p, const struct serve_result *result)
{
	struct job *job = jobs_find(&p->jobs, result->id);
	bool has_output = job && answer_job(p, job, result);

	if (job)
		job_end(&p->jobs, job,
			result->status == SERVE_DONE ? METRICS_DONE : METRICS_FAILED);
	if (!has_output && result->out_fd >= 0)
		close(result->out_fd);
	if (result->err_fd >= 0)
		close(result->err_fd);
}

/* Routes */

/*
 * Sets *pid to the process of a route, or to 0 for all targets together.
 * Returns: false if there is none, after it answered the request.
 */
static bool find_target(const struct serve_pages *p, struct http_request *r,
			const struct route *route, pid_t *pid)
{
	struct answer a;

	*pid = route->pid;
	if (route->pid ? serve_targets_has(p->targets, route->pid) :
	    serve_targets_has_whole(p->targets) || serve_targets_list(p->targets, pid, 1))
		return true;
	if (route->pid)
		answer_error(&a, 404, "this server has no process %d", route->pid);
	else
		answer_error(&a, 404, "the process has ended: start pprof-collect serve for another");
	http_answer_text(r, &a);
	return false;
}

static void send_head(struct http_request *r, const char *type)
{
	struct answer a;

	answer_ok(&a, type);
	http_answer_head(r, &a);
}

static void handle_target(struct serve_pages *p, struct http_request *r, const struct route *route)
{
	pid_t pid;

	if (!find_target(p, r, route, &pid))
		return;
	if (route->kind == ROUTE_CMDLINE)
		send_cmdline(r, pid, route->is_gperftools);
	else if (route->kind == ROUTE_PROFILE)
		ask_profile(p, r, route->name, pid);
	else if (r->method == HTTP_HEAD)
		send_head(r, route->kind == ROUTE_INDEX ? ANSWER_HTML : ANSWER_PLAIN);
	else if (route->kind == ROUTE_SYMBOL)
		ask_symbols(p, r, pid);
	else
		ask_index(p, r, pid);
}

static bool is_allowed(const struct http_request *r, const struct route *route)
{
	return r->method == HTTP_GET || r->method == HTTP_HEAD ||
	       (r->method == HTTP_POST && route->kind == ROUTE_SYMBOL);
}

void serve_pages_handle(void *pages, struct http_request *r)
{
	struct route route;

	route_find(&route, r->path);
	if (route.kind == ROUTE_NONE)
		refuse(r, 404, "404 page not found");
	else if (!is_allowed(r, &route))
		refuse_method(r, route.kind == ROUTE_SYMBOL ? "GET, HEAD, POST" : "GET, HEAD");
	else if (route.kind == ROUTE_REDIRECT)
		redirect(r);
	else if (route.kind == ROUTE_HEALTH)
		send_health(r);
	else if (route.kind == ROUTE_METRICS)
		send_metrics(pages, r);
	else
		handle_target(pages, r, &route);
}
