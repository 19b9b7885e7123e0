// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a collector that writes windows of 10 s, beside processes that come and go, and checks each
 * file as soon as it is there.
 *
 *	day NR_WINDOWS COLLECTOR
 *
 * Runs in a folder with the programs visitor and visitors, and an empty folder "windows". Prints a
 * line for each hour, one for each problem, and exits with 1 if there is one. It checks:
 *
 * - A window begins when the one before has ended, to the ns, and takes 10 s.
 * - The first file of each hour is there as soon after the end of its window as in other hours: the
 *   times in the files follow the clock.
 * - The sum of all samples in the files is the number that the module has produced, and none is
 *   lost. To read that number afterwards, this program keeps a descriptor of the session.
 * - The processes have as many samples as they computed, and up to a third more: that is what their
 *   start and end take.
 * - The collector removes the oldest window, as soon as there are KEEP younger ones.
 * - The figures of figures.h are not larger in the second half of the hours.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "figures.h"
#include "profile.h"

#define FOLDER		"windows"
#define KEEP		30
#define KEEP_TEXT	"30"
#define NR_STAYING	"4"
#define EVERY_NS	INT64_C(10000000000)
#define HOUR		360	/* windows */
/* The visitors and those that stay compute for 140 ms in 10 s, and are sampled at 100 Hz. */
#define VISITOR_SAMPLES	14
#define MAX_HOURS	48
#define STAMP_LEN	16	/* 20261128T120000Z */
/* All files of a window are there sooner. It is measured afterwards. */
#define QUIET_MS	3000
/* An hour may have a file so much later or sooner than the first hour. */
#define MAX_DRIFT_MS	50.0

struct window {
	char stamp[STAMP_LEN + 1];
	unsigned int nr_files;
};

struct hour {
	struct figures figures;
	double soonest_ms;	/* a file after the end of its window */
	double latest_ms;
	uint64_t samples;
	unsigned int nr_files;
};

static struct {
	pid_t collector, visitors;
	int events;			/* inotify */
	int session;			/* a descriptor of the collector's */
	unsigned int nr_windows;	/* with a file */
	unsigned int nr_wanted;
	int64_t begin_ns, end_ns;	/* of the newest window */
	bool is_last;			/* the newest window may be short */
	bool is_measured;
	long cpu_ms;			/* at the end of the last hour */
	uint64_t samples, visitor_samples;
	struct window windows[KEEP + 2];	/* in the folder, oldest first */
	unsigned int nr_kept;
	struct hour hours[MAX_HOURS];
	unsigned int nr_problems;
} day;

static void __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list args;

	if (day.nr_problems++ > 20)
		return;
	printf("PROBLEM: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct hour *hour_of(unsigned int window)
{
	return &day.hours[(window - 1) / HOUR % MAX_HOURS];
}

/* The hours */

static void print_head(void)
{
	printf("hour    files  samples  soonest   latest");
	for (int i = 0; i < NR_FIGURES; i++)
		printf("  %7s", figure_kinds[i].name);
	printf("\n");
	fflush(stdout);
}

static void print_hour(unsigned int nr, const struct hour *hour)
{
	printf("%4u  %7u  %7lu  %4.1f ms  %4.1f ms", nr, hour->nr_files,
	       (unsigned long)hour->samples, hour->soonest_ms, hour->latest_ms);
	for (int i = 0; i < NR_FIGURES; i++)
		printf("  %7ld", hour->figures.values[i]);
	printf("\n");
	fflush(stdout);
}

static void end_hour(unsigned int nr, struct hour *hour)
{
	long all_ms = cpu_ms(day.collector);

	hour->figures.values[CPU_MS] = all_ms - day.cpu_ms;
	day.cpu_ms = all_ms;
	figures_of_kernel(&hour->figures);
	print_hour(nr, hour);
}

/* Between two windows. */
static void measure(void)
{
	struct hour *hour = hour_of(day.nr_windows);

	if (day.is_measured || !day.nr_windows)
		return;
	day.is_measured = true;
	figure_raise(&hour->figures, PSS_KIB, pss_kib(day.collector));
	figure_raise(&hour->figures, DESCRIPTORS, nr_descriptors(day.collector));
	if (day.nr_windows % HOUR == 0 || day.nr_windows == day.nr_wanted)
		end_hour((day.nr_windows + HOUR - 1) / HOUR, hour);
}

/* The largest value of some hours. */
static long largest(int figure, unsigned int first, unsigned int end)
{
	long value = 0;

	for (unsigned int i = first; i < end; i++)
		if (day.hours[i].figures.values[figure] > value)
			value = day.hours[i].figures.values[figure];
	return value;
}

static void check_figures(unsigned int nr_hours)
{
	for (int i = 0; i < NR_FIGURES && nr_hours >= 4; i++) {
		long before = largest(i, 0, nr_hours / 2);
		long after = largest(i, nr_hours / 2, nr_hours);

		if (!before && i != MODULE_KIB)
			complain("%s is 0: it was not read", figure_kinds[i].name);
		if (after > before + before / 50 + figure_kinds[i].slack)
			complain("%s has grown: %ld at most in the first half of the hours, and "
				 "then %ld", figure_kinds[i].name, before, after);
	}
	for (unsigned int i = 1; i < nr_hours; i++)
		if (day.hours[i].soonest_ms > day.hours[0].soonest_ms + MAX_DRIFT_MS ||
		    day.hours[i].soonest_ms < day.hours[0].soonest_ms - MAX_DRIFT_MS)
			complain("the windows of hour %u drift: %.1f ms after %.1f ms", i + 1,
				 day.hours[i].soonest_ms, day.hours[0].soonest_ms);
}

/* The files */

static void check_stamp(const char *name, int64_t time_ns)
{
	time_t seconds = time_ns / 1000000000;
	char stamp[STAMP_LEN + 1];
	struct tm tm;

	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&seconds, &tm));
	if (strncmp(name, stamp, STAMP_LEN))
		complain("%s begins at %s", name, stamp);
}

