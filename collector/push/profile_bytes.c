// SPDX-License-Identifier: GPL-2.0
#include "push/profile_bytes.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/decode.h"
#include "pprof/encode.h"
#include "pprof/model.h"
#include "pprof/profile_input.h"
#include "push/byte_buffer.h"
#include "push/gzip_bytes.h"
#include "push/push_labels.h"

int profile_bytes_decode(const void *data, size_t len, struct model **out,
			 struct profile_fault *fault)
{
	struct profile_input in;
	int err = profile_input_open_memory(&in, data, len, PROFILE_INPUT_MAX_BYTES, fault);

	if (!err)
		err = decode_profile(&in, out, NULL, fault);
	profile_input_close(&in);
	return err;
}

int profile_bytes_encode(const struct model *m, struct byte_buffer *b)
{
	struct byte_buffer plain = { 0 };
	int err = encode_profile(m, byte_buffer_append, &plain);

	if (!err)
		err = gzip_bytes(&plain, b);
	free(plain.items);
	return err;
}

static int clean(struct model *m, uint32_t *string)
{
	char *name = strdup(model_string(m, *string));
	int64_t index;

	if (!name)
		return -ENOMEM;
	push_labels_clean_name(name);
	index = model_add_string(m, name, strlen(name));
	free(name);
	if (index < 0)
		return -ENOMEM;
	*string = index;
	return 0;
}

int profile_bytes_clean_names(struct model *m)
{
	int err = clean(m, &m->default_sample_type);

	for (size_t i = 0; i < m->sample_types.nr; i++)
		err = err || clean(m, &m->sample_types.items[i].type) ||
			clean(m, &m->sample_types.items[i].unit);
	err = err || clean(m, &m->period_type.type) || clean(m, &m->period_type.unit);
	return err ? -ENOMEM : 0;
}
