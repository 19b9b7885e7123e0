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

/* A thread name may hold any bytes. The file name has only characters that no shell expands. */
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

char *output_files_name(const char *comm, pid_t pid, const char *profile_type)
{
	char clean_comm[64], clean_type[PPROF_CUSTOM_NAME_BYTES], *name;
	int len;

	clean(clean_type, sizeof(clean_type), profile_type);
	clean(clean_comm, sizeof(clean_comm), comm ? comm : "all");
	if (pid)
		len = asprintf(&name, "%s.%d.%s", clean_comm, pid, clean_type);
	else
		len = asprintf(&name, "%s.%s", clean_comm, clean_type);
	return len < 0 ? NULL : name;
}

static char *default_path(const char *comm, pid_t pid, const char *profile_type, bool text)
{
	char *name = output_files_name(comm, pid, profile_type), *path;
	int len = name ? asprintf(&path, "pprof.%s.%s", name, text ? "txt" : "pb.gz") : -1;

	free(name);
	return len < 0 ? NULL : path;
}

void output_files_print_error(const char *path, const char *option, int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:
		warnx("cannot write %s: the disk is full: free space or give another path with "
		      "%s", path, option);
		break;
	case EISNAM:
		warnx("cannot write %s: it is another user's FIFO, so that user could read the "
		      "profile: use '--output -' and let the shell open it", path);
		break;
	default:
		warnx("cannot write %s: %s: give another path with %s", path, strerror(-err),
		      option);
	}
}

static const char *type_name(const struct settings *settings, uint32_t profile_type)
{
	return profile_type == PROFILE_TYPE_CUSTOM ? settings->custom
						   : profile_types_get(profile_type, false)->name;
}

static int open_one(struct output_files *o, const struct settings *settings, uint32_t profile_type,
		    const char *comm, pid_t pid)
{
	unsigned int flags = (settings->output ? GZIP_FILE_REPLACE : GZIP_FILE_KEEP) |
			     (settings->debug ? GZIP_FILE_PLAIN : 0);
	char *path = settings->output ? strdup(settings->output)
				      : default_path(comm, pid, type_name(settings, profile_type),
						     settings->debug);

	if (!path) {
		warnx("cannot name an output file: out of memory: free memory");
		return -1;
	}
	o->path[profile_type] = path;
	o->gz[profile_type] = gzip_file_open(path, flags);
	if (o->gz[profile_type])
		return 0;
	output_files_print_error(path, "--output", -errno);
	return -1;
}

int output_files_open(struct output_files *o, const struct settings *settings, const char *comm,
		      pid_t pid)
{
	*o = (struct output_files){ 0 };
	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++) {
		if (!(settings->profile_types & (1U << profile_type)))
			continue;
		if (open_one(o, settings, profile_type, comm, pid)) {
			output_files_fini(o);
			return -1;
		}
	}
	if (!settings->flame)
		return 0;
	o->flame = gzip_file_open(settings->flame, GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);
	if (o->flame)
		return 0;
	warnx("cannot write %s: %s: give another path with --flame", settings->flame,
	      strerror(errno));
	output_files_fini(o);
	return -1;
}

size_t output_files_open_folders(const struct output_files *o, int folders[OUTPUT_FILES_MAX])
{
	size_t nr = 0;

	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++)
		if (o->gz[profile_type])
			folders[nr++] = gzip_file_open_folder(o->gz[profile_type]);
	if (o->flame)
		folders[nr++] = gzip_file_open_folder(o->flame);
	return nr;
}

void output_files_fini(struct output_files *o)
{
	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++) {
		gzip_file_abort(o->gz[profile_type]);
		free(o->path[profile_type]);
	}
	gzip_file_abort(o->flame);
	*o = (struct output_files){ 0 };
}

int output_files_commit(struct output_files *o, uint32_t profile_type)
{
	char *final = NULL;
	int err = gzip_file_commit(o->gz[profile_type], &final);

	o->gz[profile_type] = NULL;
	if (err < 0) {
		output_files_print_error(o->path[profile_type], "--output", err);
		return -1;
	}
	if (err)
		warnx("%s exists, and so do all its names up to .999: the profile is in %s: "
		      "remove old profiles",
		      o->path[profile_type], final);
	free(o->path[profile_type]);
	o->path[profile_type] = final;
	return 0;
}