static void keep_window(const char *name)
{
	if (day.nr_kept == KEEP + 2) {
		complain("no window was removed when %s came", name);
		memmove(day.windows, day.windows + 1, --day.nr_kept * sizeof(*day.windows));
	}
	day.windows[day.nr_kept] = (struct window){ 0 };
	memcpy(day.windows[day.nr_kept++].stamp, name, STAMP_LEN);
}

static void begin_window(const char *name, const struct profile *p)
{
	double late_ms = (now_ns() - p->time_ns - p->duration_ns) / 1e6;
	struct hour *hour;

	if (day.nr_windows && p->time_ns != day.end_ns)
		complain("%s begins %ld ns after the end of the window before", name,
			 (long)(p->time_ns - day.end_ns));
	if (p->duration_ns != EVERY_NS && !day.is_last)
		complain("%s has %ld ns", name, (long)p->duration_ns);
	hour = hour_of(++day.nr_windows);
	if (!hour->soonest_ms || late_ms < hour->soonest_ms)
		hour->soonest_ms = late_ms;
	if (late_ms > hour->latest_ms)
		hour->latest_ms = late_ms;
	day.begin_ns = p->time_ns;
	day.end_ns = p->time_ns + p->duration_ns;
	day.is_measured = false;
	keep_window(name);
	figure_raise(&hour->figures, PEAK_KIB, pss_of_all_kib(day.collector));
}

static void take_file(const char *name)
{
	char path[sizeof(FOLDER) + NAME_MAX + 1];
	struct profile p;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	if (!read_profile(path, &p)) {
		complain("%s is no profile", name);
		return;
	}
	check_stamp(name, p.time_ns);
	if (!day.nr_windows || p.time_ns != day.begin_ns)
		begin_window(name, &p);
	else if (p.time_ns + p.duration_ns != day.end_ns)
		complain("%s has %ld ns, and not those of its window", name, (long)p.duration_ns);
	day.windows[day.nr_kept - 1].nr_files++;
	hour_of(day.nr_windows)->nr_files++;
	hour_of(day.nr_windows)->samples += p.samples;
	day.samples += p.samples;
	if (strstr(name, ".visitor.") || strstr(name, ".copy"))
		day.visitor_samples += p.samples;
}

static void take_removed(const char *name)
{
	if (!day.nr_kept || strncmp(name, day.windows[0].stamp, STAMP_LEN)) {
		complain("%s was removed, and is not of the oldest window", name);
		return;
	}
	if (day.nr_kept <= KEEP)
		complain("%s was removed beside %u younger windows", name, day.nr_kept - 1);
	if (!--day.windows[0].nr_files)
		memmove(day.windows, day.windows + 1, --day.nr_kept * sizeof(*day.windows));
}

/* Temporary files begin with a dot. */
static void take_event(const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		complain("events of files were lost");
	else if (event->len && event->name[0] != '.' && event->mask & IN_MOVED_TO)
		take_file(event->name);
	else if (event->len && event->name[0] != '.' && event->mask & IN_DELETE)
		take_removed(event->name);
}

/* Returns: was there an event in that time? */
static bool take_events(int wait_ms)
{
	char buffer[64 << 10] __attribute__((aligned(8)));
	struct pollfd fd = { .fd = day.events, .events = POLLIN };
	ssize_t bytes;

	if (poll(&fd, 1, wait_ms) <= 0)
		return false;
	bytes = read(day.events, buffer, sizeof(buffer));
	for (ssize_t at = 0; at < bytes;) {
		const struct inotify_event *event = (const void *)(buffer + at);

		take_event(event);
		at += sizeof(*event) + event->len;
	}
	return true;
}

