// SPDX-License-Identifier: GPL-2.0
#include "doctor/kernel_headers.h"

#include <stdio.h>
#include <string.h>

#include "arch/machine.h"
#include "doctor/distro.h"
#include "doctor/host_kernel.h"
#include "process/command.h"

/* No package has the headers: this kernel was built by hand, here or on another machine. */
static void advise_build_tree(const struct host *h, struct findings *f)
{
	char name[PATH_MAX], link[PATH_MAX];

	snprintf(name, sizeof(name), "/lib/modules/%s/build", h->release);
	if (host_files_link(h, name, link, sizeof(link)) > 0)
		finding_print(f, FINDING_PROBLEM, "headers",
			      "%s is a link to %s, which has no Makefile: restore that folder, or run "
			      "'make KDIR=FOLDER' with the kernel's build folder", name, link);
	else
		finding_print(f, FINDING_PROBLEM, "headers",
			      "no package has those of %s: run 'make KDIR=FOLDER' with the kernel's "
			      "build folder", h->release);
}

/* Archives drop the headers of old releases. The hint is to boot a newer kernel. */
static void advise_other_kernel(const struct host *h, const struct distro_headers *d,
				struct findings *f)
{
	char image[192];

	if (!distro_is_later(d->newest, h->release)) {
		finding_print(f, FINDING_PROBLEM, "headers",
			      "apt has none for %s, only older ones: run 'apt update' as root, then "
			      "doctor again", h->release);
		return;
	}
	snprintf(image, sizeof(image), "linux-image-%s", d->newest);
	finding_print(f, FINDING_PROBLEM, "headers",
		      "apt has none for %s any more: run 'apt install %s%s linux-headers-%s' as root, "
		      "and reboot", h->release, image, distro_has_package(image) ? "" : "-unsigned",
		      d->newest);
}

static void advise_apt(const struct host *h, struct findings *f)
{
	struct distro_headers d;

	distro_find_headers(h->release, &d);
	if (!d.is_known || d.has_exact)
		finding_print(f, FINDING_PROBLEM, "headers",
			      "not installed: run 'apt install linux-headers-%s' as root, to build the "
			      "module", h->release);
	else if (!d.has_any)
		finding_print(f, FINDING_PROBLEM, "headers",
			      "not installed, and apt has no package lists: run 'apt update' as root, "
			      "then doctor again");
	else if (*d.newest)
		advise_other_kernel(h, &d, f);
	else
		advise_build_tree(h, f);
}

/* Kernels of Fedora and RHEL have such a release. A kernel that was built by hand has not. */
static bool is_of_dnf(const char *release)
{
	static const char end[] = "." ARCH_UNAME;
	size_t len = strlen(release);

	return len >= sizeof(end) && !strcmp(release + len - strlen(end), end);
}

static void advise_missing(const struct host *h, struct findings *f)
{
	enum distro distro = distro_read(h);

	if (host_kernel_is_container(h))
		finding_print(f, FINDING_PROBLEM, "headers",
			      "not installed, and the kernel is not this container's: build and load the "
			      "module outside of it");
	else if (distro == DISTRO_APT)
		advise_apt(h, f);
	else if (distro == DISTRO_DNF && is_of_dnf(h->release))
		finding_print(f, FINDING_PROBLEM, "headers",
			      "not installed: run 'dnf install kernel-devel-%s' as root; if dnf has none, "
			      "'dnf upgrade kernel', and reboot", h->release);
	else if (distro == DISTRO_OTHER && host_files_exist(h, "/lib/modules/%s", h->release))
		finding_print(f, FINDING_PROBLEM, "headers",
			      "not installed: install your distribution's package of those of %s, or run "
			      "'make KDIR=FOLDER' with the kernel's build folder", h->release);
	else
		advise_build_tree(h, f);
}

void headers_check(const struct host *h, bool needs_build, struct findings *f)
{
	if (host_files_exist(h, "/lib/modules/%s/build/Makefile", h->release))
		finding_print(f, FINDING_OK, "headers", "in /lib/modules/%s/build", h->release);
	else if (!needs_build)
		finding_print(f, FINDING_OK, "headers",
			      "not installed; the module is built already");
	else
		advise_missing(h, f);
}

/* Writes the first word of CONFIG_CC_VERSION_TEXT="gcc-12 (Debian ...", or "". */
static void read_compiler(const struct host *h, char *name, size_t size)
{
	static const char key[] = "CONFIG_CC_VERSION_TEXT=\"";
	char path[PATH_MAX], line[512];
	FILE *config;

	*name = 0;
	host_files_path(h, path, "/lib/modules/%s/build/.config", h->release);
	config = fopen(path, "re");
	while (config && !*name && fgets(line, sizeof(line), config))
		if (!strncmp(line, key, strlen(key)))
			snprintf(name, size, "%.*s",
				 (int)strcspn(line + strlen(key), " \"\n"), line + strlen(key));
	if (config)
		fclose(config);
}

/* "gcc-12" of x86_64-linux-gnu-gcc-12 is the name of a package. */
static const char *package_of(const char *compiler)
{
	const char *name = strstr(compiler, "gcc");

	name = name ? name : strstr(compiler, "clang");
	return name ? name : compiler;
}

static void advise_compiler(const struct host *h, const char *compiler, struct findings *f)
{
	const char *package = package_of(compiler);
	enum distro distro = distro_read(h);

	if (distro == DISTRO_APT && !distro_has_package(package))
		finding_print(f, FINDING_PROBLEM, "compiler",
			      "the headers want %s, which apt does not have: build with another one, "
			      "'make CC=gcc'", compiler);
	else if (distro == DISTRO_OTHER)
		finding_print(f, FINDING_PROBLEM, "compiler",
			      "the headers want %s, which is not installed: install %s", compiler,
			      package);
	else
		finding_print(f, FINDING_PROBLEM, "compiler",
			      "the headers want %s, which is not installed: run '%s install %s' as root",
			      compiler, distro == DISTRO_APT ? "apt" : "dnf", package);
}

void headers_check_compiler(const struct host *h, struct findings *f)
{
	char compiler[64], path[PATH_MAX];

	read_compiler(h, compiler, sizeof(compiler));
	if (!*compiler)
		return;
	if (command_find(compiler, path))
		finding_print(f, FINDING_OK, "compiler", "%s", compiler);
	else
		advise_compiler(h, compiler, f);
}
