// SPDX-License-Identifier: GPL-2.0
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
/*
 * Input: a profile file. If it is accepted, all indices of the model are valid. It is written and
 * read again: the second round gives equal bytes, and the first one not more than the input had.
 */
#include <stdint.h>
#include <string.h>

#include "pprof/decode.h"
#include "pprof/decode_facts.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "tests/fuzz/model.h"

#define MAX_BYTES	(1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct model *decode(const uint8_t *data, size_t size, uint64_t *nr_bytes)
{
	struct profile_fault fault = { 0 };
	struct decode_facts facts = { 0 };
	struct profile_input in;
	struct model *m = NULL;

	if (profile_input_open_memory(&in, data, size, MAX_BYTES, &fault) ||
	    decode_profile(&in, &m, &facts, &fault))
		check(strstr(fault.text, ": ") && (fault.offset <= MAX_BYTES || !~fault.offset));
	profile_input_close(&in);
	*nr_bytes = facts.nr_bytes;
	return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct written first, second;
	uint64_t nr_bytes, nr_again;
	struct model *m = decode(data, size, &nr_bytes);

	if (!m)
		return 0;
	check_samples(m);
	check_tables(m);
	first = encode(m);
	model_free(m);
	check(first.len <= nr_bytes);
	m = decode(first.data, first.len, &nr_again);
	check(m && nr_again == first.len);
	second = encode(m);
	model_free(m);
	check(first.len == second.len && !memcmp(first.data, second.data, first.len));
	free(first.data);
	free(second.data);
	return 0;
}
