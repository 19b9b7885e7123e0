/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_CPUMASK_H
#define SHIM_CPUMASK_H

#define nr_cpu_ids	4U
#define num_online_cpus()	4U

#endif
