/* SPDX-License-Identifier: GPL-2.0 */
/* The profile of a run as a model, for reports and graphs at the end of the run. */
#ifndef COLLECTOR_PROFILE_MODEL_H
#define COLLECTOR_PROFILE_MODEL_H

struct model;
struct profile;

/*
 * Makes the model that pprof-collect top shows of the file: the profile is encoded and decoded
 * again, and loses the frames that it says to drop. May sort the profile. model_free() frees *out.
 * Returns: 0, or a negative errno.
 */
int profile_model_new(struct profile *p, struct model **out);

#endif /* COLLECTOR_PROFILE_MODEL_H */
