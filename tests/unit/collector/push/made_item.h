/* SPDX-License-Identifier: GPL-2.0 */
/* A profile for tests of requests: its bytes are "PROFILE", which no test of them reads. */
#ifndef TESTS_UNIT_PUSH_MADE_ITEM_H
#define TESTS_UNIT_PUSH_MADE_ITEM_H

#include <stdlib.h>
#include <string.h>

#include "push/push_item.h"

static inline struct push_item *made_item(const char *type)
{
	struct push_item *item = push_item_new();

	assert_non_null(item);
	item->type = strdup(type);
	item->time_ns = INT64_C(1795742400000000000);
	item->is_exact = true;
	assert_int_equal(push_labels_set(&item->labels, "service_name", "shop"), 0);
	assert_int_equal(push_labels_set(&item->labels, "a.b", "x"), 0);
	assert_int_equal(byte_buffer_append(&item->bytes, "PROFILE", 7), 0);
	return item;
}

#endif /* TESTS_UNIT_PUSH_MADE_ITEM_H */
