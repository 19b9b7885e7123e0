/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The labels of a profile that is sent: service_name, host, pid and so on. Two names mean the same
 * label if they are equal after push_labels_clean_name(): service.name and service_name, for
 * instance.
 */
#ifndef COLLECTOR_PUSH_LABELS_H
#define COLLECTOR_PUSH_LABELS_H

#include <stddef.h>

/* Pyroscope's limits: pkg/validation, validate.go. */
#define PUSH_LABELS_MAX			30
#define PUSH_LABELS_MAX_VALUE_BYTES	2048

struct push_label {
	char *name;		/* owned; as it was given, not cleaned */
	char *value;		/* owned; valid UTF-8 */
};

/* Sorted by the clean names. All zeroes is an empty list. */
struct push_labels {
	struct push_label *items;
	size_t nr;
	size_t room;
};

/* Frees all labels. The list is empty then. */
void push_labels_fini(struct push_labels *l);

/*
 * Sets a label to copies of name and value. If the list has the label, it is replaced. Bytes of the
 * value that are not UTF-8 become U+FFFD.
 * Returns: 0, -ENOMEM, or -E2BIG if that would exceed the limits above.
 */
int push_labels_set(struct push_labels *l, const char *name, const char *value);

/* Sets all labels of another list, which stays. Returns: as push_labels_set(). */
int push_labels_set_all(struct push_labels *l, const struct push_labels *others);

/* Returns: the value, which l owns, or NULL if there is no such label. */
const char *push_labels_get(const struct push_labels *l, const char *name);

/*
 * Parses "NAME=VALUE" of a command line, and sets the label.
 * Returns: NULL, or a static message about the fault.
 */
const char *push_labels_parse(struct push_labels *l, const char *text);

/*
 * Replaces each character that backends refuse in a name by '_'. These are all but ASCII letters,
 * digits and '_', and a digit at the start. Prometheus has this rule for the names of labels, and
 * so has Parca.
 */
void push_labels_clean_name(char *name);

#endif /* COLLECTOR_PUSH_LABELS_H */
