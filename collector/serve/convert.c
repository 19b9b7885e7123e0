// SPDX-License-Identifier: GPL-2.0
#include "serve/convert.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "analysis/filter.h"
#include "pprof/decode.h"
#include "pprof/encode.h"
#include "pprof/gzip_file.h"
#include "pprof/gzip_stream.h"
#include "pprof/merge.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "run/flame_file.h"
#include "serve/collection.h"

/* The text of a count profile begins with its name: "thread profile: total 3". */
#define TEXT_BEGIN	"thread profile:"

struct content {
	char *bytes;
	size_t len;
};

static int map_content(struct content *content, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	content->len = st.st_size;
	content->bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	return content->bytes == MAP_FAILED ? -errno : 0;
}

static int read_model(int fd, struct model **out, struct profile_fault *fault)
{
	struct content content;
	struct profile_input in;
	int err = map_content(&content, fd);

	if (err)
		return profile_fault_errno(fault, err);
	err = profile_input_open_memory(&in, content.bytes, content.len, PROFILE_INPUT_MAX_BYTES,
					fault);
	if (!err)
		err = decode_profile(&in, out, NULL, fault);
	profile_input_close(&in);
	munmap(content.bytes, content.len);
	return err;
}

static int rename_thread(struct model *m)
{
	int64_t name = model_add_string(m, "goroutine", strlen("goroutine"));

	if (name < 0)
		return name;
	m->sample_types.items[0].type = name;
	m->period_type.type = name;
	return 0;
}

static int write_model(const struct model *m, FILE *out)
{
	return encode_profile(m, proto_file_sink, out);
}

/* drop_frames of the profile are applied, as readers do. */
static int write_flame(const struct serve_collection *c, struct model *m, FILE *out,
		       struct profile_fault *fault)
{
	struct filter_settings none = { 0 };
	struct filter_result result;
	struct filter *filter;
	char title[32];
	int err;

	if (!m->samples.nr) {
		profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
				  "there are no samples to draw: ask for a longer time");
		return -ENODATA;
	}
	err = filter_new(&filter, &none, fault);
	if (!err)
		err = filter_apply(filter, m, &result, fault);
	filter_free(filter);
	if (err)
		return err;
	snprintf(title, sizeof(title), c->pid ? "process %d" : "all processes", c->pid);
	err = flame_file_write(out, m, model_default_sample_type(m), NULL, &(char *){ title }, 1);
	return err ? profile_fault_errno(fault, err) : 0;
}

static int write_result(const struct serve_collection *c, struct model *m, FILE *out,
			struct profile_fault *fault)
{
	int err = c->is_goroutine ? rename_thread(m) : 0;

	if (!err && c->is_flame)
		return write_flame(c, m, out, fault);
	if (!err)
		err = write_model(m, out);
	return err ? profile_fault_errno(fault, err) : 0;
}

/* Writes m to standard output: a page as it is, a profile as gzip. */
static int write_output(const struct serve_collection *c, struct model *m,
			struct profile_fault *fault)
{
	struct gzip_file *gz = gzip_file_open("-", GZIP_FILE_REPLACE |
					      (c->is_flame ? GZIP_FILE_PLAIN : 0));
	struct gzip_stream stream;
	FILE *out = gz ? gzip_stream_open(&stream, gz) : NULL;
	int err, closed;

	if (!out) {
		gzip_file_abort(gz);
		return profile_fault_errno(fault, -ENOMEM);
	}
	err = write_result(c, m, out, fault);
	closed = gzip_stream_close(&stream, out);
	if (err || closed) {
		gzip_file_abort(gz);
		return err ? err : profile_fault_errno(fault, closed);
	}
	err = gzip_file_commit(gz, NULL);
	return err < 0 ? profile_fault_errno(fault, err) : 0;
}

static int print_fault(const struct profile_fault *fault, int err)
{
	if (err)
		warnx("%s", fault->text);
	return err;
}

static int write_text(int fd, struct profile_fault *fault)
{
	const size_t skip = strlen(TEXT_BEGIN);
	struct content content;
	int err = map_content(&content, fd);

	if (err)
		return profile_fault_errno(fault, err);
	if (content.len > skip && !memcmp(content.bytes, TEXT_BEGIN, skip)) {
		fputs("goroutine profile:", stdout);
		fwrite(content.bytes + skip, 1, content.len - skip, stdout);
	}
	munmap(content.bytes, content.len);
	return 0;
}

int serve_convert(const struct serve_collection *c, int fd)
{
	struct profile_fault fault;
	struct model *m = NULL;
	int err;

	if (c->debug)
		return print_fault(&fault, write_text(fd, &fault));
	err = read_model(fd, &m, &fault);
	if (!err)
		err = write_output(c, m, &fault);
	model_free(m);
	return print_fault(&fault, err);
}

/* Sets *out to second - first. */
static int subtract(const struct model *first, const struct model *second, struct model **out,
		    struct profile_fault *fault)
{
	struct merge *g = merge_new();
	int err;

	if (!g)
		return profile_fault_errno(fault, -ENOMEM);
	err = merge_add(g, second, MERGE_ADD, fault);
	if (!err)
		err = merge_add(g, first, MERGE_BASE, fault);
	if (!err)
		err = merge_finish(g, out, fault);
	merge_free(g);
	if (err)
		return err;
	(*out)->time_ns = second->time_ns;
	(*out)->duration_ns = second->time_ns - first->time_ns;
	return 0;
}

int serve_convert_difference(const struct serve_collection *c, int first, int second)
{
	struct model *models[2] = { NULL, NULL }, *m = NULL;
	struct profile_fault fault;
	int err = read_model(first, &models[0], &fault);

	if (!err)
		err = read_model(second, &models[1], &fault);
	if (!err)
		err = subtract(models[0], models[1], &m, &fault);
	if (!err)
		err = write_output(c, m, &fault);
	for (int i = 0; i < 2; i++)
		model_free(models[i]);
	model_free(m);
	return print_fault(&fault, err);
}
