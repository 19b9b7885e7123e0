// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_flame.h"

#include "cli/file_command.h"
#include "cli/file_settings.h"
#include "run/flame_file.h"

static int write_graph(const struct file_settings *s, const struct file_input *in, FILE *out,
		       struct profile_fault *fault)
{
	(void)fault;
	return flame_file_write(out, in->model, in->report.type, s->output, s->files.items,
				s->files.nr);
}

int cmd_flame_run(const struct file_settings *s)
{
	return file_command_run(&(struct file_command){
		.result = "graph", .form = FILE_FORM_PAGE, .has_filters = true,
		.write = write_graph,
	}, s);
}
