/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The collector reads files that other users have written, and a bug in the code that reads them
 * must not make such a user root. So it gives up rights in three steps:
 *
 * 1. privileges_drop(), at the start: what no command needs.
 * 2. privileges_seal(), before the first byte of a foreign file is parsed: what was needed to start
 *    programs, and capabilities of other commands.
 * 3. privileges_end_profile(), after the last sample and before most symbols are found: what was
 *    needed to read processes.
 *
 * The thread that compiles unwind tables has rights of its own: see session/unwind_tables.c. Memory
 * is shared, so a bug there reaches all that the main thread may do.
 */
#ifndef COLLECTOR_PRIVILEGES_H
#define COLLECTOR_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Drops all capabilities of this process except:
 * - PERFMON, to sample;
 * - SYS_PTRACE, DAC_READ_SEARCH and CHECKPOINT_RESTORE, to read processes and their files;
 * - DAC_OVERRIDE and FOWNER, to write a profile into the folder of any user;
 * - KILL, to end the program that the collector started;
 * - SYS_ADMIN, only if the process lacks PERFMON or CHECKPOINT_RESTORE: it includes both;
 * - those in more, as CAPABILITIES_BIT(): netlink needs NET_ADMIN, and names of the kernel's
 *   functions need SYSLOG.
 *
 * PR_SET_NO_NEW_PRIVS is set: a program that this process executes later gets no more than these.
 *
 * Capabilities belong to a thread: call this while there is one thread only. Call it after
 * command_new() has forked the profiled program: that child keeps all capabilities. See
 * capabilities(7).
 * Returns: 0, or a negative errno.
 */
int privileges_drop(uint64_t more);

struct privileges_seal {
	pid_t program;		/* a program that this process started and may end, or 0 */
	bool writes_files;	/* this process writes into folders of any user */
	bool asks_servers;	/* libdebuginfod may be used: it writes into its cache */
};

/*
 * Drops SYSLOG; KILL without a program; DAC_OVERRIDE and FOWNER without files to write. Then it
 * limits the system calls of the calling thread: see process/syscall_filter.h. A kernel without
 * seccomp filters limits none, and that is no error.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int privileges_seal(const struct privileges_seal *s);

/*
 * Drops all capabilities except DAC_READ_SEARCH, to read debug files, and DAC_OVERRIDE, FOWNER and
 * KILL, if the process still has them. Then it allows writes below the folders only: see
 * base/write_folders.h. It limits no writes if folders is NULL, the kernel has no Landlock, or the
 * process had a filter of system calls before privileges_seal().
 *
 * The calling thread can read no other process afterwards: the sources must have stopped.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int privileges_end_profile(const int *folders, size_t nr);

/*
 * For a process that sends profiles, instead of the two functions above. Drops all capabilities,
 * but keeps DAC_READ_SEARCH if it reads files that the user names. System calls are limited as by
 * privileges_seal(), but sockets are allowed. Writes are allowed below the folders only, where the
 * kernel has Landlock.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int privileges_seal_sender(bool reads_files, const int *folders, size_t nr);

/*
 * For a process that answers requests from the network. Drops all capabilities, limits the system
 * calls as privileges_seal() does, and allows no writes to files. Sockets and files that are open
 * are not limited.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int privileges_seal_server(void);

#endif /* COLLECTOR_PRIVILEGES_H */
