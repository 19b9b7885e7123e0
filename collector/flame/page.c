// SPDX-License-Identifier: GPL-2.0
/*
 * page.html is a template. A word in braces with an @ is replaced: @{title} by the title, for
 * example. The page shows a table of the largest functions until the script has read the data. So
 * it is of use without a script, too.
 */
#include "flame/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/string_table.h"
#include "flame/assets.h"
#include "flame/categories.h"
#include "flame/markup.h"
#include "flame/page_data.h"
#include "flame/totals.h"
#include "flame/tree.h"
#include "pprof/model.h"

#define MAX_ROWS	100

struct page {
	FILE *out;
	struct flame_tree *tree;
	uint32_t type;
	const char *title;
};

static void put_value(const struct page *p, uint64_t value, double all)
{
	const struct model *m = p->tree->model;
	const struct model_value_type *v = &m->sample_types.items[p->type];

	fputs("<td>", p->out);
	markup_value(p->out, value, model_string(m, v->type), model_string(m, v->unit));
	fprintf(p->out, "<td>%.2f %%", all ? 100 * value / all : 0);
}

static int put_table(const struct page *p)
{
	const struct flame_tree *t = p->tree;
	uint64_t *totals = flame_tree_totals(t, p->type);
	struct flame_total *rows;
	size_t nr;

	rows = totals ? flame_totals_new(t, p->type, &nr) : NULL;
	for (size_t i = 0; rows && i < nr && i < MAX_ROWS; i++) {
		const struct flame_frame *f = &t->frames.items[rows[i].frame];

		fputs("<tr>", p->out);
		put_value(p, rows[i].self, totals[0]);
		put_value(p, rows[i].total, totals[0]);
		fputs("<td>", p->out);
		markup_text(p->out, strtab_at(t->frames.strings, f->name));
		fputs("<td>", p->out);
		markup_text(p->out, strtab_at(t->frames.strings, f->module));
		putc('\n', p->out);
	}
	free(totals);
	free(rows);
	return rows ? 0 : -ENOMEM;
}

/* Writes what a word of the template stands for. */
static int put_word(const struct page *p, const char *word, size_t len)
{
	if (!strncmp(word, "title", len))
		markup_text(p->out, p->title);
	else if (!strncmp(word, "colours", len))
		fputs(assets_colours_css, p->out);
	else if (!strncmp(word, "style", len))
		fputs(assets_page_css, p->out);
	else if (!strncmp(word, "script", len))
		fputs(assets_script, p->out);
	else if (!strncmp(word, "table", len))
		return put_table(p);
	else if (!strncmp(word, "data", len))
		return flame_page_data_write(p->out, p->tree, p->type);
	return 0;
}

int flame_page_write(FILE *out, struct flame_tree *t, uint32_t type, const char *title)
{
	struct page p = { .out = out, .tree = t, .type = type, .title = title };
	const char *at = assets_page_html, *word, *end;
	int err = flame_categories_assign(t, type);

	while (!err && (word = strstr(at, "@{"))) {
		fwrite(at, 1, word - at, out);
		word += 2;
		end = strchr(word, '}');
		err = put_word(&p, word, end - word);
		at = end + 1;
	}
	if (!err)
		fputs(at, out);
	return err;
}
