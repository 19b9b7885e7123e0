/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_MODULE_H
#define SHIM_MODULE_H

/* The module. The test defines it. */
extern struct module shim_module;

#define THIS_MODULE	(&shim_module)

#endif
