/* SPDX-License-Identifier: GPL-2.0 */
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define clamp(v, low, high)	((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define max(a, b)		((a) > (b) ? (a) : (b))
