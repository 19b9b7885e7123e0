/* SPDX-License-Identifier: GPL-2.0 */
/* Demangles names of D. */
#ifndef COLLECTOR_DEMANGLE_DLANG_H
#define COLLECTOR_DEMANGLE_DLANG_H

#include <stddef.h>

/*
 * Writes the readable form of a linker name to buf. A name such as "_D1fFZv.part.0" keeps its end
 * as " [clone .part.0]", as names of C++ do.
 * Returns: its length; or 0 if it is not mangled, or if the readable form with its NUL exceeds
 * size.
 */
size_t demangle_dlang(const char *name, char *buf, size_t size);

#endif /* COLLECTOR_DEMANGLE_DLANG_H */
