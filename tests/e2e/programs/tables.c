// SPDX-License-Identifier: GPL-2.0
/*
 * Uploads unwind tables and ranges in ways that the collector never does.
 *
 *	tables errors PID	wrong tables and ranges, with PID for a target
 *	tables bounds		as many tables as a user without rights may have
 *	tables unwind		a table written by hand, for code of this program
 *
 * Prints a line for each problem, and exits with 1 if there is one.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "device.h"
#include "maketable.h"

#define OFFSET		0x3000U	/* of the first row in the file, which does not exist */
#define LARGE_BYTES	(40U << 20)

static const struct row one_row = { OFFSET, { .cfa = PPROF_CFA_END } };

static int add(int fd, const struct pprof_table_head *table, unsigned int *number)
{
	return add_table(fd, table, table->bytes, number);
}

static __u64 checked_exec_id(int fd, int pid)
{
	__u64 exec_id;

	check("exec id", read_exec_id(fd, pid, &exec_id), 0);
	return exec_id;
}

static void check_sessions_without(int pid)
{
	struct pprof_table_head *table = make_table(&one_row, 1, 1, 0);
	int fd = open_device();
	unsigned int number;

	check("table before setup", add(fd, table, &number), EINVAL);
	check("drop before setup", drop_table(fd, 1), EINVAL);
	check("bind before setup", bind_table(fd, 0, fd), EINVAL);
	check("ranges before setup", set_ranges(fd, pid, 0, NULL, 0), EINVAL);
	check("setup", setup(fd, 0, RING_BYTES), 0);
	check("table without setup for tables", add(fd, table, &number), EINVAL);
	check("drop without setup for tables", drop_table(fd, 1), EINVAL);
	check("bind without setup for tables", bind_table(fd, 0, fd), EINVAL);
	check("ranges without setup for tables", set_ranges(fd, pid, 0, NULL, 0), EINVAL);
	close(fd);
	free(table);
}

static void check_tables(int fd)
{
	struct pprof_table_head *table = make_table(&one_row, 1, 1, 0);
	struct pprof_table_add arg = {
		.size = sizeof(arg), .data = (unsigned long)table, .bytes = table->bytes, .pad = 1,
	};
	unsigned int number, second;

	check("table, padding", ioctl(fd, PPROF_IOC_TABLE_ADD, &arg), EINVAL);
	check("table, no memory", add_table(fd, NULL, table->bytes, &number), EFAULT);
	check("table, of the kernel", add_table(fd, (void *)-4096UL, 64, &number), EFAULT);
	check("table, empty", add_table(fd, table, 0, &number), EINVAL);
	check("table, short", add_table(fd, table, table->bytes - 8, &number), EINVAL);
	check("table, too large", add_table(fd, table, PPROF_TABLE_MAX_BYTES + 1, &number), E2BIG);
	check("table, much too large", add_table(fd, table, -1U, &number), E2BIG);
	table->magic++;
	check("table, no magic", add(fd, table, &number), EINVAL);
	table->magic--;
	table_set_rule(table, 0, 1);
	check("table, unknown rule", add(fd, table, &number), EINVAL);
	table_set_rule(table, 0, 0);
	check("table", add(fd, table, &number), 0);
	check("second table", add(fd, table, &second), 0);
	check_that("tables have numbers", number && second && number != second);
	check("drop 0", drop_table(fd, 0), ENOENT);
	check("drop of an unknown table", drop_table(fd, 12345), ENOENT);
	check("drop", drop_table(fd, number), 0);
	check("second drop", drop_table(fd, number), ENOENT);
	check("drop of the second", drop_table(fd, second), 0);
	free(table);
}

