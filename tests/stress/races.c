// SPDX-License-Identifier: GPL-2.0
/*
 * Lets everything that the module must keep apart happen at once. Callers, which are threads of
 * several processes and users, make all ioctls of the device, map and read rings, and close
 * sessions that others use. Meanwhile:
 *
 * - the arguments are unmapped, or their pages wait for a userfaultfd (arguments.h);
 * - the descriptors go from process to process, over sockets, fork and exec (descriptors.h);
 * - the profiled processes execute themselves, fork, map code and end (victims.h);
 * - the profiled processes move between cgroups, which come and go (disturbers.h);
 * - a CPU goes offline and online, and the module is unloaded if it can be (disturbers.h);
 * - callers are killed in the middle of a call, or by the exec of another thread.
 *
 *	races MODULE SEED COUNT
 *
 * It ends after COUNT calls or at SIGTERM. It prints one line of totals, and one line for each kind
 * of call: how many succeeded, and how many failed with each error. Each record is checked.
 * No session of the owner NOBODY may show the mark of another user's process (records.h, race.h).
 * The same seed makes the same choices, but not in the same order: the races are the kernel's.
 */
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "arguments.h"
#include "badrules.h"
#include "descriptors.h"
#include "disturbers.h"
#include "records.h"
#include "../e2e/programs/genl.h"
#include "victims.h"

#define NR_PROCESSES	4
#define NR_CALLERS	6		/* threads of a process */
#define NR_MAPS		4		/* of a caller */
#define CALLS_A_ROUND	10000UL		/* after a round no session is open for a moment */
#define ROUND_END_MS	1500
#define LOOK_MS		20
#define CALLS_A_KILL	2000
#define NO_DEVICE_US	100000
#define NR_TABLES	5U
#define MAX_SOME_RANGES	20U
#define ONE_EXEC_IN	40000
#define ENOUGH_CALLS	10000UL		/* after these each kind must have succeeded */

/* NOBODY is there twice: its sessions have a bound of their own. */
static const enum owner process_owners[NR_PROCESSES] = { ROOT, GUEST, NOBODY, NOBODY };

extern const char __executable_start[], etext[];

static struct pprof_heap_probe heap_probes[2];
static int client_fd = -1, epoll_fd;	/* of this process */
static __thread volatile uint32_t *label_slot;
static __thread uint32_t label_set;
static __thread struct {
	void *at;
	size_t bytes;
} maps[NR_MAPS];

/* A thread of root makes some calls with the rights of another user. */
static long call(enum kind kind, int fd, unsigned long cmd, void *arg, size_t bytes)
{
	int as_guest = me == ROOT && one_in(8);
	long ret;

	if (as_guest)
		syscall(SYS_setresuid, -1, owners[GUEST].uid, -1);
	ret = hostile_ioctl(kind, fd, cmd, arg, bytes);
	if (as_guest)
		syscall(SYS_setresuid, -1, 0, -1);
	return ret;
}

