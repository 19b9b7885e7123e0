/* SPDX-License-Identifier: GPL-2.0 */
#define check_trace_callback_type_sched_process_exec(probe)	((void)(probe))
#define check_trace_callback_type_sched_process_exit(probe)	((void)(probe))
