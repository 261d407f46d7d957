/* SPDX-License-Identifier: BSD-3-Clause */

/* journald and the like stamp the time; a terminal shows the lines as they come. */

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "log.h"

static const char *const level_words[] = { "", "warning: ", "info: " };

static_assert(LEAT_DIM(level_words) == LEATD_LOG_LEVELS, "one word for each level");

void
leatd_log(enum leatd_log_level level, const char *fmt, ...)
{
	char line[LEATD_LOG_LINE_MAX];
	va_list args;
	int len, head;

	LEAT_VERIFY(level < LEATD_LOG_LEVELS);
	head = snprintf(line, sizeof(line), "leatd: %s", level_words[level]);
	va_start(args, fmt);
	len = vsnprintf(line + head, sizeof(line) - (size_t)head, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	len = LEAT_MIN(len + head, (int)sizeof(line) - 2);
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)len) < 0)
		return; /* there is nowhere left to say so */
}
