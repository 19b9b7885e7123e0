// SPDX-License-Identifier: GPL-2.0
/*
 * Applies process events to exec ids (struct exec_image).
 *
 * A drain sorts its events by time. But a younger record of another CPU may have been read in the
 * drain before. So each handler accepts a late record:
 *
 *   - A mapping is also inserted into the children that were forked after it (insert_late()).
 *   - At a fork, known mappings of the child cover those of the parent (take_fork()).
 *   - At an exec, known mappings of the new program stay (take_exec()).
 *
 * What records do not report is read from /proc by processes_load(): the mappings of a target that
 * is attached or enters a cgroup, of an unknown parent of a fork, and of an exec id whose first
 * record is a sample.
 * An exec id that has ended by then keeps the mappings that records have reported.
 *
 * For code without a file, the perf map of its process takes the place of the file. The map may
 * appear later than the code. Each new mapping of such code starts a search for it, and so do
 * processes_find_perfmaps() and processes_poll_perfmaps().
 */
#include "process/processes.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/device.h"
#include "process/exec_image.h"
#include "process/exec_perf_map.h"
#include "procfs/cgroup.h"
#include "procfs/procfs.h"
#include "process/address_space.h"
#include "procfs/time_namespace.h"

/*
 * The module does not report munmap(), so mappings that are gone stay here. At this number of
 * mappings /proc is read again. It is read once more at twice the number that was left then. Few
 * programs have so many mappings of code.
 */
#define MANY_RANGES		4096

struct processes {
	struct mapped_files *files;
	struct device *dev;
	struct exec_images exec_images;
	struct exec_image *changed;	/* list for processes_visit_changed() */
	uint64_t nr_flushes;		/* calls of processes_forget_past() */
	uint64_t polled_ns;		/* last search of processes_poll_perfmaps() */
	int64_t clock_offset_ns;	/* CLOCK_MONOTONIC here, minus the clock of records */
};

struct processes *processes_new(struct mapped_files *files, struct device *dev)
{
	struct processes *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->files = files;
	p->dev = dev;
	p->clock_offset_ns = time_namespace_offset_ns();
	return p;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	exec_images_fini(&p->exec_images);
	free(p);
}

static void mark_changed(struct processes *p, struct exec_image *exec)
{
	exec->shown = false;
	if (exec->changed)
		return;
	exec->changed = true;
	exec->next_changed = p->changed;
	p->changed = exec;
}

static int insert(struct processes *p, struct exec_image *exec, const struct maps_range *range)
{
	mark_changed(p, exec);
	return address_spaces_insert(&p->exec_images.address_spaces, &exec->newest, range);
}

struct late {
	struct processes *processes;
	const struct maps_range *range;
};

/*
 * Inserts a mapping, also into the children that were forked after it, and their children. The
 * module needs some time for the path of a mapping, so the record of a later fork may come first.
 * Ended exec ids get the mapping, too: their samples need it.
 */
static int insert_late(void *ctx, struct exec_image *exec)
{
	const struct late *late = ctx;
	int err = insert(late->processes, exec, late->range);

	return err ? err
		   : exec_images_visit_children(&late->processes->exec_images, exec,
						late->range->since_ns, insert_late, ctx);
}

/* A name in brackets stands for memory without a file, except that of the vdso. */
static bool is_file(const char *name)
{
	return name[0] == '/' || !strcmp(name, "[vdso]");
}

/* Does the process still execute the program of this exec id? */
static bool executes(struct processes *p, const struct exec_image *exec)
{
	return exec_image_runs(exec, p->dev);
}

static uint32_t intern_file(struct processes *p, struct exec_image *exec,
			    const struct maps_entry *e, const char *name)
{
	struct mapped_files_key key = { e->dev_major, e->dev_minor, e->ino, name };
	struct mapped_files_mapping mapping = {
		.pid = exec->pid, .start = e->start, .end = e->end,
	};
	uint32_t file = is_file(name) ? mapped_files_intern(p->files, &key, &mapping)
				      : MAPPED_FILES_NONE;

	if (!mapped_files_is_memory(p->files, file))
		return file;
	if (!strcmp(name, "[vsyscall]"))
		return MAPPED_FILES_NONE;
	return exec_perf_map_find(exec, p->files, p->dev);
}

