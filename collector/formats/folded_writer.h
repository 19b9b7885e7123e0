/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes folded stacks, the input of FlameGraph's flamegraph.pl: a line for each stack, in the
 * order of first use by a sample.
 *
 *	main;run;read 42
 *
 * - The outermost function comes first. Inlined functions are frames as others. A stack without
 *   frames is <unknown>.
 * - Stacks are equal if the names of their functions are. Files, lines and labels are left out.
 * - The value is that of one sample type, in its own unit: the format has no place for the unit.
 *   Stacks whose value is 0 are left out.
 * - A comparison (samples with MERGE_BASE_LABEL, pprof/merge.h) has two values: the old one, and
 *   then the new one. flamegraph.pl draws such a file as a differential flame graph.
 * - In names, a semicolon becomes a colon, and each control character becomes a blank. A byte that
 *   is not UTF-8 becomes "?". In a name that ends with a number, the blank before it becomes "_":
 *   flamegraph.pl would take it for the first of two values.
 */
#ifndef COLLECTOR_FOLDED_WRITER_H
#define COLLECTOR_FOLDED_WRITER_H

#include <stdint.h>
#include <stdio.h>

struct model;
struct profile_fault;

/*
 * Writes the values of a sample type, an index. Write errors are left in out, for ferror().
 * Returns: 0; -EBADMSG for a negative value, since readers skip such a line; or another negative
 * errno. Then *fault is set.
 */
int folded_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault);

#endif /* COLLECTOR_FOLDED_WRITER_H */
