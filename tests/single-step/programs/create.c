// SPDX-License-Identifier: GPL-2.0
/* Threads one after the other, which do little and return. */
#include <pthread.h>
#include <stdio.h>

#define NR_THREADS	30

static char text[32];

static void *work(void *arg)
{
	snprintf(text, sizeof(text), "%d", *(int *)arg);
	return text;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < NR_THREADS; i++)
		if (pthread_create(&thread, NULL, work, &i) || pthread_join(thread, NULL))
			return 1;
	return 0;
}
