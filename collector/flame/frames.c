// SPDX-License-Identifier: GPL-2.0
#include "flame/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string_table.h"
#include "base/tuple_map.h"
#include "base/utf8.h"
#include "pprof/frame_name.h"
#include "pprof/model.h"

static int64_t intern(struct flame_frames *f, const char *s)
{
	return strtab_intern(f->strings, s, strlen(s));
}

int64_t flame_frames_text(struct flame_frames *f, const struct model *m, uint32_t string)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int64_t id;

	if (!string || f->cleaned[string])
		return f->cleaned[string];
	out = open_memstream(&text, &len);
	if (!out)
		return -ENOMEM;
	utf8_print_bytes(out, model_string(m, string), strtab_len(m->strings, string));
	id = fclose(out) ? -ENOMEM : strtab_intern(f->strings, text, len);
	free(text);
	if (id > 0)
		f->cleaned[string] = id;
	return id;
}

/* Returns: the last component of the mapping's file, 0 if there is none, or a negative errno. */
static int64_t module_name(struct flame_frames *f, const struct model *m, uint32_t mapping)
{
	int64_t path;
	const char *slash;

	if (mapping == MODEL_NONE)
		return 0;
	path = flame_frames_text(f, m, m->mappings.items[mapping].file);
	if (path <= 0)
		return path;
	slash = strrchr(strtab_at(f->strings, path), '/');
	return slash ? intern(f, slash + 1) : path;
}

/* Returns: the name of a function that is not known, or a negative errno. */
static int64_t unknown_name(struct flame_frames *f, uint32_t module)
{
	char *name = frame_name_unknown(strtab_at(f->strings, module));
	int64_t id = name ? intern(f, name) : -ENOMEM;

	free(name);
	return id;
}

static int64_t add_frame(struct flame_frames *f, uint32_t name, uint32_t module, uint32_t file)
{
	uint64_t key[] = { name, module };
	int64_t id = tuple_map_add(f->ids, 0, key, 2, 0);
	struct flame_frame *grown;

	if (id < 0 || (size_t)id < f->nr)
		return id;
	grown = array_grow(f->items, &f->room, f->nr + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->items = grown;
	f->items[f->nr++] = (struct flame_frame){
		.name = name, .module = module, .file = file,
		.is_synthetic = frame_name_is_synthetic(strtab_at(f->strings, name)),
	};
	return id;
}

static int64_t line_frame(struct flame_frames *f, const struct model *m, uint32_t function,
			  uint32_t module)
{
	const struct model_function *fn = &m->functions.items[function];
	int64_t name = flame_frames_text(f, m, fn->name);
	int64_t file = flame_frames_text(f, m, fn->file);

	if (!name)
		name = unknown_name(f, module);
	if (name < 0 || file < 0)
		return -ENOMEM;
	return add_frame(f, name, module, file);
}

static int add_location(struct flame_frames *f, const struct model *m, size_t location)
{
	const struct model_location *l = &m->locations.items[location];
	int64_t module = module_name(f, m, l->mapping), id;

	if (module < 0)
		return module;
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		id = line_frame(f, m, model_lines(m, l)[i].function, module);
		if (id < 0)
			return id;
		f->of_line[l->first_line + i] = id;
	}
	if (l->nr_lines)
		return 0;
	id = unknown_name(f, module);
	if (id >= 0)
		id = add_frame(f, id, module, 0);
	if (id >= 0)
		f->of_location[location] = id;
	return id < 0 ? id : 0;
}

static int init_tables(struct flame_frames *f, const struct model *m)
{
	int64_t all;

	f->strings = strtab_new();
	f->ids = tuple_map_new(UINT32_MAX);
	f->of_line = calloc(m->lines.nr + 1, sizeof(*f->of_line));
	f->of_location = calloc(m->locations.nr + 1, sizeof(*f->of_location));
	f->cleaned = calloc(strtab_nr(m->strings), sizeof(*f->cleaned));
	if (!f->strings || !f->ids || !f->of_line || !f->of_location || !f->cleaned)
		return -ENOMEM;
	all = intern(f, "all");
	/* No module has this index: a function called "all" is another frame. */
	return all < 0 ? all : add_frame(f, all, UINT32_MAX, 0);
}

int flame_frames_init(struct flame_frames *f, const struct model *m)
{
	int err;

	*f = (struct flame_frames){ 0 };
	err = init_tables(f, m);
	if (err)
		return err;
	f->items[0].module = 0;
	for (size_t i = 0; !err && i < m->locations.nr; i++)
		err = add_location(f, m, i);
	return err;
}

void flame_frames_fini(struct flame_frames *f)
{
	strtab_free(f->strings);
	tuple_map_free(f->ids);
	free(f->items);
	free(f->of_line);
	free(f->of_location);
	free(f->cleaned);
}
