// SPDX-License-Identifier: GPL-2.0
// libs: -Wl,--wrap=device_set_ranges
/*
 * Measures the cost of a sample. It does the same work with and without a profiler, in turns,
 * and divides the difference by the number of samples. The samples are not read during the
 * work, so the cost is that of the interrupt and of writing the record. If an instruction
 * takes a nanosecond (tests/vm/run --icount) and no other program runs, the cost is a number
 * of instructions.
 *
 *	cost tables HZ	this process profiles itself by unwind tables
 *	cost shared HZ	the same, and samples leave out frames, as for the collector
 *	cost labels HZ	the same, and the thread has labels
 *	cost beside HZ	the same, and only another thread has labels
 *	cost context HZ	by tables, and the thread has a thread context of OpenTelemetry
 *	cost custom HZ	the same, with one label of the Custom Label ABI
 *	cost none HZ	the same, with the variable, and no labels
 *	cost calls HZ	by tables, and the thread is in system calls
 *	cost kernel HZ	the same, with the frames of the kernel
 *	cost fp HZ	by frame pointers
 *	cost perf HZ	with the event of "perf record -e cpu-clock -F HZ --call-graph fp"
 *	cost work	the work alone, for a profiler from outside
 *
 * Prints key=value lines: the median, the least and the most of the costs, and the bytes of a
 * sample. The work is done in 20 frames: main, compare, run, measure, descend (15 times), spin.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device/shared_frames.h"
#include "pprof_client.h"
#include "session.h"
#include "../programs/program.h"

#define NR_DESCENDS	15
#define REPETITIONS	3
#define ITERS		50000000	/* 0.2 s, if an instruction takes a nanosecond */
#define RING_BYTES	(16U << 20)
#define NR_CALLS	200

struct tally {
	uint64_t nr_samples;
	uint64_t nr_frames;
	uint64_t nr_bytes;
};

/* A profiler. open and close are not measured, because it takes long to allocate rings. */
struct profiler {
	const char *name;
	void (*open)(uint64_t hz);
	void (*start)(uint64_t hz);
	void (*stop)(void);
	void (*tally)(struct tally *tally);
	void (*close)(void);
};

static struct device *session;
static bool in_calls;	/* the work is in system calls */

static void open_fp(uint64_t hz)
{
	(void)hz;
	session = session_open(getpid(), 0, RING_BYTES, 0);
}

static void open_tables(uint64_t hz)
{
	(void)hz;
	session = session_open(getpid(), PPROF_SETUP_TABLES, RING_BYTES, 0);
	session_send_tables(session, getpid());
}

static void open_shared(uint64_t hz)
{
	(void)hz;
	session = session_open(getpid(), PPROF_SETUP_TABLES | PPROF_SETUP_SHARED, RING_BYTES, 0);
	session_send_tables(session, getpid());
}

static void open_labels(uint64_t hz)
{
	need("labels", pprof_set_labels(pprof_with_label(0, "role", "worker")));
	open_tables(hz);
}

/* The variable of each thread context, and where the module finds it. */
static __thread const void *variable;
static struct pprof_tls_address variable_at;

int __real_device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id,
			     const struct pprof_range *list, uint32_t nr,
			     const struct pprof_tls_address *context);
int __wrap_device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id,
			     const struct pprof_range *list, uint32_t nr,
			     const struct pprof_tls_address *context);

int __wrap_device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id,
			     const struct pprof_range *list, uint32_t nr,
			     const struct pprof_tls_address *context)
{
	return __real_device_set_ranges(d, pid, exec_id, list, nr,
					variable_at.kind ? &variable_at : context);
}

static void open_variable(const void *value, uint32_t format)
{
	variable = value;
	variable_at = (struct pprof_tls_address){
		.kind = PPROF_TLS_STATIC, .format = format,
		.offset = (char *)&variable - (char *)__builtin_thread_pointer(),
	};
	session = session_open(getpid(), PPROF_SETUP_TABLES | PPROF_SETUP_CONTEXT, RING_BYTES, 0);
	session_send_tables(session, getpid());
}

