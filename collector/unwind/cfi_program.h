/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame instructions (DWARF 5, 6.4.2), executed for what a table can say:
 * the CFA, the return address, rbp and rbx. From a CIE's instructions and an
 * FDE's come rows: code, and the rule that holds in it.
 */
#ifndef COLLECTOR_CFA_H
#define COLLECTOR_CFA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_reader.h"
#include "pprof_table.h"

/* remember_state nests no deeper: compilers need 2. */
#define CFA_MAX_REMEMBERED	8

/* The registers that are followed: rsp only to see that it has the ABI's rule. */
enum { CFA_RA, CFA_RBP, CFA_RBX, CFA_RSP, CFA_NR_SAVES };

/* How the caller's value of a register is found. */
struct cfa_save {
	uint8_t how;		/* cfi_program.c's */
	uint8_t reg;
	int32_t offset;
};

struct cfa_state {
	uint8_t base;		/* what the CFA is, cfi_program.c's */
	uint8_t reg;
	int32_t offset;
	int32_t add;
	struct cfa_save saves[CFA_NR_SAVES];
};

/* What a CIE says for all its FDEs. */
struct cfa_cie {
	uint64_t offset;	/* of the CIE in its section */
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding;	/* of addresses in the FDEs, DW_EH_PE_* */
	bool has_sizes;		/* FDEs say how long their augmentation is */
	bool is_signal;		/* code that returns from a signal handler */
	struct cfa_state initial;
};

/*
 * Executes a CIE's instructions, nr bytes at code, into its initial state; the
 * factors have to be set. False: it is damaged.
 */
bool cfa_begin(struct cfa_cie *cie, const uint8_t *code, size_t nr);

/*
 * start, end and rule are the row: bytes from the function's start. If it jumps,
 * it tells of the frame that will be jumped to, whose rsp and rbp are in these
 * registers (0 to 15) until they are moved.
 */
struct cfa_rows {
	uint64_t start;
	uint64_t end;
	struct pprof_rule rule;
	bool jumps;
	uint8_t next_rsp;
	uint8_t next_rbp;

	/* cfi_program.c's */
	const struct cfa_cie *cie;
	struct bytes code;
	uint64_t at;
	uint64_t length;
	bool follows_rbx;
	bool is_damaged;
	unsigned int nr_remembered;
	struct cfa_state state;
	struct cfa_state remembered[CFA_MAX_REMEMBERED];
};

/*
 * Prepares the rows of an FDE of nr bytes of instructions at code; it covers
 * length bytes. follows_rbx: rules may need rbx (PPROF_TABLE_RBX). The CIE and
 * the code have to live as long.
 */
void cfa_rows_init(struct cfa_rows *r, const struct cfa_cie *cie, const uint8_t *code, size_t nr,
		   uint64_t length, bool follows_rbx);

/*
 * Steps to the next row, at first the first. False: that was the last. Rows lie
 * side by side and cover all the length; where the instructions are damaged,
 * the rest has the rule PPROF_CFA_UNSUPPORTED.
 */
bool cfa_next(struct cfa_rows *r);

#endif /* COLLECTOR_CFA_H */
