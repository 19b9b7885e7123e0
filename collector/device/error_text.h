/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error messages for failed calls of the module: what failed, the cause, and a hint. The
 * functions that return void and take no buffer print one line on standard error.
 */
#ifndef COLLECTOR_ERROR_TEXT_H
#define COLLECTOR_ERROR_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Prints why device_open() failed, by errno. */
void device_error_print_open(void);

/*
 * Prints why device_setup() returned err, a negative errno. flags are the PPROF_SETUP_* that
 * it was called with. buffer_pages is the size of one CPU's ring.
 */
void device_error_print_setup(uint32_t flags, unsigned int buffer_pages, int err);

/* Prints why device_attach() returned err, a negative errno, for process pid. */
void device_error_print_attach(pid_t pid, int err);

/* Prints why device_threads() returned err, a negative errno. */
void device_error_print_threads(int err);

/*
 * Prints why device_custom_list() or device_custom_read() returned err, a negative errno, for
 * process pid.
 */
void device_error_print_custom(pid_t pid, int err);

/*
 * Prints why a function of netlink.h returned err, a negative errno. action completes
 * the sentence "cannot ...".
 */
void device_error_print_netlink(const char *action, int err);

/* Returns the hint for err, a negative errno, of a call without a message of its own. Static. */
const char *device_error_hint(int err);

/*
 * Writes the text that device_error_print_open() prints for err, a negative errno, to text, of size
 * bytes. It has no program name and no newline. 256 bytes are enough.
 */
void device_error_open(int err, char *text, size_t size);

/* Writes the text that device_error_print_attach() prints, in the same way. */
void device_error_attach(pid_t pid, int err, char *text, size_t size);

#endif /* COLLECTOR_ERROR_TEXT_H */
