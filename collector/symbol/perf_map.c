// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a perf map may overlap, and the last line that covers an address counts. So the address
 * space is split into pieces at each start and each end of a line. The lines are then taken from
 * the last to the first: each one names the pieces in its range that have no name yet. A look-up is
 * a binary search for the piece.
 *
 * A compiler may write new code over old code during the profile, and the lines have no times. So
 * each piece also has the name of its code at the start of the profile, or of the first code later.
 */
#include "symbol/perf_map.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "procfs/live_thread.h"
#include "base/regular_file.h"

#define NS_PER_SECOND	INT64_C(1000000000)

/* Two ticks of 10 ms: one for the time of the file, and one for that of the process. */
#define START_SLACK_NS	(NS_PER_SECOND / 50)

struct entry {
	uint64_t start;
	uint64_t end;
	uint32_t name;		/* offset in the text */
};

enum which {
	LAST,		/* of the last line */
	FIRST,		/* at the start of the profile, or of the first line since then */
};

/* A piece reaches to the start of the next one. The last one is after all code. */
struct piece {
	uint64_t start;
	/* Offsets in the text, or 0 if the piece has no name: no name starts at 0. */
	uint32_t names[2];	/* by enum which */
	/*
	 * Used while names are set: this piece if it has no name, else a later one. A chain of next
	 * ends at a piece without a name.
	 */
	uint32_t next;
};

struct perf_map {
	char *text;
	struct piece *pieces;
	size_t nr;
};

struct entries {
	struct entry *v;
	size_t nr;
	size_t room;
};

/* Reads the effective user of pid, and its pid in the innermost pid namespace that it is in. */
static int read_status(pid_t pid, uid_t *uid, pid_t *inner_pid)
{
	char path[32], line[512];
	bool known = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	*inner_pid = pid;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Uid: %*u %u", uid) == 1)
			known = true;
		else if (!strncmp(line, "NSpid:", 6))
			*inner_pid = atoi(strrchr(line, '\t') + 1);
	}
	fclose(f);
	return known ? 0 : -ESRCH;
}

/*
 * Opens path with O_PATH in the root folder of pid. With RESOLVE_IN_ROOT symbolic links stay inside
 * of that root: see openat2(2). The file itself must not be a link.
 */
static int find_in_root(pid_t pid, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT };
	char root_path[32];
	int root, fd;

	snprintf(root_path, sizeof(root_path), "/proc/%d/root", live_thread(pid));
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(root);
	return fd;
}

/* Returns when pid was forked, in clock ticks since the boot, or 0 if that is not known. */
static uint64_t read_start(pid_t pid)
{
	char path[32], line[1024];
	uint64_t start = 0;
	const char *at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	at = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtoull(at, NULL, 10);
	fclose(f);
	return start;
}

static int64_t to_ns(const struct timespec *ts)
{
	return ts->tv_sec * NS_PER_SECOND + ts->tv_nsec;
}

/*
 * Was the map last written before pid was forked? Then an older process of this pid left it. The
 * times of files and of processes are some milliseconds too early, each: see START_SLACK_NS.
 */
static bool is_older(const struct stat *st, pid_t pid)
{
	struct timespec boot, now;
	uint64_t start = read_start(pid);

	if (!start || clock_gettime(CLOCK_BOOTTIME, &boot) || clock_gettime(CLOCK_REALTIME, &now))
		return false;
	return to_ns(&st->st_mtim) + START_SLACK_NS <
	       to_ns(&now) - to_ns(&boot) +
		       (int64_t)(start * (NS_PER_SECOND / sysconf(_SC_CLK_TCK)));
}

/* Any user can create a file in /tmp. */
static int check_origin(int fd, pid_t pid, uid_t uid)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid && st.st_uid != uid)
		return -EPERM;
	return is_older(&st, pid) ? -ESTALE : 0;
}

