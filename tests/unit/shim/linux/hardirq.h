/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_HARDIRQ_H
#define SHIM_HARDIRQ_H

#define in_hardirq()	0

#endif
