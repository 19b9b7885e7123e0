/* SPDX-License-Identifier: GPL-2.0 */
/* The requests that wait for a collection of the runner. One thread uses all of this. */
#ifndef COLLECTOR_SERVE_JOBS_H
#define COLLECTOR_SERVE_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/answer.h"
#include "http/metrics.h"
#include "http/profile_request.h"
#include "serve/collection.h"
#include "serve/runner.h"

struct http_request;

struct job {
	struct serve_collection collection;	/* id 0: the slot is free */
	struct http_request *request;		/* its owner is this job */
	struct profile_request profile;		/* for SERVE_PROFILE and SERVE_CUSTOM_EXISTS */
	bool is_refused;			/* send refusal, if the custom profile exists */
	struct answer refusal;
};

struct jobs {
	int runner;			/* descriptor of serve_runner_start(), borrowed */
	uint64_t last_id;
	struct job slots[2 * SERVE_RUNNER_MAX];
	uint64_t ended[METRICS_NR_RESULTS];	/* number of ended jobs by result */
};

/*
 * Asks the runner for the work of c, whose id is ignored. The runner gets a copy of text_fd, unless
 * that is negative. Profiles have a limit of SERVE_RUNNER_MAX jobs. Lists and symbols together have
 * the same limit.
 * Returns: the job, for job_end() or job_cancel(); or NULL if there are too many jobs, or if the
 * runner cannot be reached.
 */
struct job *jobs_ask(struct jobs *jobs, struct http_request *r, const struct serve_collection *c,
		     int text_fd);

/* Returns: the job with this id, or NULL if it was cancelled. */
struct job *jobs_find(struct jobs *jobs, uint64_t id);

/* Frees the slot of a job whose request has its answer. */
void job_end(struct jobs *jobs, struct job *job, enum metrics_result result);

/* Ends a job whose client has gone, and stops its collection. */
void job_cancel(struct jobs *jobs, struct job *job);

/* Returns: the number of jobs that wait. */
size_t jobs_count(const struct jobs *jobs);

#endif /* COLLECTOR_SERVE_JOBS_H */
