/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ERR_H
#define SHIM_ERR_H

#include <errno.h>
#include <stdint.h>

#define ERR_PTR(err)	((void *)(intptr_t)(err))
#define PTR_ERR(ptr)	((long)(intptr_t)(ptr))
#define IS_ERR(ptr)	((uintptr_t)(ptr) >= (uintptr_t)-4095)

#define IS_ERR_VALUE(value)	IS_ERR(value)
#define PTR_ERR_OR_ZERO(ptr)	(IS_ERR(ptr) ? PTR_ERR(ptr) : 0)

#endif
