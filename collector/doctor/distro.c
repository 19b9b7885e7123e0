// SPDX-License-Identifier: GPL-2.0
#include "doctor/distro.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "doctor/apt_names.h"

#define HEADERS	"linux-headers-"

/* Is word in the value of a line KEY="WORD WORD..."? Quotes are optional: os-release(5). */
static bool has_word(const char *line, const char *word)
{
	static const char separators[] = " \"'\n";
	size_t len;

	for (; *line; line += len + !!line[len]) {
		len = strcspn(line, separators);
		if (len == strlen(word) && !memcmp(line, word, len))
			return true;
	}
	return false;
}

static enum distro judge_line(const char *line)
{
	if (!strncmp(line, "ID=", 3))
		line += 3;
	else if (!strncmp(line, "ID_LIKE=", 8))
		line += 8;
	else
		return DISTRO_OTHER;
	if (has_word(line, "debian") || has_word(line, "ubuntu"))
		return DISTRO_APT;
	return has_word(line, "fedora") || has_word(line, "rhel") ? DISTRO_DNF : DISTRO_OTHER;
}

enum distro distro_read(const struct host *h)
{
	enum distro found = DISTRO_OTHER;
	char text[4096], *line, *rest = text;

	if (host_files_read(h, "/etc/os-release", text, sizeof(text)) < 0)
		return DISTRO_OTHER;
	while (!found && (line = strsep(&rest, "\n")))
		found = judge_line(line);
	return found;
}

/* "cloud-amd64" of 6.1.0-53-cloud-amd64: all from the first part that begins with no digit. */
static const char *find_flavour(const char *release)
{
	const char *part = strchr(release, '-');

	while (part && isdigit((unsigned char)part[1]))
		part = strchr(part + 1, '-');
	return part ? part + 1 : "";
}

bool distro_is_later(const char *release, const char *other)
{
	return strverscmp(release, other) > 0;
}

/* A series is the first two numbers: "6.1" of 6.1.0-53-amd64. */
static bool is_same_series(const char *release, const char *other)
{
	size_t len = strcspn(release, ".");

	len += release[len] ? 1 + strspn(release + len + 1, "0123456789") : 0;
	return !strncmp(release, other, len) && !isdigit((unsigned char)other[len]);
}

struct search {
	const char *release;
	struct distro_headers *found;
};

/* A candidate of the same series is better. Among equals, the later release is. */
static bool is_better(const struct search *s, const char *candidate)
{
	bool candidate_fits = is_same_series(s->release, candidate);
	bool found_fits = is_same_series(s->release, s->found->newest);

	if (!*s->found->newest || candidate_fits != found_fits)
		return !*s->found->newest || candidate_fits;
	return distro_is_later(candidate, s->found->newest);
}

static void take_name(void *ctx, const char *name)
{
	const struct search *s = ctx;
	const char *candidate = name + strlen(HEADERS), *flavour = find_flavour(s->release);

	if (strncmp(name, HEADERS, strlen(HEADERS)))
		return;
	s->found->has_any = true;
	if (!strcmp(candidate, s->release))
		s->found->has_exact = true;
	/* linux-headers-6.12-amd64 is a meta package: its release has no second dot. */
	if (*flavour && !strcmp(find_flavour(candidate), flavour) &&
	    strchr(candidate, '.') != strrchr(candidate, '.') && is_better(s, candidate))
		snprintf(s->found->newest, sizeof(s->found->newest), "%s", candidate);
}

void distro_find_headers(const char *release, struct distro_headers *d)
{
	struct search s = { .release = release, .found = d };

	*d = (struct distro_headers){ 0 };
	d->is_known = !apt_names_each(HEADERS, take_name, &s);
}

struct lookup {
	const char *name;
	bool found;
};

static void compare_name(void *ctx, const char *name)
{
	struct lookup *l = ctx;

	l->found |= !strcmp(name, l->name);
}

bool distro_has_package(const char *name)
{
	struct lookup l = { .name = name };

	return apt_names_each(name, compare_name, &l) || l.found;
}
