// SPDX-License-Identifier: GPL-2.0
#include "cli/file_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/file_settings.h"
#include "cli/pager.h"
#include "cli/read_profiles.h"
#include "pprof/gzip_blocks.h"
#include "pprof/gzip_file.h"
#include "pprof/gzip_stream.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "run/privileges.h"
#include "run/terminal_text.h"

#define STREAM_BYTES	(64U << 10)

struct file_output {
	struct gzip_file *gz;
	/* The stream that writes into gz is one of these. blocks is NULL for plain data. */
	struct gzip_blocks *blocks;
	struct gzip_stream plain;
	struct terminal_text *terminal;		/* NULL: it is not a terminal */
};

static const char *output_name(const struct file_settings *s)
{
	return s->output ? s->output : "-";
}

static int print_write_error(const struct file_command *c, const struct file_settings *s, int err)
{
	char text[160];

	snprintf(text, sizeof(text), "cannot write the %s: %s: name another --output", c->result,
		 strerror(-err));
	return read_profiles_print_error(output_name(s), text, err);
}

/* Prints that the sample type does not exist, and which ones do. Returns: -ENOENT. */
static int print_no_type(const struct file_settings *s, const struct model *m)
{
	char text[160];

	snprintf(text, sizeof(text), "has no --type '%.80s': use one of these:", s->type);
	read_profiles_print_error(s->files.items[0], text, -ENOENT);
	for (size_t i = 0; i < m->sample_types.nr; i++) {
		fputs("  ", stderr);
		utf8_print(stderr, model_string(m, m->sample_types.items[i].type));
		putc('\n', stderr);
	}
	return -ENOENT;
}

static int print_no_samples(const struct file_settings *s)
{
	return read_profiles_print_error(s->files.items[0], s->bases.nr ?
					 "does not differ from the base: name another profile" :
					 "has no samples: name another profile", -ENODATA);
}

/* Returns: the index of the sample type, or a negative errno after it printed the cause. */
static int find_type(const struct file_command *c, const struct file_settings *s,
		     const struct model *m)
{
	int type;

	if (c->takes_empty)
		return 0;
	if (!m->samples.nr)
		return print_no_samples(s);
	type = s->type ? model_find_sample_type(m, s->type) : model_default_sample_type(m);
	return type < 0 ? print_no_type(s, m) : type;
}

static void set_total(struct report *r)
{
	if (r->model->sample_types.nr)
		r->total = report_total(r->model, r->type, r->is_mean);
}

static void warn_of_unit(const struct file_input *in, const struct model_label *label)
{
	const struct model *m = in->model;
	const char *used = label_units_get(&in->units, m, label->key);

	fputs("pprof-collect: the label '", stderr);
	utf8_print(stderr, model_string(m, label->key));
	fputs("' has numbers in ", stderr);
	utf8_print(stderr, used);
	fputs(" and in ", stderr);
	utf8_print(stderr, model_string(m, label->unit));
	fputs(", and all are taken for ", stderr);
	utf8_print(stderr, used);
	fputs(": use one unit in the program that sets it\n", stderr);
}

static bool has_other_unit(const struct file_input *in, const struct model_label *label)
{
	return label->is_number && label->unit &&
	       strcmp(label_units_get(&in->units, in->model, label->key),
		      model_string(in->model, label->unit));
}

/* As in pprof, the first unit of a key is that of all its numbers. One warning for a key. */
static void warn_of_units(const struct file_input *in)
{
	const struct model *m = in->model;
	bool *is_known = calloc(strtab_nr(m->strings), sizeof(*is_known));
	uint32_t nr;

	for (size_t set = 0; is_known && set < m->label_sets.nr; set++) {
		const struct model_label *labels = model_labels(m, set, &nr);

		for (uint32_t i = 0; i < nr; i++) {
			if (is_known[labels[i].key] || !has_other_unit(in, &labels[i]))
				continue;
			warn_of_unit(in, &labels[i]);
			is_known[labels[i].key] = true;
		}
	}
	free(is_known);
}

static bool needs_units(const struct file_command *c, const struct file_settings *s)
{
	return c->shows_labels || filter_ranges(s->filter);
}

/* As in pprof, percentages and the units of labels are those before the filters. */
static int filter_input(const struct file_command *c, const struct file_settings *s,
			struct file_input *in)
{
	int err = label_units_init(&in->units, in->model);

	if (!err && needs_units(c, s))
		warn_of_units(in);
	if (!err)
		err = file_filters_texts(s, in->filters, &in->report.nr_filters);
	in->report.filters = (const char *const *)in->filters;
	if (err)
		return read_profiles_print_error(s->files.items[0], "out of memory: free memory",
						 err);
	err = file_filters_apply(s, in->model);
	if (!err && s->is_relative)
		set_total(&in->report);
	return err;
}

