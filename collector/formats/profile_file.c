// SPDX-License-Identifier: GPL-2.0
#include "formats/profile_file.h"

#include "pprof/decode.h"
#include "pprof/profile_input.h"

int profile_file_read(const char *path, uint64_t max_bytes, struct model **out,
		      struct decode_facts *facts, struct profile_fault *fault)
{
	struct profile_input in;
	int err = profile_input_open(&in, path, max_bytes, fault);

	if (!err)
		err = decode_profile(&in, out, facts, fault);
	profile_input_close(&in);
	return err;
}
