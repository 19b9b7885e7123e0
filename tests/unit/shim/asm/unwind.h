/* SPDX-License-Identifier: GPL-2.0 */
#include "../kernel_unwind.h"
