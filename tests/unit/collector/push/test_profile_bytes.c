// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/profile_bytes.c collector/push/gzip_bytes.c collector/push/byte_buffer.c
// sources: collector/push/push_labels.c collector/push/guess_type.c
// sources: collector/aggregate/profile_types.c
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/decode_references.c collector/pprof/encode.c collector/pprof/model.c
// sources: collector/pprof/id_space.c collector/pprof/profile_fault.c
// sources: collector/pprof/profile_input.c collector/pprof/profile_source.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/protobuf.c collector/pprof/read_ahead.c
// sources: collector/base/regular_file.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c
// sources: collector/base/utf8.c
// libs: -lxxhash -lz -lisal
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "pprof/profile_fault.h"
#include "push/byte_buffer.h"
#include "push/guess_type.h"
#include "push/profile_bytes.h"
#include "made_profile.h"

static void round_trip(void **state)
{
	const char *const types[] = { "my/pkg-x.conns", "count", "b", "k-b", NULL };
	struct model *m = made_profile(types, "my/pkg-x.conns", 1), *back;
	struct byte_buffer b = { 0 };
	struct profile_fault fault;

	(void)state;
	m->default_sample_type = made_string(m, "my/pkg-x.conns");
	assert_int_equal(profile_bytes_clean_names(m), 0);
	assert_int_equal(profile_bytes_encode(m, &b), 0);
	assert_int_equal(b.items[0], 0x1f);
	assert_int_equal(b.items[1], 0x8b);
	assert_int_equal(profile_bytes_decode(b.items, b.nr, &back, &fault), 0);
	assert_type(back, 0, "my_pkg_x_conns", "count");
	assert_type(back, 1, "b", "k_b");
	assert_string_equal(model_string(back, back->period_type.type), "my_pkg_x_conns");
	assert_int_equal(model_default_sample_type(back), 0);
	assert_int_equal(model_values(back, 1)[1], 102);
	model_free(back);
	model_free(m);
	assert_int_equal(profile_bytes_decode(b.items, b.nr - 1, &back, &fault), -EBADMSG);
	free(b.items);
}

static void guesses(const char *const *types, const char *path, const char *expected)
{
	struct model *m = made_profile(types, "x", 1);

	assert_string_equal(guess_type(m, path), expected);
	model_free(m);
}

static void types(void **state)
{
	const char *const cpu[] = { "samples", "count", "cpu", "nanoseconds", NULL };
	const char *const wait[] = { "contentions", "count", "delay", "nanoseconds", NULL };
	const char *const heap[] = { "alloc_objects", "count", "alloc_space", "bytes",
				     "inuse_objects", "count", "inuse_space", "bytes", NULL };
	const char *const threads[] = { "threadcreate", "count", NULL };
	const char *const own[] = { "a-b", "count", NULL }, *const none[] = { NULL };

	(void)state;
	guesses(cpu, "x.pb.gz", "cpu");
	guesses(cpu, "pprof.x.1.block.pb.gz", "cpu");
	guesses(wait, "x.pb.gz", "mutex");
	guesses(wait, "/a.mutex.b/pprof.x.1.block.pb.gz", "block");
	guesses(wait, "pprof.x.1.mutex.001.pb.gz", "mutex");
	guesses(wait, "block.pb.gz", "block");
	guesses(wait, "/a.mutex.b/block.pb.gz", "block");
	guesses(wait, "pprof.block.1.mutex.pb.gz", "mutex");
	guesses(wait, "pprof.mutex.1.block.pb.gz", "block");
	guesses(wait, "x.block", "mutex");
	guesses(heap, "-", "heap");
	guesses(heap, "pprof.x.1.allocs.pb.gz", "allocs");
	guesses(threads, "", "threadcreate");
	guesses(own, "-", "a-b");
	guesses(none, "-", "profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(round_trip), cmocka_unit_test(types) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
