// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/text_layout.c collector/pprof/profile.c
// sources: collector/pprof/gzip_file.c collector/pprof/protobuf.c
// sources: collector/base/tuple_map.c collector/base/string_table.c collector/base/utf8.c
// libs: -lz -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "madeup.h"
#include "pprof/text_layout.h"

#define NO_CODE		0x8000000000000000

static struct profile *new_profile(void)
{
	struct profile *p = profile_new(&madeup_types[TEXT_COUNT].profile);

	assert_non_null(p);
	return p;
}

static uint64_t place(struct profile *p, uint64_t mapping, uint64_t address)
{
	return madeup_location(p, mapping, address, "f", NULL, 0, 0);
}

/* Only a mapping whose addresses are taken is moved, and its locations with it. */
static void test_overlaps(void **state)
{
	struct profile *p = new_profile();
	struct text_layout l;

	(void)state;
	madeup_mapping(p, 0x400000, 0x402000, 0, "/a");
	madeup_mapping(p, 0x401000, 0x404000, 0x2000, "/b");
	madeup_mapping(p, 0x402000, 0x403000, 0, "[vdso]");
	madeup_mapping(p, 0x3ff000, 0x400001, 0, "/c");
	place(p, 1, 0x401100);
	place(p, 2, 0x401100);
	place(p, 3, 0x402100);
	place(p, 4, 0x3ff010);
	assert_int_equal(text_layout_init(&l, p), 0);
	assert_int_equal(l.bases[0], 0x400000);
	assert_int_equal(l.bases[1], NO_CODE);
	assert_int_equal(l.bases[2], 0x402000);
	assert_int_equal(l.bases[3], NO_CODE + 0x3000);
	assert_int_equal(l.addresses[0], 0x401100);
	assert_int_equal(l.addresses[1], NO_CODE + 0x100);
	assert_int_equal(l.addresses[2], 0x402100);
	assert_int_equal(l.addresses[3], NO_CODE + 0x3010);
	text_layout_fini(&l);
	profile_free(p);
}

/* Frames that are no code follow the moved mappings. An address in no mapping stays. */
static void test_no_code(void **state)
{
	struct profile *p = new_profile();
	struct text_layout l;

	(void)state;
	madeup_mapping(p, 0x400000, 0x402000, 0, "/a");
	madeup_mapping(p, 0x400000, 0x402000, 0, "/b");
	madeup_synthetic(p, "lostProfileEvent");
	place(p, 0, 0x100);
	madeup_synthetic(p, "[truncated: no rule]");
	assert_int_equal(text_layout_init(&l, p), 0);
	assert_int_equal(l.addresses[0], NO_CODE + 0x2000);
	assert_int_equal(l.addresses[1], 0x100);
	assert_int_equal(l.addresses[2], NO_CODE + 0x2000 + TEXT_LAYOUT_PAGE_BYTES);
	assert_true(text_layout_is_no_code(profile_data_location_at(p, 1)));
	assert_false(text_layout_is_no_code(profile_data_location_at(p, 2)));
	text_layout_fini(&l);
	profile_free(p);
}

static void test_every_allocation_may_fail(void **state)
{
	struct profile *p = new_profile();
	int err = -ENOMEM, nr_failures = 0;
	struct text_layout l;

	(void)state;
	for (long n = 0; err; n++) {
		allocations_left = n;
		err = text_layout_init(&l, p);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		nr_failures += err < 0;
		text_layout_fini(&l);
	}
	assert_true(nr_failures >= 2);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
