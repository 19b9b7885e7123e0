/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parsers of the values of options. After a wrong value they print one line on standard error, and
 * exit with code 2. Without memory they exit with code 1. `option` is the name of the option for
 * messages.
 */
#ifndef COLLECTOR_OPTION_VALUES_H
#define COLLECTOR_OPTION_VALUES_H

#include <argp.h>
#include <stdint.h>

struct keyword;
struct path_list;
struct settings;

/* Refuses the value arg of an option. hint is the cause, or says which values are right. */
void option_fail(struct argp_state *state, const char *option, const char *arg, const char *hint);

/* Returns a decimal number from min to max. */
unsigned long option_number(struct argp_state *state, const char *option, const char *arg,
			    unsigned long min, unsigned long max);

/* Returns the ns of the value of --seconds: at least 1, and at most those of 100 years. */
uint64_t option_seconds(struct argp_state *state, const char *arg);

/*
 * Returns the ns of a length of time, from 1 s to a day: a number and then s, m, h or d.
 */
uint64_t option_period(struct argp_state *state, const char *option, const char *arg);

/*
 * Sets the limit of --keep: a number of windows, an age such as 24h, or a size such as 10GB.
 */
void option_keep(struct argp_state *state, struct settings *s, const char *arg);

/*
 * Returns the set of bits that a list "a,b" names. An unknown or empty word is refused with hint.
 * A profile type may be named only once.
 */
unsigned int option_keywords(struct argp_state *state, const char *option,
			     const struct keyword *keywords, const char *arg, const char *hint);

/* Replaces the pids of s by the one in text. */
void option_pid(struct argp_state *state, struct settings *s, const char *text);

/* Adds the pids of a list "1,2" to those of s. */
void option_pids(struct argp_state *state, struct settings *s, const char *arg);

/* Returns the path of --cgroup without the slashes at its end: the last component is a name. */
const char *option_cgroup(struct argp_state *state, char *arg);

/* Adds a file name to a list. */
void option_path(struct argp_state *state, struct path_list *list, char *path);

#endif /* COLLECTOR_OPTION_VALUES_H */