int perf_map_open(pid_t pid, char path[PERF_MAP_PATH_MAX])
{
	int path_fd, fd, err;
	pid_t inner_pid;
	uid_t uid;

	err = read_status(pid, &uid, &inner_pid);
	if (err)
		return err;
	snprintf(path, PERF_MAP_PATH_MAX, "/tmp/perf-%d.map", inner_pid);
	path_fd = find_in_root(pid, path);
	if (path_fd < 0)
		return path_fd;
	fd = regular_reopen(path_fd);
	close(path_fd);
	err = fd < 0 ? fd : check_origin(fd, pid, uid);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * Reads up to size bytes. The file may become shorter during the read.
 * Returns: the number of bytes. If it is 0, errno is 0 at the end of the file, else the error.
 */
static size_t read_at(int fd, char *text, size_t size, off_t offset)
{
	size_t len = 0;
	ssize_t nr;

	do {
		errno = 0;
		nr = pread(fd, text + len, size - len, offset + len);
		if (nr > 0)
			len += nr;
	} while ((nr > 0 && len < size) || (nr < 0 && errno == EINTR));
	return len;
}

/* Reads a hexadecimal number, with or without 0x, and the space after it. */
static bool take_number(const char **at, uint64_t *out)
{
	char *end;

	if (!isxdigit((unsigned char)**at))
		return false;
	*out = strtoull(*at, &end, 16);
	*at = end + 1;
	return *end == ' ';
}

/* Adds an entry for a line. A line with another format is skipped. */
static int add_line(struct perf_map *m, struct entries *entries, const char *line)
{
	struct entry *v;
	uint64_t start, size;

	if (!take_number(&line, &start) || !take_number(&line, &size) || !*line ||
	    !size || start + size < start)
		return 0;
	v = array_grow(entries->v, &entries->room, entries->nr + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	entries->v = v;
	v[entries->nr++] = (struct entry){ start, start + size, line - m->text };
	return 0;
}

/* Returns the end of the line before the one that ends at end, or NULL if that is the first one. */
static char *end_before(char *text, char *end)
{
	while (end > text && end[-1] != '\n')
		end--;
	return end > text ? end - 1 : NULL;
}

/*
 * Adds the lines, the last one first. is_complete: the text starts at the start of the file; if
 * not, it starts inside of a line, which is skipped.
 */
static int add_lines(struct perf_map *m, struct entries *entries, size_t len, bool is_complete)
{
	char *end = end_before(m->text, m->text + len), *before;
	int err = 0;

	for (; !err && end && entries->nr < PERF_MAP_MAX_LINES; end = before) {
		*end = 0;
		before = end_before(m->text, end);
		if (before || is_complete)
			err = add_line(m, entries, before ? before + 1 : m->text);
	}
	return err;
}

static int compare_pieces(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Makes a piece for each address where an entry starts or ends. */
static int make_pieces(struct perf_map *m, const struct entries *entries)
{
	size_t nr = 0;

	m->pieces = calloc(2 * entries->nr + 1, sizeof(*m->pieces));
	if (!m->pieces)
		return -ENOMEM;
	for (size_t i = 0; i < entries->nr; i++) {
		m->pieces[2 * i].start = entries->v[i].start;
		m->pieces[2 * i + 1].start = entries->v[i].end;
	}
	qsort(m->pieces, 2 * entries->nr, sizeof(*m->pieces), compare_pieces);
	for (size_t i = 0; i < 2 * entries->nr; i++)
		if (!nr || m->pieces[nr - 1].start != m->pieces[i].start)
			m->pieces[nr++].start = m->pieces[i].start;
	m->nr = nr;
	return 0;
}

/* Returns how many pieces start at addr or below. */
static size_t nr_started(const struct perf_map *m, uint64_t addr)
{
	size_t lo = 0, hi = m->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->pieces[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Returns the first piece from i on that has no name. On the way it halves the chain of next, as
 * path halving in a union-find structure does. So a long chain becomes short.
 */
static uint32_t next_unnamed(struct piece *pieces, uint32_t i)
{
	while (pieces[i].next != i) {
		pieces[i].next = pieces[pieces[i].next].next;
		i = pieces[i].next;
	}
	return i;
}

/*
 * Names all pieces of an entry that have no name yet. Named pieces are skipped, so that each piece
 * is named once, no matter how the lines overlap.
 */
static void name_pieces(struct perf_map *m, const struct entry *entry, enum which which)
{
	uint32_t i = nr_started(m, entry->start) - 1, end = nr_started(m, entry->end) - 1;

	for (i = next_unnamed(m->pieces, i); i < end; i = next_unnamed(m->pieces, i)) {
		m->pieces[i].names[which] = entry->name;
		m->pieces[i].next = i + 1;
	}
}

static void forget_chains(struct perf_map *m)
{
	for (size_t i = 0; i < m->nr; i++)
		m->pieces[i].next = i;
}

static void name_last(struct perf_map *m, const struct entries *entries)
{
	forget_chains(m);
	for (size_t i = 0; i < entries->nr; i++)
		name_pieces(m, &entries->v[i], LAST);
}

/* Of the older lines the last one counts, and of those of the profile the first one. */
static void name_first(struct perf_map *m, const struct entries *entries, size_t begin)
{
	size_t nr_new = 0;

	while (nr_new < entries->nr && entries->v[nr_new].name >= begin)
		nr_new++;
	forget_chains(m);
	for (size_t i = nr_new; i < entries->nr; i++)
		name_pieces(m, &entries->v[i], FIRST);
	for (size_t i = nr_new; i > 0; i--)
		name_pieces(m, &entries->v[i - 1], FIRST);
}

/* begin: the offset in the text from which on lines are of the profile. */
static int index_text(struct perf_map *m, size_t len, bool is_complete, size_t begin)
{
	struct entries entries = { 0 };
	int err = add_lines(m, &entries, len, is_complete);

	if (!err)
		err = make_pieces(m, &entries);
	if (!err) {
		name_last(m, &entries);
		name_first(m, &entries, begin);
	}
	free(entries.v);
	return err;
}

static int read_map(struct perf_map *m, int fd, uint64_t begin)
{
	off_t offset = 0;
	struct stat st;
	size_t len;

	if (fstat(fd, &st))
		return -errno;
	if ((uint64_t)st.st_size > PERF_MAP_MAX_BYTES)
		offset = st.st_size - PERF_MAP_MAX_BYTES;
	m->text = malloc(st.st_size - offset + 1);
	if (!m->text)
		return -ENOMEM;
	len = read_at(fd, m->text, st.st_size - offset, offset);
	begin -= begin < (uint64_t)offset ? begin : (uint64_t)offset;
	return !len && errno ? -errno : index_text(m, len, !offset, begin);
}

struct perf_map *perf_map_read(int fd, uint64_t begin)
{
	struct perf_map *m = calloc(1, sizeof(*m));
	int err = m ? read_map(m, fd, begin) : -ENOMEM;

	close(fd);
	if (!err)
		return m;
	perf_map_free(m);
	errno = -err;
	return NULL;
}

void perf_map_free(struct perf_map *m)
{
	if (!m)
		return;
	free(m->text);
	free(m->pieces);
	free(m);
}

const char *perf_map_find(const struct perf_map *m, uint64_t addr, const char **before)
{
	size_t nr = nr_started(m, addr);
	const uint32_t *names = nr ? m->pieces[nr - 1].names : NULL;

	if (!nr || !names[LAST])
		return NULL;
	*before = strcmp(m->text + names[LAST], m->text + names[FIRST]) ? m->text + names[FIRST]
									: NULL;
	return m->text + names[LAST];
}