static struct maps_range range_of(struct processes *p, struct exec_image *exec,
				  const struct maps_entry *e, const char *name, uint64_t since_ns)
{
	struct maps_range range = { e->start, e->end, e->offset,
				    intern_file(p, exec, e, name), since_ns };

	if (mapped_files_is_memory(p->files, range.file))
		range.offset = range.start;
	return range;
}

/* The state of an exec id as read from /proc. */
struct loading {
	struct processes *processes;
	struct exec_image *exec;
	struct maps *maps;
	char comm[PPROF_COMM_LEN + 1];
	char exe[PATH_MAX];
};

static int load_mapping(void *ctx, const struct maps_entry *e, const char *name)
{
	const struct loading *l = ctx;
	struct maps_range range;
	int err;

	range = range_of(l->processes, l->exec, e, name, 0);
	err = maps_insert(l->maps, &range);
	return err == -ENOMEM ? err : 0;
}

/* Sets the program of exec: the mapped file with the path of /proc/PID/exe. */
static void set_exe(struct processes *p, struct exec_image *exec, char *path)
{
	const struct maps *maps = exec->newest->maps;

	maps_trim_deleted(path);
	for (size_t i = 0; i < maps_nr(maps); i++) {
		uint32_t file = maps_at(maps, i)->file;

		if (file != MAPPED_FILES_NONE && !strcmp(mapped_files_path(p->files, file), path))
			exec->exe = file;
	}
}

/* The exec id is compared after all is read: no file of /proc was that of a later program. */
static int read_exec(struct processes *p, struct exec_image *exec, struct loading *l)
{
	int err = procfs_executable_maps(exec->pid, load_mapping, l);

	if (err)
		return err;
	procfs_comm(exec->pid, l->comm, sizeof(l->comm));
	if (procfs_exe(exec->pid, l->exe, sizeof(l->exe)))
		l->exe[0] = 0;
	if (!executes(p, exec))
		return -ESRCH;
	if (exec->perfmap != MAPPED_FILES_NONE)	/* found after a part of the maps was read */
		maps_replace_file(l->maps, MAPPED_FILES_NONE, exec->perfmap);
	return 0;
}

/* /proc has no times, so its mappings have the time 0, and those of records are newer. */
static int take_loaded(struct processes *p, struct exec_image *exec, struct loading *l)
{
	int err = 0;

	for (size_t i = 0; !err && i < maps_nr(l->maps); i++)
		err = insert(p, exec, maps_at(l->maps, i));
	if (err)
		return err;
	exec->loaded = true;
	if (l->comm[0])
		memcpy(exec->comm, l->comm, sizeof(exec->comm));
	set_exe(p, exec, l->exe);
	return 0;
}

int processes_load(struct processes *p, pid_t pid)
{
	struct loading l = { .processes = p, .maps = maps_new() };
	uint64_t exec_id;
	int err = l.maps ? 0 : -ENOMEM;

	if (!err && device_exec_id(p->dev, pid, &exec_id))
		err = -ESRCH;
	if (!err) {
		l.exec = exec_images_get(&p->exec_images, pid, exec_id);
		err = l.exec ? read_exec(p, l.exec, &l) : -ENOMEM;
	}
	if (!err)
		err = take_loaded(p, l.exec, &l);
	maps_free(l.maps);
	return err;
}

/* Begins an epoch with the mappings of /proc. If the program has ended, nothing changes. */
static int renew(struct processes *p, struct exec_image *exec, uint64_t since_ns)
{
	struct loading l = { .processes = p, .exec = exec, .maps = maps_new() };
	int err = l.maps ? read_exec(p, exec, &l) : -ENOMEM;

	if (!err)
		err = address_spaces_renew(&p->exec_images.address_spaces, &exec->newest, l.maps,
					   since_ns);
	maps_free(l.maps);
	exec->many_ranges = 2 * maps_nr(exec->newest->maps);
	return err == -ENOMEM ? err : 0;
}

