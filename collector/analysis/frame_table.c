// SPDX-License-Identifier: GPL-2.0
#include "analysis/frame_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/path.h"
#include "base/string_table.h"
#include "base/tuple_map.h"
#include "pprof/model.h"

/* The numbers of a frame in frame_table.ids. Names and objects are strings of the model. */
enum { NAME, FILE_NAME, OBJECT, ADDRESS, START_LINE, LINE, COLUMN, NR_PARTS };

/* Returns: the length of the folder with a slash after it, if the path begins so; or 0. */
static size_t match_folder(const char *path, size_t len, const char *folder, size_t folder_len)
{
	bool has_slash = folder_len && folder[folder_len - 1] == '/';
	size_t prefix_len = folder_len + !has_slash;

	return len >= prefix_len && !memcmp(path, folder, folder_len) &&
	       path[prefix_len - 1] == '/' ? prefix_len : 0;
}

/* The same for a list with ":" between the folders. As in Go, "" is no list, and "/x:" has "/". */
static size_t match_folders(const char *path, size_t len, const char *folders)
{
	size_t cut = 0, folder_len;
	bool is_last = !*folders;

	for (; !cut && !is_last; folders += folder_len + 1) {
		folder_len = strcspn(folders, ":");
		is_last = !folders[folder_len];
		cut = match_folder(path, len, folders, folder_len);
	}
	return cut;
}

/* Returns: the length of the prefix that the path loses. */
static size_t trim_prefix(const char *path, size_t len, const char *trim_path)
{
	size_t cut = match_folders(path, len, trim_path);

	return cut ? cut : match_folders(path, len, "/proc/self/cwd/.:/proc/self/cwd");
}

/* Returns: the string of the cleaned file, 0 if there is none, or a negative errno. */
static int64_t file_of(struct frame_table *t, uint32_t string)
{
	const char *path = model_string(t->model, string);
	size_t len = strtab_len(t->model->strings, string), cut;
	int64_t id;
	char *clean;

	if (!string || t->file_of[string])
		return t->file_of[string];
	cut = t->trim_path ? trim_prefix(path, len, t->trim_path) : 0;
	if (cut == len)
		return 0;
	clean = malloc(len);
	if (!clean)
		return -ENOMEM;
	id = strtab_intern(t->files, clean, path_clean(path + cut, len - cut, clean));
	free(clean);
	if (id > 0)
		t->file_of[string] = id;
	return id;
}

/* Returns: the frame, or a negative errno. */
static int64_t add_frame(struct frame_table *t, const struct model_location *l,
			 const struct model_line *line)
{
	uint32_t mapping = l->mapping;
	uint32_t object = mapping == MODEL_NONE ? 0 : t->model->mappings.items[mapping].file;
	uint64_t parts[NR_PARTS] = { [ADDRESS] = l->address, [OBJECT] = object };
	const struct model_function *f;
	int64_t file;

	if (line) {
		f = &t->model->functions.items[line->function];
		file = file_of(t, f->file);
		if (file < 0)
			return file;
		parts[NAME] = f->name;
		parts[FILE_NAME] = file;
		parts[OBJECT] = f->name ? 0 : object;
		parts[START_LINE] = f->name ? 0 : f->start_line;
		parts[LINE] = line->line;
		parts[COLUMN] = line->column;
	}
	return tuple_map_add(t->ids, 0, parts, NR_PARTS, 0);
}

static int add_location(struct frame_table *t, size_t location)
{
	const struct model_location *l = &t->model->locations.items[location];
	const struct model_line *lines = model_lines(t->model, l);
	int64_t id;

	if (!l->nr_lines) {
		id = add_frame(t, l, NULL);
		t->of_location[location] = id;
		return id < 0 ? id : 0;
	}
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		id = add_frame(t, l, &lines[i]);
		if (id < 0)
			return id;
		t->of_line[l->first_line + i] = id;
	}
	return 0;
}

