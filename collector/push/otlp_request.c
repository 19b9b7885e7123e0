// SPDX-License-Identifier: GPL-2.0
#include "push/otlp_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/otlp_writer.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "push/gzip_bytes.h"
#include "push/push_item.h"
#include "push/push_request.h"

/* Returns: the index of the sample type with this name, or -1. */
static int find_type(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->sample_types.nr; i++)
		if (!strcmp(model_string(m, m->sample_types.items[i].type), name))
			return i;
	return -1;
}

static void keep_type(struct model *m, size_t type)
{
	size_t nr = m->sample_types.nr;

	for (size_t i = 0; i < m->samples.nr; i++)
		m->values.items[i] = m->values.items[i * nr + type];
	m->values.nr = m->samples.nr;
	m->sample_types.items[0] = m->sample_types.items[type];
	m->sample_types.nr = 1;
	m->default_sample_type = 0;
}

static int shape_waits(struct model *m, size_t delay)
{
	int64_t name = model_add_string(m, "off_cpu", strlen("off_cpu"));

	if (name < 0)
		return name;
	keep_type(m, delay);
	m->sample_types.items[0].type = name;
	m->period_type = (struct model_value_type){ 0 };
	m->period = 0;
	return 0;
}

int otlp_request_shape(struct model *m, const char *type)
{
	int counts = find_type(m, "samples"), delay = find_type(m, "delay");
	int clock = find_type(m, model_string(m, m->period_type.type));

	if (!strcmp(type, "block") && delay >= 0)
		return shape_waits(m, delay);
	if (counts >= 0 && clock >= 0 && clock != counts && m->period > 0)
		keep_type(m, counts);
	return 0;
}

/* Returns a label as an attribute, which borrows its strings. */
static struct otlp_resource_attribute attribute_of(const struct push_label *label)
{
	static const struct {
		const char *label;
		const char *key;
	} known[] = {
		{ "service_name", "service.name" }, { "host", "host.name" },
		{ "namespace", "service.namespace" }, { "container", "container.id" },
		{ "pid", "process.pid" },
	};
	struct otlp_resource_attribute a = { .key = label->name, .text = label->value };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(label->name, known[i].label))
			a.key = known[i].key;
	if (!strcmp(label->name, "pid")) {
		a.number = strtoll(label->value, NULL, 10);
		a.text = NULL;
	}
	return a;
}

static int write_body(const struct push_item *item, const struct model *m,
		      struct byte_buffer *plain, struct profile_fault *fault)
{
	struct otlp_resource_attribute attributes[PUSH_LABELS_MAX];
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int err;

	if (!out)
		return profile_fault_errno(fault, -ENOMEM);
	for (size_t i = 0; i < item->labels.nr; i++)
		attributes[i] = attribute_of(&item->labels.items[i]);
	err = otlp_write_of(m, model_default_sample_type(m), attributes, item->labels.nr, out,
			    fault);
	if (fclose(out) && !err)
		err = profile_fault_errno(fault, -ENOMEM);
	*plain = (struct byte_buffer){ (uint8_t *)text, text ? len : 0, text ? len : 0 };
	return err;
}

static int finish(const char *base, const struct byte_buffer *plain, struct push_request *r)
{
	int err = gzip_bytes(plain, &r->body);

	r->method = "POST";
	if (!err && asprintf(&r->url, "%s/v1development/profiles", base) < 0)
		err = -ENOMEM;
	if (!err)
		err = push_request_add_header(r, "Content-Type", "application/x-protobuf");
	if (!err)
		err = push_request_add_header(r, "Content-Encoding", "gzip");
	return err ? err : push_request_add_header(r, "OTLP-Profiles-Development-Version", "1");
}

int otlp_request(const char *base, const struct push_item *item, const struct model *m,
		 struct push_request *r, struct profile_fault *fault)
{
	struct byte_buffer plain = { 0 };
	int err;

	if (!m->samples.nr || !m->sample_types.nr)
		return -ENODATA;
	err = write_body(item, m, &plain, fault);
	if (!err) {
		err = finish(base, &plain, r);
		if (err)
			profile_fault_errno(fault, err);
	}
	free(plain.items);
	return err;
}
