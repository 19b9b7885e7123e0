/* SPDX-License-Identifier: GPL-2.0 */
/* Names of C++ and Rust (legacy and v0) as their authors wrote them. */
#ifndef COLLECTOR_DEMANGLE_H
#define COLLECTOR_DEMANGLE_H

#include <stddef.h>

/*
 * Writes the readable form of a linker name into buf, Rust's hash left out,
 * and returns buf; returns the name itself if it isn't mangled, or if the
 * readable form needs more than size bytes with its NUL.
 */
const char *demangle_name(const char *name, char *buf, size_t size);

#endif /* COLLECTOR_DEMANGLE_H */
