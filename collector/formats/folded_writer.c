// SPDX-License-Identifier: GPL-2.0
#include "formats/folded_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/string_table.h"
#include "base/utf8.h"
#include "formats/frame_stacks.h"
#include "formats/named_frames.h"
#include "pprof/merge.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"

struct folded {
	const struct model *m;
	uint32_t type;
	struct profile_fault *fault;
	struct named_frames frames;	/* of_line and of_location become names */
	struct strtab *names;		/* as they are written */
	struct frame_stacks stacks;
	bool *is_base;			/* by label set */
	bool is_comparison;
	int64_t *values;		/* by span; in a comparison, the new ones */
	int64_t *base_values;		/* by span, in a comparison */
};

/* Names */

static void put_clean(FILE *out, const char *s, size_t len)
{
	uint32_t rune = 0;
	size_t n;

	for (; len; s += n, len -= n) {
		n = utf8_next(s, len, &rune);
		if (!n)
			putc('?', out);
		else if (utf8_is_control(rune))
			putc(' ', out);
		else if (rune == ';')
			putc(':', out);
		else
			fwrite(s, 1, n, out);
		n = n ? n : 1;
	}
}

/* Replaces the blank before a number at the end. */
static void join_number(char *name)
{
	char *blank = strrchr(name, ' ');

	if (blank && blank[1 + strspn(blank + 1, "0123456789.")] == '\0')
		*blank = '_';
}

/* Returns: the index in names, or a negative errno. */
static int64_t add_name(struct folded *f, uint32_t frame)
{
	const struct strtab *from = f->frames.strings;
	uint32_t string = f->frames.items[frame].name;
	char *name = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&name, &len);
	int64_t id = -ENOMEM;

	if (!out)
		return -ENOMEM;
	put_clean(out, strtab_at(from, string), strtab_len(from, string));
	if (!fclose(out)) {
		join_number(name);
		id = strtab_intern(f->names, name, len);
	}
	free(name);
	return id;
}

/* Replaces frames by their names. */
static void rename_frames(uint32_t *frames, size_t nr, const uint32_t *name_of)
{
	for (size_t i = 0; i < nr; i++)
		frames[i] = name_of[frames[i]];
}

/* Several frames may have one name. */
static int find_names(struct folded *f)
{
	uint32_t *name_of = calloc(f->frames.nr + 1, sizeof(*name_of));
	int64_t id = 0;

	f->names = strtab_new();
	if (!name_of || !f->names)
		id = -ENOMEM;
	for (size_t i = 0; id >= 0 && i < f->frames.nr; i++) {
		id = add_name(f, i);
		name_of[i] = id;
	}
	if (id >= 0) {
		rename_frames(f->frames.of_line, f->m->lines.nr, name_of);
		rename_frames(f->frames.of_location, f->m->locations.nr, name_of);
	}
	free(name_of);
	return id < 0 ? id : 0;
}

/* Values */

static int find_bases(struct folded *f)
{
	const struct model *m = f->m;

	f->is_base = calloc(m->label_sets.nr, sizeof(*f->is_base));
	if (!f->is_base)
		return -ENOMEM;
	for (size_t i = 0; i < m->label_sets.nr; i++)
		f->is_base[i] = model_has_text(m, i, MERGE_BASE_LABEL, NULL);
	for (size_t i = 0; i < m->samples.nr; i++)
		f->is_comparison |= f->is_base[m->samples.items[i].label_set];
	return 0;
}

static int refuse_negative(const struct folded *f)
{
	return profile_fault_set(f->fault, PROFILE_FAULT_NO_OFFSET, "folded stacks cannot have "
				 "negative values, and these have some: convert to pprof");
}

/* The values of a base are negative. Returns: 0, or -EBADMSG. */
static int check_values(struct folded *f)
{
	for (size_t i = 0; i < f->stacks.spans.nr; i++) {
		if (f->is_comparison &&
		    __builtin_sub_overflow(0, f->base_values[i], &f->base_values[i]))
			return refuse_negative(f);
		if (f->values[i] < 0 || (f->is_comparison && f->base_values[i] < 0))
			return refuse_negative(f);
	}
	return 0;
}

static int add_values(struct folded *f)
{
	size_t nr = f->stacks.spans.nr;
	int err = find_bases(f);

	f->values = calloc(nr, sizeof(*f->values));
	f->base_values = f->is_comparison ? calloc(nr, sizeof(*f->base_values)) : NULL;
	if (err || !f->values || (f->is_comparison && !f->base_values))
		return -ENOMEM;
	for (size_t i = 0; !err && i < f->m->samples.nr; i++) {
		bool base = f->is_base[f->m->samples.items[i].label_set];

		err = frame_stacks_add(&f->stacks, f->m, i, f->type,
				       base ? f->base_values : f->values, f->fault);
	}
	return err ? err : check_values(f);
}

/* Lines */

static void put_name(struct folded *f, FILE *out, uint32_t name)
{
	fwrite(strtab_at(f->names, name), 1, strtab_len(f->names, name), out);
}

static void put_stack(struct folded *f, FILE *out, uint32_t span)
{
	uint32_t nr;
	const uint32_t *names = frame_stacks_at(&f->stacks, span, &nr);

	if (!nr)
		fputs("<unknown>", out);
	for (uint32_t i = 0; i < nr; i++) {
		if (i)
			putc(';', out);
		put_name(f, out, names[i]);
	}
	if (f->is_comparison)
		fprintf(out, " %" PRId64, f->base_values[span]);
	fprintf(out, " %" PRId64 "\n", f->values[span]);
}

static void put_stacks(struct folded *f, FILE *out)
{
	for (size_t i = 0; i < f->stacks.spans.nr; i++)
		if (f->values[i] || (f->is_comparison && f->base_values[i]))
			put_stack(f, out, i);
}

static int prepare(struct folded *f)
{
	int err = named_frames_init(&f->frames, f->m);

	if (!err)
		err = find_names(f);
	if (!err)
		err = frame_stacks_init(&f->stacks, f->m, f->frames.of_line,
					f->frames.of_location);
	return err ? err : add_values(f);
}

int folded_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault)
{
	struct folded f = { .m = m, .type = type, .fault = fault };
	int err = prepare(&f);

	if (!err)
		put_stacks(&f, out);
	named_frames_fini(&f.frames);
	frame_stacks_fini(&f.stacks);
	strtab_free(f.names);
	free(f.is_base);
	free(f.values);
	free(f.base_values);
	return err && err != -EBADMSG ? profile_fault_errno(fault, err) : err;
}