#define CALL(fd, nr, arg)	\
	call(KIND_OF(PPROF_IOC_##nr), fd, PPROF_IOC_##nr, &(arg), sizeof(arg))

static long call_info(int fd)
{
	struct pprof_info info = { .size = sizeof(info) };

	return CALL(fd, INFO, info);
}

static uint32_t some_targets(void)
{
	switch (below(me == ROOT ? 10 : 100)) {
	case 0:
		return PPROF_SETUP_ALL;
	case 1:
	case 2:
		return PPROF_SETUP_CGROUP;
	default:
		return one_in(2) ? PPROF_SETUP_CHILDREN : 0;
	}
}

static uint32_t some_flags(void)
{
	uint32_t tables = one_in(4) ? 0 : PPROF_SETUP_TABLES;

	if (one_in(8))
		return PPROF_SETUP_SNAPSHOT | tables;
	return some_targets() | tables | (tables && one_in(2) ? PPROF_SETUP_CONTEXT : 0) |
	       (tables && one_in(2) ? PPROF_SETUP_SHARED : 0) |
	       (one_in(me == ROOT ? 2 : 50) ? PPROF_SETUP_KERNEL : 0) |
	       (one_in(2) ? PPROF_SETUP_THREAD_ENDS : 0);
}

static long call_setup(int fd)
{
	struct pprof_setup setup = {
		.size = sizeof(setup), .flags = some_flags(),
		.ring_bytes = RING_BYTES << below(RING_SIZES),
		.watermark_bytes = one_in(2) ? 0 : below(RING_BYTES),
		.max_frames = one_in(2) ? 0 : below(PPROF_MAX_FRAMES + 1),
	};
	int group = setup.flags & PPROF_SETUP_CGROUP ? open_group(below(NR_GROUPS)) : 0;
	long ret;

	setup.cgroup = group;
	ret = CALL(fd, SETUP, setup);
	if (!ret)
		add(SESSIONS, 1);
	if (group > 0)
		close(group);
	return ret;
}

static long call_attach(int fd)
{
	struct pprof_attach attach = { .size = sizeof(attach), .pid = some_pid() };
	long ret = CALL(fd, ATTACH, attach);

	if (!ret)
		hint_of(fd)->pid = attach.pid;
	return ret;
}

static long call_exec_id(int fd)
{
	struct pprof_attach attach = { .size = sizeof(attach), .pid = some_pid() };

	return CALL(fd, EXEC_ID, attach);
}

/* A short period would leave no time for the calls. */
static uint64_t some_period(uint32_t source)
{
	if (source == PPROF_SOURCE_CPU || source == PPROF_SOURCE_WALL)
		return PPROF_MIN_PERIOD_NS << (4 + below(9));
	return source == PPROF_SOURCE_THREADCREATE ? 0 : 1ULL << below(30);
}

static long call_start(int fd)
{
	struct pprof_start start = { .size = sizeof(start), .source = below(PPROF_NR_SOURCES) };
	long ret;

	start.period = some_period(start.source);
	ret = CALL(fd, START, start);
	if (!ret)
		hint_of(fd)->source = start.source;
	return ret;
}

static long call_stop(int fd)
{
	struct pprof_stop stop = { .size = sizeof(stop), .source = hint_of(fd)->source };

	if (one_in(4))
		stop.source = below(PPROF_NR_SOURCES);
	return CALL(fd, STOP, stop);
}

static long call_threads(int fd)
{
	struct pprof_threads threads = { .size = sizeof(threads) };
	long ret;

	do
		ret = CALL(fd, THREADS, threads);
	while (!ret && threads.next && one_in(2));
	return ret;
}

static long call_table_add(int fd)
{
	struct pprof_table_add add = { .size = sizeof(add), .data = data_address() };
	struct pprof_table_head *table;
	struct row rows[MAX_ROWS];

	table = make_table(rows, fill_rows(&random_state, rows), SOME_PAGES, PPROF_TABLE_BASE);
	add.bytes = table->bytes < DATA_BYTES ? table->bytes : DATA_BYTES;
	memcpy(data(), table, add.bytes);
	free(table);
	return CALL(fd, TABLE_ADD, add);
}

static long call_table_drop(int fd)
{
	struct pprof_table_drop drop = { .size = sizeof(drop), .table = below(NR_TABLES) };

	return CALL(fd, TABLE_DROP, drop);
}

/* The file of this program, which its victims map, the vDSO, or another open file. */
static long call_table_bind(int fd)
{
	struct pprof_table_bind bind = { .size = sizeof(bind), .table = below(NR_TABLES) };
	int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st = { .st_ino = 0 };
	long ret;

	bind.fd = one_in(8) ? fd : one_in(4) ? -1 : own;
	fstat(bind.fd, &st);
	bind.ctime_sec = st.st_ctim.tv_sec;
	bind.ctime_nsec = st.st_ctim.tv_nsec;
	ret = CALL(fd, TABLE_BIND, bind);
	close(own);
	return ret;
}

/* The tables begin at spin(), where the victims are most of the time. */
static void fill_ranges(struct pprof_range *ranges, uint32_t nr)
{
	uint64_t at = (uintptr_t)__executable_start, bytes = etext - __executable_start;

	for (uint32_t i = 0; i < nr; i++) {
		ranges[i] = (struct pprof_range) {
			.start = at, .end = at + bytes,
			.table = !i || one_in(16) ? below(NR_TABLES) : 0,
			.bias = i ? at : (uintptr_t)spin & -(uint64_t)PPROF_TABLE_PAGE_BYTES,
		};
		at = ranges[i].end + PAGE_BYTES * below(3);
		bytes = 1 + below(9 * PAGE_BYTES);
	}
}

/* Most often where the victims have their thread context: all of them are this program. */
static struct pprof_tls_address some_context(void)
{
	struct pprof_tls_address at = { .kind = PPROF_TLS_STATIC };

	at.offset = (char *)&context - (char *)__builtin_thread_pointer();
	at.format = below(PPROF_NR_CONTEXTS + one_in(8));
	if (!one_in(4))
		return at;
	at.kind = below(PPROF_NR_TLS + 1);
	at.module = at.kind == PPROF_TLS_STATIC ? 0 : 1 + below(3);
	at.offset = one_in(2) ? 8 * below(100) : odd();
	return at;
}

static long call_ranges(int fd)
{
	struct pprof_ranges ranges = { .size = sizeof(ranges), .nr = below(MAX_SOME_RANGES),
				       .pid = hint_of(fd)->pid };
	__u64 exec_id;

	if (!ranges.pid || one_in(4))
		ranges.pid = some_pid();
	called(KIND_OF(PPROF_IOC_EXEC_ID), read_exec_id(fd, ranges.pid, &exec_id));
	ranges.exec_id = exec_id;
	fill_ranges((struct pprof_range *)data(), ranges.nr);
	ranges.ranges = data_address();
	if (one_in(4))
		ranges.context = some_context();
	return CALL(fd, RANGES, ranges);
}

static long call_heap(int fd)
{
	struct pprof_heap heap = { .size = sizeof(heap), .nr = 1 + below(2) };

	memcpy(data(), heap_probes, sizeof(heap_probes));
	heap.probes = data_address();
	return CALL(fd, HEAP, heap);
}

static long call_custom_list(int fd)
{
	struct pprof_custom_list list = { .size = sizeof(list), .pid = some_pid(),
					  .names = data_address(),
					  .room = DATA_BYTES / sizeof(struct pprof_custom_name) };
	long ret = CALL(fd, CUSTOM_LIST, list);

	if (!ret)
		look_for_marks(data(), DATA_BYTES, "CUSTOM_LIST");
	return ret;
}

static long call_custom_read(int fd)
{
	struct pprof_custom_read read = { .size = sizeof(read), .pid = some_pid(),
					  .data = data_address(), .bytes = DATA_BYTES };
	long ret;

	if (one_in(2))
		read.bytes = PPROF_MIN_CUSTOM_BYTES;
	strcpy((char *)read.name, owners[one_in(4) ? ROOT : me].mark);
	do {
		ret = CALL(fd, CUSTOM_READ, read);
		if (!ret)
			look_for_marks(data(), DATA_BYTES, "CUSTOM_READ");
	} while (!ret && read.next);
	return ret;
}

/* Opens a file of the device. While the module is not loaded, that does not count as a call. */
static int open_file(int flags)
{
	int fd = open("/dev/pprof", flags | O_CLOEXEC);

	if (fd >= 0 || errno == EMFILE)
		return called(OPEN, fd);
	sleep_us(NO_DEVICE_US);
	return -1;
}

/* Opens a new client, and closes the old one. */
static void replace_client(void)
{
	int fd = open_file(O_WRONLY);
	int old = __atomic_exchange_n(&client_fd, fd, __ATOMIC_RELAXED);

	if (old >= 0)
		called(CLOSE, close(old));
}

static int some_client(void)
{
	if (one_in(20))
		return some_session();
	if (__atomic_load_n(&client_fd, __ATOMIC_RELAXED) < 0)
		replace_client();
	return __atomic_load_n(&client_fd, __ATOMIC_RELAXED);
}

static void call_custom(void)
{
	struct pprof_custom custom = { .size = sizeof(custom), .op = below(PPROF_NR_CUSTOM_OPS) };

	strcpy((char *)custom.name, owners[me].mark);
	if (custom.op == PPROF_CUSTOM_ADD || custom.op == PPROF_CUSTOM_REMOVE)
		custom.value = MARK(me) | below(200);
	if (custom.op == PPROF_CUSTOM_ADD) {
		custom.frames = data_address();
		custom.nr_frames = below(33);
	}
	CALL(some_client(), CUSTOM, custom);
}

static void call_own_list(void)
{
	struct pprof_custom_list list = { .size = sizeof(list), .names = data_address(),
					  .room = below(4) };

	CALL(some_client(), CUSTOM_LIST, list);
}

static void call_label(void)
{
	struct pprof_label label = { .size = sizeof(label), .key = "a",
				     .set = one_in(4) ? 0 : label_set };

	label.key[0] += below(8);
	strcpy((char *)label.value, owners[me].mark);
	label.value[MARK_BYTES] = 'a' + below(26);
	if (!CALL(some_client(), LABEL, label))
		label_set = label.set;
	if (label_slot)
		*label_slot = label_set;
}

static void call_label_slot(void)
{
	struct pprof_label_slot slot = { .size = sizeof(slot) };

	if (!CALL(some_client(), LABEL_SLOT, slot) && slot.address)
		label_slot = (volatile uint32_t *)slot.address;
}

static void call_any(void)
{
	uint64_t noise[8] = { below(128) };	/* the size */

	for (unsigned int i = 1; i < ARRAY_SIZE(noise); i++)
		noise[i] = odd();
	call(ANY_IOCTL, some_session(), _IOC(below(4), PPROF_IOC_MAGIC, below(64), below(64)),
	     noise, sizeof(noise));
}

/* The way of a real session, whose steps other threads disturb. */
static void call_open(void)
{
	int fd = open_file(O_RDWR);

	if (fd < 0) {	/* if the user has too many sessions, another process may pass one */
		take_session();
		return;
	}
	put_session(fd);
	if (call_setup(fd))
		return;
	for (int i = 1 + below(4); i > 0; i--)
		call_attach(fd);
	if (me == ROOT && one_in(2))
		call_heap(fd);
	for (int i = below(4); i > 0; i--)
		call_start(fd);
	call_table_add(fd);
	call_ranges(fd);
}

static void call_close(void)
{
	put_session(-1);
}

static void call_poll(void)
{
	struct pollfd poll_fd = { .fd = some_session(), .events = POLLIN };

	called(POLL, poll(&poll_fd, 1, below(3)));
}

/* Waits of the process for any of its sessions. A closed one may still be in the set. */
static void call_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN | (one_in(2) ? EPOLLET : 0) };

	called(EPOLL, epoll_ctl(epoll_fd, one_in(3) ? EPOLL_CTL_DEL : EPOLL_CTL_ADD,
				some_session(), &event));
	called(EPOLL, epoll_wait(epoll_fd, &event, 1, 0));
}

