/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_CPUFEATURE_H
#define SHIM_CPUFEATURE_H

#define X86_FEATURE_XENPV	0
#define X86_FEATURE_USER_SHSTK	1

#define cpu_feature_enabled(feature)	((void)(feature), 0)

#endif
