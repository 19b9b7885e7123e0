/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_OPTIONS_SERVE_H
#define COLLECTOR_OPTIONS_SERVE_H

#include <argp.h>

/* The options of `pprof-collect serve`. The input of the parser is a struct options. */
extern const struct argp options_serve_argp;

#endif /* COLLECTOR_OPTIONS_SERVE_H */
