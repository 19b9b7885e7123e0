/* SPDX-License-Identifier: GPL-2.0 */
/* Options of commands that send profiles. The input of the parsers is a struct options. */
#ifndef COLLECTOR_OPTIONS_PUSH_H
#define COLLECTOR_OPTIONS_PUSH_H

#include <argp.h>

/* A child of the options of a run. */
extern const struct argp options_push_run_argp;

/* The command `push`. */
extern const struct argp options_push_argp;

#endif /* COLLECTOR_OPTIONS_PUSH_H */
