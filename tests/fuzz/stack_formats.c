// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/function_set.c collector/formats/line_reader.c
// sources: collector/formats/memory_map.c collector/formats/perf_script_line.c
// sources: collector/formats/perf_script_stack.c collector/formats/read_folded.c
// sources: collector/formats/read_perf_script.c
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/decode_references.c collector/pprof/encode.c collector/pprof/id_space.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/protobuf.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c
// libs: -lz -lisal -lxxhash
/* Input: folded stacks, or the output of perf script. What a reader accepts is a whole model. */
#include <stdint.h>

#include "formats/read_folded.h"
#include "formats/read_perf_script.h"
#include "tests/fuzz/text.h"

static const struct format formats[] = {
	{ read_perf_script_claims, read_perf_script }, { read_folded_claims, read_folded },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		read_format(&formats[i], data, size);
	return 0;
}
