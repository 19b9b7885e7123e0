/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_BINFMTS_H
#define SHIM_BINFMTS_H

struct linux_binprm {
	bool secureexec;
};

#endif
