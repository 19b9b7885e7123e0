/* SPDX-License-Identifier: GPL-2.0 */
/* What types a probe has is the compiler's to check, against the kernel. */
#define check_trace_callback_type_task_newtask(probe)		((void)(probe))
