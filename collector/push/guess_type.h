/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PUSH_GUESS_TYPE_H
#define COLLECTOR_PUSH_GUESS_TYPE_H

struct model;

/*
 * Finds the type of a profile that was read from a file. The name of the file is a hint: a run
 * writes pprof.COMM.PID.TYPE.pb.gz, and a block and a mutex profile have the same sample types.
 * Without it the sample types show the type; those of contention count as mutex.
 * Returns: a profile type as in --profile, or the name of the last sample type. It belongs to the
 * model, or is static.
 */
const char *guess_type(const struct model *m, const char *path);

#endif /* COLLECTOR_PUSH_GUESS_TYPE_H */
