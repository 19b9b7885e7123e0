// SPDX-License-Identifier: GPL-2.0
/*
 * Makes each call of the module's interface fail at each point. In the first run of a call its
 * first allocation or copy fails, in the second run the second, until no point is left. A
 * call must return an error, or do its work in another way. It must work when it is called
 * again. Needs a kernel with fault injection (/proc/self/fail-nth).
 *
 *	faults MODULE PID COUNT STEP
 *
 * MODULE must not be loaded. PID is a process of the user nobody. Of the points in a call,
 * each STEPth is tried, from the first one on. Of the points in a load, only the last COUNT
 * are tried: at the earlier ones the kernel reads the file.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../e2e/programs/device.h"
#include "../e2e/programs/genl.h"
#include "../e2e/programs/heapprobe.h"
#include "../e2e/programs/rings.h"
#include "maketable.h"

#define MAX_FAULTS	100000	/* more points than any call has */
#define LARGE_PAGES	0x10000	/* pages of a table that is larger than a page of memory */
#define NR_RANGES	1000
#define NR_VALUES	64	/* values of a client; one more needs a larger table */
#define NR_SETS		64	/* label sets of a client; one more needs a larger table */
#define CAME_TO_END	8	/* bit in the exit code of a child; give_up() exits with 1 */

static const char *module;
static int target;
static int fault_fd;
static int last_of_load, step;
static struct pprof_heap_probe free_probe;
static struct pprof_table_head *small_table, *large_table;

/* The state that a call begins with. */
enum stage { UNLOADED, LOADED, NO_CLIENT, CLIENT, LABELLED, KEEPING, OPEN, SET_UP, AS_NOBODY,
	     ATTACHED, WITH_TABLE, STARTED };

struct scene {
	int fd;
	int client;
	__u64 exec_id;		/* of the target, once it is attached */
	unsigned int table;
	int netlink;
	int family;
	void *map;
	size_t map_bytes;
	unsigned int set;	/* last set of labels */
};

static int load(void)
{
	int fd = open(module, O_RDONLY | O_CLOEXEC);
	int ret = syscall(SYS_finit_module, fd, "", 0), err = errno;

	close(fd);
	errno = err;
	return ret;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "pprof", O_NONBLOCK);
}

/* As nobody, ATTACH follows the rules of ptrace, which open a file. */
static void become(unsigned int id)
{
	if (setresuid(-1, 0, -1) || setresgid(-1, id, -1) || setresuid(-1, id, -1))
		give_up("setresuid");
}

static int custom(struct scene *scene, unsigned int op, unsigned long value)
{
	static __u64 frames[32];
	struct pprof_custom arg = { .size = sizeof(arg), .op = op, .value = value, .name = "v" };

	if (op == PPROF_CUSTOM_ADD) {
		arg.frames = (unsigned long)frames;
		arg.nr_frames = 32;
	}
	return ioctl(scene->client, PPROF_IOC_CUSTOM, &arg);
}

static int label(struct scene *scene, int value)
{
	struct pprof_label label = { .size = sizeof(label), .key = "k", .value = { value } };
	int ret = ioctl(scene->client, PPROF_IOC_LABEL, &label);

	scene->set = label.set;
	return ret;
}

static void prepare_client(struct scene *scene, enum stage stage)
{
	scene->client = open("/dev/pprof", O_WRONLY | O_CLOEXEC);
	if (scene->client < 0)
		give_up("/dev/pprof");
	for (int i = 1; stage == LABELLED && i <= NR_SETS; i++)
		check("label", label(scene, i), 0);
	if (stage == CLIENT || stage == LABELLED)
		return;
	scene->fd = open_device();
	check("new", custom(scene, PPROF_CUSTOM_NEW, 0), 0);
	for (int i = 1; i <= NR_VALUES; i++)
		check("add", custom(scene, PPROF_CUSTOM_ADD, i), 0);
}

