// SPDX-License-Identifier: GPL-2.0
/*
 * Burns MS of CPU in host_work(), loads a library, burns MS in its plug_work(), and unloads
 * it: LOOPS times (1 if left out). --unlink removes the file once it is loaded.
 *
 *	dlopener LIBRARY MS [LOOPS]
 *	dlopener --unlink LIBRARY MS
 *
 * Prints host_ns and plug_ns, the CPU time in both, and same: how many of the loads were at
 * the address of the first one.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

struct plug {
	void *handle;
	void (*work)(uint64_t end_ns);
};

static KEEP void host_work(uint64_t end_ns)
{
	spin_until(end_ns);
}

static void plug_load(struct plug *plug, const char *path)
{
	plug->handle = dlopen(path, RTLD_NOW);
	if (plug->handle)
		*(void **)&plug->work = dlsym(plug->handle, "plug_work");
	if (!plug->handle || !plug->work) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
}

int main(int argc, char **argv)
{
	uint64_t burn_ns, loops = 1, mark_ns, host_ns = 0, plug_ns = 0, nr_same = 0, i;
	void (*first)(uint64_t end_ns) = NULL;
	int drop = argc > 1 && !strcmp(argv[1], "--unlink");
	struct plug plug;

	argc -= drop;
	argv += drop;
	if (argc < 3 || argc > 4 || (drop && argc == 4))
		usage("dlopener LIBRARY MS [LOOPS] | dlopener --unlink LIBRARY MS");
	burn_ns = arg_msec(argv[2]);
	if (argc == 4)
		loops = arg_count(argv[3]);
	settle();

	for (i = 0; i < loops; i++) {
		mark_ns = cpu_ns();
		host_work(mark_ns + burn_ns);
		host_ns += cpu_ns() - mark_ns;
		plug_load(&plug, argv[1]);
		if (drop && unlink(argv[1])) {
			perror(argv[1]);
			return 1;
		}
		mark_ns = cpu_ns();
		plug.work(mark_ns + burn_ns);
		plug_ns += cpu_ns() - mark_ns;
		dlclose(plug.handle);
		if (!i)
			first = plug.work;
		nr_same += plug.work == first;
	}
	printf("host_ns=%" PRIu64 "\nplug_ns=%" PRIu64 "\nsame=%" PRIu64 "\n", host_ns, plug_ns,
	       nr_same);
	return 0;
}
