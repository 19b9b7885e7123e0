/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A client: a process with profiles of its own, or with labels. All its files of /dev/pprof share
 * it.
 */
#ifndef PPROF_CLIENT_H
#define PPROF_CLIENT_H

#include <linux/types.h>

#include "uapi/pprof.h"

struct pid;
struct pprof_client;

/*
 * The functions here take the locks that they need, and sleep.
 *
 * pprof_client_get() returns the client of current's process and exec id, with a reference, in
 * *client. It makes one if there is none. The caller calls pprof_client_put(). That does not free
 * the data of the client. The data is freed when the process ends or calls exec.
 * Returns: 0, or an error.
 * - -EMFILE: the user has too many clients, and current has no CAP_PERFMON.
 * - -ENOMEM.
 * - -ESRCH: current has no mm.
 */
int pprof_client_get(struct pprof_client **client);
void pprof_client_put(struct pprof_client *client);

/*
 * Returns the client of a process with the exec id @exec_id, with a reference, or NULL: there is
 * none. @process is the pid of the thread group. The caller has checked that current may look into
 * the process.
 */
struct pprof_client *pprof_client_find(struct pid *process, u64 exec_id);

/*
 * Call it when current closes a file of @client. If the kernel closes it because the process ends
 * or calls exec, the function frees the data. If no file of the client is closed then, a later
 * open() or read frees the data. Both look for ended clients, at most once a jiffy.
 */
void pprof_client_flush(struct pprof_client *client);

/* Frees the data of all processes. No file is open, and none will be opened. */
void pprof_client_exit(void);

/*
 * Does PPROF_IOC_CUSTOM: checks @custom, and sets count.
 * Returns: 0, or the errors in uapi/pprof.h.
 */
int pprof_client_custom(struct pprof_client *client, struct pprof_custom *custom);

/*
 * Do PPROF_IOC_LABEL and PPROF_IOC_LABEL_SLOT, and fill in the fields that are out.
 * Returns: 0, or the errors in uapi/pprof.h.
 */
int pprof_client_label(struct pprof_client *client, struct pprof_label *label);
int pprof_client_label_slot(struct pprof_client *client, struct pprof_label_slot *out);

/*
 * Returns: 0, or -ESRCH: @client is not the client of current's process and exec id.
 * Context: any in which current is alive.
 */
int pprof_client_check(const struct pprof_client *client);

/*
 * Do PPROF_IOC_CUSTOM_LIST and PPROF_IOC_CUSTOM_READ, and fill in the fields that are out. The
 * caller fills in pid and exec id.
 * Returns: 0, or the errors in uapi/pprof.h.
 */
int pprof_client_list(struct pprof_client *client, struct pprof_custom_list *list);
int pprof_client_read(struct pprof_client *client, struct pprof_custom_read *read);

#endif