static void check_bind(int fd)
{
	struct pprof_table_head *table = make_table(&one_row, 1, 1, 0);
	struct pprof_table_bind arg = { .size = sizeof(arg), .ctime_nsec = 1000000000 };
	int file = open("/proc/self/exe", O_RDONLY), folder = open("/", O_RDONLY);
	unsigned int number;

	arg.fd = file;
	check("bind, ctime", ioctl(fd, PPROF_IOC_TABLE_BIND, &arg), EINVAL);
	check("bind, no file", bind_table(fd, 0, 1000), EBADF);
	check("bind, the vDSO", bind_table(fd, 0, -1), 0);
	check("bind, a folder", bind_table(fd, 0, folder), EINVAL);
	check("bind, a device", bind_table(fd, 0, fd), EINVAL);
	check("bind, unknown table", bind_table(fd, 12345, file), ENOENT);
	check("bind, no table", bind_table(fd, 0, file), 0);
	check("table to bind", add(fd, table, &number), 0);
	check("bind", bind_table(fd, number, file), 0);
	check("bind again", bind_table(fd, number, file), 0);
	check("drop of a bound table", drop_table(fd, number), 0);
	check("bind of a dropped table", bind_table(fd, number, file), ENOENT);
	close(file);
	close(folder);
	free(table);
}

#define RANGE(from, to)	.start = (from), .end = (to)

static void check_each_range(int fd, int pid, __u64 exec_id, unsigned int table)
{
	static const struct {
		const char *what;
		struct pprof_range second;
		int want;
	} cases[] = {
		{ "ranges", { RANGE(8192, 12288) }, 0 },
		{ "ranges, overlapping", { RANGE(8191, 12288) }, EINVAL },
		{ "ranges, falling", { RANGE(0, 4096) }, EINVAL },
		{ "ranges, empty one", { RANGE(8192, 8192) }, EINVAL },
		{ "ranges, negative one", { RANGE(12288, 8192) }, EINVAL },
		{ "ranges, padding", { RANGE(8192, 12288), .pad = 1 }, EINVAL },
		{ "ranges, unknown table", { RANGE(8192, 12288), .table = 99 }, ENOENT },
		{ "ranges of the kernel", { RANGE(8192, -4096ULL) }, EINVAL },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pprof_range ranges[] = {
			{ RANGE(4096, 8192), .table = table }, cases[i].second,
		};

		check(cases[i].what, set_ranges(fd, pid, exec_id, ranges, 2), cases[i].want);
	}
}

static void check_ranges(int fd, int pid)
{
	const struct pprof_range range = { RANGE(4096, 8192) };
	__u64 exec_id = checked_exec_id(fd, pid);
	struct pprof_ranges arg = {
		.size = sizeof(arg), .pid = pid, .exec_id = exec_id, .pad = 1,
	};
	struct pprof_table_head *table = make_table(&one_row, 1, 1, 0);
	static struct pprof_range many[PPROF_MAX_RANGES + 1];
	unsigned int number;

	check("ranges, padding", ioctl(fd, PPROF_IOC_RANGES, &arg), EINVAL);
	check("ranges of 0", set_ranges(fd, 0, exec_id, &range, 1), EINVAL);
	check("ranges of -1", set_ranges(fd, -1, exec_id, &range, 1), EINVAL);
	check("ranges of no process", set_ranges(fd, NO_PID, exec_id, &range, 1), ESRCH);
	check("ranges of no target", set_ranges(fd, getpid(), exec_id, &range, 1), ESRCH);
	check("ranges of another exec id", set_ranges(fd, pid, exec_id + 1, &range, 1), ESRCH);
	check("ranges, no memory", set_ranges(fd, pid, exec_id, NULL, 1), EFAULT);
	check("no ranges", set_ranges(fd, pid, exec_id, NULL, 0), 0);
	for (unsigned int i = 0; i <= PPROF_MAX_RANGES; i++)
		many[i] = (struct pprof_range) { RANGE(4096ULL * (i + 1), 4096ULL * (i + 2)) };
	check("most ranges", set_ranges(fd, pid, exec_id, many, PPROF_MAX_RANGES), 0);
	check("too many ranges", set_ranges(fd, pid, exec_id, many, PPROF_MAX_RANGES + 1), EINVAL);
	check("far too many ranges", set_ranges(fd, pid, exec_id, many, -1U), EINVAL);
	check("table", add(fd, table, &number), 0);
	check_each_range(fd, pid, exec_id, number);
	check("drop of what is used", drop_table(fd, number), 0);
	check_each_range(fd, pid, exec_id, 0);
	free(table);
}

