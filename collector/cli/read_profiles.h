/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the profiles that a command line names. Two files at a time are in memory: a thread reads
 * the next one while one is merged.
 */
#ifndef COLLECTOR_READ_PROFILES_H
#define COLLECTOR_READ_PROFILES_H

#include <stdio.h>

struct file_settings;
struct model;
struct profile_fault;

/*
 * Reads the files of the settings, adds them up and subtracts the bases, as pprof/merge.h says. One
 * file without a base stays as it is.
 * Returns: 0 and *out, which model_free() frees; or a negative errno after it printed the cause.
 */
int read_profiles(const struct file_settings *s, struct model **out);

/* Prints a problem of a file: "pprof-collect: FILE: TEXT". Returns: err. */
int read_profiles_print_error(const char *file, const char *text, int err);

/* The same for a fault. Returns: err. */
int read_profiles_print_fault(const char *file, const struct profile_fault *fault, int err);

/* Prints a fault, with its byte if that is known. The fault may have names of the profile. */
void read_profiles_put_fault(const struct profile_fault *fault, FILE *out);

#endif /* COLLECTOR_READ_PROFILES_H */