/*
 * Returns the program. After an exec that is the first file that was mapped: the interpreter and
 * the libraries follow. Of a process that ran before the session, the first reported file may be
 * any library.
 */
static uint32_t exec_exe(const struct exec_image *exec)
{
	return exec->exe == MAPPED_FILES_NONE && exec->execed ? exec->first_file : exec->exe;
}

/*
 * The compiler of a forked child continues with the parent's code, and writes a perf map of its
 * own. Code that this map does not name is older than the fork: the parent's map names it.
 */
static void inherit_perfmap(const struct exec_image *parent, struct exec_image *child)
{
	child->inherited = parent->perfmap != MAPPED_FILES_NONE ? parent->perfmap
								: parent->inherited;
	if (parent->perfmap_ns && !child->perfmap_ns)
		child->perfmap_ns = 1;	/* there is such code, and no search yet */
}

static int take_fork(struct processes *p, const struct pprof_fork *record)
{
	struct exec_image *parent =
		exec_images_get(&p->exec_images, record->ev.pid, record->ev.exec_id);
	struct exec_image *child =
		exec_images_get(&p->exec_images, record->child_pid, record->child_exec_id);
	struct maps *maps;

	if (!parent || !child)
		return -ENOMEM;
	if (!parent->loaded)
		processes_load(p, parent->pid);
	/* The child's records may be in the ring of another CPU, and come before the fork. */
	maps = maps_copy_below(parent->newest->maps, child->newest->maps);
	if (!maps)
		return -ENOMEM;
	maps_free(child->newest->maps);
	child->newest->maps = maps;
	/* The parent may be unknown and gone. Then the first sample of the child reads /proc. */
	child->loaded = parent->loaded;
	child->exe = exec_exe(parent);
	inherit_perfmap(parent, child);
	if (parent->changed || parent->shown_ns > record->ev.time_ns)
		mark_changed(p, child);
	else
		child->shown_ns = parent->shown_ns;
	memcpy(child->comm, parent->comm, sizeof(child->comm));
	exec_images_fork(parent, child, record->ev.time_ns);
	return 0;
}

static int take_exec(struct processes *p, const struct pprof_exec *record)
{
	struct exec_image *old =
		exec_images_find(&p->exec_images, record->ev.pid, record->old_exec_id);
	struct exec_image *exec =
		exec_images_get(&p->exec_images, record->ev.pid, record->ev.exec_id);

	if (!exec)
		return -ENOMEM;
	if (old)
		exec_images_bury(&p->exec_images, old);
	/*
	 * The records of the program's mappings come before this one. If there are none, they were
	 * lost. Then the first sample reads /proc.
	 */
	exec->loaded = maps_nr(exec->newest->maps) > 0;
	exec->execed = true;
	memcpy(exec->comm, record->comm, PPROF_COMM_LEN);
	return 0;
}

static void take_comm(struct processes *p, const struct pprof_comm *record)
{
	struct exec_image *exec =
		exec_images_find(&p->exec_images, record->ev.pid, record->ev.exec_id);

	if (exec && record->ev.pid == record->ev.tid)
		memcpy(exec->comm, record->comm, PPROF_COMM_LEN);
}

static int take_mmap(struct processes *p, const struct pprof_mmap *record)
{
	struct exec_image *exec =
		exec_images_get(&p->exec_images, record->ev.pid, record->ev.exec_id);
	struct maps_entry e = {
		.start = record->start, .end = record->end, .offset = record->offset,
		.ino = record->ino, .dev_major = record->dev_major, .dev_minor = record->dev_minor,
	};
	size_t max = record->ev.rec.size - sizeof(*record);
	struct maps_range range;
	char name[PATH_MAX];
	int err = 0;

	if (!exec)
		return -ENOMEM;
	snprintf(name, sizeof(name), "%.*s", (int)max, (const char *)record->name);
	maps_trim_deleted(name);
	range = range_of(p, exec, &e, name, record->ev.time_ns);
	if (exec->first_file == MAPPED_FILES_NONE &&
	    !mapped_files_is_memory(p->files, range.file) && name[0] == '/' &&
	    range.start < range.end)
		exec->first_file = range.file;
	if (maps_nr(exec->newest->maps) >= MANY_RANGES &&
	    maps_nr(exec->newest->maps) >= exec->many_ranges)
		err = renew(p, exec, record->ev.time_ns);
	return err ? err : insert_late(&(struct late){ p, &range }, exec);
}

