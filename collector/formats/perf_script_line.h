/* SPDX-License-Identifier: GPL-2.0 */
/* The lines of perf script: what they say of a sample, and of a frame. */
#ifndef COLLECTOR_PERF_SCRIPT_LINE_H
#define COLLECTOR_PERF_SCRIPT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/text_cursor.h"

/*
 * The first line of a sample: COMM TID [CPU] TIME: PERIOD EVENT: REST. Of these fields TID must be
 * there, and TIME or EVENT. TID may be PID/TID. COMM may contain blanks and numbers.
 */
struct perf_script_head {
	struct text_cursor comm;
	struct text_cursor event;	/* without the last ":"; may be empty */
	struct text_cursor rest;	/* a frame, or the text of a tracepoint */
	int64_t pid;
	int64_t tid;
	int64_t time_ns;		/* on the clock that was recorded */
	int64_t period;			/* 1 without the field */
	bool has_pid;
	bool has_time;
	bool has_period;
	bool is_sideband;		/* the line is an event such as mmap, and no sample */
};

/* A frame: ADDRESS SYMBOL+OFFSET (DSO), or ADDRESS SYMBOL (inlined). */
struct perf_script_frame {
	uint64_t address;
	struct text_cursor symbol;	/* without the offset; may be empty */
	struct text_cursor dso;		/* may be empty */
	bool is_inlined;
};

/* Returns: whether the line is the first one of a sample. */
bool perf_script_parse_head(struct text_cursor line, struct perf_script_head *head);

/* Returns: whether the line is a frame of a stack. */
bool perf_script_parse_frame(struct text_cursor line, struct perf_script_frame *frame);

/* Returns: whether the rest of a head is the only frame of a sample without a stack. */
bool perf_script_parse_only_frame(struct text_cursor rest, struct perf_script_frame *frame);

#endif /* COLLECTOR_PERF_SCRIPT_LINE_H */
