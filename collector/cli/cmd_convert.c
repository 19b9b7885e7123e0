// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_convert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file_command.h"
#include "cli/file_settings.h"
#include "formats/format.h"
#include "pprof/merge.h"
#include "pprof/model.h"

/* A writer may find a fault when it has written a part, which a file drops but a pipe does not. */
static int write_at_once(const struct format *format, const struct model *m, uint32_t type,
			 FILE *out, struct profile_fault *fault)
{
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);
	int err = memory ? format->write(m, type, memory, fault) : -ENOMEM;

	if (memory && fclose(memory) && !err)
		err = -ENOMEM;
	if (!err)
		fwrite(text, 1, len, out);
	free(text);
	return err;
}

static int write_converted(const struct file_settings *s, const struct file_input *in, FILE *out,
			   struct profile_fault *fault)
{
	const struct format *format = formats_find(s->format);
	struct model *merged;
	int err = merge_one(in->model, &merged, fault);

	if (err)
		return err;
	if (s->output && strcmp(s->output, "-"))
		err = format->write(merged, in->report.type, out, fault);
	else
		err = write_at_once(format, merged, in->report.type, out, fault);
	model_free(merged);
	return err;
}

int cmd_convert_run(const struct file_settings *s)
{
	return file_command_run(&(struct file_command){
		.result = "profile", .has_filters = true, .write = write_converted,
		.form = formats_find(s->format)->is_gzipped ? FILE_FORM_PROFILE : FILE_FORM_PAGE,
	}, s);
}
