// SPDX-License-Identifier: GPL-2.0
#include "formats/named_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string_table.h"
#include "base/tuple_map.h"
#include "pprof/frame_name.h"
#include "pprof/model.h"

static int64_t copy_string(struct named_frames *f, const struct model *m, uint32_t string)
{
	return strtab_intern(f->strings, model_string(m, string), strtab_len(m->strings, string));
}

/* Returns: the last component of the mapping's file, 0 if there is none, or a negative errno. */
static int64_t module_name(struct named_frames *f, const struct model *m, uint32_t mapping)
{
	const char *path, *slash;
	uint32_t file;
	size_t len;

	if (mapping == MODEL_NONE)
		return 0;
	file = m->mappings.items[mapping].file;
	path = model_string(m, file);
	len = strtab_len(m->strings, file);
	slash = memrchr(path, '/', len);
	if (slash)
		len -= slash + 1 - path;
	return strtab_intern(f->strings, slash ? slash + 1 : path, len);
}

static int64_t unknown_name(struct named_frames *f, uint32_t module)
{
	char *name = frame_name_unknown(strtab_at(f->strings, module));
	int64_t id = name ? strtab_intern(f->strings, name, strlen(name)) : -ENOMEM;

	free(name);
	return id;
}

/* Finds or adds a frame. Returns: its index, or a negative errno. */
static int64_t add_frame(struct named_frames *f, const struct named_frame *frame)
{
	const uint64_t key[] = { frame->name, frame->module, frame->file, frame->start_line };
	int64_t id = tuple_map_add(f->ids, 0, key, 4, 0);

	if (id < 0 || (size_t)id < f->nr)
		return id;
	return ARRAY_APPEND(*f, frame, 1) ? -ENOMEM : id;
}

static int64_t add_function(struct named_frames *f, const struct model *m, uint32_t function,
			    uint32_t module)
{
	const struct model_function *fn = &m->functions.items[function];
	int64_t name = fn->name ? copy_string(f, m, fn->name) : unknown_name(f, module);

	if (name < 0)
		return name;
	return add_frame(f, &(struct named_frame){
		.name = name, .module = module, .file = fn->file, .start_line = fn->start_line,
	});
}

static int64_t add_unknown(struct named_frames *f, uint32_t module)
{
	int64_t name = unknown_name(f, module);

	if (name < 0)
		return name;
	return add_frame(f, &(struct named_frame){ .name = name, .module = module });
}

static int add_location(struct named_frames *f, const struct model *m, size_t location)
{
	const struct model_location *l = &m->locations.items[location];
	int64_t module = module_name(f, m, l->mapping), id = 0;

	if (module < 0)
		return module;
	for (uint32_t i = 0; id >= 0 && i < l->nr_lines; i++) {
		id = add_function(f, m, model_lines(m, l)[i].function, module);
		f->of_line[l->first_line + i] = id;
	}
	if (!l->nr_lines) {
		id = add_unknown(f, module);
		f->of_location[location] = id;
	}
	return id < 0 ? id : 0;
}

int named_frames_init(struct named_frames *f, const struct model *m)
{
	int err = 0;

	*f = (struct named_frames){
		.strings = strtab_new(),
		.ids = tuple_map_new(UINT32_MAX),
		.of_line = calloc(m->lines.nr + 1, sizeof(*f->of_line)),
		.of_location = calloc(m->locations.nr + 1, sizeof(*f->of_location)),
	};
	if (!f->strings || !f->ids || !f->of_line || !f->of_location)
		return -ENOMEM;
	for (size_t i = 0; !err && i < m->locations.nr; i++)
		err = add_location(f, m, i);
	return err;
}

void named_frames_fini(struct named_frames *f)
{
	strtab_free(f->strings);
	tuple_map_free(f->ids);
	free(f->items);
	free(f->of_line);
	free(f->of_location);
}
