/* SPDX-License-Identifier: GPL-2.0 */
/* The formats that a profile can be converted to. */
#ifndef COLLECTOR_FORMAT_H
#define COLLECTOR_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct model;
struct profile_fault;

struct format {
	const char *name;		/* "folded" */
	bool is_gzipped;		/* the caller compresses what write() writes */
	/*
	 * Writes m. type is a sample type, an index. Formats with one value for each sample write
	 * its values; the others mark it as the one to show first. A model without sample types
	 * has no such index: refuse it before. Merge the model before (merge_one()), so that equal
	 * samples are one. Write errors are left in out, for ferror().
	 * Returns: 0, or a negative errno, and then *fault is set. -EBADMSG: the format cannot
	 * hold this profile, and nothing was written. Without memory, a part may be written.
	 */
	int (*write)(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault);
};

/* All formats, ended by one without a name. */
extern const struct format formats[];

/* Returns: the format of this name, or NULL. */
const struct format *formats_find(const char *name);

#endif /* COLLECTOR_FORMAT_H */
