/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_XARRAY_H
#define SHIM_XARRAY_H

struct xarray {
	void *head;
};

#endif
