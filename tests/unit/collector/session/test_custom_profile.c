// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/custom_profile.c collector/aggregate/profile_types.c
// sources: collector/procfs/time_namespace.c collector/base/stop_signals.c
/* This file simulates the module, the messages about it, and the aggregator. */
#include <errno.h>
#include <signal.h>

#include "capture.h"
#include "aggregate/aggregator.h"
#include "device/error_text.h"
#include "session/custom_profile.h"
#include "device/device.h"
#include "aggregate/profile_types.h"
#include "base/stop_signals.h"

#define NR_VALUES	7

static struct stop stop;

static struct {
	int list_error;
	int read_error;	/* of the second call */
	int take_error;
	int nr_reads;
	int exec_at;	/* number of the call, from 1, that finds another exec id */
	int stop_at;	/* number of the call that a signal follows */
	int stop_by;	/* that signal */
	uint32_t wrong_frames;	/* nr_frames of the last value of the first call; 0: as they are */
	uint32_t cut_bytes;	/* missing bytes at the end of that value */
	int complained;
	uint32_t nr_taken;
	uint64_t taken_frames;
	uint32_t ends[NR_VALUES];
} world;

int device_custom_list(struct device *d, pid_t pid, struct pprof_custom_name *names, uint32_t room)
{
	assert_ptr_equal(d, &world);
	assert_true(room >= 2);
	if (pid == 13)
		return 0;
	strcpy((char *)names[0].name, "conns");
	strcpy((char *)names[1].name, "locks");
	return world.list_error ? world.list_error : 2;
}

/* Value i has i frames. A call returns 3 values. */
int device_custom_read(struct device *d, struct pprof_custom_read *read, void *data, uint32_t bytes)
{
	struct pprof_custom_value *value = data;

	assert_ptr_equal(d, &world);
	assert_true(bytes >= PPROF_MIN_CUSTOM_BYTES);
	assert_string_equal((char *)read->name, "conns");
	if (world.nr_reads++ && world.read_error)
		return world.read_error;
	if (world.nr_reads == world.stop_at)
		raise(world.stop_by);
	read->bytes = 0;
	assert_int_equal(read->pid, 12);
	read->exec_id = world.nr_reads == world.exec_at ? 100 : 99;
	for (int i = 0; i < 3 && read->next < NR_VALUES; i++, read->next++) {
		*value = (struct pprof_custom_value){ .value = 5, .nr_frames = read->next,
						      .flags = read->next == 6 };
		for (uint32_t f = 0; f < value->nr_frames; f++)
			value->frames[f] = 1000 + f;
		read->bytes += sizeof(*value) + value->nr_frames * 8;
		if (read->next == 2 && world.wrong_frames)
			value->nr_frames = world.wrong_frames;
		value = (void *)((char *)data + read->bytes);
	}
	read->bytes -= world.cut_bytes;
	read->next %= NR_VALUES;
	return 0;
}

int aggregator_take(struct aggregator *aggregator, const struct pprof_sample *sample)
{
	assert_ptr_equal(aggregator, &world.nr_taken);
	assert_int_equal(sample->ev.pid, 12);
	assert_int_equal(sample->ev.exec_id, 99);
	assert_true(sample->ev.time_ns > 0);
	assert_int_equal(sample->source, PPROF_SOURCE_CUSTOM);
	assert_int_equal(sample->weight, 1);
	assert_int_equal(sample->nr_frames, world.nr_taken);
	assert_int_equal(sample->ev.rec.size, sizeof(*sample) + 8 * sample->nr_frames);
	for (uint32_t f = 0; f < sample->nr_frames; f++)
		assert_int_equal(sample->frames[f], 1000 + f);
	world.taken_frames += sample->nr_frames;
	world.ends[world.nr_taken++] = sample->end_reason;
	return world.take_error;
}

void device_error_print_custom(pid_t pid, int err)
{
	assert_int_equal(pid, 12);
	world.complained = err;
}

static int take(struct capture *out)
{
	const struct custom_profile_id profile = { 12, 99, "conns" };
	int err;

	capture_begin(out, STDERR_FILENO);
	err = custom_profile_take((struct device *)&world, &profile,
				  (struct aggregator *)&world.nr_taken, &stop);
	capture_end(out);
	return err;
}

static int check(struct capture *out, pid_t pid, const char *name)
{
	int err;

	capture_begin(out, STDERR_FILENO);
	err = custom_profile_check((struct device *)&world, pid, name);
	capture_end(out);
	return err;
}

static int setup(void **state)
{
	(void)state;
	world = (typeof(world)){ 0 };
	stop.nr = 0;
	return 0;
}

