// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_merge.h"

#include <errno.h>
#include <stdio.h>

#include "cli/file_command.h"
#include "cli/file_settings.h"
#include "pprof/encode.h"
#include "pprof/merge.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

static int write_bytes(void *ctx, const void *data, size_t len)
{
	return fwrite(data, 1, len, ctx) == len ? 0 : -EIO;
}

/* A file that was read alone is as it was: its unused entries and equal samples go now. */
static int write_profile(const struct file_settings *s, struct model *m, size_t type, FILE *out)
{
	struct profile_fault fault;
	struct model *merged;
	int err;

	(void)type;
	if (s->files.nr > 1 || s->bases.nr)
		return encode_profile(m, write_bytes, out);
	err = merge_one(m, &merged, &fault);
	if (err)
		return err;
	err = encode_profile(merged, write_bytes, out);
	model_free(merged);
	return err;
}

int cmd_merge_run(const struct file_settings *s)
{
	return file_command_run(&(struct file_command){
		.result = "profile", .is_gzipped = true, .write = write_profile,
	}, s);
}
