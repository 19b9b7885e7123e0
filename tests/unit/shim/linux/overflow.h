/* SPDX-License-Identifier: GPL-2.0 */
#define struct_size(at, member, nr)	offsetof(typeof(*(at)), member[nr])
