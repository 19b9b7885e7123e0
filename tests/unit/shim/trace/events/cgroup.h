/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_TRACE_CGROUP_H
#define SHIM_TRACE_CGROUP_H

#define check_trace_callback_type_cgroup_attach_task(probe)	((void)(probe))
#define check_trace_callback_type_cgroup_rmdir(probe)		((void)(probe))

#endif
