/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Executes call frame instructions (DWARF 5, section 6.4.2), as far as an unwind table can express
 * them: the CFA, the return address, and the frame and base pointers. The instructions of a CIE and
 * of an FDE give rows. A row is a range of code with the rule that holds in it.
 */
#ifndef COLLECTOR_CFI_PROGRAM_H
#define COLLECTOR_CFI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_reader.h"
#include "elf/go_table.h"
#include "pprof_table.h"

/* Limit of nested DW_CFA_remember_state. Compilers need 2. */
#define CFA_MAX_REMEMBERED	8

/*
 * The registers that are followed. The stack pointer is followed only to check that it has the rule
 * of the ABI.
 */
enum { SAVED_RA, SAVED_FP, SAVED_BASE, SAVED_SP, NR_SAVED };

/* How the caller's value of a register is found. */
struct cfa_save {
	uint8_t how;		/* SAVE_* of cfi_program.c */
	uint8_t reg;
	int32_t offset;
};

/* The rules at one address. */
struct cfa_state {
	uint8_t form;		/* CFA_* of cfi_program.c */
	uint8_t reg;
	int32_t offset;
	int32_t add;		/* of CFA_DEREF and CFA_PLT */
	struct cfa_save saves[NR_SAVED];
};

/* The contents of a CIE, which hold for all of its FDEs. */
struct cfa_cie {
	uint64_t offset;	/* of the CIE in its section */
	uint64_t code_factor;	/* code_alignment_factor */
	int64_t data_factor;	/* data_alignment_factor */
	uint8_t encoding;	/* of addresses in the FDEs: DW_EH_PE_* */
	bool has_sizes;		/* each FDE has the length of its augmentation */
	bool is_signal;		/* the code returns from a signal handler */
	/*
	 * The FDEs have no instructions, but a list of Go's runtime (elf/go_table.h): the bytes
	 * between sp and the return address. No other field is used.
	 */
	bool is_go;
	struct cfa_state initial;	/* rules at the start of each FDE */
};

/*
 * Executes the instructions of a CIE, nr bytes at code, and sets its initial rules. The two
 * alignment factors must be set before. Returns false if the CIE is damaged.
 */
bool cfa_begin(struct cfa_cie *cie, const uint8_t *code, size_t nr);

/* The rows of one FDE. After cfa_next(), the first fields hold the current row. */
struct cfa_rows {
	uint64_t start;	/* of the row, in bytes from the function's start */
	uint64_t end;	/* of the row, in bytes from the function's start */
	struct pprof_rule rule;
	/*
	 * The rule describes the frame that the code is about to jump to, as in longjmp(). The
	 * values of its sp and fp are in the registers next_sp and next_fp (0 to 15), until
	 * the code moves them.
	 */
	bool jumps;
	uint8_t next_sp;
	uint8_t next_fp;

	/* Private to cfi_program.c from here on. */
	const struct cfa_cie *cie;
	struct bytes code;
	struct go_values frame_sizes;	/* if cie->is_go */
	uint64_t at;
	uint64_t length;
	bool follows_base;
	bool is_damaged;
	unsigned int nr_remembered;
	struct cfa_state state;
	struct cfa_state remembered[CFA_MAX_REMEMBERED];
};

/*
 * Prepares the rows of an FDE that covers length bytes of code. Its instructions are nr bytes at
 * code. follows_base allows rules that need the base pointer (PPROF_TABLE_BASE). cie and code must
 * live as long as r.
 */
void cfa_rows_init(struct cfa_rows *r, const struct cfa_cie *cie, const uint8_t *code, size_t nr,
		   uint64_t length, bool follows_base);

/*
 * Steps to the next row; the first call steps to the first row. Returns false after the last
 * one. The rows cover the whole length without gaps. If the instructions are damaged, the rest
 * of the code has the rule PPROF_CFA_UNSUPPORTED.
 */
bool cfa_next(struct cfa_rows *r);

#endif /* COLLECTOR_CFI_PROGRAM_H */
