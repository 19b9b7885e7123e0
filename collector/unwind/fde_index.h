/* SPDX-License-Identifier: GPL-2.0 */
/* All FDEs of an ELF file: which code has call frame instructions, and where. */
#ifndef COLLECTOR_FDES_H
#define COLLECTOR_FDES_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi_program.h"
#include "elf/code_segments.h"

struct fde {
	uint64_t offset;	/* of the code, in the file */
	uint32_t bytes;		/* of code, not 0; all in one segment */
	uint32_t cie;		/* index */
	const uint8_t *code;	/* call frame instructions */
	uint32_t nr_code;	/* their bytes */
};

/* An FDE's place in the order of addresses. */
struct fde_key {
	uint32_t offset;	/* from the first segment */
	uint32_t index;		/* in fdes.v; there, .eh_frame's come before .debug_frame's */
};

struct fdes {
	struct fde *v;
	size_t nr;
	size_t room;
	struct cfa_cie *cies;
	size_t nr_cies;
	size_t cies_room;
	struct fde_key *order;	/* nr of them; of the same offset, the lower index first */
};

/*
 * Reads them all. Those that are damaged, are for nothing or for code outside
 * of the segments, which lie within 4 GB, are left out. 0, -ENOMEM, or -EFBIG
 * for more than anybody has. fdes_fini() in any case. t has to live as long.
 */
int fdes_init(struct fdes *f, struct elftext *t);
void fdes_fini(struct fdes *f);

#endif /* COLLECTOR_FDES_H */
