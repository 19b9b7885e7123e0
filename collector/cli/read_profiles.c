// SPDX-License-Identifier: GPL-2.0
#include "cli/read_profiles.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "cli/file_settings.h"
#include "formats/profile_file.h"
#include "pprof/merge.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "pprof/scale.h"

#define LARGE_BYTES	(256 << 10)

static void print_file(const char *file)
{
	fputs("pprof-collect: ", stderr);
	utf8_print(stderr, file);
	fputs(": ", stderr);
}

int read_profiles_print_error(const char *file, const char *text, int err)
{
	print_file(file);
	fprintf(stderr, "%s\n", text);
	return err;
}

void read_profiles_put_fault(const struct profile_fault *fault, FILE *out)
{
	if (fault->offset != PROFILE_FAULT_NO_OFFSET)
		fprintf(out, "byte %" PRIu64 ": ", fault->offset);
	utf8_print(out, fault->text);
}

int read_profiles_print_fault(const char *file, const struct profile_fault *fault, int err)
{
	print_file(file);
	read_profiles_put_fault(fault, stderr);
	putc('\n', stderr);
	return err;
}

static int read_one(const char *file, struct model **out)
{
	struct profile_fault fault;
	int err = profile_file_read(file, PROFILE_INPUT_MAX_BYTES, out, NULL, &fault);

	return err ? read_profiles_print_fault(file, &fault, err) : 0;
}

/* A file that is read while the profile before it is merged. */
struct next_file {
	const char *file;
	pthread_t thread;
	bool has_thread;
	struct model *model;
	struct profile_fault fault;
	int err;
};

static void *read_next(void *ctx)
{
	struct next_file *next = ctx;

	next->err = profile_file_read(next->file, PROFILE_INPUT_MAX_BYTES, &next->model, NULL,
				      &next->fault);
	return NULL;
}

/*
 * A pipe may never end, and then the thread could not be joined: it is read at its turn. So is a
 * small file, which is read sooner than a thread starts.
 */
static void start_next(struct next_file *next, const char *file)
{
	struct stat st;

	*next = (struct next_file){ .file = file };
	next->has_thread = !stat(file, &st) && S_ISREG(st.st_mode) &&
			   st.st_size >= LARGE_BYTES &&
			   !pthread_create(&next->thread, NULL, read_next, next);
}

static int finish_next(struct next_file *next, struct model **out)
{
	if (!next->has_thread)
		return read_one(next->file, out);
	pthread_join(next->thread, NULL);
	*out = next->model;
	return next->err ? read_profiles_print_fault(next->file, &next->fault, next->err) : 0;
}

static void drop_next(struct next_file *next)
{
	if (!next->has_thread)
		return;
	pthread_join(next->thread, NULL);
	model_free(next->model);
}

static int add_model(struct merge *g, const char *file, const struct model *m,
		     enum merge_sign sign)
{
	struct profile_fault fault;
	int err = merge_add(g, m, sign, &fault);

	return err ? read_profiles_print_fault(file, &fault, err) : 0;
}

static int add_files(struct merge *g, const struct path_list *files, enum merge_sign sign)
{
	struct next_file next = { .file = files->nr ? files->items[0] : NULL };
	struct model *m;
	int err = 0;

	for (size_t i = 0; !err && i < files->nr; i++) {
		err = finish_next(&next, &m);
		if (err)
			return err;
		next = (struct next_file){ 0 };
		if (i + 1 < files->nr)
			start_next(&next, files->items[i + 1]);
		err = add_model(g, files->items[i], m, sign);
		model_free(m);
	}
	if (err)
		drop_next(&next);
	return err;
}

static int finish(struct merge *g, const struct path_list *files, struct model **out)
{
	struct profile_fault fault;
	int err = merge_finish(g, out, &fault);

	return err ? read_profiles_print_fault(files->items[files->nr - 1], &fault, err) : 0;
}

/* Adds the files up, and subtracts the bases, which may be none. */
static int merge_files(const struct path_list *files, const struct path_list *bases,
		       enum merge_sign base_sign, struct model **out)
{
	struct merge *g = merge_new();
	int err;

	if (!g)
		return read_profiles_print_error(files->items[0], "out of memory: free memory",
						 -ENOMEM);
	err = add_files(g, files, MERGE_ADD);
	if (!err)
		err = add_files(g, bases, base_sign);
	if (!err)
		err = finish(g, files, out);
	merge_free(g);
	return err;
}

/* Subtracts base from source after it scaled source to the sums of base. */
static int subtract_normalized(const struct file_settings *s, struct model *source,
			       const struct model *base, struct model **out)
{
	const char *file = s->files.items[0];
	struct profile_fault fault;
	struct merge *g;
	int err = scale_normalize(source, base, &fault);

	if (err)
		return read_profiles_print_fault(file, &fault, err);
	g = merge_new();
	if (!g)
		return read_profiles_print_error(file, "out of memory: free memory", -ENOMEM);
	err = add_model(g, file, source, MERGE_ADD);
	if (!err)
		err = add_model(g, s->bases.items[0], base, s->base_sign);
	if (!err)
		err = finish(g, &s->files, out);
	merge_free(g);
	return err;
}

static int read_normalized(const struct file_settings *s, struct model **out)
{
	const struct path_list none = { 0 };
	struct model *source = NULL, *base = NULL;
	int err = merge_files(&s->files, &none, MERGE_ADD, &source);

	if (!err)
		err = merge_files(&s->bases, &none, MERGE_ADD, &base);
	if (!err)
		err = subtract_normalized(s, source, base, out);
	model_free(source);
	model_free(base);
	return err;
}

int read_profiles(const struct file_settings *s, struct model **out)
{
	if (s->normalize)
		return read_normalized(s, out);
	if (s->files.nr == 1 && !s->bases.nr)
		return read_one(s->files.items[0], out);
	return merge_files(&s->files, &s->bases, s->base_sign, out);
}
