/* SPDX-License-Identifier: GPL-2.0 */
/* What processes have mapped, with the tables that unwind it. */
#ifndef SHADOW_IMAGES_H
#define SHADOW_IMAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pprof_process_ranges;

/*
 * The space of a process, for kmod/unwind/unwind.h; read anew if nr_mappings is
 * another number than the last time. It lives until then.
 */
const struct pprof_process_ranges *images_space(pid_t tid, uint64_t nr_mappings);

/*
 * Writes where an address of the process that images_space() was asked for
 * last lies: "FILE+OFFSET FUNCTION". Behind a call, ask for the byte before.
 */
void images_name(uint64_t address, char *buf, size_t size);

#endif