static void take_end(struct processes *p, const struct pprof_event *ev)
{
	struct exec_image *exec = exec_images_find(&p->exec_images, ev->pid, ev->exec_id);

	if (exec && exec->entered_ns <= ev->time_ns)
		exec_images_bury(&p->exec_images, exec);
}

/*
 * A process that was a target before may have unmapped what is known of it. Its ranges are gone
 * from the module. It has another cgroup now.
 */
static int take_enter(struct processes *p, const struct pprof_event *ev)
{
	struct exec_image *exec = exec_images_get(&p->exec_images, ev->pid, ev->exec_id);

	if (!exec)
		return -ENOMEM;
	exec->entered_ns = ev->time_ns;
	exec_images_revive(&p->exec_images, exec);
	free(exec->cgroup);
	exec->cgroup = NULL;
	exec->cgroup_read = false;
	if (!exec->loaded)
		return processes_load(p, ev->pid) == -ENOMEM ? -ENOMEM : 0;
	mark_changed(p, exec);
	return renew(p, exec, ev->time_ns);
}

/* The sizes of known records. A newer module may send longer ones. */
static const size_t min_sizes[] = {
	[PPROF_REC_FORK] = sizeof(struct pprof_fork), [PPROF_REC_EXEC] = sizeof(struct pprof_exec),
	[PPROF_REC_EXIT] = sizeof(struct pprof_exit), [PPROF_REC_COMM] = sizeof(struct pprof_comm),
	[PPROF_REC_MMAP] = sizeof(struct pprof_mmap), [PPROF_REC_DROP] = sizeof(struct pprof_drop),
	[PPROF_REC_ENTER] = sizeof(struct pprof_enter),
};

int processes_take(struct processes *p, const struct pprof_event *ev)
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
	case PPROF_REC_ENTER:
		return take_enter(p, ev);
	case PPROF_REC_EXIT:
	case PPROF_REC_DROP:
		take_end(p, ev);
		break;
	}
	return 0;
}

int64_t processes_epoch(struct processes *p, pid_t pid, uint64_t exec_id, uint64_t time_ns)
{
	struct exec_image *exec = exec_images_get(&p->exec_images, pid, exec_id);

	if (!exec)
		return -ENOMEM;
	if (!exec->loaded && !exec->gone) {
		processes_load(p, pid);
		exec->gone = !exec->loaded;
	}
	return address_spaces_at(exec->newest, time_ns)->id;
}

const struct maps *processes_maps(const struct processes *p, uint32_t epoch)
{
	return p->exec_images.address_spaces.by_id[epoch]->maps;
}

const char *processes_comm(const struct processes *p, uint32_t epoch)
{
	return p->exec_images.address_spaces.by_id[epoch]->exec->comm;
}

/* The exec id is compared afterwards, as in read_exec(). */
const struct cgroup *processes_cgroup(struct processes *p, uint32_t epoch)
{
	struct exec_image *exec = p->exec_images.address_spaces.by_id[epoch]->exec;

	if (exec->cgroup_read)
		return exec->cgroup;
	exec->cgroup_read = true;
	exec->cgroup = cgroup_read(exec->pid);
	if (exec->cgroup && !executes(p, exec)) {
		free(exec->cgroup);
		exec->cgroup = NULL;
	}
	return exec->cgroup;
}

pid_t processes_pid(const struct processes *p, uint32_t epoch)
{
	return p->exec_images.address_spaces.by_id[epoch]->exec->pid;
}

