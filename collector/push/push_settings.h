/* SPDX-License-Identifier: GPL-2.0 */
/* The backends to which profiles are sent, and the labels. cli/options_push.c fills them in. */
#ifndef COLLECTOR_PUSH_SETTINGS_H
#define COLLECTOR_PUSH_SETTINGS_H

#include <stddef.h>

#include "push/backend.h"
#include "push/push_labels.h"

struct push_settings {
	struct push_backend *backends;
	size_t nr;
	const char *spool;		/* path of a folder, borrowed; NULL: there is no spool */
	struct push_labels labels;	/* of all profiles; they override a profile's own */
};

/* Frees the backends and the labels of s. */
void push_settings_fini(struct push_settings *s);

/*
 * Checks that the files of all backends can be read. Call this before a run: a wrong name must not
 * show only when a profile is to be sent.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int push_settings_check(const struct push_settings *s);

#endif /* COLLECTOR_PUSH_SETTINGS_H */
