// SPDX-License-Identifier: GPL-2.0
/*
 * The first phase of a run. It gets the settings and, for `-- COMMAND`, a child that waits before
 * its exec. The order of profile_prepare() matters:
 *
 * 1. The output files are opened: a folder that cannot be written must not cost a profile. This
 *    needs no module, so a wrong --output is reported first.
 * 2. The session is set up, and the parts that read its rings are made.
 * 3. For `-- COMMAND` with heap, the dynamic linker lists the files of the command. Then no program
 *    can be executed any more: see privileges_seal().
 * 4. The targets are attached. From here on the module sends process events, so no mapping is
 *    missed: /proc/PID/maps of each target is read afterwards. The processes of a cgroup are
 *    targets since step 2: the module has reported them.
 * 5. Unwind tables are compiled, and their ranges sent: the first sample can be unwound.
 *
 * The functions return 0, or -1 after they printed the cause, unless a comment says otherwise.
 */
#include "run/profile_prepare.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aggregate/aggregator.h"
#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "aggregate/profile_types.h"
#include "base/clock.h"
#include "device/device.h"
#include "device/error_text.h"
#include "process/command.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "procfs/cgroup_folder.h"
#include "procfs/children.h"
#include "procfs/procfs.h"
#include "report/output_files.h"
#include "report/thread_dump.h"
#include "report/window_store.h"
#include "run/privileges.h"
#include "run/profile_run.h"
#include "session/custom_profile.h"
#include "session/heap_probes.h"
#include "session/settings.h"
#include "session/sources.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"
#include "symbol/elf_symbolizer.h"
#include "symbol/kallsyms.h"

#define PAGE_BYTES	4096U

/* A target may map files in a preparation that takes longer than this. */
#define LONG_NS		UINT64_C(50000000)

static int open_store(struct profile_run *r)
{
	const struct settings *s = r->settings;
	const struct window_limits limits = {
		.windows = s->keep_windows, .bytes = s->keep_bytes, .seconds = s->keep_seconds,
	};

	r->store = window_store_open(s->dir, &limits);
	return r->store ? 0 : -1;
}

static int open_outputs(struct profile_run *r)
{
	const struct settings *s = r->settings;
	pid_t pid = profile_run_pid(r);

	if (s->program)
		snprintf(r->comm, sizeof(r->comm), "%s", basename(s->program[0]));
	else if (s->cgroup)
		snprintf(r->comm, sizeof(r->comm), "%s", cgroup_folder_name(s->cgroup));
	else if (!s->all)
		procfs_comm(pid, r->comm, sizeof(r->comm));
	if (s->every_ns)
		return open_store(r);
	return output_files_open(&r->outputs, s, s->all ? NULL : r->comm, pid);
}

static int setup_session(struct profile_run *r)
{
	const struct settings *s = r->settings;
	uint32_t flags = sources_setup_flags(s);
	int err = device_setup(r->dev, flags, s->buffer_pages * PAGE_BYTES, s->max_frames);

	if (err)
		device_error_print_setup(flags, s->buffer_pages, err);
	return err ? -1 : 0;
}

/* The module keeps the cgroup, so that its folder need not stay open. */
static int setup_cgroup(struct profile_run *r)
{
	int fd = cgroup_folder_open(r->settings->cgroup), err;

	if (fd < 0) {
		cgroup_folder_print_error(r->settings->cgroup, fd);
		return -1;
	}
	device_set_cgroup(r->dev, fd);
	err = setup_session(r);
	close(fd);
	return err;
}

static int open_session(struct profile_run *r)
{
	r->dev = device_open();
	if (!r->dev) {
		device_error_print_open();
		return -1;
	}
	return r->settings->cgroup ? setup_cgroup(r) : setup_session(r);
}

/* Addresses without names are of no use. An administrator who hides them wants no file of them. */
static int open_kallsyms(struct profile_run *r)
{
	int fd = kallsyms_open();

	if (fd >= 0) {
		mapped_files_set_kallsyms(r->files, fd);
		return 0;
	}
	if (fd == -EACCES)
		warnx("--kernel needs the addresses in /proc/kallsyms, which kernel.kptr_restrict "
		      "hides: set it to 1 or 0 and run as root (CAP_SYSLOG), or leave --kernel out");
	else
		warnx("--kernel needs /proc/kallsyms, which cannot be read: %s: leave --kernel out",
		      strerror(-fd));
	return -1;
}

static int make_ranges(struct profile_run *r)
{
	bool contexts = sources_setup_flags(r->settings) & PPROF_SETUP_CONTEXT;

	r->tables = unwind_tables_new(r->dev);
	r->ranges = unwind_ranges_new(r->processes, r->files, r->tables, r->dev);
	if (r->tables && r->ranges && (!contexts || !unwind_ranges_send_contexts(r->ranges)))
		return 0;
	warnx("cannot compile unwind tables: %s: use --unwind fp", strerror(errno));
	return -1;
}

static int show_thread(void *dump, const struct pprof_sample *sample, uint64_t labels,
		       const uint64_t *locations, uint32_t nr)
{
	return thread_dump_add(dump, sample, labels, locations, nr);
}

