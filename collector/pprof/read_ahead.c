// SPDX-License-Identifier: GPL-2.0
#include "pprof/read_ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/profile_fault.h"
#include "pprof/profile_source.h"

struct block {
	size_t len;
	int err;			/* after the bytes of the block; fault is set then */
	bool is_last;
	uint8_t data[READ_AHEAD_BLOCK_BYTES];
};

struct read_ahead {
	struct profile_source *source;
	pthread_t thread;
	/* Of the first error. Set before the block with the error is filled. */
	struct profile_fault fault;
	/* Protects the members below. changed: one of them was changed. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t nr_filled;		/* block i is in blocks[i % READ_AHEAD_BLOCKS] */
	size_t nr_used;
	bool is_stopped;
	/* Of the caller: the bytes of the block nr_used that it has read. */
	size_t at;
	struct block blocks[READ_AHEAD_BLOCKS];
};

static struct block *block_at(struct read_ahead *r, size_t number)
{
	return &r->blocks[number % READ_AHEAD_BLOCKS];
}

/* Waits for a free block. Returns: the block, or NULL if the thread shall end. */
static struct block *wait_for_room(struct read_ahead *r)
{
	struct block *b = NULL;

	pthread_mutex_lock(&r->lock);
	while (!r->is_stopped && r->nr_filled - r->nr_used == READ_AHEAD_BLOCKS)
		pthread_cond_wait(&r->changed, &r->lock);
	if (!r->is_stopped)
		b = block_at(r, r->nr_filled);
	pthread_mutex_unlock(&r->lock);
	return b;
}

static void add_to(struct read_ahead *r, size_t *number)
{
	pthread_mutex_lock(&r->lock);
	(*number)++;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static void fill(struct read_ahead *r, struct block *b)
{
	size_t got = 1;

	b->err = 0;
	for (b->len = 0; got && b->len < sizeof(b->data); b->len += got)
		b->err = profile_source_read(r->source, b->data + b->len, sizeof(b->data) - b->len,
					     &got, &r->fault);
	b->is_last = !got;
}

static void *run(void *ctx)
{
	struct read_ahead *r = ctx;
	struct block *b;
	bool is_last = false;

	while (!is_last && (b = wait_for_room(r))) {
		fill(r, b);
		is_last = b->is_last;
		add_to(r, &r->nr_filled);
	}
	return NULL;
}

struct read_ahead *read_ahead_start(struct profile_source *source)
{
	struct read_ahead *r = malloc(sizeof(*r));
	sigset_t all, before;
	int err;

	if (!r)
		return NULL;
	memset(r, 0, offsetof(struct read_ahead, blocks));
	r->source = source;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&r->thread, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return r;
	free(r);
	return NULL;
}

void read_ahead_stop(struct read_ahead *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->is_stopped = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	free(r);
}

/* Waits for the next block, unless it is there. */
static struct block *wait_for_block(struct read_ahead *r)
{
	pthread_mutex_lock(&r->lock);
	while (r->nr_filled == r->nr_used)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
	return block_at(r, r->nr_used);
}

int read_ahead_read(struct read_ahead *r, uint8_t *to, size_t len, size_t *got,
		    struct profile_fault *fault)
{
	struct block *b = wait_for_block(r);

	if (r->at == b->len && !b->is_last) {
		r->at = 0;
		add_to(r, &r->nr_used);
		b = wait_for_block(r);
	}
	*got = b->len - r->at;
	if (*got > len)
		*got = len;
	memcpy(to, b->data + r->at, *got);
	r->at += *got;
	if (*got || !b->err)
		return 0;
	*fault = r->fault;
	return b->err;
}
