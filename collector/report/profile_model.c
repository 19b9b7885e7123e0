// SPDX-License-Identifier: GPL-2.0
#include "report/profile_model.h"

#include <stdint.h>
#include <stdlib.h>

#include "analysis/filter.h"
#include "base/array.h"
#include "pprof/decode.h"
#include "pprof/model.h"
#include "pprof/profile.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

struct bytes {
	uint8_t *items;
	size_t nr;
	size_t room;
};

static int append(void *ctx, const void *data, size_t len)
{
	struct bytes *b = ctx;

	return ARRAY_APPEND(*b, data, len);
}

static int decode(const struct bytes *b, struct model **out)
{
	struct profile_fault fault;
	struct profile_input in;
	int err = profile_input_open_memory(&in, b->items, b->nr, b->nr, &fault);

	if (!err)
		err = decode_profile(&in, out, NULL, &fault);
	profile_input_close(&in);
	return err;
}

static int drop_frames(struct model *m)
{
	struct filter_result result;
	struct profile_fault fault;
	struct filter *filter;
	int err = filter_new(&filter, &(struct filter_settings){ 0 }, &fault);

	if (!err)
		err = filter_apply(filter, m, &result, &fault);
	filter_free(filter);
	return err;
}

int profile_model_new(struct profile *p, struct model **out)
{
	struct bytes bytes = { 0 };
	struct model *m = NULL;
	int err = profile_encode(p, append, &bytes);

	if (!err)
		err = decode(&bytes, &m);
	free(bytes.items);
	if (!err)
		err = drop_frames(m);
	if (err)
		model_free(m);
	else
		*out = m;
	return err;
}
