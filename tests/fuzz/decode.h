/* SPDX-License-Identifier: GPL-2.0 */
/* For targets that take any profile. */
#ifndef TESTS_FUZZ_DECODE_H
#define TESTS_FUZZ_DECODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "pprof/decode.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

#define MAX_BYTES	(1 << 20)

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Returns: the profile, which the caller frees, or NULL. */
static struct model *decode(const uint8_t *data, size_t size)
{
	struct profile_fault fault;
	struct profile_input in;
	struct model *m = NULL;

	if (!profile_input_open_memory(&in, data, size, MAX_BYTES, &fault))
		decode_profile(&in, &m, NULL, &fault);
	profile_input_close(&in);
	return m;
}

#endif
