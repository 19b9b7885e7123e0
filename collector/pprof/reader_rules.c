// SPDX-License-Identifier: GPL-2.0
#include "pprof/reader_rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "pprof/decode_facts.h"
#include "pprof/model.h"

/* Default limits of Pyroscope 2. */
#define PYROSCOPE_MAX_SAMPLES	16000
#define PYROSCOPE_MAX_BYTES	(4U << 20)
#define PYROSCOPE_MAX_LABELS	100
#define PYROSCOPE_MAX_FRAMES	1000
#define PYROSCOPE_MAX_AGE_S	3600
#define PYROSCOPE_MAX_EARLY_S	600

#define NS_PER_S		1000000000LL

static void report(const struct reader_rules *r, bool is_refused, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void report(const struct reader_rules *r, bool is_refused, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	r->report(r->ctx, is_refused, text);
}

static void check_parca_ids(const struct reader_rules *r, const struct decode_facts *facts)
{
	const struct {
		bool is_sparse;
		const char *table;
	} tables[] = {
		{ facts->has_sparse_mappings, "mappings" },
		{ facts->has_sparse_locations, "locations" },
		{ facts->has_sparse_functions, "functions" },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (tables[i].is_sparse)
			report(r, true, "the ids of %s are not 1, 2, ...: merge numbers them",
			       tables[i].table);
	if (facts->has_lost_mapping)
		report(r, true, "a location has a mapping that is not there: merge drops it");
	if (facts->has_label_without_key)
		report(r, true, "a label has no key: give it one");
}

/* Characters of the names of Prometheus' metrics. A colon separates the parts of the name. */
static bool is_metric_part(const char *s)
{
	return !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static void check_metric_type(const struct reader_rules *r, const struct model *m,
			      const struct model_value_type *type)
{
	const uint32_t strings[] = { type->type, type->unit };

	for (size_t i = 0; i < 2; i++) {
		const char *name = model_string(m, strings[i]);

		if (!is_metric_part(name))
			report(r, true, "'%.80s' is no part of a metric's name: use letters, digits and _",
			       name);
	}
}

static void check_parca(const struct reader_rules *r, const struct model *m,
			const struct decode_facts *facts)
{
	check_parca_ids(r, facts);
	for (size_t i = 0; i < m->sample_types.nr; i++)
		check_metric_type(r, m, &m->sample_types.items[i]);
	check_metric_type(r, m, &m->period_type);
	if (!m->samples.nr)
		report(r, false, "a profile without samples is dropped: take a longer one");
}

static void check_pyroscope_strings(const struct reader_rules *r, const struct model *m)
{
	for (uint32_t i = 0; i < strtab_nr(m->strings); i++)
		if (!utf8_is_valid(strtab_at(m->strings, i), strtab_len(m->strings, i))) {
			report(r, true, "'%.80s' is not UTF-8: rename it in the program",
			       strtab_at(m->strings, i));
			return;
		}
	for (size_t i = 0; i < m->sample_types.nr; i++) {
		const char *name = model_string(m, m->sample_types.items[i].type);

		if (strchr(name, '-'))
			report(r, true, "the sample type '%.80s' has a '-': rename it", name);
	}
}

static void check_pyroscope_time(const struct reader_rules *r, const struct model *m)
{
	int64_t age_ns;

	if (!m->time_ns)	/* it is taken as now */
		return;
	if (__builtin_sub_overflow(r->now_ns, m->time_ns, &age_ns) ||
	    age_ns > PYROSCOPE_MAX_AGE_S * NS_PER_S)
		report(r, true, "it is over an hour old: raise reject_older_than of the server");
	else if (age_ns < -PYROSCOPE_MAX_EARLY_S * NS_PER_S)
		report(r, true, "it is over 10 minutes in the future: set the clock");
}

static void check_pyroscope_limits(const struct reader_rules *r, const struct model *m,
				   const struct decode_facts *facts)
{
	if (m->samples.nr > PYROSCOPE_MAX_SAMPLES)
		report(r, true, "it has %zu samples, and %d are allowed: take a shorter profile",
		       m->samples.nr, PYROSCOPE_MAX_SAMPLES);
	if (facts->nr_bytes > PYROSCOPE_MAX_BYTES)
		report(r, true,
		       "it has %" PRIu64 " bytes inflated, and %u are allowed: take a shorter profile",
		       facts->nr_bytes, PYROSCOPE_MAX_BYTES);
}

static void check_pyroscope_samples(const struct reader_rules *r, const struct model *m)
{
	uint32_t labels = 0, frames = 0, nr;

	for (size_t i = 0; i < m->samples.nr; i++) {
		model_labels(m, m->samples.items[i].label_set, &nr);
		labels = nr > labels ? nr : labels;
		model_stack(m, m->samples.items[i].stack, &nr);
		frames = nr > frames ? nr : frames;
	}
	if (labels > PYROSCOPE_MAX_LABELS)
		report(r, true, "a sample has %u labels, and %d are allowed: use fewer", labels,
		       PYROSCOPE_MAX_LABELS);
	if (frames > PYROSCOPE_MAX_FRAMES)
		report(r, false, "a stack of %u frames loses all leaves but %d frames: use --max-frames",
		       frames, PYROSCOPE_MAX_FRAMES);
}

static void check_pyroscope(const struct reader_rules *r, const struct model *m,
			    const struct decode_facts *facts)
{
	check_pyroscope_strings(r, m);
	check_pyroscope_time(r, m);
	check_pyroscope_limits(r, m, facts);
	check_pyroscope_samples(r, m);
}

static void check_speedscope_locations(const struct reader_rules *r, const struct model *m)
{
	size_t nr_inlined = 0, nr_unnamed = 0;

	for (size_t i = 0; i < m->locations.nr; i++) {
		nr_inlined += m->locations.items[i].nr_lines > 1;
		nr_unnamed += !m->locations.items[i].nr_lines;
	}
	if (nr_inlined)
		report(r, false, "inlined functions are left out at %zu locations: convert it to folded",
		       nr_inlined);
	if (nr_unnamed)
		report(r, false, "%zu locations without a name are left out: convert it to folded",
		       nr_unnamed);
}

/*
 * speedscope looks for the default type by a comparison of two objects, which always differ. So it
 * shows the last one.
 */
static void check_speedscope(const struct reader_rules *r, const struct model *m)
{
	size_t type = m->sample_types.nr - 1;
	bool is_negative = false;

	if (!m->sample_types.nr) {
		report(r, true, "it has no sample types: name another profile");
		return;
	}
	for (size_t i = 0; i < m->samples.nr; i++)
		is_negative |= model_values(m, i)[type] < 0;
	if (is_negative)
		report(r, true, "a value is negative: use flame for a difference");
	if (type)
		report(r, false, "only the sample type '%.80s' is shown, of %zu: convert the others",
		       model_string(m, m->sample_types.items[type].type), m->sample_types.nr);
	check_speedscope_locations(r, m);
}

void reader_rules_check(const struct reader_rules *r, const struct model *m,
			const struct decode_facts *facts)
{
	switch (r->reader) {
	case READER_PARCA:
		check_parca(r, m, facts);
		break;
	case READER_PYROSCOPE:
		check_pyroscope(r, m, facts);
		break;
	case READER_SPEEDSCOPE:
		check_speedscope(r, m);
		break;
	case READER_NONE:
		break;
	}
}