static int make_parts(struct profile_run *r)
{
	struct aggregator_parts parts = {
		.max_stacks = r->settings->max_stacks, .periods = r->periods,
		.live = r->settings->live, .pid = profile_run_pid(r),
		.heap = profile_types_need(r->settings->profile_types, PPROF_SOURCE_HEAP),
	};
	uint32_t nr_rings = device_nr_rings(r->dev);

	r->rings = calloc(nr_rings, sizeof(struct ring *));
	r->files = mapped_files_new();
	r->processes = processes_new(r->files, r->dev);
	r->labels = labels_new(settings_labels(r->settings));
	r->locations = locations_new(r->files);
	r->code = named_code_new();
	if (settings_dump(r->settings)) {
		r->dump = thread_dump_new(r->labels);
		parts.show = show_thread;
		parts.show_ctx = r->dump;
	}
	parts.processes = r->processes;
	parts.labels = r->labels;
	parts.locations = r->locations;
	r->aggregator = aggregator_new(&parts);
	r->heap = parts.heap ? heap_new() : NULL;
	if (!r->rings || !r->files || !r->processes || !r->labels || !r->locations ||
	    !r->code || !r->aggregator || (parts.show && !r->dump) || (parts.heap && !r->heap)) {
		warnx("cannot prepare a profile: out of memory: give a smaller --max-stacks");
		return -1;
	}
	for (uint32_t cpu = 0; cpu < nr_rings; cpu++)
		r->rings[cpu] = device_ring(r->dev, cpu);
	return r->settings->tables ? make_ranges(r) : 0;
}

/* Returns: 0, or a negative errno of device_attach(). */
static int attach(struct profile_run *r, pid_t pid)
{
	int err = device_attach(r->dev, &pid, &r->exec_id);

	if (err)
		return err;
	processes_load(r->processes, pid);	/* fails if it has just ended */
	return 0;
}

/*
 * A children_visit() callback. Ignores errors: the child may have ended, may have changed its
 * user, or may have no allocator.
 * Returns: not 0 to end the visit. A program may fork faster than its children are found, so only
 * a signal ends such a visit.
 */
static int attach_child(void *ctx, pid_t pid)
{
	struct profile_run *r = ctx;

	if (!attach(r, pid))
		heap_add_child(r->heap, pid);
	return stop_is_asked(&r->stop);
}

static int attach_pids(struct profile_run *r)
{
	const struct settings *s = r->settings;
	int err;

	for (size_t i = 0; i < s->nr_pids; i++) {
		err = attach(r, s->pids[i]);
		if (err) {
			device_error_print_attach(s->pids[i], err);
			return -1;
		}
		if (heap_add_process(r->heap, s->pids[i]))
			return -1;
		if (s->children)
			children_visit(s->pids[i], attach_child, r);
	}
	return 0;
}

/*
 * Attaches the child that will execute the program. Until its exec the child runs code of this
 * collector: samples of that exec id are ignored. Its mappings are read nevertheless: they include
 * libc, the dynamic linker and a page of the program's file (see process/command.c). The tables of
 * these files are ready when the program needs them.
 */
static int hold_program(struct profile_run *r)
{
	pid_t pid = command_pid(r->program);
	uint64_t exec_id;
	int err;

	err = device_attach(r->dev, &pid, &exec_id);
	if (err) {
		device_error_print_attach(pid, err);
		return -1;
	}
	aggregator_ignore_exec_id(r->aggregator, exec_id);
	processes_load(r->processes, pid);
	return heap_add_program(r->heap, r->settings->program, pid);
}

/*
 * Waits until all tables are in the module. This can take long for a large program. A session
 * without hooks gets no mmap events meanwhile, so the mappings are read again.
 */
static int prepare_ranges(struct profile_run *r)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	int err = profile_run_update_ranges(r);

	if (r->tables)
		unwind_tables_wait(r->tables);
	if (sources_need_no_hooks(r->settings) && clock_ns(CLOCK_MONOTONIC) - begin > LONG_NS)
		processes_load(r->processes, profile_run_pid(r));
	if (!err)
		err = profile_run_update_ranges(r);
	if (err)
		warnx("cannot send unwind tables: out of memory: use --unwind fp");
	return err ? -1 : 0;
}

/* SETUP reports the processes that are in the cgroup. */
static int take_first_events(struct profile_run *r)
{
	int err = aggregator_drain(r->aggregator, r->rings, device_nr_rings(r->dev));

	if (err)
		warnx("cannot read the processes of the cgroup: out of memory: name processes with "
		      "--pid");
	return err ? -1 : 0;
}

static int seal(const struct profile_run *r)
{
	const struct privileges_seal seal = {
		.program = r->program ? command_pid(r->program) : 0,
		.writes_files = true,
		.asks_servers = elf_symbolizer_has_servers(),
	};

	return privileges_seal(&seal);
}

int profile_prepare(struct profile_run *r)
{
	const struct settings *s = r->settings;

	if (open_outputs(r) || open_session(r) || make_parts(r) || heap_set_device(r->heap, r->dev))
		return -1;
	if (s->kernel && open_kallsyms(r))
		return -1;
	if (s->program && hold_program(r))
		return -1;
	if (seal(r) || attach_pids(r))
		return -1;
	if (s->cgroup && take_first_events(r))
		return -1;
	if (s->custom && custom_profile_check(r->dev, profile_run_pid(r), s->custom))
		return -1;
	heap_warn_of_children(r->heap);
	heap_measure_trap(r->heap);
	return prepare_ranges(r);
}