static void try_errors(int pid)
{
	int fd = open_device();

	check_sessions_without(pid);
	check("setup", setup(fd, PPROF_SETUP_TABLES, RING_BYTES), 0);
	check_tables(fd);
	check_bind(fd);
	check("attach", attach(fd, pid, NULL), 0);
	check_ranges(fd, pid);
	close(fd);
}

/* Two of these exceed PPROF_MAX_USER_TABLE_BYTES. */
static struct pprof_table_head *make_large_table(void)
{
	return make_table(&one_row, 1, LARGE_BYTES / 4, 0);
}

static int open_for_tables(void)
{
	int fd = open_device();

	check("setup", setup(fd, PPROF_SETUP_TABLES, RING_BYTES), 0);
	return fd;
}

/* The bound is for all sessions of a user. A dropped table, or a closed session, makes room. */
static void try_bounds(void)
{
	struct pprof_table_head *table = make_large_table();
	int fd = open_for_tables(), second = open_for_tables();
	unsigned int number, none;

	check("first large table", add(fd, table, &number), 0);
	check("second large table", add(fd, table, &none), ENOSPC);
	check("second large table of another session", add(second, table, &none), ENOSPC);
	check("drop", drop_table(fd, number), 0);
	check("large table anew", add(second, table, &number), 0);
	check("large table again", add(fd, table, &none), ENOSPC);
	close(second);
	check("large table after a close", add(fd, table, &number), 0);
	check("drop", drop_table(fd, number), 0);
	table->magic = 0;
	for (int i = 0; i < 3; i++)
		check("no table", add(fd, table, &none), EINVAL);
	table->magic = PPROF_TABLE_MAGIC;
	table->machine++;
	check("table of another machine", add(fd, table, &none), EINVAL);
	table->machine--;
	check("large table after those", add(fd, table, &number), 0);
	close(fd);
	free(table);
}

/*
 * Three functions that only a table can unwind: hand_a calls hand_b, which calls hand_c.
 * In the last two rbp is no frame pointer.
 */
void hand_a(unsigned long iters);
extern const char hand_text[], hand_a_in[], hand_a_on[], hand_b_in[], hand_b_out[], hand_b_on[],
	hand_c_in[], hand_end[];

__asm__(".pushsection .text\n"
	"	.balign 4096\n"
	"hand_text:\n"
	"	.globl hand_a\n"
	"hand_a:	sub $24, %rsp\n"
	"hand_a_in:	call 1f\n"
	"hand_a_on:	add $24, %rsp\n"
	"	ret\n"
	"	.balign 256\n"
	"1:	push %rbp\n"
	"	xor %ebp, %ebp\n"
	"hand_b_in:	call 2f\n"
	"hand_b_on:	pop %rbp\n"
	"hand_b_out:	ret\n"
	"	.balign 256\n"
	"2:	mov %rdi, %rbp\n"
	"hand_c_in:	dec %rbp\n"
	"	jnz hand_c_in\n"
	"	ret\n"
	"	.balign 4096\n"
	"hand_end:\n"
	"	.popsection\n");

#define RSP(n)	.cfa = PPROF_CFA_SP, .cfa_offset = 8 * (n), .ra = PPROF_REG_RA

static struct pprof_table_head *make_hand_table(void)
{
	const struct pprof_rule entry = { RSP(1) }, in_a = { RSP(4) };
	const struct pprof_rule in_b = { RSP(2), .fp = PPROF_FP_SAVED, .fp_offset = -16 };
	const struct pprof_rule in_c = { RSP(1), .fp = PPROF_FP_LOST };
	const struct row rows[] = {
		{ OFFSET, entry },
		{ OFFSET + hand_a_in - hand_text, in_a },
		{ OFFSET + 256, entry },
		{ OFFSET + hand_b_in - hand_text, in_b },
		{ OFFSET + hand_b_out - hand_text, entry },
		{ OFFSET + 512, entry },
		{ OFFSET + hand_c_in - hand_text, in_c },
	};

	return make_table(rows, 7, 3, 0);
}

