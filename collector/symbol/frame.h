/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of one frame. */
#ifndef COLLECTOR_FRAME_H
#define COLLECTOR_FRAME_H

#include <stdint.h>

/* The value of frame.offset if it is not known. */
#define FRAME_NO_OFFSET	UINT64_MAX

/* A frame: one function at an address, and the position in it. */
struct frame {
	const char *name;		/* demangled; else equal to system_name */
	const char *system_name;	/* the linker name */
	const char *file;		/* NULL if not known */
	uint32_t line;			/* 0 if not known, as column and start_line */
	uint32_t column;
	uint32_t start_line;		/* line of the function's declaration */
	/* From the start of the function's code, or FRAME_NO_OFFSET. */
	uint64_t offset;
};

#endif /* COLLECTOR_FRAME_H */
