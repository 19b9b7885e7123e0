// SPDX-License-Identifier: GPL-2.0
#include "analysis/path.h"

#include <stdbool.h>
#include <string.h>

const char *path_base(const char *path, size_t len, size_t *base_len)
{
	const char *slash;

	*base_len = 1;
	if (!len)
		return ".";
	while (len && path[len - 1] == '/')
		len--;
	if (!len)
		return "/";
	slash = memrchr(path, '/', len);
	*base_len = slash ? (size_t)(path + len - slash - 1) : len;
	return slash ? slash + 1 : path;
}

/* A path while it grows. */
struct clean_path {
	char *text;
	size_t len;
	size_t floor;		/* a ".." does not remove what is before this length */
	bool is_rooted;
};

static void append(struct clean_path *p, const char *part, size_t len)
{
	if (p->len > p->is_rooted)
		p->text[p->len++] = '/';
	memmove(p->text + p->len, part, len);
	p->len += len;
}

static void go_up(struct clean_path *p)
{
	if (p->len > p->floor) {
		do
			p->len--;
		while (p->len > p->floor && p->text[p->len] != '/');
	} else if (!p->is_rooted) {
		append(p, "..", 2);
		p->floor = p->len;
	}
}

size_t path_clean(const char *path, size_t len, char *out)
{
	struct clean_path p = { .text = out, .is_rooted = len && *path == '/' };
	const char *end = path + len, *next;

	if (p.is_rooted)
		p.text[p.len++] = '/';
	p.floor = p.len;
	for (; path < end; path = next + 1) {
		next = memchr(path, '/', end - path) ?: end;
		if (next - path == 2 && !memcmp(path, "..", 2))
			go_up(&p);
		else if (next > path && !(next - path == 1 && *path == '.'))
			append(&p, path, next - path);
	}
	if (!p.len)
		p.text[p.len++] = '.';
	return p.len;
}
