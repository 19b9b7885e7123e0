/* SPDX-License-Identifier: GPL-2.0 */
/* Why debug info that exists gives no symbols. */
#ifndef COLLECTOR_DEBUG_FAULT_H
#define COLLECTOR_DEBUG_FAULT_H

enum debug_fault_cause {
	DEBUG_FAULT_NONE,
	DEBUG_FAULT_COMPRESSION,	/* libelf cannot decompress it */
	DEBUG_FAULT_DWP,		/* libdw cannot read the .dwp file */
	DEBUG_FAULT_SPLIT,		/* the .dwo file is missing, damaged or of another build */
	DEBUG_FAULT_NR,
};

struct debug_fault {
	enum debug_fault_cause cause;
	char *path;		/* of the file with the debug info; NULL: the ELF file itself */
};

#endif /* COLLECTOR_DEBUG_FAULT_H */
