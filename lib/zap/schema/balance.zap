# SPDX-License-Identifier: BSD-3-Clause
#
# The record of POST /rpc: the balance of an account at a block.

package leat_zap_balance

struct Request aligned {
	id      u64
	block   u64
	method  text
	account bytes
}

struct Response aligned {
	id         u64
	balance    u64
	nonce      u64
	block_hash bytes
}
