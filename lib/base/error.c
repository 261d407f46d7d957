/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdarg.h>
#include <stdio.h>

#include "leat_error.h"

int
leat_error_set(struct leat_error *error, int ret, const char *fmt, ...)
{
	va_list args;

	if (error == NULL || error->text[0] != '\0')
		return ret;
	va_start(args, fmt);
	(void)vsnprintf(error->text, sizeof(error->text), fmt, args); /* a cut text still helps */
	va_end(args);
	return ret;
}
