// SPDX-License-Identifier: GPL-2.0
/*
 * Calls its functions through code that it wrote, as CPython does with -X perf: main, outer,
 * evaluate, inner, evaluate. The second evaluate() runs for MS of CPU time. That code has no frame
 * pointer, no unwind information, and names in /tmp/perf-PID.map. Built without frame pointers.
 *
 *	evaluator MS
 */
#include <err.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

#define PAGE_BYTES	4096
#define ROOM		16	/* bytes for a function */

struct call {
	uint64_t ns;
	void (*through)(struct call *call, void *b, void *c, void (*evaluate)(struct call *call));
};

/* sub $8,%rsp; call *%rcx; add $8,%rsp; ret */
static const unsigned char code[] = {
	0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3,
};

static KEEP void evaluate(struct call *call)
{
	uint64_t end = cpu_ns() + call->ns;

	if (call->through) {
		call->through(&(struct call){ .ns = call->ns }, NULL, NULL, evaluate);
		return;
	}
	while (cpu_ns() < end)
		continue;
}

static void append_name(FILE *file, const void *at, const char *name)
{
	fprintf(file, "%lx %zx py::%s:evaluator.py\n", (long)at, sizeof(code), name);
}

int main(int argc, char **argv)
{
	unsigned char *made = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct call call = { .through = (void *)(made + ROOM) };
	char path[32];
	FILE *file;

	if (argc != 2)
		usage("evaluator MS");
	if (made == MAP_FAILED)
		err(1, "mmap");
	call.ns = arg_msec(argv[1]);
	memcpy(made, code, sizeof(code));
	memcpy(made + ROOM, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "we");
	if (!file)
		err(1, "%s", path);
	append_name(file, made, "outer");
	append_name(file, made + ROOM, "inner");
	if (fclose(file))
		err(1, "%s", path);
	settle();
	((__typeof__(call.through))(void *)made)(&call, NULL, NULL, evaluate);
	return 0;
}