static void open_context(uint64_t hz)
{
	static const uint8_t record[PPROF_MIN_CONTEXT_BYTES] = { 1, [16] = 2, [24] = 1 };

	(void)hz;
	open_variable(record, PPROF_CONTEXT_OTEL);
}

static void open_custom(uint64_t hz)
{
	static const char key[] = "customer", value[] = "7";
	static uint64_t entry[4] = { sizeof(key) - 1, 0, sizeof(value) - 1, 0 };
	static uint64_t set[3] = { 0, 1, 1 };

	(void)hz;
	entry[1] = (uintptr_t)key;
	entry[3] = (uintptr_t)value;
	set[0] = (uintptr_t)entry;
	open_variable(set, PPROF_CONTEXT_LABELS);
}

static void open_none(uint64_t hz)
{
	(void)hz;
	open_variable(NULL, PPROF_CONTEXT_LABELS);
}

static void open_calls(uint64_t hz)
{
	in_calls = true;
	open_tables(hz);
}

static void open_kernel(uint64_t hz)
{
	(void)hz;
	in_calls = true;
	session = session_open(getpid(), PPROF_SETUP_TABLES | PPROF_SETUP_KERNEL, RING_BYTES, 0);
	session_send_tables(session, getpid());
}

static void *keep_labels(void *ready)
{
	need("labels", pprof_set_labels(pprof_with_label(0, "role", "other")));
	sem_post(ready);
	pause();
	return ready;
}

static void open_beside(uint64_t hz)
{
	pthread_t thread;
	sem_t ready;

	sem_init(&ready, 0, 0);
	need("a thread", pthread_create(&thread, NULL, keep_labels, &ready));
	sem_wait(&ready);
	open_tables(hz);
}

static void start_pprof(uint64_t hz)
{
	need("starting pprof", device_start(session, PPROF_SOURCE_CPU, NSEC_PER_SEC / hz));
}

static void stop_pprof(void)
{
	need("stopping pprof", device_stop(session, PPROF_SOURCE_CPU));
}

static void tally_ring(const struct ring *ring, struct tally *tally)
{
	uint64_t pos = ring_tail(ring), head = ring_head(ring);
	struct shared_frames shared = { 0 };
	const struct pprof_record *record;
	const struct pprof_sample *sample;

	while ((record = ring_next(ring, &pos, head))) {
		if (record->type != PPROF_REC_SAMPLE)
			continue;
		tally->nr_samples++;
		tally->nr_bytes += record->size;
		sample = (const struct pprof_sample *)record;
		need("whole samples", shared_frames_add(&shared, 0, &sample));
		tally->nr_frames += sample->nr_frames;
	}
	shared_frames_fini(&shared);
}

static void tally_pprof(struct tally *tally)
{
	uint32_t cpu;

	for (cpu = 0; cpu < device_nr_rings(session); cpu++)
		if (device_ring(session, cpu))
			tally_ring(device_ring(session, cpu), tally);
}

static void close_pprof(void)
{
	device_close(session);
}

static int event;
static struct perf_event_mmap_page *event_page;

static size_t perf_ring_size(void)
{
	return sysconf(_SC_PAGESIZE) + RING_BYTES;
}

static void open_perf(uint64_t hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD,
		.disabled = 1,
		.sample_id_all = 1,
		.exclude_guest = 1,
	};

	event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		die("perf_event_open", errno);
	event_page = mmap(NULL, perf_ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	if (event_page == MAP_FAILED)
		die("mapping perf's ring", errno);
}

static void start_perf(uint64_t hz)
{
	(void)hz;
	if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		die("starting perf", errno);
}

static void stop_perf(void)
{
	if (ioctl(event, PERF_EVENT_IOC_DISABLE, 0))
		die("stopping perf", errno);
}

/* The sample of perf with the fields that open_perf() sets. */
struct perf_sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period;
	uint64_t nr;
	uint64_t ips[];
};

static uint64_t nr_perf_frames(const struct perf_sample *sample)
{
	uint64_t i, nr = 0;

	for (i = 0; i < sample->nr; i++)
		nr += sample->ips[i] < (uint64_t)PERF_CONTEXT_MAX;
	return nr;
}