static void test_values(void **state)
{
	struct capture out;

	(void)state;
	assert_int_equal(take(&out), 0);
	assert_int_equal(world.nr_taken, NR_VALUES);
	assert_int_equal(world.taken_frames, 21);
	assert_int_equal(world.nr_reads, 3);
	assert_int_equal(world.ends[5], PPROF_END_COMPLETE);
	assert_int_equal(world.ends[6], PPROF_END_DEPTH);
	assert_string_equal(out.text, "");
}

static void test_errors(void **state)
{
	struct capture out;

	(void)state;
	world.read_error = -ENOENT;
	assert_int_equal(take(&out), -1);
	assert_sentence(out.text, "process 12 keeps no profile conns any more: see 'pprof-collect list "
				  "--pid 12'");
	setup(state);
	world.read_error = -ESRCH;
	assert_int_equal(take(&out), -1);
	assert_int_equal(world.complained, -ESRCH);
	setup(state);
	world.take_error = -ENOMEM;
	assert_int_equal(take(&out), -1);
	assert_sentence(out.text, "out of memory");
	assert_int_equal(world.nr_taken, 1);
}

/* Values of two programs are not mixed: the next call of the other program is an error. */
static void test_exec(void **state)
{
	struct capture out;

	for (int call = 1; call <= 3; call++) {
		setup(state);
		world.exec_at = call;
		assert_int_equal(take(&out), -1);
		assert_sentence(out.text, "executed another program");
		assert_int_equal(world.nr_reads, call);
		assert_int_equal(world.nr_taken, 3 * (call - 1));
	}
}

static void test_stop(void **state)
{
	struct capture out;

	(void)state;
	for (stop.nr = 0; stop.nr < 2;) {	/* the first signal, then the second one */
		world = (typeof(world)){ .stop_at = 2, .stop_by = SIGINT };
		assert_int_equal(take(&out), -1);
		assert_sentence(out.text, "profile conns is not written: a signal stopped");
		assert_int_equal(world.nr_reads, 2);
	}
	raise(SIGTERM);
	assert_int_equal(take(&out), -1);
	assert_int_equal(world.nr_reads, 2);
}

/* A closed terminal sends several SIGHUP. The later ones do not stop the reading. */
static void test_another_hangup(void **state)
{
	struct capture out;

	(void)state;
	world.stop_at = 1;
	world.stop_by = SIGHUP;
	stop.nr = 1;
	assert_int_equal(take(&out), 0);
	assert_int_equal(world.nr_taken, NR_VALUES);
}

static void test_check(void **state)
{
	struct capture out;

	(void)state;
	assert_int_equal(check(&out, 12, "locks"), 0);
	assert_string_equal(out.text, "");
	assert_int_equal(check(&out, 12, "lock"), -1);
	assert_sentence(out.text, "'lock': is no profile type, and process 12 keeps no such profile: "
				  "see 'pprof-collect list --pid 12'");
	assert_int_equal(check(&out, 13, "lock"), -1);
	assert_sentence(out.text, "process 13 keeps no such profile");
	world.list_error = -EACCES;
	assert_int_equal(check(&out, 12, "locks"), -1);
	assert_int_equal(world.complained, -EACCES);
}

static void test_kind(void **state)
{
	struct profile_type profile_type = profile_types_custom("conns");

	(void)state;
	assert_string_equal(profile_type.name, "conns");
	assert_string_equal(profile_type.profile.sample_types[0].type, "conns");
	assert_string_equal(profile_type.profile.sample_types[0].unit, "count");
	assert_string_equal(profile_type.profile.period_type.type, "conns");
	assert_int_equal(profile_type.profile.nr_sample_types, 1);
}

static void check_wrong(uint32_t frames, uint32_t cut_bytes)
{
	struct capture out;

	world.nr_taken = 0;
	world.nr_reads = 0;
	world.wrong_frames = frames;
	world.cut_bytes = cut_bytes;
	assert_int_equal(take(&out), -1);
	assert_sentence(out.text, "the module has another format of values: take the module and "
				  "pprof-collect from one build");
	assert_int_equal(world.nr_taken, 2);
	assert_int_equal(world.nr_reads, 1);
}

/* Too many frames, more frames than data, or less than a value: the value is not read. */
static void test_wrong_values(void **state)
{
	(void)state;
	check_wrong(PPROF_MAX_FRAMES + 1, 0);
	check_wrong(UINT32_MAX, 0);
	check_wrong(3, 0);
	check_wrong(2, 8);
	check_wrong(2, 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_values, setup),
		cmocka_unit_test_setup(test_wrong_values, setup),
		cmocka_unit_test_setup(test_errors, setup),
		cmocka_unit_test_setup(test_exec, setup),
		cmocka_unit_test_setup(test_stop, setup),
		cmocka_unit_test_setup(test_another_hangup, setup),
		cmocka_unit_test_setup(test_check, setup),
		cmocka_unit_test_setup(test_kind, setup),
	};

	signal(SIGHUP, SIG_DFL);	/* the parent of this test may ignore it */
	stop.fd = stop_open();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
