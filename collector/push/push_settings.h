/* SPDX-License-Identifier: GPL-2.0 */
/* The backends to which profiles are sent, and their labels. cli/options_push.c fills it. */
#ifndef COLLECTOR_PUSH_SETTINGS_H
#define COLLECTOR_PUSH_SETTINGS_H

#include <stddef.h>

#include "push/backend.h"
#include "push/push_labels.h"

struct push_settings {
	struct push_backend *backends;
	size_t nr;
	const char *spool;		/* folder; NULL: there is none */
	struct push_labels labels;	/* of all profiles; they override other labels */
};

/* Frees the backends and the labels. */
void push_settings_fini(struct push_settings *s);

/*
 * Can the files of all backends be read? A wrong name must not cost a profile.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int push_settings_check(const struct push_settings *s);

#endif /* COLLECTOR_PUSH_SETTINGS_H */
