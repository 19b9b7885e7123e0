// SPDX-License-Identifier: GPL-2.0
#include "pprof/profile_fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int profile_fault_set(struct profile_fault *fault, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	fault->offset = offset;
	va_start(args, fmt);
	vsnprintf(fault->text, sizeof(fault->text), fmt, args);
	va_end(args);
	return -EBADMSG;
}

int profile_fault_errno(struct profile_fault *fault, int err)
{
	const char *remedy = err == -ENOMEM ? "free memory" :
			     err == -EOVERFLOW ? "split the profile" :
						 "name a file that you may read";

	profile_fault_set(fault, PROFILE_FAULT_NO_OFFSET, "%s: %s",
			  err == -EOVERFLOW ? "it has more than 2^32 entries" : strerror(-err),
			  remedy);
	return err;
}
