// SPDX-License-Identifier: BSD-3-Clause

#ifndef RPC_RECORD_H
#define RPC_RECORD_H

// The record of /rpc, and its answer, in JSON. In ZAP they are cases of record.txt.

#include <string>

namespace rpc_record
{

const std::string kJson = "{\"method\":\"eth_getBalance\","
			  "\"account\":\"0xdeadbeef00112233445566778899aabbccddeeff\","
			  "\"block\":68943,\"id\":1}";
const std::string kJsonAnswer =
	"{\"id\":1,\"balance\":1000000000000069003,\"nonce\":42,\"blockHash\":"
	"\"0x0123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0\"}";

} // namespace rpc_record

#endif // RPC_RECORD_H
