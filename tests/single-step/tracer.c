// SPDX-License-Identifier: GPL-2.0
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "insn.h"
#include "memory.h"
#include "truth.h"

#define MAX_TASKS	256
#define OPTIONS		(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | \
			 PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)

/* A tid of 0 marks a free entry. */
static struct task tasks[MAX_TASKS];
static struct task *current;
static uint64_t nr_mappings;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "single-step: %s: %s\n", what, strerror(errno));
	exit(2);
}

static struct task *find(pid_t tid)
{
	for (size_t i = 0; i < MAX_TASKS; i++)
		if (tasks[i].tid == tid)
			return &tasks[i];
	return NULL;
}

static struct task *find_or_add(pid_t tid)
{
	struct task *t = find(tid);

	if (t)
		return t;
	t = find(0);
	if (!t) {
		errno = ENOSPC;
		die("too many threads");
	}
	*t = (struct task){ .tid = tid };
	return t;
}

static void forget(struct task *t)
{
	truth_free(t->truth);
	t->tid = 0;
}

/* The task may have been killed meanwhile (ESRCH): then waitpid() reports its end. */
static bool worked(long ret, const char *what)
{
	if (ret < 0 && errno != ESRCH)
		die(what);
	return ret >= 0;
}

static void __attribute__((noreturn)) execute(char **argv)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	personality(ADDR_NO_RANDOMIZE);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int tracer_start(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (!pid)
		execute(argv);
	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		return -ECHILD;
	worked(ptrace(PTRACE_SETOPTIONS, pid, NULL, OPTIONS), "PTRACE_SETOPTIONS");
	worked(ptrace(PTRACE_CONT, pid, NULL, 0), "PTRACE_CONT");
	*find_or_add(pid) = (struct task){ .tid = pid, .begun = true, .truth = truth_new() };
	return 0;
}

static void resume(struct task *t)
{
	t->delivered = t->signal;
	worked(ptrace(PTRACE_SINGLESTEP, t->tid, NULL, t->signal), "PTRACE_SINGLESTEP");
	t->signal = 0;
}

static bool changes_mappings(uint64_t number)
{
	return number == SYS_mmap || number == SYS_munmap || number == SYS_mprotect ||
	       number == SYS_mremap || number == SYS_pkey_mprotect || number == SYS_shmat;
}

/* Reads the instruction after it ran: programs that change their code are not supported. */
static enum insn insn_at(uint64_t pc)
{
	uint8_t code[INSN_MAX_BYTES];

	return insn_kind(code, memory_read(pc, code, sizeof(code)));
}

static struct truth_regs truth_regs(const struct user_regs_struct *regs)
{
	return (struct truth_regs){ regs->rip, regs->rsp, regs->rbp };
}

static struct task *boundary(struct task *t)
{
	current = t;
	return t;
}

/* The first stop of a task. A child on the stack of its parent has the frames of the parent. */
static struct task *begin(struct task *t)
{
	if (!worked(ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs), "PTRACE_GETREGS"))
		return NULL;
	t->begun = true;
	memory_select(t->tid);
	if (t->regs.rsp != t->parent_sp)
		truth_reset(t->truth);
	return boundary(t);
}

static struct task *note_child(struct task *parent)
{
	unsigned long tid;
	struct task *t;

	if (!worked(ptrace(PTRACE_GETEVENTMSG, parent->tid, NULL, &tid), "PTRACE_GETEVENTMSG"))
		return NULL;
	t = find_or_add(tid);
	t->truth = truth_copy(parent->truth);
	t->parent_sp = parent->regs.rsp;
	resume(parent);
	return t->waits ? begin(t) : NULL;
}

static struct task *note_exec(struct task *t)
{
	if (!worked(ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs), "PTRACE_GETREGS"))
		return NULL;
	memory_select(t->tid);
	truth_reset(t->truth);
	nr_mappings++;
	return boundary(t);
}

static struct task *note_step(struct task *t, int signal)
{
	struct truth_regs before = truth_regs(&t->regs), after;
	uint64_t number = t->regs.rax;
	enum insn insn;

	if (!worked(ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs), "PTRACE_GETREGS"))
		return NULL;
	memory_select(t->tid);
	insn = insn_at(before.pc);
	after = truth_regs(&t->regs);
	if (!t->delivered || !truth_signal(t->truth, &before, &after))
		truth_step(t->truth, insn, &before, &after);
	if (insn == INSN_SYSCALL && changes_mappings(number))
		nr_mappings++;
	t->signal = signal == SIGTRAP ? 0 : signal;
	return boundary(t);
}

static struct task *note_stop(struct task *t, int status)
{
	int event = status >> 16;

	if (!t->truth) {
		t->waits = true;
		return NULL;
	}
	if (event == PTRACE_EVENT_EXEC)
		return note_exec(t);
	if (event)
		return note_child(t);
	if (!t->begun)
		return begin(t);
	return note_step(t, WSTOPSIG(status));
}

struct task *tracer_next(void)
{
	struct task *t = NULL;
	int status;
	pid_t tid;

	if (current)
		resume(current);
	current = NULL;
	while (!t) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == ECHILD)
			return NULL;
		if (tid < 0)
			die("waitpid");
		t = find_or_add(tid);
		if (WIFSTOPPED(status)) {
			t = note_stop(t, status);
		} else {
			forget(t);
			t = NULL;
		}
	}
	return t;
}

uint64_t tracer_nr_mappings(void)
{
	return nr_mappings;
}

void tracer_end(void)
{
	for (size_t i = 0; i < MAX_TASKS; i++)
		if (tasks[i].tid)
			kill(tasks[i].tid, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
}
