// SPDX-License-Identifier: GPL-2.0
#include "pprof/decode.h"

#include <errno.h>
#include <stdlib.h>

#include "pprof/decode_fields.h"
#include "pprof/decode_message.h"
#include "pprof/decode_sample.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

#define HEAD_BYTES	20	/* of a field: two varints */
#define NR_FIELDS	15	/* of message Profile */

static inline int fill(struct profile_input *in, uint64_t want)
{
	return want <= (uint64_t)(in->end - in->at) ? 0 : profile_input_fill(in, want);
}

/* A field of another number is skipped: it needs no room in the window. */
static int read_bytes(struct decoder *d, struct proto_field *f)
{
	struct profile_input *in = d->in;
	uint64_t offset = profile_input_offset(in, in->at), left;
	bool is_known = f->number - 1 < NR_FIELDS;
	int err = is_known ? fill(in, f->value) : profile_input_skip(in, f->value);

	if (err)
		return err;
	left = is_known ? (uint64_t)(in->end - in->at) : profile_input_offset(in, in->at) - offset;
	if (left < f->value)
		return profile_fault_set(d->fault, offset,
					 "expected %llu bytes of field %llu, found %llu: get the file again",
					 (unsigned long long)f->value,
					 (unsigned long long)f->number, (unsigned long long)left);
	f->at = in->at;
	f->bytes = (struct proto_message){ in->at, in->at };
	if (!is_known)
		return 0;
	f->bytes.end += f->value;
	in->at += f->value;
	return decode_message(d, f);
}

static int read_profile(struct decoder *d)
{
	struct profile_input *in = d->in;
	struct proto_message m;
	struct proto_field f;
	const char *expected;
	int err;

	for (;;) {
		err = fill(in, HEAD_BYTES);
		if (err || in->at == in->end)
			return err;
		m = (struct proto_message){ in->at, in->end };
		expected = proto_read_head(&m, &f);
		if (expected)
			return profile_fault_set(d->fault, profile_input_offset(in, m.at),
						 "expected %s: get the file again", expected);
		in->at = m.at;
		err = f.type == PROTO_BYTES ? read_bytes(d, &f) : decode_message(d, &f);
		if (err)
			return err;
	}
}

static int read_all(struct decoder *d)
{
	int err = profile_input_fill(d->in, 1);

	if (!err && d->in->at == d->in->end)
		err = profile_fault_set(d->fault, 0,
					"expected a profile, found no data: get the file again");
	if (!err)
		err = read_profile(d);
	if (!err)
		err = decode_sample_finish(d);
	if (!err)
		err = decode_references_resolve(&d->refs, d->m, d->fault);
	d->refs.facts.nr_bytes = profile_input_offset(d->in, d->in->at);
	return err;
}

int decode_profile(struct profile_input *in, struct model **out, struct decode_facts *facts,
		   struct profile_fault *fault)
{
	struct decoder d = { .in = in, .fault = fault, .m = model_new() };
	int err = d.m ? read_all(&d) : profile_fault_errno(fault, -ENOMEM);

	decode_references_fini(&d.refs);
	free(d.lines.items);
	if (err) {
		model_free(d.m);
		return err;
	}
	model_trim(d.m);
	*out = d.m;
	if (facts)
		*facts = d.refs.facts;
	return 0;
}