static void prepare(struct scene *scene, enum stage stage)
{
	*scene = (struct scene) { .fd = -1, .client = -1, .netlink = -1, .map = MAP_FAILED };
	if (stage == UNLOADED)
		return;
	scene->netlink = genl_open();
	scene->family = genl_family(scene->netlink, PPROF_GENL_NAME);
	if (stage >= CLIENT && stage <= KEEPING)
		prepare_client(scene, stage);
	if (stage >= OPEN)
		scene->fd = open_device();
	if (stage >= SET_UP)
		check("setup", setup(scene->fd, PPROF_SETUP_CHILDREN | PPROF_SETUP_TABLES,
				     RING_BYTES), 0);
	if (stage == AS_NOBODY)
		become(65534);
	if (stage >= ATTACHED)
		check("attach", attach(scene->fd, target, &scene->exec_id), 0);
	if (stage >= WITH_TABLE)
		check("table", add_table(scene->fd, small_table, small_table->bytes,
					 &scene->table), 0);
	if (stage >= STARTED) {
		check("start", start(scene->fd, PPROF_SOURCE_CPU, PERIOD_NS), 0);
		check("start", start(scene->fd, PPROF_SOURCE_THREADCREATE, 0), 0);
		check("start", start(scene->fd, PPROF_SOURCE_GROWTH, 4096), 0);
		check("start", start(scene->fd, PPROF_SOURCE_WALL, PERIOD_NS), 0);
		check("start", start(scene->fd, PPROF_SOURCE_BLOCK, 1), 0);
		check("start", start(scene->fd, PPROF_SOURCE_MUTEX, 1), 0);
		check("heap", heap(scene->fd, &free_probe, 1), 0);
		check("start", start(scene->fd, PPROF_SOURCE_HEAP, 4096), 0);
	}
}

static void clean_up(struct scene *scene)
{
	become(0);
	if (scene->map != MAP_FAILED)
		munmap(scene->map, scene->map_bytes);
	if (scene->fd >= 0)
		close(scene->fd);
	if (scene->client >= 0)
		close(scene->client);
	if (scene->netlink >= 0)
		close(scene->netlink);
}

/* A call that succeeds must have filled in its results, even if a fault was injected. */
static int filled(int ret, int holds)
{
	if (ret >= 0)
		check_that("the results of a call that succeeds", holds);
	return ret;
}

/* The next functions are the calls. Returns: 0 or more; or less, with errno. */

static int call_load(struct scene *scene)
{
	(void)scene;
	return load();
}

static int call_open(struct scene *scene)
{
	scene->fd = open("/dev/pprof", O_RDWR | O_CLOEXEC);
	return scene->fd;
}

static int call_info(struct scene *scene)
{
	struct pprof_info info = { .size = sizeof(info) };
	int ret = ioctl(scene->fd, PPROF_IOC_INFO, &info);

	return filled(ret, info.abi_major == PPROF_ABI_MAJOR && info.nr_cpus && info.sources);
}

static int call_setup(struct scene *scene)
{
	return setup(scene->fd, PPROF_SETUP_CHILDREN | PPROF_SETUP_THREAD_ENDS, RING_BYTES);
}

static int call_setup_all(struct scene *scene)
{
	return setup(scene->fd, PPROF_SETUP_ALL, RING_BYTES);
}

static int call_setup_tables(struct scene *scene)
{
	return setup(scene->fd, PPROF_SETUP_TABLES, RING_BYTES);
}

static int call_setup_snapshot(struct scene *scene)
{
	return setup(scene->fd, PPROF_SETUP_SNAPSHOT, RING_BYTES);
}

static int call_attach(struct scene *scene)
{
	int ret = attach(scene->fd, target, &scene->exec_id);

	return filled(ret, scene->exec_id != 0);
}

static int call_exec_id(struct scene *scene)
{
	int ret = read_exec_id(scene->fd, target, &scene->exec_id);

	return filled(ret, scene->exec_id != 0);
}

static int add(struct scene *scene, const struct pprof_table_head *table)
{
	int ret = add_table(scene->fd, table, table->bytes, &scene->table);

	return filled(ret, scene->table != 0);
}

static int call_add_small(struct scene *scene)
{
	return add(scene, small_table);
}

static int call_add_large(struct scene *scene)
{
	return add(scene, large_table);
}

static int call_drop(struct scene *scene)
{
	return drop_table(scene->fd, scene->table);
}

/* The file is this program's. */
static int call_bind(struct scene *scene)
{
	int file = open("/proc/self/exe", O_RDONLY);
	int ret = bind_table(scene->fd, scene->table, file), error = errno;

	close(file);
	errno = error;
	return ret;
}

