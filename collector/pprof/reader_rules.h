/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What readers of profiles ask for beyond the format. Sources: Parca's ValidatePprofProfile() and
 * its names of metrics; Pyroscope's pkg/validation with its default limits; speedscope's
 * src/import/pprof.ts and src/lib/profile.ts.
 */
#ifndef COLLECTOR_READER_RULES_H
#define COLLECTOR_READER_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct decode_facts;
struct model;

enum reader { READER_NONE, READER_PARCA, READER_PYROSCOPE, READER_SPEEDSCOPE };

struct reader_rules {
	enum reader reader;
	/* The time at which the reader gets the profile, in ns since the epoch. */
	int64_t now_ns;
	/*
	 * Receives one finding. is_refused: the reader refuses the profile; else it leaves out a
	 * part. text has no newline, and may have any bytes of the profile's names.
	 */
	void (*report)(void *ctx, bool is_refused, const char *text);
	void *ctx;
};

/* Reports each rule of the reader that the profile breaks, once each. */
void reader_rules_check(const struct reader_rules *r, const struct model *m,
			const struct decode_facts *facts);

#endif /* COLLECTOR_READER_RULES_H */
