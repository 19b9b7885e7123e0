/* SPDX-License-Identifier: GPL-2.0 */
/* A profile that is to be sent, with its labels. Several outboxes share it. */
#ifndef COLLECTOR_PUSH_ITEM_H
#define COLLECTOR_PUSH_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "push/backend.h"
#include "push/byte_buffer.h"
#include "push/push_labels.h"

/* Larger profiles are refused by Parca (64 MiB for a message), and would fill the spool. */
#define PUSH_ITEM_MAX_BYTES	(64U << 20)

struct push_item {
	unsigned int nr_users;
	/* Owned. A profile type as in --profile, or the name of a custom profile. */
	char *type;
	struct push_labels labels;
	int64_t time_ns;		/* start of the profile, since the epoch */
	/*
	 * The profile is of this program, and of a type that all backends take. Its bytes are sent
	 * unchanged. Other profiles are decoded, and their names are cleaned.
	 */
	bool is_exact;
	/*
	 * The allocs of a run that sends its heap, too. Both have the same values, and the same
	 * name for Pyroscope and Parca, which would add them up: see push_item_is_for().
	 */
	bool is_in_heap;
	struct byte_buffer bytes;	/* gzipped profile.proto */
};

/* Returns: an empty item with one user, or NULL with errno ENOMEM. */
struct push_item *push_item_new(void);

/* Adds a user. Returns: item. */
struct push_item *push_item_get(struct push_item *item);

/* Removes a user, and frees the item with the last one. item may be NULL. */
void push_item_put(struct push_item *item);

/*
 * Finds the name of the profile as a metric (the label __name__) for Pyroscope and Parca: the name
 * that their pages know, or else the clean type. A label __name__ of the item overrides both.
 * Returns: the name, which the caller frees, or NULL with errno ENOMEM.
 */
char *push_item_metric_name(const struct push_item *item);

/*
 * Does a backend of this kind want the item? One that stores profiles as series, by name and
 * sample type, must not get the same values twice. Files have names of their own.
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
