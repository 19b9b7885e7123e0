// SPDX-License-Identifier: GPL-2.0
#include "doctor/module_search.h"

#include <stdio.h>
#include <string.h>

/* Distributions compress modules: the name may also be pprof.ko.xz, .zst or .gz. */
static bool is_module(const char *path)
{
	const char *name = basename(path);
	const size_t len = strlen(MODULE_SEARCH_NAME);

	return !strncmp(name, MODULE_SEARCH_NAME, len) && (!name[len] || name[len] == '.');
}

/* Writes the path that modprobe would load, or "". */
static void find_installed(const struct host *h, char path[PATH_MAX])
{
	char line[PATH_MAX], *colon;
	FILE *deps;

	host_files_path(h, path, "/lib/modules/%s/modules.dep", h->release);
	deps = fopen(path, "re");
	*path = 0;
	while (deps && !*path && fgets(line, sizeof(line), deps)) {
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = 0;
		if (is_module(line))
			host_files_path(h, path, "/lib/modules/%s/%s", h->release, line);
	}
	if (deps)
		fclose(deps);
}

static void take(const struct host *h, struct module_search *m, const char *path,
		 const struct kernel_module *file)
{
	snprintf(m->path, sizeof(m->path), "%s", path);
	m->file = *file;
	m->fits = !strcmp(file->release, h->release);
}

/* A compressed file is not read. It fits, since it is in the folder of this kernel. */
static void take_installed(const struct host *h, struct module_search *m)
{
	char path[PATH_MAX];
	struct kernel_module file = { 0 };
	size_t len;

	find_installed(h, path);
	len = strlen(path);
	m->is_compressed = len > 3 && strcmp(path + len - 3, ".ko");
	if (m->is_compressed)
		snprintf(file.release, sizeof(file.release), "%s", h->release);
	else if (!len || kernel_module_read(path, &file))
		return;
	take(h, m, path, &file);
	m->is_installed = true;
}

void module_search_find(const struct host *h, struct module_search *m)
{
	struct kernel_module file;

	*m = (struct module_search){ 0 };
	take_installed(h, m);
	if (m->fits || kernel_module_read(MODULE_SEARCH_NAME, &file))
		return;
	take(h, m, MODULE_SEARCH_NAME, &file);
	m->is_installed = false;
}
