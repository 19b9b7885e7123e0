// SPDX-License-Identifier: GPL-2.0
#include "process/processes.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "process/exec_image.h"
#include "procfs/procfs.h"
#include "process/address_space.h"
#include "procfs/time_namespace.h"

#define PERFMAP_RETRY_NS	UINT64_C(100000000)

/*
 * So many mappings of code hardly any program has. Nobody tells us of an unmapping:
 * beyond this, and then beyond twice what there was, /proc is asked what is left.
 */
#define MANY_RANGES		4096

struct procs {
	struct files *files;
	procs_query_fn query;
	void *ctx;
	struct images images;
	struct image *changed;
	int64_t clock_offset_ns;	/* of our clock, to that of records */
};

struct procs *procs_new(struct files *files, procs_query_fn query, void *ctx)
{
	struct procs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->files = files;
	p->query = query;
	p->ctx = ctx;
	p->clock_offset_ns = timens_offset_ns();
	return p;
}

void procs_free(struct procs *p)
{
	if (!p)
		return;
	images_fini(&p->images);
	free(p);
}

static void mark_changed(struct procs *p, struct image *image)
{
	image->shown = false;
	if (image->changed)
		return;
	image->changed = true;
	image->next_changed = p->changed;
	p->changed = image;
}

static int insert(struct procs *p, struct image *image, const struct maps_range *range)
{
	mark_changed(p, image);
	return spaces_insert(&p->images.spaces, &image->newest, range);
}

struct late {
	struct procs *procs;
	const struct maps_range *range;
};

/*
 * The path of a mapping takes the module a while: a fork that came after it may have been
 * told before. Then the child has it, too, and its own children. That who has it may have
 * ended is no matter: its samples need it.
 */
static int insert_late(void *ctx, struct image *image)
{
	const struct late *late = ctx;
	int err = insert(late->procs, image, late->range);

	return err ? err : images_visit_children(&late->procs->images, image,
						 late->range->since_ns, insert_late, ctx);
}

/* Names in brackets are kinds of anonymous memory, but for the vdso. */
static bool is_file(const char *name)
{
	return name[0] == '/' || !strcmp(name, "[vdso]");
}

static bool executes(struct procs *p, const struct image *image)
{
	uint64_t number;

	return !p->query(p->ctx, image->pid, &number) && number == image->number;
}

/* A map is written by the image that has the pid now. Code may come 1,000 times a second. */
static uint32_t find_perfmap(struct procs *p, struct image *image)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint32_t file;

	if (image->perfmap != FILES_NONE || now - image->perfmap_ns < PERFMAP_RETRY_NS)
		return image->perfmap;
	image->perfmap_ns = now;
	file = files_intern_perfmap(p->files, image->pid, image->inherited);
	if (file == FILES_NONE || !executes(p, image))
		return FILES_NONE;
	for (struct space *space = image->newest; space; space = space->before) {
		maps_replace_file(space->maps, FILES_NONE, file);
		maps_replace_file(space->maps, image->inherited, file);
	}
	image->perfmap = file;
	return file;
}

static uint32_t intern_file(struct procs *p, struct image *image, const struct maps_entry *e,
			    const char *name)
{
	struct files_key key = { e->dev_major, e->dev_minor, e->ino, name };
	struct files_mapping mapping = {
		.pid = image->pid, .start = e->start, .end = e->end,
	};
	uint32_t file = is_file(name) ? files_intern(p->files, &key, &mapping) : FILES_NONE;

	if (!files_is_memory(p->files, file))
		return file;
	return strcmp(name, "[vsyscall]") ? find_perfmap(p, image) : FILES_NONE;
}

static struct maps_range range_of(struct procs *p, struct image *image, const struct maps_entry *e,
				  const char *name, uint64_t since_ns)
{
	struct maps_range range = { e->start, e->end, e->offset,
				    intern_file(p, image, e, name), since_ns };

	if (files_is_memory(p->files, range.file))
		range.offset = range.start;
	return range;
}

