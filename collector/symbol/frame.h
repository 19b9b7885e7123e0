/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_SYMLINE_H
#define COLLECTOR_SYMLINE_H

#include <stdint.h>

#define SYM_NO_OFFSET	UINT64_MAX

/* One function at an address, and where in it. */
struct sym_line {
	const char *name;		/* demangled, else as system_name */
	const char *system_name;	/* as the linker knows it */
	const char *file;		/* NULL if not known */
	uint32_t line;			/* 0 if not known, as all that follow */
	uint32_t column;
	uint32_t start_line;		/* where the function is declared */
	uint64_t offset;		/* from where its code begins, or SYM_NO_OFFSET */
};

#endif /* COLLECTOR_SYMLINE_H */