/* Asks for the list of sessions, or becomes a listener. The family is gone if the module is. */
static void call_netlink(void)
{
	static __thread int fd, family;
	struct genl_message message = { 0 };
	int is_dump = !one_in(8), heard = 0;

	if (family <= 0 || one_in(60)) {
		if (fd > 0)
			close(fd);
		fd = genl_open();
		family = genl_family(fd, PPROF_GENL_NAME);
	}
	genl_send(fd, &message, family, is_dump ? NLM_F_DUMP : NLM_F_ACK,
		  is_dump ? PPROF_CMD_SESSION_GET : PPROF_CMD_LISTEN, 0);
	while (recv(fd, &message, sizeof(message), MSG_DONTWAIT) > 0)
		heard += message.nl.nlmsg_type == family;
	if (!heard)
		family = 0;
	called(NETLINK, heard ? 0 : -1);
}

/* A mapping that stays: it may be the last reference of its session. */
static void call_map(void)
{
	unsigned int i = below(NR_MAPS);
	size_t bytes = one_in(2) ? PAGE_BYTES : PAGE_BYTES + (RING_BYTES << below(RING_SIZES));
	uint64_t cpu = below(session_cpus);

	if (maps[i].at)
		unmap(maps[i].at, maps[i].bytes);
	maps[i].at = called_mmap(bytes, PROT_READ, some_session(),
				 bytes > PAGE_BYTES ? PPROF_MMAP_DATA(cpu) : PPROF_MMAP_TAIL(cpu));
	maps[i].bytes = bytes;
	if (maps[i].at == MAP_FAILED)
		maps[i].at = NULL;
}

