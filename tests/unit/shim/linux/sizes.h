/* SPDX-License-Identifier: GPL-2.0 */
#define SZ_4K	4096U
#define SZ_256K	(256U << 10)
#define SZ_1M	(1U << 20)
#define SZ_8M	(8ULL << 20)
#define SZ_64M	(64U << 20)
#define SZ_512M	(512U << 20)
#define SZ_4G	0x100000000ULL
