/* SPDX-License-Identifier: GPL-2.0 */
/* Names of the classes of records. */
#ifndef COLLECTOR_CLASS_NAME_H
#define COLLECTOR_CLASS_NAME_H

#include <stdint.h>

/*
 * Returns the name of PPROF_SOURCE_* or PPROF_CLASS_*, a static string: a source is named as in
 * --profile. A number that a newer module may have has no name: NULL.
 */
const char *class_name(uint32_t class);

#endif /* COLLECTOR_CLASS_NAME_H */
