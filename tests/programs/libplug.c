// SPDX-License-Identifier: GPL-2.0
/* The library that dlopener loads: plug_work burns CPU until end_ns. */
#include "program.h"

void plug_work(uint64_t end_ns);

void plug_work(uint64_t end_ns)
{
	spin_until(end_ns);
}
