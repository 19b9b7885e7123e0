// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_merge.h"

#include <stdio.h>

#include "cli/file_command.h"
#include "cli/file_settings.h"
#include "pprof/encode.h"
#include "pprof/merge.h"
#include "pprof/model.h"

/* Equal samples become one, and unused entries are removed. */
static int write_merged(const struct file_settings *s, const struct file_input *in, FILE *out,
			struct profile_fault *fault)
{
	struct model *merged;
	int err = merge_one(in->model, &merged, fault);

	(void)s;
	if (err)
		return err;
	err = encode_profile(merged, proto_file_sink, out);
	model_free(merged);
	return err;
}

/* Several files were merged when they were read. A single file is merged here. */
static int write_profile(const struct file_settings *s, const struct file_input *in, FILE *out,
			 struct profile_fault *fault)
{
	if (s->files.nr == 1 && !s->bases.nr)
		return write_merged(s, in, out, fault);
	return encode_profile(in->model, proto_file_sink, out);
}

int cmd_merge_run(const struct file_settings *s)
{
	return file_command_run(&(struct file_command){
		.result = "profile", .form = FILE_FORM_PROFILE, .write = write_profile,
	}, s);
}

int cmd_merge_run_filter(const struct file_settings *s)
{
	return file_command_run(&(struct file_command){
		.result = "profile", .form = FILE_FORM_PROFILE, .has_filters = true,
		.write = write_merged,
	}, s);
}
