/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CLONE_THREAD
#define CLONE_THREAD	0x00010000
#endif
