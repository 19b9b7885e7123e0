/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PPROF_ARCH_X86_EPILOGUE_H
#define PPROF_ARCH_X86_EPILOGUE_H

#include <linux/types.h>

/*
 * Does @code begin with ret, or with add $*bytes,%rsp; ret? @code is 8 bytes of code as a
 * little-endian word. If so, *bytes becomes how many bytes the code takes off the stack before it
 * returns: 0 to 120, a multiple of 8. Else *bytes has no meaning.
 * Context: any.
 */
static inline bool pprof_arch_is_epilogue(u64 code, unsigned int *bytes)
{
	*bytes = (u8)code == 0xc3 ? 0 : code >> 24 & 0xff;
	return (u8)code == 0xc3 || (code & 0xff87ffffffULL) == 0xc300c48348ULL;
}

#endif
