// SPDX-License-Identifier: GPL-2.0
#include "report/output_files.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/settings.h"
#include "pprof/gzip_file.h"
#include "aggregate/profile_types.h"

/* A thread may be called anything; a file name should stand any shell. */
static void clean(char *to, size_t size, const char *comm)
{
	size_t i;

	for (i = 0; comm[i] && i + 1 < size; i++) {
		unsigned char c = comm[i];

		to[i] = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			(c >= 'a' && c <= 'z') || strchr("+-_:", c) ? c : '_';
	}
	to[i] = 0;
}

static char *default_path(const char *comm, pid_t pid, const char *kind, bool text)
{
	const char *ending = text ? "txt" : "pb.gz";
	char name[64], clean_kind[PPROF_CUSTOM_NAME_BYTES], *path;
	int len;

	clean(clean_kind, sizeof(clean_kind), kind);
	kind = clean_kind;

	if (!comm)
		return asprintf(&path, "pprof.all.%s.%s", kind, ending) < 0 ? NULL : path;
	clean(name, sizeof(name), comm);
	len = asprintf(&path, "pprof.%s.%d.%s.%s", name, pid, kind, ending);
	return len < 0 ? NULL : path;
}

void outputs_complain(const struct outputs *o, uint32_t kind, int err)
{
	const char *path = o->path[kind];

	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		warnx("cannot write %s: the disk is full: free space or give another place with "
		      "--output", path);
		break;
	case EISNAM:
		warnx("cannot write %s: it is another user's FIFO, and may lead to anybody: write to "
		      "standard output with '--output -' and let the shell open it", path);
		break;
	default:
		warnx("cannot write %s: %s: give another place with --output", path,
		      strerror(-err));
	}
}

static const char *kind_name(const struct settings *settings, uint32_t kind)
{
	return kind == PPROF_SOURCE_CUSTOM ? settings->custom : kinds_get(kind, false)->name;
}

static int open_one(struct outputs *o, const struct settings *settings, uint32_t kind,
		    const char *comm, pid_t pid)
{
	unsigned int flags = (settings->output ? GZOUT_REPLACE : GZOUT_KEEP) |
			     (settings->debug ? GZOUT_PLAIN : 0);
	char *path = settings->output ? strdup(settings->output) :
				      default_path(comm, pid, kind_name(settings, kind),
						   settings->debug);

	if (!path) {
		warnx("out of memory");
		return -1;
	}
	o->path[kind] = path;
	o->gz[kind] = gzout_open(path, flags);
	if (o->gz[kind])
		return 0;
	outputs_complain(o, kind, -errno);
	return -1;
}

int outputs_open(struct outputs *o, const struct settings *settings, const char *comm, pid_t pid)
{
	*o = (struct outputs){ 0 };
	for (uint32_t kind = 0; kind < KINDS_NR; kind++) {
		if (!(settings->kinds & (1U << kind)))
			continue;
		if (open_one(o, settings, kind, comm, pid)) {
			outputs_fini(o);
			return -1;
		}
	}
	return 0;
}

void outputs_fini(struct outputs *o)
{
	for (uint32_t kind = 0; kind < KINDS_NR; kind++) {
		gzout_abort(o->gz[kind]);
		free(o->path[kind]);
	}
	*o = (struct outputs){ 0 };
}

int outputs_commit(struct outputs *o, uint32_t kind)
{
	char *final = NULL;
	int err = gzout_commit(o->gz[kind], &final);

	o->gz[kind] = NULL;
	if (err < 0) {
		outputs_complain(o, kind, err);
		return -1;
	}
	if (err)
		warnx("%s exists, and so do all its names up to .999: the profile is %s",
		      o->path[kind], final);
	free(o->path[kind]);
	o->path[kind] = final;
	return 0;
}
