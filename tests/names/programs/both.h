/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NAMES_BOTH_H
#define NAMES_BOTH_H

extern __thread int depth;

int second(int x);
int chosen(int x);

/* A function of a header, inlined into both files. */
static inline int of_header(int x)
{
	return x * x + depth;
}

#endif /* NAMES_BOTH_H */
