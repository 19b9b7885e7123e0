/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_COMPILER_H
#define SHIM_COMPILER_H

#ifndef noinline
#define noinline		__attribute__((noinline))
#endif
#define likely(x)		(x)
#define unlikely(x)		(x)
#ifndef __uninitialized
#define __uninitialized
#endif
#define OPTIMIZER_HIDE_VAR(var)	__asm__("" : "+r"(var))
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define READ_ONCE_NOCHECK(x)	READ_ONCE(x)
/* A unit test has no other task that writes at the same time. */
#define data_race(expr)		(expr)
#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))

#endif
