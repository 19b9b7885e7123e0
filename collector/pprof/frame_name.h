/* SPDX-License-Identifier: GPL-2.0 */
/* Names of frames that are not names of functions. */
#ifndef COLLECTOR_FRAME_NAME_H
#define COLLECTOR_FRAME_NAME_H

#include <stdbool.h>

/* Is it the name that the collector gives to the end of a truncated stack, or to a lost stack? */
bool frame_name_is_synthetic(const char *name);

/*
 * Makes the name of a function that is not known, from the last component of its file of code:
 * "[libc.so.6]" from "libc.so.6". A module in brackets keeps its name, and "" becomes
 * "<unknown>".
 * Returns: the name, which the caller frees; or NULL without memory.
 */
char *frame_name_unknown(const char *module);

#endif /* COLLECTOR_FRAME_NAME_H */
