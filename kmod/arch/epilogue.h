/* SPDX-License-Identifier: GPL-2.0 */
/* Recognises the last instructions of a function, by their bytes. */
#ifndef PPROF_ARCH_EPILOGUE_H
#define PPROF_ARCH_EPILOGUE_H

#if defined(__x86_64__)
#include "arch/x86/epilogue.h"
#else
#error "kmod/arch/ has no folder for this CPU"
#endif

#endif
