/* SPDX-License-Identifier: GPL-2.0 */
/* The options of the subcommands. Each has a table of options and a parser. */
#ifndef COLLECTOR_OPTIONS_SUBCOMMANDS_H
#define COLLECTOR_OPTIONS_SUBCOMMANDS_H

#include <argp.h>

/* The input of these parsers is a struct options. */
extern const struct argp options_audit_argp;
extern const struct argp options_status_argp;
extern const struct argp options_list_argp;
extern const struct argp options_doctor_argp;
extern const struct argp options_cfi_argp;

#endif /* COLLECTOR_OPTIONS_SUBCOMMANDS_H */
