// SPDX-License-Identifier: GPL-2.0
#include "flame/svg.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/string_table.h"
#include "flame/assets.h"
#include "flame/categories.h"
#include "flame/markup.h"
#include "flame/tree.h"
#include "pprof/model.h"

/* Pixels. */
#define WIDTH		1200
#define ROW		18
#define HEAD		42	/* above the root */
#define CHAR		6.7	/* a letter of the font */
#define MIN_WIDTH	1.0

#define MAX_COLOURS	8	/* colours.css has one more, for all other categories */
#define LEAST_CHANGE	0.01	/* a smaller part of the old and the new value is no change */
#define CHANGE_STEPS	4	/* colours.css has this many for more, and for less */

struct svg {
	FILE *out;
	const struct flame_tree *tree;
	const struct model_value_type *type;
	/* By node. */
	uint64_t *totals;
	double *change;		/* new minus base */
	double *x;		/* negative: not drawn */
	uint32_t *end;		/* the first node that is no descendant */
	uint8_t *colour;	/* by string: of a category, 0 is the largest one */
	double base;		/* of all samples; 0 if it is no comparison */
	uint32_t max_depth;
	size_t nr_hidden;
};

static double width_of(const struct svg *s, uint32_t node)
{
	return s->totals[0] ? (double)WIDTH * s->totals[node] / s->totals[0] : 0;
}

static double percent(double part, double all)
{
	return all ? 100 * part / all : 0;
}

struct child {
	uint64_t total;
	uint32_t node;
};

