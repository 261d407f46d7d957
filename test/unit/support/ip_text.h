// SPDX-License-Identifier: BSD-3-Clause

#ifndef IP_TEXT_H
#define IP_TEXT_H

// Addresses as a test writes and reads them.

#include <string>

#include <gtest/gtest.h>

#include <leat_ip.h>

namespace ip_text
{

inline leat_ip_addr
Addr(const char *text)
{
	leat_ip_addr addr;

	EXPECT_EQ(0, leat_ip_addr_parse(text, &addr)) << text;
	return addr;
}

inline std::string
Text(leat_ip_addr addr)
{
	char text[LEAT_IP_ADDR_TEXT_MAX];

	return leat_ip_addr_format(addr, text);
}

} // namespace ip_text

#endif // IP_TEXT_H
