// SPDX-License-Identifier: GPL-2.0
#include "formats/heap_sampling.h"

#include <math.h>

#define MAX	9223372036854774784.0	/* the largest double below 2^63 */

bool heap_sampling_scale(int64_t *objects, int64_t *bytes, int64_t rate)
{
	double scale, scaled_objects, scaled_bytes;

	if (!*objects || !*bytes) {
		*objects = 0;
		*bytes = 0;
		return true;
	}
	if (rate <= 1)
		return true;
	scale = 1 / (1 - exp(-((double)*bytes / *objects) / rate));
	scaled_objects = *objects * scale;
	scaled_bytes = *bytes * scale;
	if (!(fabs(scaled_objects) <= MAX) || !(fabs(scaled_bytes) <= MAX))
		return false;
	*objects = scaled_objects;
	*bytes = scaled_bytes;
	return true;
}
