// SPDX-License-Identifier: GPL-2.0
#include "run/profile_report.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pprof/gzip_file.h"
#include "pprof/gzip_stream.h"
#include "pprof/model.h"
#include "report/summary.h"
#include "run/flame_file.h"
#include "run/terminal_text.h"

static int put_summary(const struct summary_input *in, FILE *text)
{
	struct terminal_text terminal = { 0 };
	int err, closed;
	FILE *out;

	if (isatty(STDERR_FILENO))
		terminal_text_init(&terminal, STDERR_FILENO);
	out = terminal_text_open(&terminal, text);
	if (!out)
		return -ENOMEM;
	err = summary_print(out, in);
	closed = terminal_text_close(&terminal, out);
	return err ? err : closed;
}

/* The text is collected first: stderr has no buffer, so each character would be a system call. */
int profile_report_print(const struct summary_input *in)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);
	int err = memory ? put_summary(in, memory) : -ENOMEM;

	if (memory && fclose(memory) && !err)
		err = -ENOMEM;
	if (err && !len)
		warnx("cannot print the summary: out of memory: free memory");
	if (len)
		fwrite(text, 1, len, stderr);
	free(text);
	return err;
}

static int draw(struct gzip_file *gz, const struct model *m, const char *path, char *profile)
{
	int type = model_default_sample_type(m), err, closed;
	struct gzip_stream stream;
	FILE *out = gzip_stream_open(&stream, gz);

	if (!out)
		return -ENOMEM;
	err = flame_file_write(out, m, type, path, &profile, 1);
	closed = gzip_stream_close(&stream, out);
	return closed ? closed : err;
}

int profile_report_draw(struct gzip_file *gz, const struct model *m, const char *path,
			char *profile)
{
	int err = draw(gz, m, path, profile);

	if (err)
		gzip_file_abort(gz);
	else
		err = gzip_file_commit(gz, NULL);
	if (err >= 0)
		return 0;
	warnx("cannot write %s: %s: draw it from the profile with 'pprof-collect flame'", path,
	      strerror(-err));
	return -1;
}
