/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns a SIGBUS into an error. elfutils maps the files that it reads. If another process
 * truncates such a file, the next access to a page beyond the new end raises SIGBUS. Without
 * this guard any user could crash a collector that runs as root.
 */
#ifndef COLLECTOR_SIGBUS_GUARD_H
#define COLLECTOR_SIGBUS_GUARD_H

/*
 * Calls fn(arg).
 * Returns: the result of fn, or -EIO if a SIGBUS ended it.
 *
 * After -EIO, fn was left in the middle by siglongjmp(). The memory that it had allocated is
 * leaked. Objects that it was changing must not be used or freed.
 *
 * Installs a SIGBUS handler for the whole process and leaves it installed. Outside of a guard, a
 * SIGBUS still kills the process. Guards may be nested, and any thread may call this.
 */
int sigbus_guard(int (*fn)(void *arg), void *arg);

#endif /* COLLECTOR_SIGBUS_GUARD_H */
