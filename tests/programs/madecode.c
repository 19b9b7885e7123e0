// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a function into memory at a fixed address, one after the other for each NAME, and calls it
 * for MS of CPU time: main, call_code, NAME. Before it calls the function it appends its name to
 * /tmp/perf-PID.map, unless NAME is "-". Prints NAME_ns, the CPU time of each one.
 *
 *	madecode MS NAME...
 */
#include <err.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

#define ADDRESS		((void *)0x600000000000)
#define PAGE_BYTES	4096

/* push %rbp; mov %rsp, %rbp; 1: dec %rdi; jnz 1b; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3,
};

static void append_name(const char *name)
{
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "ae");
	if (!file)
		err(1, "%s", path);
	fprintf(file, "%lx %zx %s\n", (long)ADDRESS, sizeof(code), name);
	if (fclose(file))
		err(1, "%s", path);
}

static KEEP uint64_t call_code(uint64_t ns)
{
	void (*call)(uint64_t iters) = (void (*)(uint64_t))ADDRESS;
	uint64_t begin = cpu_ns(), now = begin;

	for (; now < begin + ns; now = cpu_ns())
		call(SLICE);
	return now - begin;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		usage("madecode MS NAME...");
	if (mmap(ADDRESS, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != ADDRESS)
		err(1, "mmap");
	settle();
	for (int i = 2; i < argc; i++) {
		memset(ADDRESS, 0xcc, PAGE_BYTES);
		memcpy(ADDRESS, code, sizeof(code));
		if (strcmp(argv[i], "-"))
			append_name(argv[i]);
		printf("%s_ns=%" PRIu64 "\n", argv[i], call_code(arg_msec(argv[1])));
	}
	return 0;
}