static void call_read_ring(void)
{
	read_ring(some_session());
}

/* Calls that a process makes in the place of the one that opened the session. */
static int inherit(int fd)
{
	struct pprof_threads threads = { .size = sizeof(threads) };

	attach(fd, getpid(), NULL);
	start(fd, PPROF_SOURCE_CPU, PERIOD_NS);
	ioctl(fd, PPROF_IOC_THREADS, &threads);
	stop(fd, PPROF_SOURCE_CPU);
	return 0;
}

/* Executes this program, with a session. All other threads of the process end in their calls. */
static void __attribute__((noreturn)) execute_heir(void)
{
	char number[24];

	sprintf(number, "%d", dup(some_session()));
	execl("/proc/self/exe", "races", "heir", number, NULL);
	_exit(1);
}

static void call_fork(void)
{
	pid_t pid = fork();
	int fd;

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (pid < 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	label_slot = NULL;	/* it does not have that memory, and the client is its parent's */
	fd = some_session();
	call_label();
	call_start(fd);
	if (one_in(2))
		execute_heir();
	_exit(inherit(fd));
}

static void call_exec(void)
{
	add(EXECS, 1);
	execute_heir();
}

/* A call of a session, which any thread may close meanwhile, or another call. */
static const struct {
	unsigned int weight;
	long (*of_session)(int fd);
	void (*other)(void);
} calls[] = {
	{ 240, call_info }, { 6, call_setup }, { 240, call_attach }, { 240, call_exec_id },
	{ 8, call_start }, { 12, call_stop }, { 12, call_threads }, { 240, call_table_add },
	{ 120, call_table_drop }, { 240, call_table_bind }, { 240, call_ranges },
	{ 6, call_heap }, { 240, call_custom_list }, { 240, call_custom_read },
	{ 12, NULL, call_open }, { 6, NULL, call_close }, { 4, NULL, replace_client },
	{ 240, NULL, call_custom }, { 120, NULL, call_own_list }, { 240, NULL, call_label },
	{ 80, NULL, call_label_slot }, { 120, NULL, call_any }, { 240, NULL, call_poll },
	{ 60, NULL, call_epoll }, { 20, NULL, call_netlink }, { 120, NULL, call_map },
	{ 80, NULL, call_read_ring }, { 30, NULL, pass_session }, { 40, NULL, take_session },
	{ 8, NULL, lose_session }, { 1, NULL, call_fork },
};

static void call_any_kind(void)
{
	unsigned int i, sum = 0, at;
	int fd = some_session();

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		sum += calls[i].weight;
	at = below(sum);
	for (i = 0; at >= calls[i].weight; i++)
		at -= calls[i].weight;
	if (calls[i].other)
		calls[i].other();
	else if (fd >= 0)
		calls[i].of_session(fd);
	else
		call_open();
}

static uint64_t process_seed;

static void *run_caller(void *number)
{
	viewer = (uintptr_t)number;
	random_state = mix(process_seed + viewer);
	while (sum_of(CALLS) < shared->goal) {
		if (one_in(ONE_EXEC_IN))
			call_exec();
		call_any_kind();
	}
	return NULL;
}

static pthread_t start_thread(void *(*run)(void *), uint64_t number)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, (void *)(uintptr_t)number))
		give_up("pthread_create");
	return thread;
}

