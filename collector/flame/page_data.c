// SPDX-License-Identifier: GPL-2.0
#include "flame/page_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/json.h"
#include "base/string_table.h"
#include "flame/tree.h"
#include "pprof/model.h"
#include "pprof/value_unit.h"

/* A line of base64, before it is encoded. */
#define LINE_BYTES	75

/* From so many nodes on, a page is larger by 7 %, and is compressed in a quarter of the time. */
#define MANY_NODES	1000000

static const char *text(const struct flame_tree *t, uint32_t string)
{
	return strtab_at(t->frames.strings, string);
}

/* Returns: 0, or a negative errno. */
static int put_model_string(FILE *out, struct flame_tree *t, uint32_t string)
{
	int64_t id = flame_frames_text(&t->frames, t->model, string);

	if (id < 0)
		return id;
	json_string(out, text(t, id));
	return 0;
}

static int put_types(FILE *out, struct flame_tree *t, uint32_t type)
{
	int err = 0;

	fputs("{\"types\":[", out);
	for (size_t i = 0; !err && i < t->model->sample_types.nr; i++) {
		const struct model_value_type *v = &t->model->sample_types.items[i];
		const char *unit = model_string(t->model, v->unit);

		fputs(i ? ",[" : "[", out);
		err = put_model_string(out, t, v->type);
		putc(',', out);
		if (!err)
			err = put_model_string(out, t, v->unit);
		fprintf(out, ",%.17g,%.17g]", value_unit_ratio(unit, "nanoseconds"),
			value_unit_ratio(unit, "bytes"));
	}
	fprintf(out, "],\n\"type\":%" PRIu32 ",\n", type);
	return err;
}

static void put_frames(FILE *out, const struct flame_tree *t)
{
	const struct flame_frame *f = t->frames.items;

	JSON_COLUMN(out, "categories", t->nr_categories, t->categories[i]);
	fputs(",\n\"frames\":{", out);
	JSON_COLUMN(out, "name", t->frames.nr, f[i].name);
	putc(',', out);
	JSON_COLUMN(out, "module", t->frames.nr, f[i].module);
	putc(',', out);
	JSON_COLUMN(out, "file", t->frames.nr, f[i].file);
	putc(',', out);
	JSON_COLUMN(out, "category", t->frames.nr, f[i].category);
	putc(',', out);
	JSON_COLUMN(out, "synthetic", t->frames.nr, f[i].is_synthetic);
	fputs("},\n", out);
}

/* The levels from the node before this one up to its parent. */
static uint32_t levels_up(const struct flame_tree *t, size_t node)
{
	return node ? t->nodes[node - 1].depth + 1 - t->nodes[node].depth : 0;
}

static void put_nodes(FILE *out, const struct flame_tree *t)
{
	const struct flame_node *n = t->nodes;

	fputs("\"nodes\":{", out);
	JSON_COLUMN(out, "up", t->nr_nodes, levels_up(t, i));
	putc(',', out);
	JSON_COLUMN(out, "frame", t->nr_nodes, 2 * (int64_t)n[i].frame + n[i].is_inlined);
	fputs("},\n", out);
}

static void put_samples(FILE *out, const struct flame_tree *t, const uint32_t *set_numbers)
{
	const struct flame_sample *s = t->samples;
	size_t nr_types = t->model->sample_types.nr;

	fputs("\"samples\":{", out);
	JSON_COLUMN(out, "node", t->nr_samples, s[i].node - (i ? s[i - 1].node : 0));
	putc(',', out);
	JSON_COLUMN(out, "labels", t->nr_samples, set_numbers[s[i].label_set] - 1);
	fputs(",\"values\":{", out);
	for (size_t type = 0; type < nr_types; type++) {
		char name[24];

		snprintf(name, sizeof(name), "%zu", type);
		fputs(type ? "," : "", out);
		JSON_COLUMN(out, name, t->nr_samples, t->values[i * nr_types + type]);
	}
	fputs("}},\n", out);
}

/* Returns: the text of a label's value, a number with its unit; or a negative errno. */
static int64_t label_text(struct flame_tree *t, const struct model_label *label)
{
	char *number;
	int64_t id;
	int len;

	if (!label->is_number)
		return flame_frames_text(&t->frames, t->model, label->str);
	id = flame_frames_text(&t->frames, t->model, label->unit);
	if (id < 0)
		return id;
	len = asprintf(&number, "%" PRId64 "%s%s", label->num, id ? " " : "", text(t, id));
	if (len < 0)
		return -ENOMEM;
	id = strtab_intern(t->frames.strings, number, len);
	free(number);
	return id;
}