struct seen {
	unsigned int nr_in_c;	/* samples in hand_c */
	unsigned int nr_whole;	/* of those: with exactly these three frames */
	unsigned int nr_stale;
	unsigned int nr_unknown;	/* PPROF_END_NO_RANGES */
};

static struct {
	struct pprof_ring_tail *tail;
	struct pprof_ring_head *head;
} ring;

static void map_ring(int fd)
{
	ring.tail = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 PPROF_MMAP_TAIL(0));
	ring.head = mmap(NULL, PAGE_BYTES + RING_BYTES, PROT_READ, MAP_SHARED, fd,
			 PPROF_MMAP_DATA(0));
	check_that("rings", ring.tail != MAP_FAILED && ring.head != MAP_FAILED);
}

static void look_at(const struct pprof_sample *sample, struct seen *seen)
{
	unsigned long long pc = sample->frames[0];

	seen->nr_unknown += sample->end_reason == PPROF_END_NO_RANGES;
	if (pc < (unsigned long)hand_c_in || pc >= (unsigned long)hand_end)
		return;
	seen->nr_in_c++;
	seen->nr_stale += (sample->flags & PPROF_SAMPLE_STALE) != 0;
	seen->nr_whole += sample->end_reason == PPROF_END_NO_RANGE && sample->nr_frames == 3 &&
			  sample->frames[1] == (unsigned long)hand_b_on &&
			  sample->frames[2] == (unsigned long)hand_a_on;
}

/* Drains the ring, and counts the samples of a process. */
static void look(int pid, struct seen *seen)
{
	const char *data = (const char *)ring.head + PAGE_BYTES;
	__u64 head = __atomic_load_n(&ring.head->head, __ATOMIC_ACQUIRE);
	const struct pprof_event *ev;

	while (ring.tail->tail != head) {
		ev = (const struct pprof_event *)(data + (ring.tail->tail & (RING_BYTES - 1)));
		if (ev->rec.type == PPROF_REC_SAMPLE && (int)ev->pid == pid)
			look_at((const struct pprof_sample *)ev, seen);
		__atomic_store_n(&ring.tail->tail, ring.tail->tail + ev->rec.size,
				 __ATOMIC_RELEASE);
	}
}

#define STEP_MS		20
#define LOOK_MS		300
#define AWAIT_MS	30000
#define ENOUGH		5

/* Returns: the samples from now on, for LOOK_MS, or longer until there are ENOUGH. */
static struct seen look_again(int pid)
{
	struct seen before = { 0 }, seen = { 0 };
	int ms;

	look(pid, &before);
	for (ms = 0; ms < LOOK_MS || (ms < AWAIT_MS && seen.nr_in_c < ENOUGH &&
				      seen.nr_unknown < ENOUGH); ms += STEP_MS) {
		sleep_us(STEP_MS * 1000);
		look(pid, &seen);
	}
	return seen;
}

static void check_whole(const char *what, int pid, int stale)
{
	struct seen seen = look_again(pid);

	check_that(what, seen.nr_in_c >= ENOUGH && seen.nr_whole == seen.nr_in_c);
	check_that(what, seen.nr_stale == (stale ? seen.nr_in_c : 0));
}

static void check_unknown(const char *what, int pid)
{
	struct seen seen = look_again(pid);

	check_that(what, seen.nr_unknown >= ENOUGH && !seen.nr_whole);
}

/* A process that burns CPU. At a signal it maps code, forks, or executes itself. */
static volatile int wanted;

static void want(int signal)
{
	wanted = signal;
}

static void do_what_is_wanted(void)
{
	switch (__atomic_exchange_n(&wanted, 0, __ATOMIC_RELAXED)) {
	case SIGUSR1:
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		break;
	case SIGALRM:
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		break;
	case SIGUSR2:
		fork();
		break;
	case SIGHUP:
		execl("/proc/self/exe", "tables", "burn", NULL);
	}
}

static void burn(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, want);
	signal(SIGUSR2, want);
	signal(SIGALRM, want);
	signal(SIGHUP, want);
	for (;;) {
		hand_a(1000000);
		do_what_is_wanted();
	}
}

static int start_burning(void)
{
	int pid = fork();

	if (!pid)
		burn();
	return pid;
}