/* What /proc tells of an image. */
struct loading {
	struct procs *procs;
	struct image *image;
	struct maps *maps;
	char comm[PPROF_COMM_LEN + 1];
	char exe[PATH_MAX];
};

static int load_mapping(void *ctx, const struct maps_entry *e, const char *name)
{
	const struct loading *l = ctx;
	struct maps_range range;
	int err;

	if (!e->executable)
		return 0;
	range = range_of(l->procs, l->image, e, name, 0);
	err = maps_insert(l->maps, &range);
	return err == -ENOMEM ? err : 0;
}

/* The executable is the file in the maps that /proc/PID/exe names. */
static void set_exe(struct procs *p, struct image *image, char *path)
{
	const struct maps *maps = image->newest->maps;

	maps_trim_deleted(path);
	for (size_t i = 0; i < maps_nr(maps); i++) {
		uint32_t file = maps_at(maps, i)->file;

		if (file != FILES_NONE && !strcmp(files_path(p->files, file), path))
			image->exe = file;
	}
}

/* The same image before and after: then it is the one of which all was read. */
static int read_image(struct procs *p, struct image *image, struct loading *l)
{
	int err = procfs_maps(image->pid, load_mapping, l);

	if (err)
		return err;
	procfs_comm(image->pid, l->comm, sizeof(l->comm));
	if (procfs_exe(image->pid, l->exe, sizeof(l->exe)))
		l->exe[0] = 0;
	if (!executes(p, image))
		return -ESRCH;
	if (image->perfmap != FILES_NONE)	/* it may have been found half-way */
		maps_replace_file(l->maps, FILES_NONE, image->perfmap);
	return 0;
}

/* Nobody knows since when it is there: what records told is at least as new. */
static int take_loaded(struct procs *p, struct image *image, struct loading *l)
{
	int err = 0;

	for (size_t i = 0; !err && i < maps_nr(l->maps); i++)
		err = insert(p, image, maps_at(l->maps, i));
	if (err)
		return err;
	image->loaded = true;
	if (l->comm[0])
		memcpy(image->comm, l->comm, sizeof(image->comm));
	set_exe(p, image, l->exe);
	return 0;
}

int procs_load(struct procs *p, pid_t pid)
{
	struct loading l = { .procs = p, .maps = maps_new() };
	uint64_t number;
	int err = l.maps ? 0 : -ENOMEM;

	if (!err && p->query(p->ctx, pid, &number))
		err = -ESRCH;
	if (!err) {
		l.image = images_get(&p->images, pid, number);
		err = l.image ? read_image(p, l.image, &l) : -ENOMEM;
	}
	if (!err)
		err = take_loaded(p, l.image, &l);
	maps_free(l.maps);
	return err;
}

/* If it is gone, all stays as it is: it maps no more. */
static int renew(struct procs *p, struct image *image, uint64_t since_ns)
{
	struct loading l = { .procs = p, .image = image, .maps = maps_new() };
	int err = l.maps ? read_image(p, image, &l) : -ENOMEM;

	if (!err)
		err = spaces_renew(&p->images.spaces, &image->newest, l.maps, since_ns);
	maps_free(l.maps);
	image->many_ranges = 2 * maps_nr(image->newest->maps);
	return err == -ENOMEM ? err : 0;
}

/*
 * The parent's mappings, and over them what the child has mapped since: its
 * record may be on another CPU and have come first.
 */
static struct maps *inherit(const struct maps *parent, const struct maps *child)
{
	struct maps *maps = maps_copy(parent);

	for (size_t i = 0; maps && i < maps_nr(child); i++) {
		if (maps_insert(maps, maps_at(child, i)) >= 0)
			continue;
		maps_free(maps);
		return NULL;
	}
	return maps;
}

/*
 * An exec maps the program before its interpreter and libraries. What is told
 * first of a process that ran before the session is any library of it.
 */
static uint32_t image_exe(const struct image *image)
{
	return image->exe == FILES_NONE && image->execed ? image->first_file : image->exe;
}

