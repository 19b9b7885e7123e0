/* SPDX-License-Identifier: GPL-2.0 */
/* A 32-bit program: a loop of 300 million rounds, then exit(0). */
	.globl	_start
	.type	_start, @function
_start:	mov	$300000000, %ecx
1:	dec	%ecx
	jnz	1b
	mov	$1, %eax	/* exit(0) */
	xor	%ebx, %ebx
	int	$0x80
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