static int send_ranges(struct scene *scene, unsigned int nr)
{
	static struct pprof_range ranges[NR_RANGES];

	for (unsigned int i = 0; i < nr; i++)
		ranges[i] = (struct pprof_range) {
			.start = (i + 1ULL) << 12, .end = (i + 2ULL) << 12, .table = scene->table,
		};
	return set_ranges(scene->fd, target, scene->exec_id, ranges, nr);
}

static int call_range(struct scene *scene)
{
	return send_ranges(scene, 1);
}

static int call_ranges(struct scene *scene)
{
	return send_ranges(scene, NR_RANGES);
}

static int call_start_cpu(struct scene *scene)
{
	return start(scene->fd, PPROF_SOURCE_CPU, PERIOD_NS);
}

static int call_start_threadcreate(struct scene *scene)
{
	return start(scene->fd, PPROF_SOURCE_THREADCREATE, 0);
}

static int call_start_growth(struct scene *scene)
{
	return start(scene->fd, PPROF_SOURCE_GROWTH, 4096);
}

static int call_start_wall(struct scene *scene)
{
	return start(scene->fd, PPROF_SOURCE_WALL, PERIOD_NS);
}

static int call_start_block(struct scene *scene)
{
	return start(scene->fd, PPROF_SOURCE_BLOCK, 1);
}

static int call_start_mutex(struct scene *scene)
{
	return start(scene->fd, PPROF_SOURCE_MUTEX, 1);
}

static int call_threads(struct scene *scene)
{
	struct pprof_threads threads = { .size = sizeof(threads) };

	return ioctl(scene->fd, PPROF_IOC_THREADS, &threads);
}

static int call_heap(struct scene *scene)
{
	return heap(scene->fd, &free_probe, 1);
}

static int call_start_heap(struct scene *scene)
{
	if (heap(scene->fd, &free_probe, 1))
		return -1;
	return start(scene->fd, PPROF_SOURCE_HEAP, 4096);
}

static int call_stop_heap(struct scene *scene)
{
	return stop(scene->fd, PPROF_SOURCE_HEAP);
}

static int call_stop_cpu(struct scene *scene)
{
	return stop(scene->fd, PPROF_SOURCE_CPU);
}

static int call_stop_threadcreate(struct scene *scene)
{
	return stop(scene->fd, PPROF_SOURCE_THREADCREATE);
}

static int call_stop_growth(struct scene *scene)
{
	return stop(scene->fd, PPROF_SOURCE_GROWTH);
}

static int call_stop_wall(struct scene *scene)
{
	return stop(scene->fd, PPROF_SOURCE_WALL);
}

static int call_stop_block(struct scene *scene)
{
	return stop(scene->fd, PPROF_SOURCE_BLOCK);
}

static int call_stop_mutex(struct scene *scene)
{
	return stop(scene->fd, PPROF_SOURCE_MUTEX);
}

static int call_open_client(struct scene *scene)
{
	scene->client = open("/dev/pprof", O_WRONLY | O_CLOEXEC);
	return scene->client;
}

static int call_new(struct scene *scene)
{
	return custom(scene, PPROF_CUSTOM_NEW, 0);
}

static int call_add(struct scene *scene)
{
	return custom(scene, PPROF_CUSTOM_ADD, NR_VALUES + 1);
}

static int call_remove(struct scene *scene)
{
	return custom(scene, PPROF_CUSTOM_REMOVE, 1);
}

static int call_count(struct scene *scene)
{
	return custom(scene, PPROF_CUSTOM_COUNT, 0);
}

static int list_custom(int fd, int pid)
{
	struct pprof_custom_name names[2];
	struct pprof_custom_list list = { .size = sizeof(list), .pid = pid, .room = 2,
					  .names = (unsigned long)names };
	int ret = ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list);

	return filled(ret, list.nr == 1 && names[0].count == NR_VALUES && names[0].name[0] == 'v');
}

static int call_own_list(struct scene *scene)
{
	return list_custom(scene->client, 0);
}

static int call_list(struct scene *scene)
{
	return list_custom(scene->fd, getpid());
}

static int call_read(struct scene *scene)
{
	static char data[PPROF_MIN_CUSTOM_BYTES];
	struct pprof_custom_read read = { .size = sizeof(read), .pid = getpid(), .name = "v",
					  .data = (unsigned long)data, .bytes = sizeof(data) };
	int ret = ioctl(scene->fd, PPROF_IOC_CUSTOM_READ, &read);

	return filled(ret, read.bytes && read.exec_id && read.next);
}

