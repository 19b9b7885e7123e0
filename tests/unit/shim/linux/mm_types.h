/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_MM_TYPES_H
#define SHIM_MM_TYPES_H

#include <linux/mm.h>

struct vm_area_struct;

struct mm_struct {
	unsigned long exec_vm;
};

#endif
