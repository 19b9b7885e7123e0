/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_TRACE_SCHED_H
#define SHIM_TRACE_SCHED_H

#define check_trace_callback_type_sched_process_exec(probe)	((void)(probe))
#define check_trace_callback_type_sched_process_exit(probe)	((void)(probe))
#define check_trace_callback_type_sched_switch(probe)		((void)(probe))

#endif
