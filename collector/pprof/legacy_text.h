/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles as text, in the formats of Go's runtime/pprof with debug=1. People read them, and
 * pprof reads them back. The stacks come first, then comments, then the mappings with which
 * pprof finds the symbols again.
 *
 * A stack line holds return addresses, as in Go: each is the address of the location plus one,
 * and readers subtract one. text_layout.h says which addresses these are. A frame that is no code
 * at all, such as lostProfileEvent, has a mapping of its own.
 */
#ifndef COLLECTOR_LEGACY_TEXT_H
#define COLLECTOR_LEGACY_TEXT_H

#include <stdio.h>
#include <sys/types.h>

struct gzip_file;
struct profile;

/* The text formats, by the values of a profile. */
enum text_form {
	TEXT_COUNT,		/* one number: the first value */
	TEXT_CONTENTION,	/* number of contentions, and delay in ns */
	TEXT_MUTEX,		/* as TEXT_CONTENTION, with a sampling period in the header */
	TEXT_HEAP,		/* objects and bytes, allocated and in use */
	/* Pages and bytes; Go has no such profile, but readers know the format. */
	TEXT_GROWTH,
};

/*
 * Writes a profile in the given format to gz. name is the name of the profile type. Samples are
 * written in the order of their values, largest first. Sorts the labels of each sample in p. A
 * heap profile ends with the resource usage of process pid, unless pid is 0; Go prints
 * statistics of its heap there.
 *
 * Go's text files hold raw samples, and a reader multiplies them by the period in the header. A
 * struct profile holds estimates, which were made sample by sample; to divide them by the period
 * would not restore the samples. So the header has the period 1, and a comment has the true one.
 * Returns: 0, or a negative errno. The caller commits or aborts gz.
 */
int legacy_text_write(struct profile *p, const char *name, enum text_form form, pid_t pid,
		      struct gzip_file *gz);

/* The same, to a stream. Write errors are left in out, for ferror(). */
int legacy_text_print(struct profile *p, const char *name, enum text_form form, pid_t pid,
		      FILE *out);

#endif /* COLLECTOR_LEGACY_TEXT_H */
