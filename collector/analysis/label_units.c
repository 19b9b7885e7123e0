// SPDX-License-Identifier: GPL-2.0
#include "analysis/label_units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/model.h"

static void add_label_set(struct label_units *u, const struct model *m, uint32_t set)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(m, set, &nr);

	for (uint32_t i = 0; i < nr; i++)
		if (labels[i].is_number && !u->of_key[labels[i].key])
			u->of_key[labels[i].key] = labels[i].unit;
}

int label_units_init(struct label_units *u, const struct model *m)
{
	bool *is_done = calloc(m->label_sets.nr, sizeof(*is_done));

	u->nr = strtab_nr(m->strings);
	u->of_key = calloc(u->nr, sizeof(*u->of_key));
	for (size_t i = 0; is_done && u->of_key && i < m->samples.nr; i++) {
		uint32_t set = m->samples.items[i].label_set;

		if (!is_done[set])
			add_label_set(u, m, set);
		is_done[set] = true;
	}
	free(is_done);
	return is_done && u->of_key ? 0 : -ENOMEM;
}

void label_units_fini(struct label_units *u)
{
	free(u->of_key);
}

const char *label_units_get(const struct label_units *u, const struct model *m, uint32_t key)
{
	const char *name = model_string(m, key);

	if (key < u->nr && u->of_key[key])
		return model_string(m, u->of_key[key]);
	if (!strcmp(name, "alignment") || !strcmp(name, "request"))
		return "bytes";
	return name;
}
