/* SPDX-License-Identifier: GPL-2.0 */
/* A program without libraries, which sleeps for ever. */
	.globl	_start
	.type	_start, @function
_start:	mov	$34, %eax	/* pause() */
	syscall
	jmp	_start
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