/* Gives up the rights of root. The process stays one that its owner may attach to. */
static void become(enum owner owner)
{
	me = owner;
	if (setresgid(owners[me].uid, owners[me].uid, owners[me].uid) ||
	    setresuid(owners[me].uid, owners[me].uid, owners[me].uid))
		give_up("setresuid");
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* A process of callers. It is killed, or ends when there are enough calls. */
static pid_t start_callers(enum owner owner, int networks[2][2], uint64_t seed)
{
	pthread_t threads[NR_CALLERS];
	pid_t pid = fork_child();

	if (pid)
		return pid;
	memcpy(network, networks[owner == NOBODY], sizeof(network));
	make_views(folder, NR_CALLERS);
	become(owner);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	replace_client();
	process_seed = seed;
	start_thread(answer_faults, mix(seed + NR_CALLERS));
	start_thread(tear_views, mix(seed + NR_CALLERS + 1));
	for (uintptr_t i = 0; i < NR_CALLERS; i++)
		threads[i] = start_thread(run_caller, i);
	for (int i = 0; i < NR_CALLERS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* The process that starts all others */

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	is_over = signal;
}

/* This program is linked statically, so the allocator of the victims is in its file. */
static struct pprof_heap_probe own_probe(const void *function, uint32_t kind)
{
	struct pprof_heap_probe probe = {
		.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), .function = kind,
		.offset = (const char *)function - __executable_start,
	};

	if (probe.fd < 0)
		give_up("/proc/self/exe");
	return probe;
}

static pid_t callers[NR_PROCESSES];

static void replace_victim(unsigned int i)
{
	enum owner owner = i % 3 == 2 ? below(2) : i % 3 ? NOBODY : ROOT;

	shared->victims[i].owner = owner;
	__atomic_store_n(&shared->victims[i].pid, start_victim(owner), __ATOMIC_RELAXED);
}

/* A process may exit, or end by SIGKILL, the only signal that is sent. Others are a problem. */
static void check_end(const char *what, int status)
{
	check_that(what, WIFEXITED(status) || WTERMSIG(status) == SIGKILL);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		printf("%s: signal %d\n", what, WTERMSIG(status));
}

/* Replaces the processes that have ended. */
static void replace_ended(int networks[2][2])
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned int i = 0; i < NR_VICTIMS; i++) {
			if (shared->victims[i].pid != pid)
				continue;
			check_end("a victim's end", status);
			replace_victim(i);
		}
		for (unsigned int i = 0; i < NR_PROCESSES; i++) {
			if (callers[i] != pid)
				continue;
			check_end("a caller's end", status);
			callers[i] = start_callers(process_owners[i], networks,
						   random_next(&random_state));
		}
	}
}

