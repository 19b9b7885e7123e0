/* SPDX-License-Identifier: GPL-2.0 */
/* Demangles names of C++, Rust (legacy and v0) and D. */
#ifndef COLLECTOR_DEMANGLE_H
#define COLLECTOR_DEMANGLE_H

#include <stddef.h>

/*
 * Writes the readable form of a linker name to buf, without Rust's hash.
 * Returns: buf; or name itself if it is not mangled, or if the readable form with its NUL
 * exceeds size.
 */
const char *demangle_name(const char *name, char *buf, size_t size);

#endif /* COLLECTOR_DEMANGLE_H */
