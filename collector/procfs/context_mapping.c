// SPDX-License-Identifier: GPL-2.0
#include "procfs/context_mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "procfs/live_thread.h"
#include "procfs/procfs.h"

/* Limit of mappings with the name: a process has one, and few have a second that is not valid. */
#define MAX_CANDIDATES	8
/* The default of vm.max_map_count, which bounds the lines of maps. */
#define MAX_LINES	65530
/* An update of a context takes some 100 ns. If so many reads were torn, a later one may not be. */
#define MAX_TRIES	3

#define FORMAT_VERSION	2

/* The layout of the specification, in the byte order of the machine. */
struct header {
	char signature[8];
	uint32_t version;
	uint32_t payload_bytes;
	uint64_t published_at;	/* 0: the context is being changed */
	uint64_t payload;	/* address */
};

static bool read_header(int mem, uint64_t address, struct header *h)
{
	return pread(mem, h, sizeof(*h), address) == (ssize_t)sizeof(*h) &&
	       !memcmp(h->signature, "OTEL_CTX", sizeof(h->signature)) &&
	       h->version == FORMAT_VERSION;
}

/* Returns the device of all memfds, or 0: the kernel has no memfd. */
static dev_t memfd_device(void)
{
	int fd = memfd_create("device", MFD_CLOEXEC);
	struct stat st = { 0 };

	if (fd < 0)
		return 0;
	if (fstat(fd, &st))
		st.st_dev = 0;
	close(fd);
	return st.st_dev;
}

/* A search in /proc/PID/maps. */
struct search {
	dev_t memfd;
	unsigned int nr_lines;
	/* find_headers(): the mappings with the name */
	uint64_t candidates[MAX_CANDIDATES];
	size_t nr;
	/* find_payload(): the payload, and whether it is in memory that may be read */
	uint64_t start, bytes;
	bool is_found;
};

/* The name alone proves nothing: it may be the path of a file in another mount namespace. */
static bool is_memory(const struct search *s, const struct maps_entry *e)
{
	return !e->ino || (s->memfd && makedev(e->dev_major, e->dev_minor) == s->memfd);
}

static bool has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/*
 * The kernel names a memfd by itself, and other memory if it has CONFIG_ANON_VMA_NAME. The
 * specification wants the prefix to be compared.
 */
static bool has_name(const char *name)
{
	return has_prefix(name, "/memfd:OTEL_CTX") || has_prefix(name, "[anon_shmem:OTEL_CTX]") ||
	       has_prefix(name, "[anon:OTEL_CTX]");
}

static int find_headers(void *ctx, const struct maps_entry *e, const char *name)
{
	struct search *s = ctx;

	if (has_name(name) && is_memory(s, e) && s->nr < MAX_CANDIDATES)
		s->candidates[s->nr++] = e->start;
	return ++s->nr_lines == MAX_LINES;
}

static int find_payload(void *ctx, const struct maps_entry *e, const char *name)
{
	struct search *s = ctx;

	(void)name;
	if (s->start >= e->start && s->start < e->end)
		s->is_found = s->bytes <= e->end - s->start && is_memory(s, e);
	return e->end > s->start || ++s->nr_lines == MAX_LINES;
}

/* Two contexts that look valid do not say which one is: then there is none. */
static int find_header(pid_t pid, int mem, struct context_mapping *m)
{
	struct search s = { .memfd = memfd_device() };
	uint64_t found = 0;
	struct header h;

	m->header = 0;
	procfs_maps(pid, find_headers, &s);
	for (size_t i = 0; i < s.nr; i++) {
		if (!read_header(mem, s.candidates[i], &h))
			continue;
		if (found)
			return -ENOENT;
		found = s.candidates[i];
	}
	m->header = found;
	return found ? 0 : -ENOENT;
}

static bool may_read(pid_t pid, const struct header *h)
{
	struct search s = {
		.memfd = memfd_device(), .start = h->payload, .bytes = h->payload_bytes,
	};

	procfs_maps(pid, find_payload, &s);
	return s.is_found;
}

/* Copies the payload. Returns -EAGAIN if the header is another one afterwards. */
static int copy_payload(int mem, uint64_t address, const struct header *before,
			struct context_payload *payload)
{
	uint32_t bytes = before->payload_bytes;
	struct header after;

	payload->data = malloc(bytes ? bytes : 1);
	if (!payload->data)
		return -ENOMEM;
	payload->bytes = bytes;
	if (pread(mem, payload->data, bytes, before->payload) == (ssize_t)bytes &&
	    read_header(mem, address, &after) && !memcmp(&after, before, sizeof(after)))
		return 1;
	free(payload->data);
	return -EAGAIN;
}

/* Reads the context whose header is at m->header. */
static int read_once(pid_t pid, int mem, struct context_mapping *m,
		     struct context_payload *payload)
{
	struct header h;
	int err;

	if (!read_header(mem, m->header, &h))
		return -ENOENT;
	if (!h.published_at)
		return -EAGAIN;
	if (h.published_at == m->published_at)
		return 0;
	if (h.payload_bytes > CONTEXT_MAPPING_MAX_BYTES)
		return -E2BIG;
	if (h.payload_bytes && !may_read(pid, &h))
		return -EACCES;
	err = copy_payload(mem, m->header, &h, payload);
	if (err > 0)
		m->published_at = h.published_at;
	return err;
}

static int read_context(pid_t pid, int mem, struct context_mapping *m,
			struct context_payload *payload)
{
	int err = m->header ? -EAGAIN : find_header(pid, mem, m);

	if (err && err != -EAGAIN)
		return err;
	for (int i = 0; i < MAX_TRIES; i++) {
		err = read_once(pid, mem, m, payload);
		if (err != -EAGAIN)
			break;
	}
	if (err == -ENOENT)
		m->header = 0;
	return err;
}

int context_mapping_read(pid_t pid, struct context_mapping *m, struct context_payload *payload)
{
	char path[32];
	int mem, err;

	pid = live_thread(pid);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0)
		return -ENOENT;
	err = read_context(pid, mem, m, payload);
	close(mem);
	return err;
}