static void end_process(pid_t *pid)
{
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	*pid = -1;
}

static void end_round(int networks[2][2])
{
	for (unsigned int i = 0; i < NR_PROCESSES; i++)
		end_process(&callers[i]);
	for (unsigned int i = 0; i < NR_VICTIMS; i++)
		end_process(&shared->victims[i].pid);
	for (int i = 0; i < 4; i++)
		close(networks[i / 2][i % 2]);
}

/* ROOT and GUEST share a network, and so their sessions. NOBODY has one of its own. */
static void make_networks(int networks[2][2])
{
	int pair[2];

	for (int i = 0; i < 2; i++) {
		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
			give_up("socketpair");
		for (int end = 0; end < 2; end++) {
			networks[i][end] = fcntl(pair[end], F_DUPFD_CLOEXEC, HIGH_FD);
			close(pair[end]);
		}
	}
}

static void run_round(unsigned long goal)
{
	unsigned long unloads = sum_of(UNLOADS), next_kill = sum_of(CALLS) + below(CALLS_A_KILL);
	int networks[2][2];

	shared->goal = goal;
	make_networks(networks);
	for (unsigned int i = 0; i < NR_VICTIMS; i++)
		replace_victim(i);
	for (unsigned int i = 0; i < NR_PROCESSES; i++)
		callers[i] = start_callers(process_owners[i], networks, random_next(&random_state));
	while (sum_of(CALLS) < goal && !is_over) {
		sleep_us(LOOK_MS * 1000);
		replace_ended(networks);
		if (sum_of(CALLS) < next_kill)
			continue;
		kill(callers[below(NR_PROCESSES)], SIGKILL);
		add(KILLS, 1);
		next_kill += 1 + below(2 * CALLS_A_KILL);
	}
	end_round(networks);
	for (int ms = 0; ms < ROUND_END_MS && sum_of(UNLOADS) == unloads; ms += LOOK_MS)
		sleep_us(LOOK_MS * 1000);
	load();
}

