// SPDX-License-Identifier: GPL-2.0
// sources: tests/single-step/memory.c tests/single-step/process_maps.c tests/single-step/shim.c
// sources: tests/single-step/tally.c kmod/unwind/unwind.c kmod/unwind/slow_path.c
// sources: kmod/unwind/rule_cache.c kmod/unwind/process_ranges.c kmod/unwind/table.c
// sources: kmod/unwind/known_stack.c kmod/base/uretprobe.c
/*
 * Stops a program at random moments, and compares the stack of the module's unwinder with that of
 * libdwfl. This is for programs that are too long to be stepped through. Two cases are not
 * compared: libdwfl's walk ends first, or code has no rules. There libdwfl guesses, too, and does
 * not report it.
 *
 *	stops NR USEC COMMAND [ARGUMENT...]
 *
 * Makes NR stops, USEC apart on average; fewer if the program ends before. The exit code is 1 if a
 * stack is wrong.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process_maps.h"
#include "kmod/unwind/unwind.h"
#include "memory.h"
#include "pprof.h"
#include "tally.h"

#define NR_PLACES	10
#define NAME_SIZE	4096
#define MAX_SHOWN	3

struct frames {
	uint64_t pcs[PPROF_MAX_FRAMES];
	size_t nr;
};

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &debuginfo_path,
};

static uint64_t nr_further, nr_complete, nr_guesses, nr_shown;

static void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(2);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();
	int null;

	if (pid)
		return pid;
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	personality(ADDR_NO_RANDOMIZE);
	execvp(argv[0], argv);
	_exit(127);
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	struct frames *f = arg;
	bool was_interrupted = false;
	Dwarf_Addr pc;

	if (f->nr == PPROF_MAX_FRAMES || !dwfl_frame_pc(frame, &pc, &was_interrupted))
		return DWARF_CB_ABORT;
	/* Our frame of code that a signal interrupted, and the one before: see uapi/pprof.h. */
	if (was_interrupted && f->nr > 0)
		pc++;
	if (was_interrupted && f->nr > 1)
		f->pcs[f->nr - 1]++;
	f->pcs[f->nr++] = pc;
	return DWARF_CB_OK;
}

/* Walks by libdwfl, which reads the mappings again each time. */
static void walk_dwfl(pid_t pid, struct frames *f)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	f->nr = 0;
	if (dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(dwfl, pid, true))
		fprintf(stderr, "stops: %s\n", dwfl_errmsg(-1));
	else
		dwfl_getthread_frames(dwfl, pid, add_frame, f);
	dwfl_end(dwfl);
}

static void walk_tables(pid_t pid, struct pprof_stack *stack)
{
	static struct pprof_rule_cache cache;
	static struct pprof_known_stack known;
	static uint64_t nr_stops;
	struct user_regs_struct regs;
	struct pprof_regs start;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		die("PTRACE_GETREGS");
	start = (struct pprof_regs){
		.ip = regs.rip, .sp = regs.rsp, .fp = regs.rbp,
		.all = (const unsigned long *)&regs,
	};
	memory_select(pid);
	pprof_unwind(stack, &start, process_maps_ranges(pid, ++nr_stops), &cache,
		     &known);
}

static void print_frame(const char *mark, uint64_t pc)
{
	char name[NAME_SIZE];

	process_maps_name(pc, name, sizeof(name));
	printf("  %s %#" PRIx64 " %s\n", mark, pc, name);
}

static void show(const struct frames *f, const struct pprof_stack *stack)
{
	size_t i;

	printf("differs, end %u, flags %u:\n", stack->end_reason, stack->flags);
	for (i = 0; i < f->nr || i < stack->nr; i++) {
		if (i < f->nr)
			print_frame(i < stack->nr && f->pcs[i] == stack->frames[i] ? " " : "-",
				    f->pcs[i]);
		if (i < stack->nr && (i >= f->nr || f->pcs[i] != stack->frames[i]))
			print_frame("+", stack->frames[i]);
	}
}

static size_t nr_same(const struct frames *f, const struct pprof_stack *stack)
{
	size_t i = 0;

	while (i < f->nr && i < stack->nr && f->pcs[i] == stack->frames[i])
		i++;
	return i;
}

/*
 * Is there nothing to compare? Then libdwfl's stack is shorter, or ours is a guess where libdwfl
 * guesses, too. Counts both cases.
 */
static bool is_moot(const struct frames *f, const struct pprof_stack *stack)
{
	size_t same = nr_same(f, stack);
	bool shorter = same == f->nr && same < stack->nr;
	bool guess = !shorter && same < stack->nr && (stack->flags & PPROF_SAMPLE_GUESS);

	nr_further += shorter;
	nr_guesses += guess;
	return shorter || guess;
}

static void compare(pid_t pid)
{
	u64 frames[PPROF_MAX_FRAMES];
	struct pprof_stack stack = { .frames = frames, .max = PPROF_MAX_FRAMES };
	static struct frames f;
	char name[NAME_SIZE];
	size_t culprit;

	walk_dwfl(pid, &f);
	walk_tables(pid, &stack);
	nr_complete += stack.end_reason == PPROF_END_COMPLETE;
	if (is_moot(&f, &stack))
		return;
	if (tally_add(f.pcs, f.nr, &stack, &culprit)) {
		process_maps_name(frames[culprit] - !!culprit, name, sizeof(name));
		tally_name(name);
	}
	if (tally_verdict(f.pcs, f.nr, &stack) >= VERDICT_MISGUESSED && nr_shown++ < MAX_SHOWN)
		show(&f, &stack);
}

/* Stops the program after a random time. Returns: false if it has ended. */
static bool stop(pid_t pid, uint64_t usec)
{
	int status;

	usleep(rand() % (2 * usec));
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_CONT, pid, NULL, WSTOPSIG(status));
	}
	return false;
}

int main(int argc, char **argv)
{
	uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, nr_stops = 0;
	uint64_t usec = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	pid_t pid;

	if (argc < 4 || !nr || !usec) {
		fputs("usage: stops NR USEC COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	pid = start(argv + 3);
	usleep(20000);	/* for its exec */
	if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		die("PTRACE_SEIZE");
	for (; nr_stops < nr && stop(pid, usec); nr_stops++) {
		compare(pid);
		ptrace(PTRACE_CONT, pid, NULL, 0);
	}
	kill(pid, SIGKILL);
	printf("stops: %" PRIu64 ", complete: %" PRIu64 ", further than libdwfl: %" PRIu64
	       ", other guesses: %" PRIu64 "\n", nr_stops, nr_complete, nr_further, nr_guesses);
	tally_print(argv[3], NR_PLACES);
	return tally_nr_of(VERDICT_WRONG) + tally_nr_of(VERDICT_MISGUESSED) > 0;
}
