// SPDX-License-Identifier: GPL-2.0
#include "session/custom_profile.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "aggregate/aggregator.h"
#include "device/error_text.h"
#include "device/device.h"
#include "base/stop_signals.h"
#include "procfs/time_namespace.h"

#define BUFFER_BYTES	(1U << 20)
#define SAMPLE_BYTES	(sizeof(struct pprof_sample) + PPROF_MAX_FRAMES * sizeof(uint64_t))

int custom_profile_check(struct device *d, pid_t pid, const char *name)
{
	struct pprof_custom_name names[PPROF_MAX_CUSTOM_PROFILES];
	int nr = device_custom_list(d, pid, names, PPROF_MAX_CUSTOM_PROFILES);

	if (nr < 0) {
		device_error_print_custom(pid, nr);
		return -1;
	}
	for (int i = 0; i < nr; i++)
		if (!strcmp((const char *)names[i].name, name))
			return 0;
	warnx("--profile '%s': is no profile type, and process %d keeps no such profile: see "
	      "'pprof-collect list --pid %d'", name, pid, pid);
	return -1;
}

/*
 * Passes a value to the aggregator as a sample. The sample has no tid: the thread that added the
 * value may have ended.
 * Returns: 0, or -ENOMEM.
 */
static int take_value(struct aggregator *aggregator, const struct pprof_custom_read *read,
		      const struct pprof_custom_value *value, uint64_t time_ns)
{
	uint64_t room[SAMPLE_BYTES / sizeof(uint64_t)];
	struct pprof_sample *sample = (struct pprof_sample *)room;
	size_t bytes = value->nr_frames * sizeof(*value->frames);

	*sample = (struct pprof_sample){
		.ev = {
			.rec = { .type = PPROF_REC_SAMPLE, .size = sizeof(*sample) + bytes },
			.time_ns = time_ns,
			.pid = read->pid,
			.exec_id = read->exec_id,
		},
		.weight = 1,
		.source = PPROF_SOURCE_CUSTOM,
		.end_reason = value->flags & PPROF_CUSTOM_TRUNCATED ? PPROF_END_DEPTH :
								      PPROF_END_COMPLETE,
		.nr_frames = value->nr_frames,
	};
	memcpy(sample->frames, value->frames, bytes);
	return aggregator_take(aggregator, sample);
}

/*
 * Checks the sizes in a value, as for records: data from the module is not trusted. left is the
 * rest of the buffer.
 * Returns: the bytes of the value, or 0 if it does not fit.
 */
static size_t bytes_of(const struct pprof_custom_value *value, size_t left)
{
	size_t bytes;

	if (left < sizeof(*value) || value->nr_frames > PPROF_MAX_FRAMES)
		return 0;
	bytes = sizeof(*value) + value->nr_frames * sizeof(*value->frames);
	return bytes <= left ? bytes : 0;
}

/* Returns: 0; -EBADMSG for data of another format; or -ENOMEM. */
static int take_values(struct aggregator *aggregator, const struct pprof_custom_read *read,
		       const unsigned char *data)
{
	uint64_t time_ns = clock_ns(CLOCK_MONOTONIC) - time_namespace_offset_ns();
	size_t bytes;
	int err = 0;

	for (size_t at = 0; !err && at < read->bytes; at += bytes) {
		const struct pprof_custom_value *value = (const void *)(data + at);

		bytes = bytes_of(value, read->bytes - at);
		err = bytes ? take_value(aggregator, read, value, time_ns) : -EBADMSG;
	}
	return err;
}

/* Returns: 0, or -1 after it printed the cause. */
static int read_some(struct device *d, const struct custom_profile_id *profile,
		     struct pprof_custom_read *read, void *data)
{
	int err = device_custom_read(d, read, data, BUFFER_BYTES);

	if (err == -ENOENT)
		warnx("process %d keeps no profile %s any more: see 'pprof-collect list --pid %d'",
		      profile->pid, profile->name, profile->pid);
	else if (err)
		device_error_print_custom(profile->pid, err);
	else if (read->exec_id != profile->exec_id)
		warnx("process %d executed another program before its profile %s was read: run it "
		      "again", profile->pid, profile->name);
	else
		return 0;
	return -1;
}

/* Returns: 0, or -1 after it printed the cause. */
static int take_all(struct device *d, const struct custom_profile_id *profile, void *data,
		    struct aggregator *aggregator, struct stop *stop)
{
	struct pprof_custom_read read = { .pid = profile->pid };
	int err;

	memcpy(read.name, profile->name, strnlen(profile->name, sizeof(read.name)));
	do {
		if (stop_is_asked_anew(stop)) {
			warnx("profile %s is not written: a signal stopped its reading: run it again",
			      profile->name);
			return -1;
		}
		if (read_some(d, profile, &read, data))
			return -1;
		err = take_values(aggregator, &read, data);
		if (err) {
			warnx("cannot read profile %s: %s", profile->name,
			      err == -EBADMSG ? "the module has another format of values: take the "
			      "module and pprof-collect from one build" :
			      "out of memory: give a smaller --max-stacks");
			return -1;
		}
	} while (read.next);
	return 0;
}

int custom_profile_take(struct device *d, const struct custom_profile_id *profile,
			struct aggregator *aggregator, struct stop *stop)
{
	void *data = malloc(BUFFER_BYTES);
	int err;

	if (!data) {
		warnx("cannot read profile %s: out of memory: give a smaller --max-stacks",
		      profile->name);
		return -1;
	}
	err = take_all(d, profile, data, aggregator, stop);
	free(data);
	return err;
}