/*
 * A child's compiler goes on in its parent's memory, and writes a map of its own: what
 * that has no name for was there before.
 */
static void inherit_perfmap(const struct image *parent, struct image *child)
{
	child->inherited = parent->perfmap != FILES_NONE ? parent->perfmap : parent->inherited;
	if (parent->perfmap_ns && !child->perfmap_ns)
		child->perfmap_ns = 1;	/* there is such code, and nobody has looked */
}

static int take_fork(struct procs *p, const struct pprof_fork *record)
{
	struct image *parent = images_get(&p->images, record->ev.pid, record->ev.image);
	struct image *child = images_get(&p->images, record->child_pid, record->child_image);
	struct maps *maps;

	if (!parent || !child)
		return -ENOMEM;
	if (!parent->loaded)
		procs_load(p, parent->pid);
	maps = inherit(parent->newest->maps, child->newest->maps);
	if (!maps)
		return -ENOMEM;
	maps_free(child->newest->maps);
	child->newest->maps = maps;
	/* Of an unknown parent that is gone it has nothing: its first sample reads /proc. */
	child->loaded = parent->loaded;
	child->exe = image_exe(parent);
	inherit_perfmap(parent, child);
	if (parent->changed || parent->shown_ns > record->ev.time_ns)
		mark_changed(p, child);
	else
		child->shown_ns = parent->shown_ns;
	memcpy(child->comm, parent->comm, sizeof(child->comm));
	images_fork(parent, child, record->ev.time_ns);
	return 0;
}

static int take_exec(struct procs *p, const struct pprof_exec *record)
{
	struct image *old = images_find(&p->images, record->ev.pid, record->old_image);
	struct image *image = images_get(&p->images, record->ev.pid, record->ev.image);

	if (!image)
		return -ENOMEM;
	if (old)
		images_bury(&p->images, old);
	/* Without a mapping told, as by a kernel without kprobes, /proc is asked. */
	image->loaded = maps_nr(image->newest->maps) > 0;
	image->execed = true;
	memcpy(image->comm, record->comm, PPROF_COMM_LEN);
	return 0;
}

static void take_comm(struct procs *p, const struct pprof_comm *record)
{
	struct image *image = images_find(&p->images, record->ev.pid, record->ev.image);

	if (image && record->ev.pid == record->ev.tid)
		memcpy(image->comm, record->comm, PPROF_COMM_LEN);
}

static int take_mmap(struct procs *p, const struct pprof_mmap *record)
{
	struct image *image = images_get(&p->images, record->ev.pid, record->ev.image);
	struct maps_entry e = {
		.start = record->start, .end = record->end, .offset = record->offset,
		.ino = record->ino, .dev_major = record->dev_major, .dev_minor = record->dev_minor,
	};
	size_t max = record->ev.rec.size - sizeof(*record);
	struct maps_range range;
	char name[PATH_MAX];
	int err = 0;

	if (!image)
		return -ENOMEM;
	snprintf(name, sizeof(name), "%.*s", (int)max, (const char *)record->name);
	maps_trim_deleted(name);
	range = range_of(p, image, &e, name, record->ev.time_ns);
	if (image->first_file == FILES_NONE && !files_is_memory(p->files, range.file) &&
	    name[0] == '/' && range.start < range.end)
		image->first_file = range.file;
	if (maps_nr(image->newest->maps) >= MANY_RANGES &&
	    maps_nr(image->newest->maps) >= image->many_ranges)
		err = renew(p, image, record->ev.time_ns);
	return err ? err : insert_late(&(struct late){ p, &range }, image);
}

static void take_end(struct procs *p, const struct pprof_event *ev)
{
	struct image *image = images_find(&p->images, ev->pid, ev->image);

	if (image)
		images_bury(&p->images, image);
}

