// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_convert.h"

#include "cli/file_command.h"
#include "cli/file_settings.h"
#include "formats/format.h"
#include "pprof/merge.h"
#include "pprof/model.h"

static int write_converted(const struct file_settings *s, const struct file_input *in, FILE *out,
			   struct profile_fault *fault)
{
	struct model *merged;
	int err = merge_one(in->model, &merged, fault);

	if (err)
		return err;
	err = formats_find(s->format)->write(merged, in->report.type, out, fault);
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
