// SPDX-License-Identifier: GPL-2.0
#include "pprof/scale.h"

#include <errno.h>
#include <stdlib.h>

#include "pprof/merge_types.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/value_unit.h"

static bool has_values(const struct model *m, size_t sample, void *ctx)
{
	const int64_t *values = model_values(m, sample);

	(void)ctx;
	for (size_t i = 0; i < m->sample_types.nr; i++)
		if (values[i])
			return true;
	return false;
}

void scale_types(struct model *m, const double *ratios)
{
	size_t nr = m->sample_types.nr;
	bool has_effect = false;

	for (size_t i = 0; i < nr; i++)
		has_effect |= ratios[i] != 1;
	if (!has_effect)
		return;
	for (size_t i = 0; i < m->values.nr; i++)
		m->values.items[i] = value_unit_scale(m->values.items[i], ratios[i % nr]);
	model_keep_samples(m, has_values, NULL);
}

static double sum(const struct model *m, size_t type)
{
	uint64_t total = 0;	/* wraps, as Go's sum does */

	for (size_t i = 0; i < m->samples.nr; i++)
		total += model_values(m, i)[type];
	return (int64_t)total;
}

int scale_normalize(struct model *m, const struct model *base, struct profile_fault *fault)
{
	size_t nr = m->sample_types.nr;
	double *ratios, own;
	int err = merge_types_check_equal(m, base, fault);

	if (err)
		return err;
	ratios = calloc(nr + 1, sizeof(*ratios));
	if (!ratios)
		return profile_fault_errno(fault, -ENOMEM);
	for (size_t i = 0; i < nr; i++) {
		own = sum(m, i);
		ratios[i] = own ? sum(base, i) / own : 0;
	}
	scale_types(m, ratios);
	free(ratios);
	return 0;
}