static int call_label(struct scene *scene)
{
	int ret = label(scene, NR_SETS + 1);

	return filled(ret, scene->set != 0);
}

static int call_label_slot(struct scene *scene)
{
	struct pprof_label_slot word = { .size = sizeof(word) };
	int ret = ioctl(scene->client, PPROF_IOC_LABEL_SLOT, &word);

	return filled(ret, word.address && word.address_space);
}

static int map_of(struct scene *scene, size_t bytes, int rights, off_t offset)
{
	scene->map_bytes = bytes;
	scene->map = mmap(NULL, bytes, rights, MAP_SHARED, scene->fd, offset);
	return scene->map == MAP_FAILED ? -1 : 0;
}

static int call_mmap_tail(struct scene *scene)
{
	return map_of(scene, PAGE_BYTES, PROT_READ | PROT_WRITE, PPROF_MMAP_TAIL(0));
}

static int call_mmap_data(struct scene *scene)
{
	return map_of(scene, PAGE_BYTES + RING_BYTES, PROT_READ, PPROF_MMAP_DATA(0));
}

static int call_close(struct scene *scene)
{
	int ret = close(scene->fd);

	scene->fd = -1;
	return ret;
}

/* Reads each page of the mapping. A missing page would raise SIGBUS. */
static int has_pages(struct scene *scene)
{
	for (size_t at = sizeof(__u64); at < scene->map_bytes; at += PAGE_BYTES)
		(void)*(volatile __u64 *)((char *)scene->map + at);
	return 1;
}

static int has_threads(struct scene *scene)
{
	struct ring_sums *sums = sums_new();
	struct rings rings = { 0 };
	__u64 head = 0;

	rings_map(&rings, scene->fd, RING_BYTES, sums);
	for (struct ring *ring = rings.rings; ring->tail; ring++)
		head += ring->head->head;
	rings_unmap(&rings, RING_BYTES);
	sums_free(sums);
	return head > 0;
}

static int netlink_call(struct scene *scene, __u16 flags, __u8 cmd)
{
	int err = genl_call(scene->netlink, scene->family, flags, cmd);

	errno = -err;
	return err ? -1 : 0;
}

static int call_listen(struct scene *scene)
{
	return netlink_call(scene, 0, PPROF_CMD_LISTEN);
}

/* If a dump fails at its beginning, the error is in its end. There is a session to report. */
static int call_dump(struct scene *scene)
{
	struct genl_message message;
	int err;

	/* The end of an earlier dump is left, if its beginning could not be received. */
	while (recv(scene->netlink, &message, sizeof(message), MSG_DONTWAIT) > 0)
		;
	message = (struct genl_message) { 0 };
	err = genl_send(scene->netlink, &message, scene->family, NLM_F_DUMP,
			PPROF_CMD_SESSION_GET, 0);
	if (!err)
		err = genl_receive(scene->netlink, &message);
	if (!err && message.nl.nlmsg_type == NLMSG_DONE)
		memcpy(&err, &message.genl, sizeof(err));
	errno = -err;
	return filled(err ? -1 : 0, message.nl.nlmsg_type == scene->family &&
				  message.genl.cmd == PPROF_CMD_SESSION_GET);
}

static int call_flush(struct scene *scene)
{
	return netlink_call(scene, 0, PPROF_CMD_FLUSH);
}

