/* SPDX-License-Identifier: GPL-2.0 */
/* Applies the filters of a command line, and reports those that matched nothing. */
#ifndef COLLECTOR_FILE_FILTERS_H
#define COLLECTOR_FILE_FILTERS_H

#include <stddef.h>

#include "analysis/filter.h"

struct file_settings;
struct model;

/* The filters that the head of a report lists. */
#define FILE_FILTERS_MAX_TEXTS	(FILTER_TAGHIDE + 1)

/*
 * Filters a model. A filter that matched nothing is a warning on standard error, unless no sample
 * is left: then it is an error.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int file_filters_apply(const struct file_settings *s, struct model *m);

/*
 * Makes the texts of the filters that are set, such as "focus=main". Each text is freed by free(),
 * also after an error.
 * Returns: 0, or -ENOMEM.
 */
int file_filters_texts(const struct file_settings *s, char **texts, size_t *nr);

#endif /* COLLECTOR_FILE_FILTERS_H */
