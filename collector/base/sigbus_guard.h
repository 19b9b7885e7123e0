/* SPDX-License-Identifier: GPL-2.0 */
/*
 * elfutils maps the files that it reads. A file that somebody truncates
 * meanwhile turns the next touch of a page into SIGBUS: ours is the crash, of a
 * program that may be root's, and theirs is the file. This makes it an error.
 */
#ifndef COLLECTOR_SIGBUS_H
#define COLLECTOR_SIGBUS_H

/*
 * Calls fn(arg) and returns what it returns, or -EIO if a SIGBUS ended it. fn
 * is then left in its midst: what it had allocated is lost, and what it was
 * changing must not be used or freed any more. Takes over the process's SIGBUS
 * handler; outside of a guard the signal kills as ever. Nests; any thread.
 */
int sigbus_guard(int (*fn)(void *arg), void *arg);

#endif /* COLLECTOR_SIGBUS_H */
