/* SPDX-License-Identifier: GPL-2.0 */
/* A process that keeps profiles of its own: what its files of /dev/pprof share. */
#ifndef PPROF_CLIENT_H
#define PPROF_CLIENT_H

#include <linux/types.h>

#include "../uapi/pprof.h"

struct pprof_client;

/*
 * All functions here may sleep and take the locks that they need.
 *
 * The client that current's process is, by what it executes now; for a file.
 * With the last file all ends. -ENOMEM, -ESRCH if it has no memory of its own.
 */
int pprof_client_get(struct pprof_client **client);
void pprof_client_put(struct pprof_client *client);

/* A file of @client is closed, by whoever: if its process ends so, its profiles do. */
void pprof_client_flush(struct pprof_client *client);

/* See PPROF_IOC_CUSTOM; fills in count. */
int pprof_client_custom(struct pprof_client *client, struct pprof_custom *custom);

/* The image that current may list through @client; -ESRCH: none. */
int pprof_client_image(const struct pprof_client *client, u64 *image);

/*
 * Of the process that executes an image: see PPROF_IOC_CUSTOM_LIST and _READ. They
 * fill in what comes out, but for a process's number and image.
 */
int pprof_client_list(u64 image, struct pprof_custom_list *list);
int pprof_client_read(struct pprof_custom_read *read);

#endif
