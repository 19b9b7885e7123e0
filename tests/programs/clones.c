// SPDX-License-Identifier: GPL-2.0
/*
 * Creates COUNT threads as fast as possible. Of each ten, 5 are created in site_a, 3 in
 * site_b and 2 in site_c. Each thread ends at once. Prints created, site_a, site_b and
 * site_c: the numbers of threads.
 *
 *	clones [--raw] [COUNT]	(COUNT is 10000 if it is left out)
 *
 * glibc's clone code uses rbp for a value of its own, so a frame-pointer walk ends
 * there. With --raw the syscall is made in raw_clone, which has a frame. The stack is
 * then raw_clone, site_x, create_all, main.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

#include "program.h"

#define NR_SITES	3
#define BATCH		100	/* a multiple of the pattern's length */

static pthread_t batch[BATCH];

/*
 * Creates a thread that calls exit() at once. It shares the stack of its
 * creator, and does not touch it.
 */
static KEEP long raw_clone(void)
{
	long ret = SYS_clone;

	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	__asm__ volatile("xor %%esi, %%esi\n\t"
			 "xor %%edx, %%edx\n\t"
			 "xor %%r10d, %%r10d\n\t"
			 "xor %%r8d, %%r8d\n\t"
			 "syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%edi, %%edi\n\t"
			 "mov %[exit], %%eax\n\t"
			 "syscall\n"
			 "1:"
			 : "+a"(ret)
			 : "D"((long)(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				      CLONE_THREAD | CLONE_SYSVSEM)),
			   [exit] "i"(SYS_exit)
			 : "rcx", "rdx", "rsi", "r8", "r10", "r11", "cc", "memory");
	return ret;
}

static void *leave(void *arg)
{
	return arg;
}

/* Returns: true if the thread was created. It fails while too many threads are ending. */
static inline __attribute__((always_inline)) int create(int raw, pthread_t *thread)
{
	if (raw)
		return raw_clone() > 0;
	return pthread_create(thread, NULL, leave, NULL) == 0;
}

static KEEP int site_a(int raw, pthread_t *thread)
{
	return create(raw, thread);
}

static KEEP int site_b(int raw, pthread_t *thread)
{
	return create(raw, thread);
}

static KEEP int site_c(int raw, pthread_t *thread)
{
	return create(raw, thread);
}

static KEEP void create_all(int raw, uint64_t count, uint64_t made[NR_SITES])
{
	static int (*const sites[NR_SITES])(int, pthread_t *) = { site_a, site_b, site_c };
	static const char pattern[] = "abacabacab";
	uint64_t i, j;
	int site;

	for (i = 0; i < count; i++) {
		site = pattern[i % 10] - 'a';
		while (!sites[site](raw, &batch[i % BATCH]))
			sched_yield();
		made[site]++;
		if (raw || ((i + 1) % BATCH && i + 1 < count))
			continue;
		for (j = 0; j <= i % BATCH; j++)
			pthread_join(batch[j], NULL);
	}
}

int main(int argc, char **argv)
{
	uint64_t count = 10000, made[NR_SITES] = { 0 };
	int raw = argc > 1 && !strcmp(argv[1], "--raw");

	if (argc - raw > 2 || (argc - raw == 2 && argv[1 + raw][0] == '-'))
		usage("clones [--raw] [COUNT]");
	if (argc - raw == 2)
		count = arg_count(argv[1 + raw]);

	settle();
	create_all(raw, count, made);
	printf("created=%lu\nsite_a=%lu\nsite_b=%lu\nsite_c=%lu\n",
	       count, made[0], made[1], made[2]);
	return 0;
}