/* Of the records that we know; a longer one is a newer module's. */
static const size_t min_sizes[] = {
	[PPROF_REC_FORK] = sizeof(struct pprof_fork), [PPROF_REC_EXEC] = sizeof(struct pprof_exec),
	[PPROF_REC_EXIT] = sizeof(struct pprof_exit), [PPROF_REC_COMM] = sizeof(struct pprof_comm),
	[PPROF_REC_MMAP] = sizeof(struct pprof_mmap), [PPROF_REC_DROP] = sizeof(struct pprof_drop),
};

int procs_take(struct procs *p, const struct pprof_event *ev)
{
	uint32_t type = ev->rec.type;

	if (type >= sizeof(min_sizes) / sizeof(*min_sizes) || ev->rec.size < min_sizes[type])
		return 0;
	switch (type) {
	case PPROF_REC_FORK:
		return take_fork(p, (const struct pprof_fork *)ev);
	case PPROF_REC_EXEC:
		return take_exec(p, (const struct pprof_exec *)ev);
	case PPROF_REC_COMM:
		take_comm(p, (const struct pprof_comm *)ev);
		break;
	case PPROF_REC_MMAP:
		return take_mmap(p, (const struct pprof_mmap *)ev);
	case PPROF_REC_EXIT:
	case PPROF_REC_DROP:
		take_end(p, ev);
		break;
	}
	return 0;
}

int64_t procs_space(struct procs *p, pid_t pid, uint64_t number, uint64_t time_ns)
{
	struct image *image = images_get(&p->images, pid, number);

	if (!image)
		return -ENOMEM;
	if (!image->loaded && !image->gone) {
		procs_load(p, pid);
		image->gone = !image->loaded;
	}
	return spaces_at(image->newest, time_ns)->id;
}

const struct maps *procs_maps(const struct procs *p, uint32_t space)
{
	return p->images.spaces.by_id[space]->maps;
}

const char *procs_comm(const struct procs *p, uint32_t space)
{
	return p->images.spaces.by_id[space]->image->comm;
}

pid_t procs_pid(const struct procs *p, uint32_t space)
{
	return p->images.spaces.by_id[space]->image->pid;
}

uint32_t procs_exe(const struct procs *p, uint32_t space)
{
	return image_exe(p->images.spaces.by_id[space]->image);
}

/* Without visit only the dead are dealt with, to whom nothing is told. */
static int show(struct procs *p, struct image *image, procs_visit_fn visit, void *ctx)
{
	struct procs_image shown = {
		image->pid, image->number, image->newest->maps, image->shown,
	};
	int result;

	if (image->dead || !visit)
		return image->dead;
	image->shown = true;
	result = visit(ctx, &shown);
	if (result > 0) {
		image->changed = false;
		image->shown_ns = clock_ns(CLOCK_MONOTONIC) - p->clock_offset_ns;
	}
	return result;
}

int procs_visit_changed(struct procs *p, procs_visit_fn visit, void *ctx)
{
	struct image **link = &p->changed;
	int result;

	while (*link) {
		result = show(p, *link, visit, ctx);
		if (result < 0)
			return result;
		if (result)
			*link = (*link)->next_changed;
		else
			link = &(*link)->next_changed;
	}
	return 0;
}

void procs_find_perfmaps(struct procs *p)
{
	for (uint32_t id = 0; id < p->images.spaces.nr; id++)
		if (p->images.spaces.by_id[id] && p->images.spaces.by_id[id]->image->perfmap_ns)
			find_perfmap(p, p->images.spaces.by_id[id]->image);
}

size_t procs_nr_dead(const struct procs *p)
{
	return p->images.nr_dead;
}

size_t procs_past_bytes(const struct procs *p)
{
	return p->images.spaces.past_bytes;
}

void procs_forget_past(struct procs *p)
{
	struct spaces *spaces = &p->images.spaces;

	procs_visit_changed(p, NULL, NULL);
	images_forget_dead(&p->images);
	for (uint32_t id = 0; id < spaces->nr; id++)
		if (spaces->by_id[id])
			spaces_end_past(spaces, spaces->by_id[id]->image->newest);
}
