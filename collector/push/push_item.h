/* SPDX-License-Identifier: GPL-2.0 */
/* A profile that is to be sent, with its labels. Several outboxes of one thread share it. */
#ifndef COLLECTOR_PUSH_ITEM_H
#define COLLECTOR_PUSH_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "push/backend.h"
#include "push/byte_buffer.h"
#include "push/push_labels.h"

/* Parca refuses messages over 64 MiB. Larger profiles would fill the spool, too. */
#define PUSH_ITEM_MAX_BYTES	(64U << 20)

struct push_item {
	unsigned int nr_users;
	/* Owned. A profile type as in --profile, or the name of a custom profile. */
	char *type;
	struct push_labels labels;
	int64_t time_ns;		/* start of the profile, since the epoch */
	/*
	 * This program has made the profile, and all backends accept its names. Its bytes are sent
	 * unchanged, except to OTLP. Other profiles are decoded, and their names are cleaned.
	 */
	bool is_exact;
	/*
	 * An allocs profile, of a run that sends its heap profile, too. Both have the same values,
	 * and the same name for Pyroscope and Parca, which would add them up: see
	 * push_item_is_for().
	 */
	bool is_in_heap;
	struct byte_buffer bytes;	/* gzipped profile.proto */
};

/* Returns: an empty item with one reference, or NULL with errno ENOMEM. */
struct push_item *push_item_new(void);

/* Takes a reference. Returns: item. */
struct push_item *push_item_get(struct push_item *item);

/* Drops a reference, and frees the item with the last one. item may be NULL. */
void push_item_put(struct push_item *item);

/*
 * Finds the name of the profile as a metric for Pyroscope and Parca, which is its label __name__.
 * If the item has that label, it is used. Else a type that their pages know has the name that they
 * use for it, and another type is its own name. The name is clean in all cases.
 * Returns: the name, which the caller frees, or NULL with errno ENOMEM.
 */
char *push_item_metric_name(const struct push_item *item);

/*
 * Should the item be sent to a backend of this kind? A backend that stores profiles as series, by
 * name and sample type, must not get the same values twice: see is_in_heap. For PUSH_HTTP and
 * PUSH_S3 each profile is a file of its own.
 */
bool push_item_is_for(const struct push_item *item, enum push_kind kind);

/* Receives a label. Both strings are valid UTF-8, and the name is clean. */
typedef void push_item_visit(void *ctx, const char *name, const char *value);

/*
 * Calls visit() for the label __name__, and then for each other label.
 * Returns: 0, or -ENOMEM.
 */
int push_item_visit_labels(const struct push_item *item, push_item_visit *visit, void *ctx);

#endif /* COLLECTOR_PUSH_ITEM_H */
