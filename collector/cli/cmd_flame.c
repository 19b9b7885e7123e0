// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_flame.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/file_command.h"
#include "cli/file_settings.h"
#include "flame/page.h"
#include "flame/svg.h"
#include "flame/tree.h"

static bool is_svg(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	return len >= 4 && !strcmp(path + len - 4, ".svg");
}

/* Returns: the names of the files without folders, printable, which the caller frees; or NULL. */
static char *make_title(const struct path_list *files)
{
	char *title = NULL;
	size_t len;
	FILE *out = open_memstream(&title, &len);

	if (!out)
		return NULL;
	for (size_t i = 0; i < files->nr; i++) {
		const char *slash = strrchr(files->items[i], '/');

		fputs(i ? ", " : "", out);
		utf8_print(out, slash ? slash + 1 : files->items[i]);
	}
	if (!fclose(out))
		return title;
	free(title);
	return NULL;
}

static int write_graph(const struct file_settings *s, const struct file_input *in, FILE *out,
		       struct profile_fault *fault)
{
	struct flame_tree *t = flame_tree_new(in->model);
	char *title = make_title(&s->files);
	int err = -ENOMEM;

	(void)fault;
	if (!t)
		err = -errno;
	else if (title && is_svg(s->output))
		err = flame_svg_write(out, t, in->report.type, title);
	else if (title)
		err = flame_page_write(out, t, in->report.type, title);
	flame_tree_free(t);
	free(title);
	return err;
}

int cmd_flame_run(const struct file_settings *s)
{
	return file_command_run(&(struct file_command){
		.result = "graph", .form = FILE_FORM_PAGE, .has_filters = true,
		.write = write_graph,
	}, s);
}
