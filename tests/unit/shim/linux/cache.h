/* SPDX-License-Identifier: GPL-2.0 */
#define L1_CACHE_BYTES	64