/* Reads the profiles, and finds their sample type, total and units. */
static int read_input(const struct file_command *c, const struct file_settings *s,
		      struct file_input *in)
{
	int err = read_profiles(s, &in->model), type;

	if (err)
		return err;
	type = find_type(c, s, in->model);
	if (type < 0)
		return type;
	in->report = (struct report){
		.model = in->model, .type = type, .is_mean = s->is_mean,
		.unit = s->unit ? s->unit : UNIT_MINIMUM,
		.ratio = s->divisor ? 1 / s->divisor : 0,
	};
	set_total(&in->report);
	return c->has_filters ? filter_input(c, s, in) : 0;
}

static void free_input(struct file_input *in)
{
	for (size_t i = 0; i < in->report.nr_filters; i++)
		free(in->filters[i]);
	label_units_fini(&in->units);
	model_free(in->model);
}

/* Writes the result, for a terminal if t is not NULL. */
static int write_text(const struct file_command *c, const struct file_settings *s,
		      const struct file_input *in, FILE *out, struct terminal_text *t,
		      struct profile_fault *fault)
{
	FILE *text;
	int err, closed;

	if (!t)
		return c->write(s, in, out, fault);
	text = terminal_text_open(t, out);
	if (!text)
		return -ENOMEM;
	err = c->write(s, in, text, fault);
	closed = terminal_text_close(t, text);
	return err ? err : closed;
}

static FILE *open_stream(const struct file_command *c, struct file_output *output)
{
	FILE *out = c->form == FILE_FORM_PROFILE ? gzip_blocks_open(&output->blocks, output->gz) :
						   gzip_stream_open(&output->plain, output->gz);

	if (out)
		setvbuf(out, NULL, _IOFBF, STREAM_BYTES);
	return out;
}

static int close_stream(struct file_output *output, FILE *out, bool is_whole)
{
	return output->blocks ? gzip_blocks_close(output->blocks, out, is_whole) :
				gzip_stream_close(&output->plain, out);
}

static int write_result(const struct file_command *c, const struct file_settings *s,
			const struct file_input *in, struct file_output *output)
{
	struct profile_fault fault;
	FILE *out = open_stream(c, output);
	int err, closed;

	if (!out)
		return print_write_error(c, s, -ENOMEM);
	err = write_text(c, s, in, out, output->terminal, &fault);
	closed = close_stream(output, out, !err);
	if (err == -EBADMSG)
		return read_profiles_print_fault(s->files.items[0], &fault, err);
	if (closed)	/* the first cause: write() sees an error of the stream as EIO */
		err = closed;
	return err ? print_write_error(c, s, err) : 0;
}

static int read_and_write(const struct file_command *c, const struct file_settings *s,
			  struct file_output *output)
{
	struct file_input in = { 0 };
	int err = read_input(c, s, &in);

	if (!err)
		err = write_result(c, s, &in, output);
	free_input(&in);
	return err;
}

/* The profile may be of another user: from now on only the folder of the output is writable. */
static int give_up_rights(const struct gzip_file *gz)
{
	int folder = gzip_file_open_folder(gz);
	int err = privileges_seal(&(struct privileges_seal){ .writes_files = true });

	if (!err)
		err = privileges_end_profile(&folder, 1);
	if (folder >= 0)
		close(folder);
	return err;
}

static int run(const struct file_command *c, const struct file_settings *s,
	       struct terminal_text *terminal)
{
	struct file_output output = {
		.gz = gzip_file_open(output_name(s), GZIP_FILE_REPLACE | GZIP_FILE_PLAIN),
		.terminal = terminal,
	};
	int err;

	if (!output.gz)
		return print_write_error(c, s, -errno);
	err = give_up_rights(output.gz);
	if (!err)
		err = read_and_write(c, s, &output);
	if (err) {
		gzip_file_abort(output.gz);
		return err;
	}
	err = gzip_file_commit(output.gz, NULL);
	return err < 0 ? print_write_error(c, s, err) : 0;
}

int file_command_run(const struct file_command *c, const struct file_settings *s)
{
	struct terminal_text terminal;
	int err;

	if (c->form < FILE_FORM_TEXT || strcmp(output_name(s), "-") || !isatty(STDOUT_FILENO))
		return run(c, s, NULL);
	terminal_text_init(&terminal, STDOUT_FILENO);
	if (c->form == FILE_FORM_TEXT)
		terminal.width = 0;
	pager_start();
	err = run(c, s, &terminal);
	pager_end();
	return err;
}
