// SPDX-License-Identifier: GPL-2.0
#include "push/payload.h"

#include <errno.h>
#include <stdlib.h>

#include "pprof/merge.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "push/backend.h"
#include "push/file_request.h"
#include "push/otlp_request.h"
#include "push/parca_request.h"
#include "push/profile_bytes.h"
#include "push/push_item.h"
#include "push/push_request.h"
#include "push/pyroscope_request.h"

typedef int profile_request(const char *base, const struct push_item *item,
			    const struct byte_buffer *profile, struct push_request *r);

/* Appends the profile to b, encoded again with names that all backends accept. */
static int encode_clean(const struct push_item *item, struct byte_buffer *b,
			struct profile_fault *fault)
{
	struct model *m;
	int err = profile_bytes_decode(item->bytes.items, item->bytes.nr, &m, fault);

	if (err)
		return err;
	err = profile_bytes_clean_names(m);
	if (!err)
		err = profile_bytes_encode(m, b);
	model_free(m);
	return err ? profile_fault_errno(fault, err) : 0;
}

static int clean_request(const struct push_backend *b, const struct push_item *item,
			 struct push_request *r, struct profile_fault *fault, profile_request *make)
{
	struct byte_buffer clean = { 0 };
	int err = item->is_exact ? 0 : encode_clean(item, &clean, fault);

	if (err)
		goto out;
	err = make(b->url, item, item->is_exact ? &item->bytes : &clean, r);
	if (err)
		profile_fault_errno(fault, err);
out:
	free(clean.items);
	return err;
}

/*
 * Merges equal samples, as receivers ask for, and gives the profile names that Pyroscope accepts.
 * Not needed for a profile of this program: its samples are all different.
 */
static int merge_clean(struct model **m, struct profile_fault *fault)
{
	struct model *merged;
	int err = merge_one(*m, &merged, fault);

	if (err)
		return err;
	model_free(*m);
	*m = merged;
	err = profile_bytes_clean_names(merged);
	return err ? profile_fault_errno(fault, err) : 0;
}

static int request_otlp(const struct push_backend *b, const struct push_item *item,
			struct push_request *r, struct profile_fault *fault)
{
	struct model *m;
	int err = profile_bytes_decode(item->bytes.items, item->bytes.nr, &m, fault);

	if (err)
		return err;
	if (!item->is_exact)
		err = merge_clean(&m, fault);
	if (!err && otlp_request_shape(m, item->type))
		err = profile_fault_errno(fault, -ENOMEM);
	if (!err)
		err = otlp_request(b->url, item, m, r, fault);
	model_free(m);
	return err;
}

int payload_request(const struct push_backend *b, const struct push_item *item,
		    struct push_request *r, struct profile_fault *fault)
{
	int err;

	switch (b->kind) {
	case PUSH_PYROSCOPE:
		return clean_request(b, item, r, fault, pyroscope_request);
	case PUSH_PARCA:
		return clean_request(b, item, r, fault, parca_request);
	case PUSH_OTLP:
		return request_otlp(b, item, r, fault);
	case PUSH_S3:
		err = file_request_s3(b->url, item, r);
		break;
	default:
		err = file_request(b->url, item, r);
		break;
	}
	return err ? profile_fault_errno(fault, err) : 0;
}
