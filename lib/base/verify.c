/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdio.h>
#include <stdlib.h>

#include "leat_common.h"

void
leat_verify_failed(const char *condition, const char *file, int line)
{
	(void)fprintf(
		stderr, "leat: %s:%d: this must hold and does not: %s\n", file, line, condition);
	abort();
}
