/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdarg.h>
#include <stdio.h>

#include "leat_reply.h"

void
leat_reply_errorf(struct leat_reply *reply, const char *fmt, ...)
{
	char text[LEAT_REPLY_ERROR_MAX];
	size_t len;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	LEAT_VERIFY(ret >= 0);
	len = LEAT_MIN((size_t)ret, sizeof(text) - 1);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\r' || text[i] == '\n')
			text[i] = ' ';
	}
	leat_reply_error(reply, (struct leat_slice){ (const uint8_t *)text, len });
}
