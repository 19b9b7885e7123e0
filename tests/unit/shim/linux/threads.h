/* SPDX-License-Identifier: GPL-2.0 */
#define PID_MAX_LIMIT	(4 * 1024 * 1024)
