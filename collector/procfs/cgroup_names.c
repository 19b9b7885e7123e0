// SPDX-License-Identifier: GPL-2.0
#include "procfs/cgroup_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ID_LEN	(CGROUP_CONTAINER_BYTES - 1)

/* A component of a path, or a part of one. */
struct part {
	const char *text;
	size_t len;
};

static bool is(struct part part, const char *text)
{
	return part.len == strlen(text) && !memcmp(part.text, text, part.len);
}

static bool begins_with(struct part part, const char *text)
{
	return part.len >= strlen(text) && !memcmp(part.text, text, strlen(text));
}

/* Removes text from the start of part. Returns false if it is not there. */
static bool skip(struct part *part, const char *text)
{
	if (!begins_with(*part, text))
		return false;
	part->text += strlen(text);
	part->len -= strlen(text);
	return true;
}

/* Removes text from the end of part. Returns false if it is not there. */
static bool chop(struct part *part, const char *text)
{
	size_t len = strlen(text);

	if (part->len < len || memcmp(part->text + part->len - len, text, len))
		return false;
	part->len -= len;
	return true;
}

/* Returns the length of the hexadecimal digits, in lower case, at the start of part. */
static size_t nr_digits(struct part part)
{
	size_t nr = 0;

	while (nr < part.len && memchr("0123456789abcdef", part.text[nr], 16))
		nr++;
	return nr;
}

static bool is_id(struct part part)
{
	return part.len == ID_LEN && nr_digits(part) == ID_LEN;
}

static bool copy(struct part part, char *out)
{
	memcpy(out, part.text, part.len);
	out[part.len] = 0;
	return true;
}

/* Is it a UUID with that character between its groups? */
static bool is_uuid(struct part part, char between)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		if (i && (!part.len || *part.text != between))
			return false;
		part.text += i > 0;
		part.len -= i > 0;
		if (part.len < groups[i] ||
		    nr_digits((struct part){ part.text, groups[i] }) != groups[i])
			return false;
		part.text += groups[i];
		part.len -= groups[i];
	}
	return !part.len;
}

/* The UID of a static pod is a hash without groups. */
static bool take_uid(struct part part, char between, char *pod)
{
	bool is_hash = part.len == 32 && nr_digits(part) == 32;

	if (!is_hash && !is_uuid(part, between))
		return false;
	copy(part, pod);
	for (; *pod; pod++)
		if (*pod == between)
			*pod = '-';
	return true;
}

/* Kubernetes in a container puts another name before "kubepods", as kind does: "kubelet-". */
static bool is_kubepods(struct part part)
{
	if (!chop(&part, "-burstable"))
		chop(&part, "-besteffort");
	return is(part, "kubepods") || chop(&part, "-kubepods");
}

/* Such as kubepods-burstable-pod6f3c62f1_44f5_4f4b_8a5e_0a8ed6d8e2b6.slice */
static bool take_pod_slice(struct part part, char *pod)
{
	const char *dash = memrchr(part.text, '-', part.len);
	struct part before;

	if (!dash)
		return false;
	before = (struct part){ part.text, dash - part.text };
	part.len -= before.len;
	part.text = dash;
	return skip(&part, "-pod") && chop(&part, ".slice") && is_kubepods(before) &&
	       take_uid(part, '_', pod);
}

/* A path as it is read, from the first component to the last. */
struct walk {
	struct cgroup_names *names;
	struct part parent;
	bool in_kubepods;	/* a component before was "kubepods" */
	bool in_pod;		/* parent is a pod */
};

static bool take_pod(const struct walk *walk, struct part part)
{
	if (walk->in_kubepods && skip(&part, "pod") && take_uid(part, '-', walk->names->pod))
		return true;
	return take_pod_slice(part, walk->names->pod);
}

/* Before its configuration for systemd is right, containerd names a cgroup SLICE:PREFIX:ID. */
static bool take_three_parts(struct part part, struct cgroup_names *names)
{
	const char *colon = memchr(part.text, ':', part.len);
	struct part slice, id = part;

	if (!colon)
		return false;
	slice = (struct part){ part.text, colon - part.text };
	id.text += slice.len;
	id.len -= slice.len;
	if (!skip(&id, ":cri-containerd:") || !is_id(id))
		return false;
	take_pod_slice(slice, names->pod);
	return copy(id, names->container);
}

/* The names of cgroups that runtimes make. PREFIX + id + SUFFIX */
static const struct {
	const char *prefix;
	const char *suffix;
} forms[] = {
	{ "docker-", ".scope" }, { "cri-containerd-", ".scope" }, { "crio-", ".scope" },
	{ "crio-", "" }, { "libpod-", ".scope" }, { "libpod-", "" }, { "libpod-payload-", "" },
};

static bool take_container(const struct walk *walk, struct part part)
{
	struct part id;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		id = part;
		if (skip(&id, forms[i].prefix) && chop(&id, forms[i].suffix) && is_id(id))
			return copy(id, walk->names->container);
	}
	if (is_id(part) && (walk->in_pod || is(walk->parent, "docker")))
		return copy(part, walk->names->container);
	return take_three_parts(part, walk->names);
}

/*
 * systemd puts '_' before a name that the kernel could take for a file of its own: see
 * "Delegation" in systemd's documentation of cgroups. The innermost unit decides.
 */
static void take_unit(struct part part, char *unit)
{
	struct part name = part;

	if (chop(&part, ".scope")) {
		*unit = 0;
		return;
	}
	skip(&name, "_");
	if (chop(&part, ".service") && part.len && name.len < CGROUP_UNIT_BYTES)
		copy(name, unit);
}

/*
 * A container is no part of the service whose cgroup it is in: that of containerd, for example. But
 * podman puts "payload" into the name if the service was made for this container.
 */
static void take(struct walk *walk, struct part part)
{
	bool is_pod = take_pod(walk, part);

	if (take_container(walk, part) && !begins_with(part, "libpod-payload-"))
		*walk->names->unit = 0;
	take_unit(part, walk->names->unit);
	walk->in_pod = is_pod;
	walk->in_kubepods |= is(part, "kubepods");
	walk->parent = part;
}

void cgroup_names_find(const char *path, struct cgroup_names *names)
{
	struct walk walk = { .names = names };
	size_t len;

	*names = (struct cgroup_names){ 0 };
	for (; *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len)
			take(&walk, (struct part){ path, len });
	}
}
