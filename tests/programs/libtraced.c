// SPDX-License-Identifier: GPL-2.0
/*
 * A library with the variable in which each thread has its OpenTelemetry thread context. It is
 * built in three ways, which find the variable differently.
 */
void attach(void *record);

__attribute__((visibility("default"))) __thread void *otel_thread_ctx_v1;

void attach(void *record)
{
	otel_thread_ctx_v1 = record;
}
