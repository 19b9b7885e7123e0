// SPDX-License-Identifier: GPL-2.0
/* Threads that return, that exit from deep within, and that are cancelled. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define NR_THREADS	12

static pthread_key_t key;
static volatile int nr_cleaned;

static void clean(void *arg)
{
	(void)arg;
	nr_cleaned++;
}

static __attribute__((noipa)) void leave(int depth)
{
	if (depth)
		leave(depth - 1);
	else if (nr_cleaned >= 0)
		pthread_exit(NULL);
	nr_cleaned++;
}

static void *returns(void *arg)
{
	pthread_setspecific(key, arg);
	free(malloc(100));
	return arg;
}

static void *exits(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	leave(5);
	pthread_cleanup_pop(0);
	return arg;
}

static void *waits(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	pause();
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	static void *(*const bodies[])(void *) = { returns, returns, exits, waits };
	pthread_t thread;

	pthread_key_create(&key, clean);
	for (int i = 0; i < NR_THREADS; i++) {
		if (pthread_create(&thread, NULL, bodies[i % 4], &key))
			return 1;
		if (bodies[i % 4] == waits)
			pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	return 0;
}
