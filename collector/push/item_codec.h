/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An item as bytes, for the socket to the process that sends, and for the spool. The format is
 * protobuf, with these field numbers: type 1, labels 2 (name 1, value 2), time_ns 3, is_exact 4,
 * bytes 5, is_in_heap 6.
 */
#ifndef COLLECTOR_PUSH_ITEM_CODEC_H
#define COLLECTOR_PUSH_ITEM_CODEC_H

#include <stddef.h>
#include <stdint.h>

struct byte_buffer;
struct push_item;

/* Appends the item to b. Returns: 0, or -ENOMEM, and then b may have a part of it. */
int item_codec_encode(const struct push_item *item, struct byte_buffer *b);

/*
 * Decodes an item. The caller drops its one reference with push_item_put().
 * Returns: the item, or NULL with errno ENOMEM, EBADMSG, or E2BIG if its labels exceed the limits
 * of push/push_labels.h.
 */
struct push_item *item_codec_decode(const uint8_t *data, size_t len);

#endif /* COLLECTOR_PUSH_ITEM_CODEC_H */
