/* SPDX-License-Identifier: GPL-2.0 */
/* The names at the end of a Java profile, which stand for the addresses in its stacks. */
#ifndef COLLECTOR_JAVA_NAMES_H
#define COLLECTOR_JAVA_NAMES_H

struct address_profile;

/*
 * Reads names, from the current line of p->lines on to the end. The forms of a line are
 * "0xADDRESS FUNCTION (FILE:LINE)", "0xADDRESS FUNCTION (LIBRARY)" and "0xADDRESS NAME". Then no
 * location has an address any more, and those without a name are in a mapping of the whole memory.
 * Returns: 0, or a negative errno, and the fault is set.
 */
int java_names_read(struct address_profile *p);

#endif /* COLLECTOR_JAVA_NAMES_H */
