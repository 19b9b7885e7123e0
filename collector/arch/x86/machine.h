/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_ARCH_X86_MACHINE_H
#define COLLECTOR_ARCH_X86_MACHINE_H

#include <elf.h>
#include <linux/audit.h>

#define ARCH_MACHINE		EM_X86_64
#define ARCH_AUDIT		AUDIT_ARCH_X86_64	/* in filters of system calls */
#define ARCH_NAME		"x86-64"	/* in messages */
#define ARCH_NAMES_32_BITS	"i386 or x32"	/* ABIs of 32-bit code, in messages */
#define ARCH_UNAME		"x86_64"	/* as `uname -m` prints it */
#define ARCH_SYSCALL_BYTES	2UL	/* length of a system call instruction */
/* Relocations of variables of threads: System V ABI for x86-64, section 4.4.1. */
#define ARCH_RELOCATION_TLS_OFFSET	R_X86_64_TPOFF64
#define ARCH_RELOCATION_TLS_MODULE	R_X86_64_DTPMOD64
#define ARCH_RELOCATION_TLS_DESCRIPTOR	R_X86_64_TLSDESC
#define ARCH_LINKER		"ld-linux-x86-64.so.2"	/* soname of glibc's dynamic linker */

#endif /* COLLECTOR_ARCH_X86_MACHINE_H */
