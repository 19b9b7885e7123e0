// SPDX-License-Identifier: GPL-2.0
#include "analysis/label_filter.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/matcher.h"
#include "analysis/tag_filter.h"
#include "base/array.h"
#include "pprof/model.h"

enum verdict { NO_VERDICT, KEPT, DROPPED };

struct sample_filter {
	struct tag_filter *keep;
	struct tag_filter *drop;
	const struct label_units *units;
	struct label_filter_found *found;
	const struct tag_filter **failed;
	uint8_t *verdicts;	/* by label set */
};

/* Returns: 1 or 0, is_default without a filter, or a negative errno. */
static int match(struct sample_filter *f, struct tag_filter *filter, const struct model *m,
		 uint32_t set, bool is_default)
{
	int found = filter ? tag_filter_match(filter, m, f->units, set) : is_default;

	if (found < 0)
		*f->failed = filter;
	return found;
}

static int judge(struct sample_filter *f, const struct model *m, uint32_t set)
{
	int keep = match(f, f->keep, m, set, true);
	int drop = keep < 0 ? keep : match(f, f->drop, m, set, false);

	if (drop < 0)
		return drop;
	f->found->keep |= keep;
	f->found->drop |= drop;
	f->verdicts[set] = keep && !drop ? KEPT : DROPPED;
	return 0;
}

static bool is_kept(const struct model *m, size_t sample, void *ctx)
{
	const struct sample_filter *f = ctx;

	return f->verdicts[m->samples.items[sample].label_set] == KEPT;
}

int label_filter_samples(struct model *m, struct tag_filter *keep, struct tag_filter *drop,
			 const struct label_units *units, struct label_filter_found *found,
			 const struct tag_filter **failed)
{
	struct sample_filter f = { .keep = keep, .drop = drop, .units = units, .found = found,
				   .failed = failed };
	int err = 0;

	*found = (struct label_filter_found){};
	*failed = NULL;
	f.verdicts = calloc(m->label_sets.nr, sizeof(*f.verdicts));
	if (!f.verdicts)
		return -ENOMEM;
	for (size_t i = 0; i < m->samples.nr && !err; i++)
		if (f.verdicts[m->samples.items[i].label_set] == NO_VERDICT)
			err = judge(&f, m, m->samples.items[i].label_set);
	if (!err)
		model_keep_samples(m, is_kept, &f);
	free(f.verdicts);
	return err;
}

struct key_filter {
	struct matcher *keep;
	struct matcher *drop;
	struct label_filter_found *found;
	uint32_t *edited;	/* by label set: the new one, or MODEL_NONE if not looked at */
	struct {
		struct model_label *items;
		size_t nr;
		size_t room;
	} labels;
};

static bool is_key_kept(struct key_filter *f, uint32_t key)
{
	bool keep = !f->keep || matcher_finds(f->keep, key);
	bool drop = f->drop && matcher_finds(f->drop, key);

	f->found->keep |= keep;
	f->found->drop |= drop;
	return keep && !drop;
}

static int edit_label_set(struct key_filter *f, struct model *m, uint32_t set)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(m, set, &nr);
	int64_t edited = set;
	int err = 0;

	f->labels.nr = 0;
	for (uint32_t i = 0; i < nr && !err; i++)
		if (is_key_kept(f, labels[i].key))
			err = ARRAY_APPEND(f->labels, &labels[i], 1);
	if (!err && f->labels.nr < nr)
		edited = model_add_label_set(m, f->labels.items, f->labels.nr);
	if (!err && edited < 0)
		err = edited;
	f->edited[set] = edited;
	return err;
}

int label_filter_keys(struct model *m, struct matcher *keep, struct matcher *drop,
		      struct label_filter_found *found)
{
	struct key_filter f = { .keep = keep, .drop = drop, .found = found };
	size_t size = m->label_sets.nr * sizeof(*f.edited);
	int err = 0;

	*found = (struct label_filter_found){};
	f.edited = malloc(size);
	if (!f.edited)
		return -ENOMEM;
	memset(f.edited, 0xFF, size);	/* MODEL_NONE */
	for (size_t i = 0; i < m->samples.nr && !err; i++) {
		uint32_t *set = &m->samples.items[i].label_set;

		if (f.edited[*set] == MODEL_NONE)
			err = edit_label_set(&f, m, *set);
		if (!err)
			*set = f.edited[*set];
	}
	free(f.labels.items);
	free(f.edited);
	return err;
}
