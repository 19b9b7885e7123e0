/* SPDX-License-Identifier: GPL-2.0 */
/* A program without libraries, which sleeps until it is killed. */
	.globl	_start
	.type	_start, @function
_start:	mov	$34, %eax	/* pause() */
	syscall
	jmp	_start
	.size	_start, . - _start
	.section .note.GNU-stack, "", @progbits
