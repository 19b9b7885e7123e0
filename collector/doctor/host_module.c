// SPDX-License-Identifier: GPL-2.0
#include "doctor/host_module.h"

#include <stdio.h>
#include <string.h>

#include "doctor/dkms.h"
#include "doctor/kernel_headers.h"
#include "doctor/host_kernel.h"
#include "doctor/module_search.h"

#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

static void print_loaded(const struct host *h, struct findings *f)
{
	char version[64];

	if (host_files_read(h, "/sys/module/pprof/version", version, sizeof(version)) < 0)
		*version = 0;
	finding_print(f, FINDING_OK, "module", "loaded, version %.*s",
		      (int)strcspn(version, "\n"), version);
}

static bool is_loading_off(const struct host *h)
{
	char text[8];

	return host_files_read(h, "/proc/sys/kernel/modules_disabled", text, sizeof(text)) > 0 &&
	       *text == '1';
}

/* DKMS comes first: it builds the module again at the next kernel update. */
static void advise_build(const struct host *h, const struct module_search *m, struct findings *f)
{
	struct dkms d;

	dkms_read(h, &d);
	if (d.failed)
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded, and DKMS could not build version %s for this kernel: see "
			      DKMS_DIR "/pprof/%s/build/make.log", d.version, d.version);
	else if (*d.version)
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded, and DKMS has not built version %s for this kernel: run 'dkms "
			      "autoinstall -k %s' as root", d.version, h->release);
	else if (!*m->path)
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded, and there is no " MODULE_SEARCH_NAME
			      ": run 'make' in the folder "
			      "of its source, and 'insmod " MODULE_SEARCH_NAME "' as root");
	else
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded, and %s is for the kernel %s: run 'make' in the folder of "
			      "its source, and 'insmod " MODULE_SEARCH_NAME "' as root", m->path,
			      m->file.release);
}

static void advise_load(const struct host *h, const struct module_search *m, struct findings *f)
{
	if (host_kernel_is_container(h))
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded: load it outside of this container, and start the container "
			      "with '--device /dev/pprof'");
	else if (is_loading_off(h))
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded, and kernel.modules_disabled=1 forbids it until the next "
			      "boot: take it out of /etc/sysctl.d, and reboot");
	else if (!m->fits)
		advise_build(h, m, f);
	else if (m->is_installed)
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded: run 'modprobe pprof' as root");
	else
		finding_print(f, FINDING_PROBLEM, "module",
			      "not loaded: run 'insmod %s' as root", m->path);
}

void host_module_read_lockdown(const struct host *h, char *word, size_t size)
{
	char text[128];
	const char *start = NULL;

	if (host_files_read(h, "/sys/kernel/security/lockdown", text, sizeof(text)) > 0)
		start = strchr(text, '[');
	*word = 0;
	if (start)
		snprintf(word, size, "%.*s", (int)strcspn(start + 1, "]"), start + 1);
}

/* A file of efivarfs has four bytes of attributes, then the value: efivarfs.rst. */
static bool has_secure_boot(const struct host *h)
{
	char value[8];

	return host_files_read(h, SECURE_BOOT, value, sizeof(value)) == 5 && value[4] == 1;
}

/* A kernel in lockdown loads only signed modules, also with sig_enforce=N: kernel_lockdown(7). */
static bool wants_signature(const struct host *h)
{
	char lockdown[32], enforce[8];

	host_module_read_lockdown(h, lockdown, sizeof(lockdown));
	if (*lockdown && strcmp(lockdown, "none"))
		return true;
	return host_files_read(h, "/sys/module/module/parameters/sig_enforce", enforce,
			       sizeof(enforce)) > 0 &&
	       *enforce == 'Y';
}

/* DKMS signs the modules that it builds. Its key has to be enrolled once. */
static void advise_enroll(const struct host *h, const struct module_search *m, const char *boot,
			  struct findings *f)
{
	const char *key = strstr(m->path, "/dkms/") ? dkms_key(h) : NULL;

	finding_print(f, FINDING_WARNING, "signature",
		      "needed (%s): if the kernel says that the key of %s was rejected, run 'mokutil "
		      "--import %s' as root and reboot", boot, m->path, key ? key : "CERTIFICATE");
}

static void advise_sign(const struct host *h, const struct module_search *m, const char *boot,
			struct findings *f)
{
	finding_print(f, FINDING_PROBLEM, "signature",
		      "needed (%s), and %s has none: run '/lib/modules/%s/build/scripts/sign-file "
		      "sha256 KEY CERTIFICATE %s' with a key that the machine trusts", boot,
		      m->path, h->release, m->path);
}

static void check_signature(const struct host *h, const struct module_search *m, struct findings *f)
{
	const char *boot = has_secure_boot(h) ? "Secure Boot is on" : "Secure Boot is off";

	if (host_kernel_has_module(h))
		finding_print(f, FINDING_OK, "signature", "the module was accepted; %s", boot);
	else if (!wants_signature(h))
		finding_print(f, FINDING_OK, "signature", "not needed; %s", boot);
	else if (!*m->path)
		finding_print(f, FINDING_WARNING, "signature",
			      "needed (%s): sign " MODULE_SEARCH_NAME " once it is built", boot);
	else if (m->file.is_signed || m->is_compressed)
		advise_enroll(h, m, boot, f);
	else
		advise_sign(h, m, boot, f);
}

void host_module_check(const struct host *h, struct findings *f)
{
	struct module_search m;
	bool needs_build;

	module_search_find(h, &m);
	needs_build = !host_kernel_has_module(h) && !m.fits;
	headers_check(h, needs_build, f);
	if (needs_build)
		headers_check_compiler(h, f);
	if (host_kernel_has_module(h))
		print_loaded(h, f);
	else
		advise_load(h, &m, f);
	check_signature(h, &m, f);
}
