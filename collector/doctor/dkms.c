// SPDX-License-Identifier: GPL-2.0
#include "doctor/dkms.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Finds the latest version. The folder also has links named kernel-RELEASE-x86_64. */
static void find_version(const struct host *h, struct dkms *d)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	host_files_path(h, path, DKMS_DIR "/pprof");
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (host_files_exist(h, DKMS_DIR "/pprof/%s/source/dkms.conf", entry->d_name) &&
		    strverscmp(entry->d_name, d->version) > 0)
			snprintf(d->version, sizeof(d->version), "%s", entry->d_name);
	if (dir)
		closedir(dir);
}

/*
 * DKMS removes the folder build after a success. The first line of the log has the release of the
 * kernel.
 */
static bool has_failed(const struct host *h, const char *version)
{
	char name[PATH_MAX], text[512], release[256];

	snprintf(name, sizeof(name), DKMS_DIR "/pprof/%s/build/make.log", version);
	if (host_files_read(h, name, text, sizeof(text)) < 0)
		return false;
	text[strcspn(text, "\n")] = 0;
	snprintf(release, sizeof(release), " %s ", h->release);
	return strstr(text, release);
}

void dkms_read(const struct host *h, struct dkms *d)
{
	*d = (struct dkms){ 0 };
	find_version(h, d);
	if (*d->version)
		d->failed = has_failed(h, d->version);
}

const char *dkms_key(const struct host *h)
{
	static const char *const keys[] = {
		DKMS_DIR "/mok.pub", "/var/lib/shim-signed/mok/MOK.der",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (host_files_exist(h, "%s", keys[i]))
			return keys[i];
	return NULL;
}
