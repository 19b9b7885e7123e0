/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the running kernel and its modules, from /proc/kallsyms. A line is "ADDRESS TYPE
 * NAME", with a tab and "[MODULE]" at its end if the function is in a module: see kallsyms(8).
 */
#ifndef COLLECTOR_KALLSYMS_H
#define COLLECTOR_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct kallsyms;

/* Limit of the text that is read. A kernel with many modules has 20 MiB. */
#define KALLSYMS_MAX_BYTES	((size_t)128 << 20)

/* The name of the kernel's own code. perf and its readers use the same one. */
#define KALLSYMS_KERNEL		"[kernel.kallsyms]"

/*
 * A range of code of one module, or of the kernel: no code of another one lies in it. A module may
 * have several ranges. Its name is in brackets.
 */
struct kallsyms_range {
	uint64_t start;
	uint64_t end;		/* the first byte after the range */
	const char *module;	/* KALLSYMS_KERNEL, or as "[ext4]" */
};

/*
 * Opens /proc/kallsyms. The rights of this moment count for later reads, too.
 * Returns: a descriptor that the caller closes; -EACCES if the kernel hides the addresses; or
 * another negative errno.
 */
int kallsyms_open(void);

/*
 * Reads the symbols as they are now. Lines with another format are skipped. kallsyms_free() frees
 * the table.
 * Returns: the table, or NULL with errno: ENOMEM, or an errno of read().
 */
struct kallsyms *kallsyms_read(int fd);

/*
 * The same from a text of len bytes, which is changed. text comes from malloc(). The table owns it
 * afterwards, also after a failure.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct kallsyms *kallsyms_parse(char *text, size_t len);

/* Frees the table. k may be NULL. */
void kallsyms_free(struct kallsyms *k);

/*
 * Returns the name of the function at addr, or NULL. Of several names of one address the global one
 * counts, then the one with the fewest underscores at its start, then the first one. The name is
 * valid as long as k.
 */
const char *kallsyms_find(const struct kallsyms *k, uint64_t addr);

/* Returns the range that has addr, or NULL. It is valid as long as k. */
const struct kallsyms_range *kallsyms_range(const struct kallsyms *k, uint64_t addr);

#endif /* COLLECTOR_KALLSYMS_H */
