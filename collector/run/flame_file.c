// SPDX-License-Identifier: GPL-2.0
#include "run/flame_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "flame/page.h"
#include "flame/svg.h"
#include "flame/tree.h"

static bool is_svg(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	return len >= 4 && !strcmp(path + len - 4, ".svg");
}

/* Returns: the names of the files without folders, printable, which the caller frees; or NULL. */
static char *make_title(char *const *files, size_t nr_files)
{
	char *title = NULL;
	size_t len;
	FILE *out = open_memstream(&title, &len);

	if (!out)
		return NULL;
	for (size_t i = 0; i < nr_files; i++) {
		fputs(i ? ", " : "", out);
		utf8_print(out, basename(files[i]));
	}
	if (!fclose(out))
		return title;
	free(title);
	return NULL;
}

int flame_file_write(FILE *out, const struct model *m, uint32_t type, const char *path,
		     char *const *files, size_t nr_files)
{
	struct flame_tree *t = flame_tree_new(m);
	char *title = make_title(files, nr_files);
	int err = -ENOMEM;

	if (!t)
		err = -errno;
	else if (title && is_svg(path))
		err = flame_svg_write(out, t, type, title);
	else if (title)
		err = flame_page_write(out, t, type, title);
	flame_tree_free(t);
	free(title);
	return err;
}
