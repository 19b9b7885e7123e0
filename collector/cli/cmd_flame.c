// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_flame.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/privileges.h"
#include "cli/read_profiles.h"
#include "flame/page.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "pprof/gzip_file.h"
#include "pprof/model.h"

static int print_write_error(const char *file, int err)
{
	char text[160];

	snprintf(text, sizeof(text), "cannot write the graph: %s: name another --output",
		 strerror(-err));
	return read_profiles_print_error(file, text, err);
}

/* Prints that the sample type does not exist, and which ones do. Returns: -ENOENT. */
static int print_no_type(const struct cmd_flame *c, const struct model *m)
{
	read_profiles_print_error(c->files[0], m->sample_types.nr ?
				  "has no such --type: use one of these:" :
				  "has no sample types: name another file", -ENOENT);
	for (size_t i = 0; i < m->sample_types.nr; i++) {
		fputs("  ", stderr);
		utf8_print(stderr, model_string(m, m->sample_types.items[i].type));
		putc('\n', stderr);
	}
	return -ENOENT;
}

static bool is_svg(const char *path)
{
	size_t len = strlen(path);

	return len >= 4 && !strcmp(path + len - 4, ".svg");
}

/* Returns: the names of the files without folders, printable, which the caller frees; or NULL. */
static char *make_title(const struct cmd_flame *c)
{
	char *title = NULL;
	size_t len;
	FILE *out = open_memstream(&title, &len);

	if (!out)
		return NULL;
	for (size_t i = 0; i < c->nr_files; i++) {
		const char *slash = strrchr(c->files[i], '/');

		fputs(i ? ", " : "", out);
		utf8_print(out, slash ? slash + 1 : c->files[i]);
	}
	if (!fclose(out))
		return title;
	free(title);
	return NULL;
}

static int put_graph(const struct cmd_flame *c, const struct model *m, uint32_t type, FILE *out)
{
	struct flame_tree *t = flame_tree_new(m);
	char *title = make_title(c);
	int err = -ENOMEM;

	if (!t)
		err = -errno;
	else if (title && is_svg(c->output))
		err = flame_svg_write(out, t, type, title);
	else if (title)
		err = flame_page_write(out, t, type, title);
	flame_tree_free(t);
	free(title);
	return err;
}

static int draw(const struct cmd_flame *c, const struct model *m, uint32_t type,
		struct gzip_file *gz)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int err = out ? put_graph(c, m, type, out) : -ENOMEM;

	if (out && fclose(out) && !err)
		err = -ENOMEM;
	if (!err)
		err = gzip_file_write(gz, text, len);
	free(text);
	return err ? print_write_error(c->output, err) : 0;
}

static int read_and_draw(const struct cmd_flame *c, struct gzip_file *gz)
{
	struct model *m = NULL;
	int err = read_profiles(c->files, c->nr_files, &m), type;

	if (err)
		return err;
	type = c->type ? model_find_sample_type(m, c->type) : model_default_sample_type(m);
	err = type < 0 ? print_no_type(c, m) : draw(c, m, type, gz);
	model_free(m);
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

int cmd_flame_run(const struct cmd_flame *c)
{
	struct gzip_file *gz = gzip_file_open(c->output, GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);
	int err;

	if (!gz)
		return print_write_error(c->output, -errno);
	err = give_up_rights(gz);
	if (!err)
		err = read_and_draw(c, gz);
	if (err) {
		gzip_file_abort(gz);
		return err;
	}
	err = gzip_file_commit(gz, NULL);
	return err < 0 ? print_write_error(c->output, err) : 0;
}
