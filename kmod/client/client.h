/* SPDX-License-Identifier: GPL-2.0 */
/* A process that keeps profiles of its own: what its files of /dev/pprof share. */
#ifndef PPROF_CLIENT_H
#define PPROF_CLIENT_H

#include <linux/types.h>

#include "uapi/pprof.h"

struct pid;
struct pprof_client;

/*
 * All functions here may sleep and take the locks that they need.
 *
 * The client that current's process is, by what it executes now; made if there is
 * none. The caller puts it. What the client keeps does not go with the last reference,
 * but when its process ends or executes another program. -EMFILE when its user has
 * too many without CAP_PERFMON, -ENOMEM, -ESRCH if it has no memory of its own.
 */
int pprof_client_get(struct pprof_client **client);
void pprof_client_put(struct pprof_client *client);

/*
 * That of a process (its thread group's pid) as far as it executes that image. The
 * caller, who has checked that current may look into it, puts it. NULL: there is none.
 */
struct pprof_client *pprof_client_find(struct pid *process, u64 image);

/*
 * current closes a file of @client: if its process ends so, or executes another
 * program, what it keeps is freed. Else that waits until a client comes or is looked
 * for, a jiffy after the last one.
 */
void pprof_client_flush(struct pprof_client *client);

/* Frees all that processes keep. No file is open, and none will be. */
void pprof_client_exit(void);

/* See PPROF_IOC_CUSTOM; fills in count. */
int pprof_client_custom(struct pprof_client *client, struct pprof_custom *custom);

/* See PPROF_IOC_LABEL and PPROF_IOC_LABEL_WORD; fill in what comes out. */
int pprof_client_label(struct pprof_client *client, struct pprof_label *label);
int pprof_client_label_word(struct pprof_client *client, struct pprof_label_word *word);

/* -ESRCH: @client is not what current's process is. */
int pprof_client_check(const struct pprof_client *client);

/*
 * See PPROF_IOC_CUSTOM_LIST and _READ. They fill in what comes out, but for a
 * process's number and image.
 */
int pprof_client_list(struct pprof_client *client, struct pprof_custom_list *list);
int pprof_client_read(struct pprof_client *client, struct pprof_custom_read *read);

#endif
