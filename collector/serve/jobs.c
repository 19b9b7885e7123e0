// SPDX-License-Identifier: GPL-2.0
#include "serve/jobs.h"

#include "http/server.h"

#define NR_SLOTS	(sizeof(((struct jobs *)NULL)->slots) / sizeof(struct job))

/* Profiles have one limit of jobs. Lists and symbols have another one together. */
static bool is_profile(const struct serve_collection *c)
{
	return c->kind == SERVE_PROFILE || c->kind == SERVE_CUSTOM_EXISTS;
}

static struct job *find_slot(struct jobs *jobs, const struct serve_collection *c)
{
	struct job *slot = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < NR_SLOTS; i++) {
		struct job *job = &jobs->slots[i];

		if (!job->collection.id)
			slot = job;
		else
			nr += is_profile(&job->collection) == is_profile(c);
	}
	return nr < SERVE_RUNNER_MAX ? slot : NULL;
}

struct job *jobs_find(struct jobs *jobs, uint64_t id)
{
	for (size_t i = 0; i < NR_SLOTS; i++)
		if (jobs->slots[i].collection.id == id)
			return &jobs->slots[i];
	return NULL;
}

struct job *jobs_ask(struct jobs *jobs, struct http_request *r, const struct serve_collection *c,
		     int text_fd)
{
	struct job *job = find_slot(jobs, c);

	if (job) {
		*job = (struct job){ .collection = *c, .request = r };
		job->collection.id = ++jobs->last_id;
		if (!serve_runner_send(jobs->runner, &job->collection, text_fd)) {
			r->owner = job;
			return job;
		}
		job->collection.id = 0;
	}
	jobs->ended[METRICS_BUSY]++;
	return NULL;
}

void job_end(struct jobs *jobs, struct job *job, enum metrics_result result)
{
	job->collection.id = 0;
	jobs->ended[result]++;
}

void job_cancel(struct jobs *jobs, struct job *job)
{
	job->collection.kind = SERVE_CANCEL;
	serve_runner_send(jobs->runner, &job->collection, -1);
	job_end(jobs, job, METRICS_GONE);
}

size_t jobs_count(const struct jobs *jobs)
{
	size_t nr = 0;

	for (size_t i = 0; i < NR_SLOTS; i++)
		nr += jobs->slots[i].collection.id != 0;
	return nr;
}