static void run_rounds(unsigned long count)
{
	pid_t toggler = start_disturber(toggle_cpu, random_next(&random_state));
	pid_t reloader = start_disturber(reload, random_next(&random_state));
	pid_t mover = start_disturber(move_victims, random_next(&random_state));
	unsigned long goal = 0;

	while (goal < count && !is_over) {
		goal = count - goal > CALLS_A_ROUND ? goal + CALLS_A_ROUND : count;
		run_round(goal);
	}
	end_process(&toggler);
	end_process(&reloader);
	end_process(&mover);
	set_cpu("1");
	load();
	while (wait(NULL) > 0)	/* setuid programs whose parents were killed end soon */
		;
}

/* One line: how many calls of this kind succeeded, and how many failed with each error. */
static void print_results(enum kind kind)
{
	const unsigned long *results = shared->results[kind];
	unsigned long sum = 0;

	for (int err = 0; err < MAX_ERRNO; err++)
		sum += results[err];
	printf("%s: %lu calls, %lu succeeded", kind_names[kind], sum, results[0]);
	for (int err = 1; err < MAX_ERRNO; err++)
		if (results[err])
			printf(", %lu %s", results[err], strerrorname_np(err));
	printf("\n");
}

static void print_totals(void)
{
	for (int i = 0; i < NR_COUNTERS; i++)
		printf("%s%lu %s", i ? ", " : "", shared->counters[i], counter_names[i]);
	printf("\n");
	for (int kind = 0; kind < NR_KINDS; kind++)
		print_results(kind);
}

/* What never happened was not tested. Whether the module could be unloaded is left to chance. */
static void check_totals(unsigned long count)
{
	check_that("no mark of another user", !sum_of(FOREIGN_MARKS));
	check_that("no bad record", !sum_of(BAD_RECORDS));
	for (int i = 0; i < NR_COUNTERS; i++)
		if (i != FOREIGN_MARKS && i != BAD_RECORDS && i != UNLOADS && i != EXECS)
			check_that(counter_names[i], sum_of(i) > 0);
	for (int kind = 0; count >= ENOUGH_CALLS && kind < NR_KINDS; kind++)
		if (kind != ANY_IOCTL)	/* noise succeeds by chance */
			check_that(kind_names[kind], shared->results[kind][0] > 0);
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "victim"))
		return live(argv);
	if (argc == 3 && !strcmp(argv[1], "heir"))
		return inherit(atoi(argv[2]));
	if (argc != 4)
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		give_up("mmap");
	module_path = argv[1];
	random_state = strtoull(argv[2], NULL, 0);
	load();
	session_cpus = sysconf(_SC_NPROCESSORS_CONF);
	heap_probes[0] = own_probe(free, PPROF_HEAP_FREE);
	heap_probes[1] = own_probe(malloc, PPROF_HEAP_MALLOC);
	make_folder();
	mount_groups();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGTERM, end);
	run_rounds(strtoul(argv[3], NULL, 0));
	unmount_groups();
	remove_folder();
	print_totals();
	check_totals(sum_of(CALLS));
	return nr_problems > 0;
}