static const struct {
	const char *name;
	enum stage stage;
	int (*call)(struct scene *scene);
	int again;	/* errno that is allowed in a second call, after a failure */
	int twice;	/* errno of a second call, after a success; 0: there is no second call */
	int never_fails;
	int (*has_done)(struct scene *scene);	/* checks the effect of a success */
} calls[] = {
	{ "load", UNLOADED, call_load, .twice = EEXIST },
	{ "open", LOADED, call_open },
	{ "INFO", OPEN, call_info },
	{ "SETUP", OPEN, call_setup, .twice = EBUSY },
	{ "SETUP for all", OPEN, call_setup_all, .twice = EBUSY },
	{ "SETUP for tables", OPEN, call_setup_tables, .twice = EBUSY },
	{ "SETUP of a snapshot", OPEN, call_setup_snapshot, .twice = EBUSY },
	{ "EXEC_ID", SET_UP, call_exec_id },
	{ "ATTACH", SET_UP, call_attach },
	{ "ATTACH by nobody", AS_NOBODY, call_attach },
	{ "TABLE_ADD", ATTACHED, call_add_small },
	{ "TABLE_ADD, large", ATTACHED, call_add_large },
	{ "TABLE_DROP", WITH_TABLE, call_drop, ENOENT, ENOENT },
	{ "TABLE_BIND", WITH_TABLE, call_bind },
	{ "RANGES", WITH_TABLE, call_range },
	{ "RANGES, many", WITH_TABLE, call_ranges },
	{ "RANGES, running", STARTED, call_ranges },
	{ "START cpu", ATTACHED, call_start_cpu, .twice = EBUSY },
	{ "START threadcreate", ATTACHED, call_start_threadcreate, .twice = EBUSY },
	{ "START growth", ATTACHED, call_start_growth, .twice = EBUSY },
	{ "START wall", ATTACHED, call_start_wall, .twice = EBUSY },
	{ "START block", ATTACHED, call_start_block, .twice = EBUSY },
	{ "START mutex", ATTACHED, call_start_mutex, .twice = EBUSY },
	{ "HEAP", ATTACHED, call_heap },
	{ "START heap", ATTACHED, call_start_heap, EBUSY, EBUSY },
	{ "THREADS", ATTACHED, call_threads, .has_done = has_threads },
	{ "open a client", NO_CLIENT, call_open_client },
	{ "CUSTOM new", CLIENT, call_new, EEXIST, EEXIST },
	{ "CUSTOM add", KEEPING, call_add, EEXIST, EEXIST },
	{ "CUSTOM remove", KEEPING, call_remove },
	{ "CUSTOM count", KEEPING, call_count },
	{ "CUSTOM_LIST, own", KEEPING, call_own_list },
	{ "CUSTOM_LIST", KEEPING, call_list },
	{ "CUSTOM_READ", KEEPING, call_read },
	{ "LABEL", CLIENT, call_label },
	{ "LABEL, many", LABELLED, call_label },
	{ "LABEL_SLOT", CLIENT, call_label_slot },
	{ "LABEL_SLOT, more", LABELLED, call_label_slot },
	{ "mmap of a tail", SET_UP, call_mmap_tail, .has_done = has_pages },
	{ "mmap of data", SET_UP, call_mmap_data, .has_done = has_pages },
	{ "STOP cpu", STARTED, call_stop_cpu, .twice = EINVAL },
	{ "STOP threadcreate", STARTED, call_stop_threadcreate, .twice = EINVAL },
	{ "STOP growth", STARTED, call_stop_growth, .twice = EINVAL },
	{ "STOP heap", STARTED, call_stop_heap, .twice = EINVAL },
	{ "STOP wall", STARTED, call_stop_wall, .twice = EINVAL },
	{ "STOP block", STARTED, call_stop_block, .twice = EINVAL },
	{ "STOP mutex", STARTED, call_stop_mutex, .twice = EINVAL },
	{ "close", STARTED, call_close, EBADF, EBADF, 1 },
	{ "LISTEN", LOADED, call_listen, EBUSY, EBUSY },
	{ "FLUSH", LOADED, call_flush },
	{ "SESSION_GET", STARTED, call_dump },
};

/* Makes the nth point of this thread's next calls fail. 0: no point fails. */
static void set_fault(int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", nth);
	/* A fault that is still pending may hit this write: try it once more. */
	for (int tries = 0; pwrite(fault_fd, text, strlen(text), 0) < 0; tries++)
		if (tries)
			give_up("fail-nth");
}

/* Ends the injection. Returns how many points were left before the fault; 0: it has happened. */
static int end_fault(void)
{
	char text[16] = "";
	int left = 1;

	if (pread(fault_fd, text, sizeof(text) - 1, 0) > 0)
		left = atoi(text);
	set_fault(0);
	return left;
}

struct result {
	int injected;
	int refused;
};

/*
 * Calls again after the fault. After a failure the call must succeed, or fail with the errno
 * "again". After a success it must fail with "twice": so the first call has done its work.
 */
