/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `pprof-collect` without a subcommand: a profile. */
#ifndef COLLECTOR_OPTIONS_PROFILE_H
#define COLLECTOR_OPTIONS_PROFILE_H

#include <argp.h>

/* The input of its parser is a struct options. */
extern const struct argp options_profile_argp;

#endif /* COLLECTOR_OPTIONS_PROFILE_H */
