// SPDX-License-Identifier: GPL-2.0
#include "formats/format.h"

#include <string.h>

#include "formats/firefox_writer.h"
#include "formats/folded_writer.h"
#include "formats/otlp_writer.h"
#include "formats/speedscope_writer.h"
#include "formats/text_writer.h"
#include "pprof/encode.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

/* The default type is written only if it is another one: pprof in, the same pprof out. */
static int write_pprof(const struct model *m, uint32_t type, FILE *out,
		       struct profile_fault *fault)
{
	struct model copy = *m;
	int err;

	if ((int)type != model_default_sample_type(m))
		copy.default_sample_type = m->sample_types.items[type].type;
	err = encode_profile(&copy, proto_file_sink, out);
	return err ? profile_fault_errno(fault, err) : 0;
}

const struct format formats[] = {
	{ .name = "firefox", .write = firefox_write },
	{ .name = "folded", .write = folded_write },
	{ .name = "otlp", .write = otlp_write },
	{ .name = "pprof", .write = write_pprof, .is_gzipped = true },
	{ .name = "speedscope", .write = speedscope_write },
	{ .name = "text", .write = text_write },
	{ 0 }
};

const struct format *formats_find(const char *name)
{
	for (const struct format *f = formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
