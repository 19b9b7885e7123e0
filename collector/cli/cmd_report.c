// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_report.h"

#include <errno.h>
#include <stdio.h>

#include "analysis/comments.h"
#include "analysis/granularity.h"
#include "analysis/raw.h"
#include "analysis/tags.h"
#include "analysis/top.h"
#include "analysis/traces.h"
#include "analysis/tree.h"
#include "cli/file_command.h"
#include "cli/file_settings.h"
#include "pprof/profile_fault.h"

static int write_top(const struct file_settings *s, const struct file_input *in, FILE *out,
		     struct profile_fault *fault)
{
	(void)fault;
	granularity_apply(in->model, &s->frames);
	return top_print(out, &in->report, &s->graph);
}

static int write_tree(const struct file_settings *s, const struct file_input *in, FILE *out,
		      struct profile_fault *fault)
{
	(void)fault;
	granularity_apply(in->model, &s->frames);
	return tree_print(out, &in->report, &s->graph, NULL);
}

static int write_peek(const struct file_settings *s, const struct file_input *in, FILE *out,
		      struct profile_fault *fault)
{
	int err;

	granularity_apply(in->model, &s->frames);
	err = tree_print(out, &in->report, &s->graph, s->peek);
	if (err != -ENOENT)
		return err;
	return profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET,
				 "no function matches the expression: use another one");
}

static int write_traces(const struct file_settings *s, const struct file_input *in, FILE *out,
			struct profile_fault *fault)
{
	(void)fault;
	granularity_apply(in->model, &s->frames);
	return traces_print(out, &in->report, &in->units);
}

static int write_tags(const struct file_settings *s, const struct file_input *in, FILE *out,
		      struct profile_fault *fault)
{
	(void)s;
	(void)fault;
	return tags_print(out, &in->report, &in->units);
}

static int write_comments(const struct file_settings *s, const struct file_input *in, FILE *out,
			  struct profile_fault *fault)
{
	(void)s;
	(void)fault;
	comments_print(out, in->model);
	return 0;
}

static int write_raw(const struct file_settings *s, const struct file_input *in, FILE *out,
		     struct profile_fault *fault)
{
	(void)s;
	(void)fault;
	return raw_print(out, in->model);
}

int cmd_report_run(enum report_kind kind, const struct file_settings *s)
{
	static const struct file_command reports[] = {
		[REPORT_TOP] = { "table", FILE_FORM_TABLE, true, false, write_top },
		[REPORT_TREE] = { "tree", FILE_FORM_TABLE, true, false, write_tree },
		[REPORT_PEEK] = { "tree", FILE_FORM_TABLE, true, false, write_peek },
		[REPORT_TRACES] = { "traces", FILE_FORM_TABLE, true, false, write_traces, true },
		[REPORT_TAGS] = { "labels", FILE_FORM_TABLE, true, false, write_tags, true },
		[REPORT_COMMENTS] = { "comments", FILE_FORM_TEXT, false, true, write_comments },
		[REPORT_RAW] = { "tables", FILE_FORM_TEXT, true, true, write_raw },
	};

	return file_command_run(&reports[kind], s);
}
