// SPDX-License-Identifier: GPL-2.0
#include "cli/read_profiles.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "pprof/merge.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_file.h"
#include "pprof/profile_input.h"

int read_profiles_print_error(const char *file, const char *text, int err)
{
	fputs("pprof-collect: ", stderr);
	utf8_print(stderr, file);
	fprintf(stderr, ": %s\n", text);
	return err;
}

static int print_fault(const char *file, const struct profile_fault *fault, int err)
{
	char text[sizeof(fault->text) + 32];

	if (fault->offset == PROFILE_FAULT_NO_OFFSET)
		return read_profiles_print_error(file, fault->text, err);
	snprintf(text, sizeof(text), "byte %" PRIu64 ": %s", fault->offset, fault->text);
	return read_profiles_print_error(file, text, err);
}

static int read_one(const char *file, struct model **out)
{
	struct profile_fault fault;
	int err = profile_file_read(file, PROFILE_INPUT_MAX_BYTES, out, NULL, &fault);

	return err ? print_fault(file, &fault, err) : 0;
}

static int add_file(struct merge *g, const char *file)
{
	struct profile_fault fault;
	struct model *m;
	int err = read_one(file, &m);

	if (err)
		return err;
	err = merge_add(g, m, MERGE_ADD, &fault);
	model_free(m);
	return err ? print_fault(file, &fault, err) : 0;
}

int read_profiles(char *const *files, size_t nr_files, struct model **out)
{
	struct profile_fault fault;
	struct merge *g;
	int err = 0;

	if (nr_files == 1)
		return read_one(files[0], out);
	g = merge_new();
	if (!g) {
		warnx("cannot read the profiles: out of memory: free memory");
		return -ENOMEM;
	}
	for (size_t i = 0; !err && i < nr_files; i++)
		err = add_file(g, files[i]);
	if (!err) {
		err = merge_finish(g, out, &fault);
		if (err)
			print_fault(files[nr_files - 1], &fault, err);
	}
	merge_free(g);
	return err;
}