static int put_label_set(FILE *out, struct flame_tree *t, uint32_t set)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(t->model, set, &nr);
	int64_t value;
	int err = 0;

	putc('[', out);
	for (uint32_t i = 0; !err && i < nr; i++) {
		fputs(i ? "," : "", out);
		err = put_model_string(out, t, labels[i].key);
		value = label_text(t, &labels[i]);
		if (value < 0)
			return value;
		putc(',', out);
		json_string(out, text(t, value));
	}
	putc(']', out);
	return err;
}

/* The label sets that samples have. Number i is that of the set at[i]. */
struct used_sets {
	uint32_t *number;	/* by label set of the model: the number + 1, or 0 */
	uint32_t *at;
	bool *is_base;
	size_t nr;
};

static int find_used_sets(struct used_sets *u, const struct flame_tree *t)
{
	size_t nr = t->model->label_sets.nr;

	u->number = calloc(nr, sizeof(*u->number));
	u->at = calloc(nr, sizeof(*u->at));
	u->is_base = calloc(nr, sizeof(*u->is_base));
	if (!u->number || !u->at || !u->is_base)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_samples; i++) {
		uint32_t set = t->samples[i].label_set;

		if (u->number[set])
			continue;
		u->is_base[u->nr] = flame_tree_is_base(t, i);
		u->at[u->nr] = set;
		u->number[set] = ++u->nr;
	}
	return 0;
}

static int put_labels(FILE *out, struct flame_tree *t, const struct used_sets *u)
{
	int err = 0;

	fputs("\"labels\":[", out);
	for (size_t i = 0; !err && i < u->nr; i++) {
		fputs(i ? "," : "", out);
		err = put_label_set(out, t, u->at[i]);
	}
	fputs("],\n", out);
	JSON_COLUMN(out, "base", u->nr, u->is_base[i]);
	fputs(",\n", out);
	return err;
}

static void put_strings(FILE *out, const struct flame_tree *t)
{
	fputs("\"strings\":[", out);
	for (size_t i = 0; i < strtab_nr(t->frames.strings); i++) {
		fputs(i ? ",\n" : "", out);
		json_string(out, text(t, i));
	}
	fputs("]}\n", out);
}

int flame_page_data_json(FILE *out, struct flame_tree *t, uint32_t type)
{
	struct used_sets used = { 0 };
	int err = find_used_sets(&used, t);

	if (!err)
		err = put_types(out, t, type);
	if (!err) {
		put_frames(out, t);
		put_nodes(out, t);
		put_samples(out, t, used.number);
		err = put_labels(out, t, &used);
		put_strings(out, t);
	}
	free(used.number);
	free(used.at);
	free(used.is_base);
	return err;
}

static void put_base64(FILE *out, const unsigned char *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t three = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);

		putc_unlocked(digits[three >> 18], out);
		putc_unlocked(digits[three >> 12 & 63], out);
		putc_unlocked(left > 1 ? digits[three >> 6 & 63] : '=', out);
		putc_unlocked(left > 2 ? digits[three & 63] : '=', out);
		if (i % LINE_BYTES == LINE_BYTES - 3)
			putc_unlocked('\n', out);
	}
}

/* Compresses a stream. The JSON of a large page is never in memory as a whole. */
struct packer {
	FILE *out;
	z_stream z;
	unsigned char packed[400 * LINE_BYTES];
};

static void put_packed(struct packer *p)
{
	put_base64(p->out, p->packed, sizeof(p->packed) - p->z.avail_out);
	p->z.next_out = p->packed;
	p->z.avail_out = sizeof(p->packed);
}

/* A write of the stream. */
static ssize_t pack(void *cookie, const char *data, size_t len)
{
	struct packer *p = cookie;

	p->z.next_in = (const Bytef *)data;
	p->z.avail_in = len;
	while (p->z.avail_in) {
		if (!p->z.avail_out)
			put_packed(p);
		deflate(&p->z, Z_NO_FLUSH);
	}
	return len;
}

static void finish_packing(struct packer *p)
{
	while (deflate(&p->z, Z_FINISH) != Z_STREAM_END)
		put_packed(p);
	put_packed(p);
}

static int put_compressed(struct packer *p, struct flame_tree *t, uint32_t type)
{
	FILE *json = fopencookie(p, "w", (cookie_io_functions_t){ .write = pack });
	int err;

	if (!json)
		return -ENOMEM;
	err = flame_page_data_json(json, t, type);
	if (fclose(json) && !err)
		err = -ENOMEM;
	if (!err)
		finish_packing(p);
	return err;
}

int flame_page_data_write(FILE *out, struct flame_tree *t, uint32_t type)
{
	struct packer p = { .out = out, .z.next_out = p.packed, .z.avail_out = sizeof(p.packed) };
	int err;

	if (deflateInit(&p.z, t->nr_nodes < MANY_NODES ? 6 : 4) != Z_OK)
		return -ENOMEM;
	err = put_compressed(&p, t, type);
	deflateEnd(&p.z);
	return err;
}
