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

/* Returns: the type with this name, if the profile can be one of it, or NULL. */
static const char *find_by_name(const struct model *m, const char *name, size_t len)
{
	for (uint32_t i = 0; i < PROFILE_TYPE_NR; i++) {
		const struct profile_type *type = profile_types_get(i, false);

		if (strlen(type->name) == len && !memcmp(type->name, name, len) &&
		    has_types_of(m, type))
			return type->name;
	}
	return NULL;
}

/* In pprof.COMM.PID.TYPE.pb.gz the last name of a type counts: COMM may be such a name, too. */
static const char *find_by_path(const struct model *m, const char *path)
{
	const char *slash = strrchr(path, '/'), *word = slash ? slash + 1 : path;
	const char *found = NULL, *dot;

	for (; (dot = strchr(word, '.')); word = dot + 1) {
		const char *type = find_by_name(m, word, dot - word);

		if (type)
			found = type;
	}
	return found;
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
	const char *name = find_by_path(m, path);

	for (size_t i = 0; !name && i < sizeof(known) / sizeof(*known); i++)
		if (has_sample_type(m, known[i].sample_type))
			name = known[i].type;
	if (name)
		return name;
	return m->sample_types.nr ?
		model_string(m, m->sample_types.items[m->sample_types.nr - 1].type) : "profile";
}