static void call_again(unsigned int i, struct scene *scene, int before, int nth)
{
	int want = calls[i].twice, ret, err;

	if (before >= 0 && !want)
		return;
	ret = calls[i].call(scene);
	err = ret < 0 ? errno : 0;
	if (before >= 0 ? err == want : !err || err == calls[i].again)
		return;
	nr_problems++;
	printf("%s again, after %s with fault %d: %s\n", calls[i].name,
	       before < 0 ? "failure" : "success", nth, strerror(err));
}

/* Tries one point of a call. Returns true if the call has such a point. */
static int try_fault(unsigned int i, int nth, struct result *result)
{
	struct scene scene;
	int ret, err, has_failed;

	prepare(&scene, calls[i].stage);
	set_fault(nth);
	ret = calls[i].call(&scene);
	err = ret < 0 ? errno : 0;
	has_failed = !end_fault();
	if (has_failed) {
		result->injected++;
		result->refused += ret < 0;
	}
	if (ret < 0 && (!has_failed || calls[i].never_fails)) {
		nr_problems++;
		printf("%s, fault %d: %s\n", calls[i].name, nth, strerror(err));
	}
	if (ret >= 0 && calls[i].has_done)
		check_that(calls[i].name, calls[i].has_done(&scene));
	call_again(i, &scene, ret, nth);
	clean_up(&scene);
	if (calls[i].stage == UNLOADED)
		check("unload", unload(), 0);
	return has_failed;
}

static void open_fault_fd(void)
{
	fault_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fault_fd < 0)
		give_up("/proc/thread-self/fail-nth");
}

/* Labels and custom profiles stay until their process ends, so each try has its own process. */
static int try_fault_in_child(unsigned int i, int nth, struct result *result)
{
	int status, has_failed;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		open_fault_fd();
		has_failed = try_fault(i, nth, result);
		fflush(stdout);
		_exit(CAME_TO_END | has_failed | (nr_problems > 0) << 1 |
		      (result->refused > 0) << 2);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		give_up("fork");
	status = WEXITSTATUS(status);
	check_that("a child's end", status & CAME_TO_END);
	result->injected += status & 1;
	nr_problems += status >> 1 & 1;
	result->refused += status >> 2 & 1;
	return status & 1;
}

static int first_fault(enum stage stage)
{
	int nr = 0;

	if (stage > UNLOADED)
		return 1;
	for (int i = 0; i < 2; i++) {	/* the second load has fewer points: the file is cached */
		set_fault(MAX_FAULTS);
		check("load", load(), 0);
		nr = MAX_FAULTS - end_fault();
		check("unload", unload(), 0);
	}
	return nr > last_of_load ? nr - last_of_load : 1;
}

static void try_call(unsigned int i)
{
	enum stage stage = calls[i].stage;
	int nth = first_fault(stage), goes_on;
	struct result all = { 0 };

	do {
		struct result result = { 0 };

		goes_on = (stage >= NO_CLIENT && stage <= KEEPING ? try_fault_in_child : try_fault)
			  (i, nth, &result);
		all.injected += result.injected;
		all.refused += result.refused;
	} while (goes_on && (nth += step) < MAX_FAULTS);
	check_that("the faults end", nth < MAX_FAULTS);
	check_that("a fault was injected", all.injected > 0);
	printf("%-18s %4d faults, %4d of them returned as an error\n", calls[i].name,
	       all.injected, all.refused);
	fflush(stdout);
}

static void make_tables(void)
{
	static const struct row row = { 0, { .cfa = PPROF_CFA_END } };

	small_table = make_table(&row, 1, 1, 0);
	large_table = make_table(&row, 1, LARGE_PAGES, 0);
}

int main(int argc, char **argv)
{
	int loaded = 0;

	step = argc == 5 ? atoi(argv[4]) : 0;
	if (step <= 0)
		return 2;
	make_tables();
	free_probe = probe_of("free", PPROF_HEAP_FREE);
	module = argv[1];
	target = atoi(argv[2]);
	last_of_load = atoi(argv[3]);
	open_fault_fd();
	for (unsigned int i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].stage > UNLOADED && !loaded) {
			check("load", load(), 0);
			loaded = 1;
		}
		try_call(i);
	}
	check("unload", unload(), 0);
	printf("%d problems\n", nr_problems);
	return nr_problems > 0;
}
