// SPDX-License-Identifier: GPL-2.0
/*
 * A library with the variable in which each thread has its labels, and LAYOUT: the version of their
 * layout. A library of version 2 must not be read.
 */
#include <stdint.h>

void attach(void *set);

__attribute__((visibility("default"))) extern const uint32_t custom_labels_abi_version;
const uint32_t custom_labels_abi_version = LAYOUT;

__attribute__((visibility("default"))) __thread void *custom_labels_current_set;

void attach(void *set)
{
	custom_labels_current_set = set;
}
