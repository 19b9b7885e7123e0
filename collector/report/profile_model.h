/* SPDX-License-Identifier: GPL-2.0 */
/* The profile of a run as a model, for reports and graphs at the end of the run. */
#ifndef COLLECTOR_PROFILE_MODEL_H
#define COLLECTOR_PROFILE_MODEL_H

struct model;
struct profile;

/*
 * Makes the same model that pprof-collect top makes of the file of the profile. For this, the
 * profile is encoded and decoded. Then the frames that match its drop_frames are removed. May sort
 * the profile. model_free() frees *out.
 * Returns: 0, or a negative errno.
 */
int profile_model_new(struct profile *p, struct model **out);

#endif /* COLLECTOR_PROFILE_MODEL_H */