int frame_table_init(struct frame_table *t, const struct model *m, const char *trim_path)
{
	int err = 0;

	*t = (struct frame_table){
		.model = m,
		.trim_path = trim_path,
		.of_line = calloc(m->lines.nr + 1, sizeof(*t->of_line)),
		.of_location = calloc(m->locations.nr + 1, sizeof(*t->of_location)),
		.ids = tuple_map_new(UINT32_MAX),
		.files = strtab_new(),
		.file_of = calloc(strtab_nr(m->strings), sizeof(*t->file_of)),
	};
	if (!t->of_line || !t->of_location || !t->ids || !t->files || !t->file_of)
		return -ENOMEM;
	for (size_t i = 0; !err && i < m->locations.nr; i++)
		err = add_location(t, i);
	t->nr = tuple_map_nr(t->ids);
	t->texts = calloc(t->nr + 1, sizeof(*t->texts));
	return t->texts ? err : -ENOMEM;
}

void frame_table_fini(struct frame_table *t)
{
	free(t->of_line);
	free(t->of_location);
	tuple_map_free(t->ids);
	strtab_free(t->files);
	free(t->file_of);
	free(t->texts);
	arena_fini(&t->arena);
}

const uint32_t *frame_table_at(const struct frame_table *t, uint32_t location, uint32_t *nr)
{
	const struct model_location *l = &t->model->locations.items[location];

	*nr = l->nr_lines ? l->nr_lines : 1;
	return l->nr_lines ? t->of_line + l->first_line : t->of_location + location;
}

/* A text that is written, or whose length is counted if bytes is NULL. */
struct writer {
	char *bytes;
	size_t len;
};

static void put(struct writer *w, const char *s, size_t len)
{
	if (w->bytes)
		memcpy(w->bytes + w->len, s, len);
	w->len += len;
}

static void put_number(struct writer *w, const char *fmt, uint64_t number)
{
	char digits[32];

	put(w, digits, snprintf(digits, sizeof(digits), fmt, number));
}

static void put_string(struct writer *w, const struct strtab *strings, uint32_t string)
{
	put(w, strtab_at(strings, string), strtab_len(strings, string));
}

static void put_position(struct writer *w, const struct frame_table *t, const uint64_t *parts)
{
	put_string(w, t->files, parts[FILE_NAME]);
	if (!parts[LINE])
		return;
	put_number(w, ":%" PRId64, parts[LINE]);
	if (parts[COLUMN])
		put_number(w, ":%" PRId64, parts[COLUMN]);
}

/* For a frame without a name. */
static void put_object(struct writer *w, const struct model *m, uint32_t object)
{
	const char *base;
	size_t len;

	if (!object) {
		put(w, "<unknown>", strlen("<unknown>"));
		return;
	}
	base = path_base(model_string(m, object), strtab_len(m->strings, object), &len);
	put(w, "[", 1);
	put(w, base, len);
	put(w, "]", 1);
}

static void put_frame(struct writer *w, const struct frame_table *t, const uint64_t *parts)
{
	bool has_position = parts[FILE_NAME] || parts[LINE];

	if (parts[ADDRESS])
		put_number(w, "%016" PRIx64, parts[ADDRESS]);
	if (parts[ADDRESS] && (parts[NAME] || has_position))
		put(w, " ", 1);
	put_string(w, t->model->strings, parts[NAME]);
	if (parts[NAME] && has_position)
		put(w, " ", 1);
	if (has_position) {
		put_position(w, t, parts);
	} else if (!parts[NAME]) {
		put(w, " ", parts[ADDRESS] ? 1 : 0);
		put_object(w, t->model, parts[OBJECT]);
	}
}

const struct frame_text *frame_table_text(struct frame_table *t, uint32_t frame)
{
	const uint64_t *parts = tuple_map_at(t->ids, frame)->frames;
	struct frame_text *text = &t->texts[frame];
	struct writer w = { 0 };

	if (text->bytes)
		return text;
	put_frame(&w, t, parts);
	text->len = w.len;
	w = (struct writer){ .bytes = arena_alloc(&t->arena, w.len) };
	if (!w.bytes)
		return NULL;
	put_frame(&w, t, parts);
	text->bytes = w.bytes;
	return text;
}
