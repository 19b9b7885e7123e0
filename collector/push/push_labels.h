/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The labels of a profile that is sent: service_name, host, pid and so on. Two names are the same
 * label if they are equal after push_labels_clean_name(): service.name is service_name.
 */
#ifndef COLLECTOR_PUSH_LABELS_H
#define COLLECTOR_PUSH_LABELS_H

#include <stddef.h>

/* Pyroscope's limits: pkg/validation, validate.go. */
#define PUSH_LABELS_MAX			30
#define PUSH_LABELS_MAX_VALUE_BYTES	2048

struct push_label {
	char *name;		/* as it was given */
	char *value;		/* UTF-8 */
};

/* Sorted by the clean names. All zeroes is an empty list. */
struct push_labels {
	struct push_label *items;
	size_t nr;
	size_t room;
};

/* Frees all labels. */
void push_labels_fini(struct push_labels *l);

/*
 * Sets a label, and replaces the value that it had. Bytes of the value that are not UTF-8 become
 * U+FFFD.
 * Returns: 0, -ENOMEM, or -E2BIG beyond the limits above.
 */
int push_labels_set(struct push_labels *l, const char *name, const char *value);

/* Sets all labels of another list. Returns: as push_labels_set(). */
int push_labels_set_all(struct push_labels *l, const struct push_labels *others);

/* Returns: the value, or NULL. */
const char *push_labels_get(const struct push_labels *l, const char *name);

/*
 * Parses "NAME=VALUE" of a command line, and sets the label.
 * Returns: NULL, or what is wrong with it.
 */
const char *push_labels_parse(struct push_labels *l, const char *text);

/*
 * Replaces the characters that the backends refuse in a name by '_': all but letters, digits and
 * '_', and a digit at the start. This is the rule of Prometheus for labels and metrics, and of
 * Parca.
 */
void push_labels_clean_name(char *name);

#endif /* COLLECTOR_PUSH_LABELS_H */
