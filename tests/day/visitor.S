/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program without libraries, which costs little to start. It computes for 1 ms, if an instruction
 * takes 1 ns, sleeps for 3 s and ends. With an argument it stays: it computes each second.
 *
 * Almost all instructions are nops: QEMU counts them, and spends no time on them.
 */
#include "visitor.h"

	.globl	_start
	.type	_start, @function
_start:	.cfi_startproc
	.cfi_undefined rip
	call	compute
	cmpl	$1, (%rsp)
	jne	stay
	lea	visit_time(%rip), %rdi
	call	sleep
	mov	$231, %eax		/* exit_group() */
	xor	%edi, %edi
	syscall
stay:	lea	stay_time(%rip), %rdi
	call	sleep
	jmp	_start
	.cfi_endproc
	.size	_start, . - _start

	.type	sleep, @function
sleep:	.cfi_startproc
	mov	$35, %eax		/* nanosleep() */
	xor	%esi, %esi
	syscall
	ret
	.cfi_endproc
	.size	sleep, . - sleep

	.balign	1024
	.type	compute, @function
compute:
	.cfi_startproc
	mov	$2000, %ecx
1:	.rept	498
	nop
	.endr
	dec	%ecx
	jnz	1b
	ret
	.cfi_endproc
	.size	compute, . - compute

/* Nothing calls it. visitors.c gives each copy another number, and so a table of its own. */
	.type	unused, @function
unused:	.cfi_startproc
	.cfi_def_cfa_offset VISITOR_CFA_OFFSET
	ret
	.cfi_endproc
	.size	unused, . - unused

	.balign	8
visit_time:
	.quad	3, 0
stay_time:
	.quad	1, 0
	.section .note.GNU-stack, "", @progbits
