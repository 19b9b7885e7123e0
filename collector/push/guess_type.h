/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PUSH_GUESS_TYPE_H
#define COLLECTOR_PUSH_GUESS_TYPE_H

struct model;

/*
 * Finds the type of a profile that was read from a file. Block and mutex profiles have the same
 * sample types, so the name of the file counts first: a run writes pprof.COMM.PID.TYPE.pb.gz. If
 * the name has no type, or not that of the sample types, the sample types decide. Those of block
 * and mutex mean mutex.
 * Returns: a profile type as in --profile; the name of the last sample type, which belongs to the
 * model; or "profile" if there is none.
 */
const char *guess_type(const struct model *m, const char *path);

#endif /* COLLECTOR_PUSH_GUESS_TYPE_H */