static void check_folder(void)
{
	unsigned int nr = 0, nr_wanted = 0;
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (folder)
		closedir(folder);
	for (unsigned int i = 0; i < day.nr_kept; i++)
		nr_wanted += day.windows[i].nr_files;
	if (nr != nr_wanted)
		complain("the folder has %u files, and not %u", nr, nr_wanted);
	if (day.nr_kept != (day.nr_windows < KEEP ? day.nr_windows : KEEP))
		complain("the folder has %u windows", day.nr_kept);
}

/* The processes */

static pid_t begin(char *const *argv)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "cannot start a process");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execv(argv[0], argv);
	err(127, "cannot execute %s", argv[0]);
}

static void end(pid_t pid, int nr, const char *name)
{
	int status;

	kill(pid, nr);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			err(1, "cannot wait for %s", name);
	if (status)
		complain("%s ended with status 0x%x", name, status);
}

/* Keeps the collector's session, with its counters, after the collector's end. */
static void hold_session(void)
{
	int pidfd = syscall(SYS_pidfd_open, day.collector, 0);
	char path[64], target[64];
	ssize_t len;

	for (int fd = 0; day.session < 0 && fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", day.collector, fd);
		len = readlink(path, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = 0;
		if (!strcmp(target, "/dev/pprof"))
			day.session = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	}
	if (day.session < 0)
		complain("the collector has no session: %s", strerror(errno));
	close(pidfd);
}

/* Compares the samples in the files with those that the module counted: cpu, on all CPUs. */
static void check_sums(const char *collector)
{
	unsigned long produced = 0, lost = 0;
	bool any = false;
	char line[256];
	FILE *status;

	snprintf(line, sizeof(line), "%s status", collector);
	status = popen(line, "r");
	while (status && fgets(line, sizeof(line), status))
		any |= sscanf(line, " cpu all %lu %lu", &produced, &lost) == 2;
	if (!status || pclose(status) || !any)
		complain("the session has no counters");
	if (produced != day.samples || lost)
		complain("%lu samples were produced and %lu lost, and the files have %lu", produced,
			 lost, (unsigned long)day.samples);
	if (day.visitor_samples < day.nr_windows * VISITOR_SAMPLES * 97 / 100 ||
	    day.visitor_samples > day.nr_windows * VISITOR_SAMPLES * 133 / 100)
		complain("the visitors have %lu samples, and not some %u",
			 (unsigned long)day.visitor_samples, day.nr_windows * VISITOR_SAMPLES);
	printf("%lu samples produced, %lu lost, %lu in the files, %lu of them of visitors\n",
	       produced, lost, (unsigned long)day.samples, (unsigned long)day.visitor_samples);
}

/* Returns when the windows are there, or none comes any more. */
static void watch_windows(void)
{
	int nr_waits = 0;

	while (day.nr_windows < day.nr_wanted || !day.is_measured) {
		if (take_events(QUIET_MS)) {
			nr_waits = 0;
			continue;
		}
		measure();
		if (++nr_waits * (int64_t)QUIET_MS * 1000000 < 2 * EVERY_NS)
			continue;
		complain("no file came for %d ms", nr_waits * QUIET_MS);
		return;
	}
}

static void begin_both(char *collector)
{
	char *const visitors[] = { "./visitors", NR_STAYING, NULL };
	char *const options[] = { collector, "--all", "--by", "process", "--every", "10s",
				  "--keep", KEEP_TEXT, "--dir", FOLDER, NULL };

	day.visitors = begin(visitors);
	day.collector = begin(options);
}

/* The visitors end first: the last of them sleep for 3 s. */
static void end_both(void)
{
	end(day.visitors, SIGTERM, "visitors");
	while (take_events(QUIET_MS + 2000))
		;
	hold_session();
	day.is_last = true;
	end(day.collector, SIGINT, "the collector");
	while (take_events(0))
		;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		errx(2, "usage: day NR_WINDOWS COLLECTOR");
	day.session = -1;
	day.nr_wanted = atoi(argv[1]);
	day.events = inotify_init1(IN_CLOEXEC);
	if (inotify_add_watch(day.events, FOLDER, IN_MOVED_TO | IN_DELETE) < 0)
		err(1, "cannot watch " FOLDER);
	begin_both(argv[2]);
	print_head();
	watch_windows();
	end_both();
	check_folder();
	check_sums(argv[2]);
	check_figures(day.nr_windows / HOUR);
	printf("%u windows, %u problems\n", day.nr_windows, day.nr_problems);
	return day.nr_problems ? 1 : 0;
}
