// SPDX-License-Identifier: GPL-2.0
/*
 * What the caller may see, in one word: "data", "nothing", or the error's name.
 *
 *	look process PID	the process alone
 *	look everybody PID	the process, by a session for all
 *	look audit | status	by netlink
 */
#include "genl.h"
#include "rings.h"

#define LOOK_MS		1000
#define KERNEL_BEGIN	0xffff800000000000ULL

static unsigned long nr_samples, nr_strangers;

static int say(int err)
{
	puts(strerrorname_np(err));
	return 0;
}

/* Who has no number in the caller's pid namespace is none of its business. */
static void see(const struct pprof_record *record, void *pid)
{
	const struct pprof_event *ev = (const struct pprof_event *)record;

	nr_strangers += !ev->pid;
	if (record->type == PPROF_REC_SAMPLE && ev->pid == (__u32)*(int *)pid)
		nr_samples++;
}

/* Not in samples alone: nowhere in what the reader has before it. */
static int shows_kernel(const struct rings *rings)
{
	const struct ring *ring;
	const __u64 *word;

	for (ring = rings->rings; ring->tail; ring++)
		for (word = (const __u64 *)ring->head;
		     (const char *)word < ring->data + ring->head->ring_bytes; word++)
			if (*word >= KERNEL_BEGIN)
				return 1;
	return 0;
}

static int look_at(int pid, int everybody)
{
	struct rings rings = { .see = see, .context = &pid };
	int fd = open("/dev/pprof", O_RDWR | O_CLOEXEC);

	if (fd < 0 || setup(fd, everybody ? PPROF_SETUP_ALL : 0, 8 * RING_BYTES) ||
	    (!everybody && attach(fd, pid, NULL)) || start(fd, PPROF_SOURCE_CPU, PERIOD_NS))
		return say(errno);
	rings_map(&rings, fd, 8 * RING_BYTES, sums_new());
	for (int ms = 0; ms < LOOK_MS && !nr_samples; ms += 20) {
		sleep_us(20000);
		rings_drain(&rings);
	}
	if (stop(fd, PPROF_SOURCE_CPU))
		return say(errno);
	if (!everybody && shows_kernel(&rings))
		puts("kernel addresses");
	else if (nr_strangers)
		puts("strangers");
	else
		puts(nr_samples ? "data" : "nothing");
	return nr_problems;
}

static int call(__u16 flags, __u8 cmd)
{
	int fd = genl_open(), family = genl_family(fd, PPROF_GENL_NAME);
	int err = family < 0 ? family : genl_call(fd, family, flags, cmd);

	if (err)
		return say(-err);
	puts("data");
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 3 && !strcmp(what, "process"))
		return look_at(atoi(argv[2]), 0);
	if (argc == 3 && !strcmp(what, "everybody"))
		return look_at(atoi(argv[2]), 1);
	if (argc == 2 && !strcmp(what, "audit"))
		return call(0, PPROF_CMD_LISTEN);
	if (argc == 2 && !strcmp(what, "status"))
		return call(NLM_F_DUMP, PPROF_CMD_SESSION_GET);
	return 2;
}