/* No record wraps around: the ring is larger than all records. */
static void tally_perf(struct tally *tally)
{
	const unsigned char *data = (unsigned char *)event_page + sysconf(_SC_PAGESIZE);
	const struct perf_event_header *header;
	uint64_t pos;

	for (pos = 0; pos < event_page->data_head; pos += header->size) {
		header = (const struct perf_event_header *)(data + pos);
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		tally->nr_samples++;
		tally->nr_frames += nr_perf_frames((const struct perf_sample *)header);
	}
}

static void close_perf(void)
{
	munmap(event_page, perf_ring_size());
	close(event);
}

static const struct profiler profilers[] = {
	{ "tables", open_tables, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "shared", open_shared, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "labels", open_labels, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "beside", open_beside, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "context", open_context, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "custom", open_custom, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "none", open_none, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "calls", open_calls, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "kernel", open_kernel, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "fp", open_fp, start_pprof, stop_pprof, tally_pprof, close_pprof },
	{ "perf", open_perf, start_perf, stop_perf, tally_perf, close_perf },
};

static KEEP void read_zeros(void)
{
	static char room[256 << 10];
	const struct iovec to = { room, sizeof(room) };
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < NR_CALLS; i++)
		if (readv(fd, &to, 1) != sizeof(room))
			die("/dev/zero", errno);
	close(fd);
}

static KEEP void descend(unsigned int frames)
{
	if (frames > 1)
		descend(frames - 1);
	else if (in_calls)
		read_zeros();
	else
		spin(ITERS);
}

static KEEP uint64_t measure(void)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	descend(NR_DESCENDS);
	return clock_ns(CLOCK_MONOTONIC) - start_ns;
}

/* Without the profiler before and after: a drift of the machine is in both values. */
static KEEP double run(const struct profiler *profiler, uint64_t hz, struct tally *tally)
{
	uint64_t without_ns, with_ns;

	*tally = (struct tally){ 0 };
	profiler->open(hz);
	without_ns = measure();
	profiler->start(hz);
	with_ns = measure();
	profiler->stop();
	without_ns += measure();
	profiler->tally(tally);
	profiler->close();
	if (!tally->nr_samples)
		die(profiler->name, ENODATA);
	return (with_ns - without_ns / 2.0) / tally->nr_samples;
}

static int ascending(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void print_median(const char *name, double values[REPETITIONS])
{
	qsort(values, REPETITIONS, sizeof(*values), ascending);
	printf("%s_ns=%.0f\n%s_least_ns=%.0f\n%s_most_ns=%.0f\n", name, values[REPETITIONS / 2],
	       name, values[0], name, values[REPETITIONS - 1]);
}

/* The memory of a closed profiler is freed later, and that must not be measured. */
static KEEP void compare(const struct profiler *profiler, uint64_t hz)
{
	double costs[REPETITIONS];
	struct tally tally;
	unsigned int i;

	measure();
	for (i = 0; i < REPETITIONS; i++) {
		costs[i] = run(profiler, hz, &tally);
		usleep(100000);
	}
	print_median(profiler->name, costs);
	printf("%s_samples=%" PRIu64 "\n%s_frames=%.1f\n%s_bytes=%.1f\n", profiler->name,
	       tally.nr_samples, profiler->name, (double)tally.nr_frames / tally.nr_samples,
	       profiler->name, (double)tally.nr_bytes / tally.nr_samples);
}

static KEEP void work_only(void)
{
	double times[REPETITIONS];
	unsigned int i;

	measure();
	for (i = 0; i < REPETITIONS; i++)
		times[i] = measure();
	print_median("work", times);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "work")) {
		work_only();
		return 0;
	}
	for (i = 0; i < sizeof(profilers) / sizeof(*profilers) && argc == 3; i++) {
		if (strcmp(argv[1], profilers[i].name))
			continue;
		compare(&profilers[i], arg_scaled(argv[2], 1, 1, 10000));
		return 0;
	}
	usage("cost tables|shared|labels|beside|context|custom|none|calls|kernel|fp|perf HZ | cost work");
}
