// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/address_profile.c collector/formats/frame_patterns.c
// sources: collector/formats/function_set.c collector/formats/go_comments.c
// sources: collector/formats/heap_sampling.c collector/formats/java_names.c
// sources: collector/formats/line_reader.c collector/formats/memory_map.c
// sources: collector/formats/perf_script_line.c
// sources: collector/formats/read_contention.c collector/formats/read_count.c
// sources: collector/formats/read_cpu.c collector/formats/read_heap.c
// sources: collector/formats/read_java.c collector/formats/read_threads.c
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/decode_references.c collector/pprof/encode.c collector/pprof/id_space.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/protobuf.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c
// libs: -lz -lisal -lxxhash -lm
/*
 * Input: a profile in one of the legacy formats of Go's pprof. What a reader accepts is a whole
 * model.
 */
#include <stdint.h>

#include "formats/read_contention.h"
#include "formats/read_count.h"
#include "formats/read_cpu.h"
#include "formats/read_heap.h"
#include "formats/read_java.h"
#include "formats/read_threads.h"
#include "tests/fuzz/text.h"

static const struct format formats[] = {
	{ read_cpu_claims, read_cpu }, { read_heap_claims, read_heap },
	{ read_count_claims, read_count }, { read_threads_claims, read_threads },
	{ read_contention_claims, read_contention }, { read_java_claims, read_java },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		read_format(&formats[i], data, size);
	return 0;
}