/* Returns: the only child of a process, or 0 if there is none yet. */
static int child_of(int pid)
{
	char path[64];
	int child = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%d", &child) != 1)
		child = 0;
	if (file)
		fclose(file);
	return child;
}

static int has_executed(int pid)
{
	static const char line[] = "tables\0burn";
	char path[64], bytes[sizeof(line)] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return !memcmp(bytes, line, sizeof(line));
}

/* Returns: the number of mappings with these rights, and without a file or a name. */
static int nr_anonymous(int pid, const char *rights)
{
	char path[64], line[512], is[8];
	int nr = 0, end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		end = 0;
		sscanf(line, "%*x-%*x %4s 00000000 00:00 0 %n", is, &end);
		nr += end && !line[end] && !strcmp(is, rights);
	}
	if (file)
		fclose(file);
	return nr;
}

static int has_more_code(int pid)
{
	return nr_anonymous(pid, "r-xp");
}

static int has_writable_code(int pid)
{
	return nr_anonymous(pid, "rwxp");
}

/* Returns: the first answer of ask() that is not 0; or 0, after AWAIT_MS and a message. */
static int await(const char *what, int (*ask)(int pid), int pid)
{
	int answer = ask(pid);

	for (int ms = 0; !answer && ms < AWAIT_MS; ms += STEP_MS) {
		sleep_us(STEP_MS * 1000);
		answer = ask(pid);
	}
	check_that(what, answer);
	return answer;
}

static void check_children(int pid)
{
	int child;

	kill(pid, SIGUSR2);
	child = await("a child", child_of, pid);
	check_whole("a child has the ranges", child, 0);
	kill(child, SIGHUP);
	await("an exec", has_executed, child);
	check_unknown("an exec drops them", child);
	kill(child, SIGKILL);
	check_whole("the parent keeps them", pid, 0);
}

/* From the first bound file on, the module itself adds ranges, also after an exec. */
static void check_writable_code(int fd, int pid, const struct pprof_range *range)
{
	check("ranges with a new table",
	      set_ranges(fd, pid, checked_exec_id(fd, pid), range, 1), 0);
	check("bind the vdso", bind_table(fd, 0, -1), 0);
	kill(pid, SIGALRM);
	await("writable code", has_writable_code, pid);
	check_whole("after writable code was mapped", pid, 0);
}

static void check_life(int fd, int pid, const struct pprof_range *range)
{
	check_unknown("before the ranges", pid);
	check("ranges", set_ranges(fd, pid, checked_exec_id(fd, pid), range, 1), 0);
	check_whole("with ranges", pid, 0);
	check("drop", drop_table(fd, range->table), 0);
	check_whole("with ranges whose table was dropped", pid, 0);
	check_children(pid);
	kill(pid, SIGUSR1);
	await("more code", has_more_code, pid);
	check_whole("after more code was mapped", pid, 1);
	check("ranges anew", set_ranges(fd, pid, checked_exec_id(fd, pid), range, 1), ENOENT);
}

static void try_unwind(void)
{
	struct pprof_table_head *table = make_hand_table();
	struct pprof_range range = {
		.start = (unsigned long)hand_text, .end = (unsigned long)hand_end,
		.bias = (unsigned long)hand_text - OFFSET,
	};
	int fd = open_device(), pid = start_burning();

	check("setup", setup(fd, PPROF_SETUP_TABLES | PPROF_SETUP_CHILDREN, RING_BYTES), 0);
	map_ring(fd);
	check("attach", attach(fd, pid, NULL), 0);
	check("table", add(fd, table, &range.table), 0);
	check("start", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), 0);
	check_life(fd, pid, &range);
	check("table anew", add(fd, table, &range.table), 0);
	check_writable_code(fd, pid, &range);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	free(table);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "errors") && argc == 3)
		try_errors(atoi(argv[2]));
	else if (!strcmp(what, "bounds"))
		try_bounds();
	else if (!strcmp(what, "unwind"))
		try_unwind();
	else if (!strcmp(what, "burn"))
		burn();
	else
		return 2;
	return conclude();
}
