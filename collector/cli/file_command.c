// SPDX-License-Identifier: GPL-2.0
#include "cli/file_command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/file_settings.h"
#include "cli/privileges.h"
#include "cli/read_profiles.h"
#include "pprof/gzip_file.h"
#include "pprof/gzip_stream.h"
#include "pprof/model.h"

#define STREAM_BYTES	(64U << 10)

static const char *output(const struct file_settings *s)
{
	return s->output ? s->output : "-";
}

static int print_write_error(const struct file_command *c, const struct file_settings *s, int err)
{
	char text[160];

	snprintf(text, sizeof(text), "cannot write the %s: %s: name another --output", c->result,
		 strerror(-err));
	return read_profiles_print_error(output(s), text, err);
}

/* Prints that the sample type does not exist, and which ones do. Returns: -ENOENT. */
static int print_no_type(const struct file_settings *s, const struct model *m)
{
	read_profiles_print_error(s->files.items[0], "has no such --type: use one of these:",
				  -ENOENT);
	for (size_t i = 0; i < m->sample_types.nr; i++) {
		fputs("  ", stderr);
		utf8_print(stderr, model_string(m, m->sample_types.items[i].type));
		putc('\n', stderr);
	}
	return -ENOENT;
}

static int print_no_samples(const struct file_settings *s)
{
	return read_profiles_print_error(s->files.items[0], s->bases.nr ?
					 "does not differ from the base: name another profile" :
					 "has no samples: name another profile", -ENODATA);
}

/* Returns: the index of the sample type, or a negative errno after it printed the cause. */
static int find_type(const struct file_settings *s, const struct model *m)
{
	int type;

	if (!m->samples.nr)
		return print_no_samples(s);
	type = s->type ? model_find_sample_type(m, s->type) : model_default_sample_type(m);
	return type < 0 ? print_no_type(s, m) : type;
}

static int write_result(const struct file_command *c, const struct file_settings *s,
			struct model *m, struct gzip_file *gz)
{
	int type = find_type(s, m), err, closed;
	struct gzip_stream stream;
	FILE *out;

	if (type < 0)
		return type;
	out = gzip_stream_open(&stream, gz);
	if (!out)
		return print_write_error(c, s, -ENOMEM);
	setvbuf(out, NULL, _IOFBF, STREAM_BYTES);
	err = c->write(s, m, type, out);
	closed = gzip_stream_close(&stream, out);
	if (closed)	/* the first cause: write() sees an error of the stream as EIO */
		err = closed;
	return err ? print_write_error(c, s, err) : 0;
}

static int read_and_write(const struct file_command *c, const struct file_settings *s,
			  struct gzip_file *gz)
{
	struct model *m = NULL;
	int err = read_profiles(s, &m);

	if (!err)
		err = write_result(c, s, m, gz);
	model_free(m);
	return err;
}

/* The profile may be of another user: from now on only the folder of the output is writable. */
static int give_up_rights(const struct gzip_file *gz)
{
	int folder = gzip_file_open_folder(gz);
	int err = privileges_seal(&(struct privileges_seal){ .writes_files = true });

	if (!err)
		err = privileges_end_profile(&folder, 1);
	if (folder >= 0)
		close(folder);
	return err;
}

int file_command_run(const struct file_command *c, const struct file_settings *s)
{
	struct gzip_file *gz = gzip_file_open(output(s), GZIP_FILE_REPLACE |
					      (c->is_gzipped ? 0 : GZIP_FILE_PLAIN));
	int err;

	if (!gz)
		return print_write_error(c, s, -errno);
	err = give_up_rights(gz);
	if (!err)
		err = read_and_write(c, s, gz);
	if (err) {
		gzip_file_abort(gz);
		return err;
	}
	err = gzip_file_commit(gz, NULL);
	return err < 0 ? print_write_error(c, s, err) : 0;
}
