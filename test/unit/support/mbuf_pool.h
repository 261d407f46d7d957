// SPDX-License-Identifier: BSD-3-Clause

#ifndef TEST_MBUF_POOL_H
#define TEST_MBUF_POOL_H

// A pool of mbufs for one test. At its end every mbuf must be back.

#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <rte_mbuf.h>

class MbufPool
{
      public:
	explicit MbufPool(unsigned int nb_mbufs = 1023, uint16_t room = RTE_MBUF_DEFAULT_BUF_SIZE)
	{
		static int nb_pools;
		std::string name = "test_pool_" + std::to_string(nb_pools++);

		pool_ = rte_pktmbuf_pool_create(name.c_str(), nb_mbufs, 0, 0, room, 0);
		EXPECT_NE(nullptr, pool_);
	}

	~MbufPool()
	{
		EXPECT_EQ(0u, rte_mempool_in_use_count(pool_)) << "mbufs leaked";
		rte_mempool_free(pool_);
	}

	MbufPool(const MbufPool &) = delete;
	MbufPool &operator=(const MbufPool &) = delete;

	rte_mempool *Get() const
	{
		return pool_;
	}

	// One segment that holds `bytes`.
	rte_mbuf *Mbuf(const std::string &bytes) const
	{
		rte_mbuf *m = rte_pktmbuf_alloc(pool_);

		EXPECT_NE(nullptr, m);
		char *data = rte_pktmbuf_append(m, (uint16_t)bytes.size());
		EXPECT_NE(nullptr, data);
		memcpy(data, bytes.data(), bytes.size());
		return m;
	}

	// All bytes of a chain.
	static std::string Bytes(const rte_mbuf *chain)
	{
		std::string bytes;

		for (const rte_mbuf *m = chain; m != nullptr; m = m->next)
			bytes.append(rte_pktmbuf_mtod(m, const char *), m->data_len);
		EXPECT_EQ(chain->pkt_len, bytes.size());
		return bytes;
	}

      private:
	rte_mempool *pool_;
};

#endif // TEST_MBUF_POOL_H
