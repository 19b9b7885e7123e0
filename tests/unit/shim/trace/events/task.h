/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_TRACE_TASK_H
#define SHIM_TRACE_TASK_H

#define check_trace_callback_type_task_newtask(probe)	((void)(probe))
#define check_trace_callback_type_task_rename(probe)	((void)(probe))
#define tracepoint_synchronize_unregister()		((void)0)

#endif
