/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes speedscope's own file format, as its file-format-schema.json describes it. Name the file
 * *.speedscope.json, and https://www.speedscope.app opens it.
 *
 * - Each sample type is a profile of its own. The one that is shown first is a parameter.
 * - A frame is a function: name, source file, first line. Inlined functions are frames as others,
 *   and so are truncated and lost stacks. Labels are left out.
 * - Equal stacks are one sample, and come in the order of first use. Stacks whose value is 0 are
 *   left out. The format has no times: the left-heavy and sandwich views are meaningful, and the
 *   time-ordered one shows the order of the file.
 * - Values are whole numbers in their own unit. speedscope reads those above 2^53 rounded.
 */
#ifndef COLLECTOR_SPEEDSCOPE_WRITER_H
#define COLLECTOR_SPEEDSCOPE_WRITER_H

#include <stdint.h>
#include <stdio.h>

struct model;
struct profile_fault;

/*
 * Writes all sample types; type is the index of the one that is shown first. Write errors are left
 * in out, for ferror().
 * Returns: 0; -EBADMSG for a negative value, since speedscope refuses it; or another negative
 * errno. Then *fault is set.
 */
int speedscope_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault);

#endif /* COLLECTOR_SPEEDSCOPE_WRITER_H */