const struct process_context *processes_context(struct processes *p, uint32_t epoch,
						bool is_urgent)
{
	struct exec_image *exec = p->exec_images.address_spaces.by_id[epoch]->exec;
	struct process_context fresh;

	if (!exec->dead && published_context_read(&exec->context, exec->pid,
						  clock_ns(CLOCK_MONOTONIC), is_urgent, &fresh))
		published_context_set(&exec->context, &fresh, executes(p, exec));
	return &exec->context.last;
}

uint32_t processes_exe(const struct processes *p, uint32_t epoch)
{
	return exec_exe(p->exec_images.address_spaces.by_id[epoch]->exec);
}

/*
 * Visits an exec id and returns the result of visit, but 1 instead of 0 if the exec id has ended.
 * If visit is NULL, it returns whether it has ended.
 */
static int show(struct processes *p, struct exec_image *exec, processes_visit_fn visit, void *ctx)
{
	struct processes_exec shown = {
		exec->pid, exec->exec_id, exec->newest->maps, exec->shown, exec->dead,
	};
	int result;

	if (!visit)
		return exec->dead;
	exec->shown = true;
	result = visit(ctx, &shown);
	if (!result && exec->dead)
		result = 1;
	if (result > 0) {
		exec->changed = false;
		exec->shown_ns = clock_ns(CLOCK_MONOTONIC) - p->clock_offset_ns;
	}
	return result;
}

int processes_visit_changed(struct processes *p, processes_visit_fn visit, void *ctx)
{
	struct exec_image **link = &p->changed;
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

void processes_find_perfmaps(struct processes *p)
{
	for (uint32_t id = 0; id < p->exec_images.address_spaces.nr; id++)
		if (p->exec_images.address_spaces.by_id[id] &&
		    p->exec_images.address_spaces.by_id[id]->exec->perfmap_ns)
			exec_perf_map_find(p->exec_images.address_spaces.by_id[id]->exec,
					   p->files, p->dev);
}

void processes_poll_perfmaps(struct processes *p)
{
	const struct address_spaces *address_spaces = &p->exec_images.address_spaces;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - p->polled_ns < EXEC_PERF_MAP_RETRY_NS)
		return;
	p->polled_ns = now;
	for (uint32_t id = 0; id < address_spaces->nr; id++)
		if (address_spaces->by_id[id] && address_spaces->by_id[id]->exec->perfmap_ns)
			exec_perf_map_poll(address_spaces->by_id[id]->exec, p->files, p->dev, now);
}

static int mark_renewed(void *ctx, struct exec_image *exec)
{
	mark_changed(ctx, exec);
	return 0;
}

int processes_renew_files(struct processes *p)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC) - p->clock_offset_ns;

	return exec_images_renew_files(&p->exec_images, p->files, now, mark_renewed, p);
}

bool processes_has(struct processes *p, pid_t pid, uint64_t exec_id)
{
	const struct exec_image *exec = exec_images_find(&p->exec_images, pid, exec_id);

	return exec && !exec->dead;
}

void processes_mark_files(const struct processes *p, bool *marks)
{
	exec_images_mark_files(&p->exec_images, marks);
}

size_t processes_nr_dead(const struct processes *p)
{
	return p->exec_images.nr_dead;
}

size_t processes_past_bytes(const struct processes *p)
{
	return p->exec_images.address_spaces.past_bytes;
}

void processes_forget_past(struct processes *p)
{
	struct address_spaces *address_spaces = &p->exec_images.address_spaces;

	if (++p->nr_flushes % PROCESSES_NR_FLUSHES == 0)
		exec_images_bury_gone(&p->exec_images, p->dev);
	processes_visit_changed(p, NULL, NULL);
	exec_images_forget_dead(&p->exec_images);
	for (uint32_t id = 0; id < address_spaces->nr; id++)
		if (address_spaces->by_id[id])
			address_spaces_end_past(address_spaces,
						address_spaces->by_id[id]->exec->newest);
}
