// SPDX-License-Identifier: GPL-2.0
#include "procfs/procfs.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "procfs/live_thread.h"

#define VSYSCALL	"[vsyscall]"

static FILE *open_file(pid_t pid, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

/*
 * The argument of PROCMAP_QUERY, since Linux 6.11: struct procmap_query of include/uapi/linux/fs.h.
 * The headers of Debian 12 do not have it.
 */
struct query {
	uint64_t size;
	uint64_t flags;
	uint64_t address;
	uint64_t start;
	uint64_t end;
	uint64_t vma_flags;
	uint64_t page_bytes;
	uint64_t offset;
	uint64_t ino;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t name_bytes;	/* in: of the buffer; out: with the NUL, or 0 for no name */
	uint32_t build_id_bytes;
	uint64_t name;
	uint64_t build_id;
};

#define QUERY_MAPPING		_IOWR('f', 17, struct query)
#define QUERY_EXECUTABLE	0x04
#define QUERY_COVERING_OR_NEXT	0x10

struct walk {
	procfs_maps_fn fn;
	void *ctx;
	bool executable_only;
	uint64_t from;	/* what lies below is known already */
};

/* Cuts off what lies below w->from. Returns false if nothing is left. */
static bool clip(const struct walk *w, struct maps_entry *e)
{
	if (e->end <= w->from)
		return false;
	if (e->start < w->from) {
		e->offset += e->ino ? w->from - e->start : 0;
		e->start = w->from;
	}
	return true;
}

static int take_line(const struct walk *w, const char *line, size_t len)
{
	char name[PATH_MAX];
	struct maps_entry e;

	if (maps_parse_line(line, len, &e) || (w->executable_only && !e.executable) || !clip(w, &e))
		return 0;
	if (maps_entry_name(&e, name, sizeof(name)) < 0)
		name[0] = 0;
	return w->fn(w->ctx, &e, name);
}

static int read_lines(const struct walk *w, FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &size, f)) > 0)
		err = take_line(w, line, len);
	free(line);
	return err;
}

/* Fills e and name with the first executable mapping that ends above `from`. */
static int query(FILE *f, uint64_t from, struct maps_entry *e, char name[PATH_MAX])
{
	struct query q = { .size = sizeof(q), .flags = QUERY_EXECUTABLE | QUERY_COVERING_OR_NEXT,
			   .address = from, .name_bytes = PATH_MAX, .name = (uintptr_t)name };
	size_t len;

	name[0] = 0;
	if (ioctl(fileno(f), QUERY_MAPPING, &q))
		return -errno;
	if (q.start >= q.end || q.end <= from)
		return -EINVAL;
	len = strlen(name);
	maps_trim_deleted(name);
	*e = (struct maps_entry){ .start = q.start, .end = q.end, .offset = q.offset, .ino = q.ino,
				  .dev_major = q.dev_major, .dev_minor = q.dev_minor,
				  .executable = true, .name = name, .name_len = strlen(name) };
	e->deleted = e->name_len < len;
	return 0;
}

/*
 * The line of [vsyscall], or all zeroes. It is no mapping of a process, so no query returns it. If
 * the kernel has it, it is in maps of each process of 64 bits, as in that of the collector.
 */
static struct maps_entry vsyscall;
static pthread_once_t vsyscall_once = PTHREAD_ONCE_INIT;

static int keep_vsyscall(void *ctx, const struct maps_entry *e, const char *name)
{
	(void)ctx;
	if (strcmp(name, VSYSCALL))
		return 0;
	vsyscall = *e;
	vsyscall.name = VSYSCALL;
	return 1;
}

static void find_vsyscall(void)
{
	const struct walk w = { .fn = keep_vsyscall, .executable_only = true };
	FILE *f = fopen("/proc/self/maps", "re");

	if (!f)
		return;
	read_lines(&w, f);
	fclose(f);
}

/* A process of 32 bits has no mapping above 4 GiB, and no [vsyscall]. */
static int add_vsyscall(const struct walk *w)
{
	if (w->from <= UINT32_MAX)
		return 0;
	pthread_once(&vsyscall_once, find_vsyscall);
	return vsyscall.end ? w->fn(w->ctx, &vsyscall, VSYSCALL) : 0;
}

/*
 * The process may change its mappings between two queries. Each query begins where the last
 * mapping ended, so that no address is reported twice. If a query fails, the lines tell the rest:
 * older kernels have no queries, and a name over PATH_MAX fails.
 */
static int query_all(struct walk *w, FILE *f)
{
	char name[PATH_MAX];
	struct maps_entry e;
	int err;

	while (!(err = query(f, w->from, &e, name))) {
		clip(w, &e);
		w->from = e.end;
		err = w->fn(w->ctx, &e, name);
		if (err)
			return err;
	}
	return err == -ENOENT ? add_vsyscall(w) : read_lines(w, f);
}

static int read_maps(pid_t pid, struct walk *w)
{
	FILE *f = open_file(live_thread(pid), "maps");
	int err;

	if (!f)
		return -ESRCH;
	err = w->executable_only ? query_all(w, f) : read_lines(w, f);
	fclose(f);
	return err;
}

int procfs_maps(pid_t pid, procfs_maps_fn fn, void *ctx)
{
	struct walk w = { .fn = fn, .ctx = ctx };

	return read_maps(pid, &w);
}

int procfs_executable_maps(pid_t pid, procfs_maps_fn fn, void *ctx)
{
	struct walk w = { .fn = fn, .ctx = ctx, .executable_only = true };

	return read_maps(pid, &w);
}

void procfs_comm(pid_t pid, char *comm, size_t size)
{
	FILE *f = open_file(pid, "comm");

	if (!f)
		return;
	if (fgets(comm, size, f))
		comm[strcspn(comm, "\n")] = 0;
	fclose(f);
}

int procfs_exe(pid_t pid, char *path, size_t size)
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", live_thread(pid));
	len = readlink(link, path, size - 1);
	if (len < 0)
		return -errno;
	path[len] = 0;
	return 0;
}
