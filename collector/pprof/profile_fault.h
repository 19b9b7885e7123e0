/* SPDX-License-Identifier: GPL-2.0 */
/* Why a profile could not be read, merged or written: one text for people, and where it was. */
#ifndef COLLECTOR_PROFILE_FAULT_H
#define COLLECTOR_PROFILE_FAULT_H

#include <stdint.h>

#define PROFILE_FAULT_NO_OFFSET	UINT64_MAX

struct profile_fault {
	/*
	 * The byte of the data at which the fault was found, or PROFILE_FAULT_NO_OFFSET. It counts
	 * from 0, in the data after inflating, or in the file if that cannot be inflated.
	 */
	uint64_t offset;
	/* What was expected and what was found, then ": " and one thing to do. No newline. */
	char text[160];
};

/*
 * Sets the fault; the text is formatted as by printf().
 * Returns: -EBADMSG, for the caller to return.
 */
int profile_fault_set(struct profile_fault *fault, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the text for a negative errno that is no fault of the data. Returns: err. */
int profile_fault_errno(struct profile_fault *fault, int err);

#endif /* COLLECTOR_PROFILE_FAULT_H */
