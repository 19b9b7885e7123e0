/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads all FDEs of an ELF file, and sorts them by the address of their code. A Go program that was
 * stripped has none, but a table of its runtime with the size of each frame. Its functions count as
 * FDEs.
 */
#ifndef COLLECTOR_FDE_INDEX_H
#define COLLECTOR_FDE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi_program.h"
#include "elf/code_segments.h"

struct fde {
	uint64_t offset;	/* file offset of its code */
	uint32_t bytes;		/* length of its code; not 0, and in one segment */
	uint32_t cie;		/* index in fdes.cies */
	const uint8_t *code;	/* call frame instructions, or frame sizes: see cfa_cie.is_go */
	uint32_t nr_code;	/* their length in bytes */
};

/* One entry of the list that is sorted by address. */
struct fde_key {
	uint32_t offset;	/* of the code, from the start of the first segment */
	/* In fdes.v, where those of .eh_frame come before those of .debug_frame. */
	uint32_t index;
};

struct fdes {
	struct fde *v;		/* in the order of the sections */
	size_t nr;
	size_t nr_eh_frame;	/* the first ones of v: those of .eh_frame */
	size_t room;
	struct cfa_cie *cies;
	size_t nr_cies;
	size_t cies_room;
	struct fde_key *order;	/* nr entries; at equal offsets, the lower index comes first */
};

/*
 * Reads the FDEs. An FDE is skipped if it is damaged, if it covers no code, or if its code is
 * outside of the segments. The segments lie within 4 GiB. Call fdes_fini() also after an error.
 * t must live as long as f.
 * Returns: 0, -ENOMEM, or -EFBIG if there are more FDEs or CIEs than in any real program.
 */
int fdes_init(struct fdes *f, struct code_segments *t);

/* Frees the lists. */
void fdes_fini(struct fdes *f);

#endif /* COLLECTOR_FDE_INDEX_H */