/* The widest is at the left. */
static int by_width(const void *left, const void *right)
{
	const struct child *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

/* Places the children of a node. children has room for all of them. */
static void place_children(struct svg *s, uint32_t node, struct child *children)
{
	double x = s->x[node];
	size_t nr = 0;

	for (uint32_t i = node + 1; i < s->end[node]; i = s->end[i])
		children[nr++] = (struct child){ s->totals[i], i };
	qsort(children, nr, sizeof(*children), by_width);
	for (size_t i = 0; i < nr; i++) {
		uint32_t child = children[i].node;

		if (width_of(s, child) < MIN_WIDTH)
			break;
		s->x[child] = x;
		x += width_of(s, child);
		if (s->tree->nodes[child].depth > s->max_depth)
			s->max_depth = s->tree->nodes[child].depth;
	}
}

static int place(struct svg *s)
{
	const struct flame_tree *t = s->tree;
	struct child *children = malloc(t->nr_nodes * sizeof(*children));

	if (!children)
		return -ENOMEM;
	for (size_t i = t->nr_nodes; i--;) {
		s->x[i] = -1;
		if (!s->end[i])
			s->end[i] = i + 1;
		if (i && s->end[t->nodes[i].parent] < s->end[i])
			s->end[t->nodes[i].parent] = s->end[i];
	}
	s->x[0] = 0;
	for (size_t i = 0; i < t->nr_nodes; i++) {
		if (s->x[i] >= 0)
			place_children(s, i, children);
		else
			s->nr_hidden++;
	}
	free(children);
	return 0;
}

static void add_change(struct svg *s, uint32_t type)
{
	const struct flame_tree *t = s->tree;

	for (size_t i = 0; i < t->nr_samples; i++) {
		double width = flame_tree_width(t, i, type);
		bool is_base = flame_tree_is_base(t, i) ||
			       t->values[i * t->model->sample_types.nr + type] < 0;

		s->change[t->samples[i].node] += is_base ? -width : width;
		s->base += is_base ? width : 0;
	}
	for (size_t i = t->nr_nodes; --i;)
		s->change[t->nodes[i].parent] += s->change[i];
}

static void put_class(const struct svg *s, uint32_t node)
{
	const struct flame_frame *f = &s->tree->frames.items[s->tree->nodes[node].frame];
	double part = s->totals[node] ? s->change[node] / s->totals[node] : 0;
	int step = ceil((fabs(part) - LEAST_CHANGE) * CHANGE_STEPS);

	if (!node)
		fputs("root", s->out);
	else if (f->is_synthetic)
		fputs("lost", s->out);
	else if (s->base && step > 0)
		fprintf(s->out, "%s%d", part < 0 ? "less" : "more", step);
	else if (s->base)
		fputs("same", s->out);
	else
		fprintf(s->out, "c%d", s->colour[f->category]);
}

static void put_value(const struct svg *s, double value)
{
	const struct model *m = s->tree->model;

	markup_value(s->out, value, model_string(m, s->type->type), model_string(m, s->type->unit));
}

/* The text that a browser shows for a frame under the pointer. */
static void put_tip(const struct svg *s, uint32_t node, const char *name)
{
	fputs("<title>", s->out);
	markup_text(s->out, name);
	fputs(s->tree->nodes[node].is_inlined ? " (inlined): " : ": ", s->out);
	if (s->base) {
		fputs(s->change[node] < 0 ? "" : "+", s->out);
		put_value(s, s->change[node]);
		fprintf(s->out, ", %+.2f %%", percent(s->change[node], s->base));
	} else {
		put_value(s, s->totals[node]);
		fprintf(s->out, ", %.2f %%", percent(s->totals[node], s->totals[0]));
	}
	fputs("</title>", s->out);
}

static void put_box(const struct svg *s, uint32_t node)
{
	const struct flame_node *n = &s->tree->nodes[node];
	const char *name = strtab_at(s->tree->frames.strings, s->tree->frames.items[n->frame].name);
	int y = HEAD + ROW * n->depth, room;
	char change[32] = "";
	double width = width_of(s, node);

	if (s->base)
		snprintf(change, sizeof(change), "%+.1f%% ", percent(s->change[node], s->base));
	room = (int)((width - 6) / CHAR) - (int)strlen(change);
	fputs("<g>", s->out);
	put_tip(s, node, name);
	fputs("<rect class=\"", s->out);
	put_class(s, node);
	fprintf(s->out, "\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", s->x[node], y,
		width > 1 ? width - 0.5 : width, ROW - 1);
	if (room >= 3) {
		fprintf(s->out, "<text x=\"%.1f\" y=\"%d\">%s", s->x[node] + 3, y + 13, change);
		markup_text_cut(s->out, name, room);
		fputs("</text>", s->out);
	}
	fputs("</g>\n", s->out);
}

static void put_head(const struct svg *s, const char *title)
{
	int height = HEAD + ROW * (s->max_depth + 1) + 4;

	fprintf(s->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		"font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"11\">\n<style>%s</style>\n"
		"<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n<text class=\"ink\" x=\"3\" y=\"15\" "
		"font-size=\"13\">", WIDTH, height, assets_colours_css, WIDTH, height);
	markup_text_cut(s->out, title, 140);
	fputs("</text>\n<text class=\"ink\" x=\"3\" y=\"33\">", s->out);
	if (s->base)
		fputs("Width: old and new; red grew, blue shrank. ", s->out);
	if (s->nr_hidden)
		fprintf(s->out, "%zu frames under one pixel are left out.", s->nr_hidden);
	fputs("</text>\n", s->out);
}

static int init(struct svg *s, uint32_t type)
{
	const struct flame_tree *t = s->tree;

	s->totals = flame_tree_totals(t, type);
	s->change = calloc(t->nr_nodes, sizeof(*s->change));
	s->x = calloc(t->nr_nodes, sizeof(*s->x));
	s->end = calloc(t->nr_nodes, sizeof(*s->end));
	s->colour = malloc(strtab_nr(t->frames.strings));
	if (!s->totals || !s->change || !s->x || !s->end || !s->colour)
		return -ENOMEM;
	memset(s->colour, MAX_COLOURS, strtab_nr(t->frames.strings));
	for (size_t i = 0; i < t->nr_categories && i < MAX_COLOURS; i++)
		s->colour[t->categories[i]] = i;
	add_change(s, type);
	return place(s);
}

int flame_svg_write(FILE *out, struct flame_tree *t, uint32_t type, const char *title)
{
	struct svg s = { .out = out, .tree = t, .type = &t->model->sample_types.items[type] };
	int err = flame_categories_assign(t, type);

	if (!err)
		err = init(&s, type);
	if (!err) {
		put_head(&s, title);
		for (size_t i = 0; i < t->nr_nodes; i++)
			if (s.x[i] >= 0)
				put_box(&s, i);
		fputs("</svg>\n", out);
	}
	free(s.totals);
	free(s.change);
	free(s.x);
	free(s.end);
	free(s.colour);
	return err;
}
