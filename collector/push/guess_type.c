// SPDX-License-Identifier: GPL-2.0
#include "push/guess_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "aggregate/profile_types.h"
#include "pprof/model.h"

static bool has_sample_type(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->sample_types.nr; i++)
		if (!strcmp(model_string(m, m->sample_types.items[i].type), name))
			return true;
	return false;
}

static bool has_types_of(const struct model *m, const struct profile_type *type)
{
	const struct profile_sample_types *types = &type->profile;

	for (unsigned int i = 0; i < types->nr_sample_types; i++)
		if (!has_sample_type(m, types->sample_types[i].type))
			return false;
	return true;
}

/* Does the path have ".NAME." after its last slash? */
static bool has_word(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *at = slash ? slash : path;
	size_t len = strlen(name);

	while ((at = strchr(at, '.')) && *++at)
		if (!strncmp(at, name, len) && at[len] == '.')
			return true;
	return false;
}

static const char *find_by_word(const struct model *m, const char *path)
{
	for (uint32_t i = 0; i < PROFILE_TYPE_NR; i++) {
		const struct profile_type *type = profile_types_get(i, false);

		if (has_word(path, type->name) && has_types_of(m, type))
			return type->name;
	}
	return NULL;
}

const char *guess_type(const struct model *m, const char *path)
{
	static const struct {
		const char *sample_type;
		const char *type;
	} known[] = {
		{ "cpu", "cpu" },	   { "inuse_space", "heap" }, { "alloc_space", "allocs" },
		{ "delay", "mutex" },	   { "wall", "wall" },	      { "faults", "growth" },
		{ "contentions", "mutex" },
	};
	const char *name = find_by_word(m, path);

	for (size_t i = 0; !name && i < sizeof(known) / sizeof(*known); i++)
		if (has_sample_type(m, known[i].sample_type))
			name = known[i].type;
	if (name)
		return name;
	return m->sample_types.nr ?
		model_string(m, m->sample_types.items[m->sample_types.nr - 1].type) : "profile";
}
