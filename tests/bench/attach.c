// SPDX-License-Identifier: GPL-2.0
// libs: -Wl,--wrap=device_add_table,--wrap=device_set_ranges,--wrap=device_exec_id
/*
 * Measures the work before a process's first sample: to read its mappings, to compile the
 * tables of its files, and to send them to the module.
 *
 *	attach PID		all of this
 *	attach --compile PID	without the module
 *
 * Prints key=value lines: the CPU time; and with the module, the kernel's memory for the
 * tables, and the peak memory of this program.
 */
#include <inttypes.h>
#include <sys/resource.h>

#include "session.h"
#include "../programs/program.h"

#define RING_BYTES	65536U

/* --compile has no session: its tables and ranges go nowhere. */

int __real_device_add_table(struct device *d, const void *table, uint32_t bytes, uint32_t *number);
int __wrap_device_add_table(struct device *d, const void *table, uint32_t bytes, uint32_t *number);
int __real_device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id,
			     const struct pprof_range *list, uint32_t nr,
			     const struct pprof_tls_address *context);
int __wrap_device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id,
			     const struct pprof_range *list, uint32_t nr,
			     const struct pprof_tls_address *context);
int __real_device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id);
int __wrap_device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id);

int __wrap_device_add_table(struct device *d, const void *table, uint32_t bytes, uint32_t *number)
{
	*number = 1;
	return d ? __real_device_add_table(d, table, bytes, number) : 0;
}

int __wrap_device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id,
			     const struct pprof_range *list, uint32_t nr,
			     const struct pprof_tls_address *context)
{
	return d ? __real_device_set_ranges(d, pid, exec_id, list, nr, context) : 0;
}

int __wrap_device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	*exec_id = 1;
	return d ? __real_device_exec_id(d, pid, exec_id) : 0;
}

/* Returns the kernel's memory of the kinds that hold tables: VmallocUsed and Slab. */
static int64_t kernel_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128], name[32];
	int64_t kib, sum = 0;

	if (!file)
		die("/proc/meminfo", errno);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%31[^:]: %" SCNd64, name, &kib) == 2 &&
		    (!strcmp(name, "VmallocUsed") || !strcmp(name, "Slab")))
			sum += kib * 1024;
	fclose(file);
	return sum;
}

static void attach(pid_t pid)
{
	struct device *session = session_open(pid, PPROF_SETUP_TABLES, RING_BYTES, 0);
	int64_t bytes = kernel_bytes();
	uint64_t start_ns = cpu_ns();
	struct rusage used;

	session_send_tables(session, pid);
	printf("cpu_ns=%" PRIu64 "\n", cpu_ns() - start_ns);
	printf("kernel_bytes=%" PRId64 "\n", kernel_bytes() - bytes);
	getrusage(RUSAGE_SELF, &used);
	printf("peak_kib=%ld\n", used.ru_maxrss);
	device_close(session);
}

int main(int argc, char **argv)
{
	uint64_t start_ns = cpu_ns();

	if (argc == 3 && !strcmp(argv[1], "--compile")) {
		session_send_tables(NULL, arg_count(argv[2]));
		printf("compile_ns=%" PRIu64 "\n", cpu_ns() - start_ns);
		return 0;
	}
	if (argc != 2)
		usage("attach [--compile] PID");
	attach(arg_count(argv[1]));
	return 0;
}
