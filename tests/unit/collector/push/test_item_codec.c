// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/item_codec.c collector/push/push_item.c collector/push/push_labels.c
// sources: collector/push/byte_buffer.c collector/pprof/protobuf.c collector/base/utf8.c
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "push/item_codec.h"
#include "made_item.h"

static const char bytes[] =
	"\x0a\x03" "cpu"
	"\x12\x08\x0a\x03" "a.b\x12\x01x"
	"\x12\x14\x0a\x0cservice_name\x12\x04shop"
	"\x18\x80\x80\xee\xa0\xad\xc6\xf0\xf5\x18"
	"\x20\x01"
	"\x2a\x07PROFILE";

static void encodes(void **state)
{
	struct push_item *item = made_item("cpu");
	struct byte_buffer b = { 0 };

	(void)state;
	assert_int_equal(item_codec_encode(item, &b), 0);
	assert_int_equal(b.nr, sizeof(bytes) - 1);
	assert_memory_equal(b.items, bytes, b.nr);
	free(b.items);
	push_item_put(item);
}

static void decodes(void **state)
{
	struct push_item *item = item_codec_decode((const uint8_t *)bytes, sizeof(bytes) - 1);

	(void)state;
	assert_non_null(item);
	assert_string_equal(item->type, "cpu");
	assert_int_equal(item->time_ns, INT64_C(1795742400000000000));
	assert_true(item->is_exact);
	assert_int_equal(item->labels.nr, 2);
	assert_string_equal(push_labels_get(&item->labels, "service_name"), "shop");
	assert_int_equal(item->bytes.nr, 7);
	assert_memory_equal(item->bytes.items, "PROFILE", 7);
	push_item_put(item);
}

/* It comes behind the profile, so that older entries of a spool are read. */
static void in_heap(void **state)
{
	struct push_item *item = made_item("allocs"), *read;
	struct byte_buffer b = { 0 };

	(void)state;
	item->is_in_heap = true;
	assert_int_equal(item_codec_encode(item, &b), 0);
	read = item_codec_decode(b.items, b.nr);
	assert_non_null(read);
	assert_true(read->is_in_heap);
	free(b.items);
	push_item_put(read);
	push_item_put(item);
}

/* Each byte in turn is lost or changed: no read beyond the end, and no item without a type. */
static void hostile(void **state)
{
	const size_t len = sizeof(bytes) - 1;

	(void)state;
	for (size_t i = 0; i < len; i++) {
		uint8_t *copy = malloc(len);
		struct push_item *item;

		memcpy(copy, bytes, len);
		item = item_codec_decode(copy, i);
		assert_true(item ? !!item->type : errno == EBADMSG);
		push_item_put(item);
		for (int bit = 0; bit < 8; bit++) {
			copy[i] = bytes[i] ^ 1 << bit;
			item = item_codec_decode(copy, len);
			assert_true(!item || item->type);
			push_item_put(item);
		}
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodes), cmocka_unit_test(decodes), cmocka_unit_test(in_heap),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
