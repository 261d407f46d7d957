// SPDX-License-Identifier: BSD-3-Clause

#ifndef STORE_SUPPORT_H
#define STORE_SUPPORT_H

#include <string>
#include <vector>

#include <leat_bytes.h>
#include <leat_dict.h>
#include <leat_heap.h>

/** A slice over a string that outlives it. */
inline leat_slice
Slice(const std::string &s)
{
	return { reinterpret_cast<const uint8_t *>(s.data()), s.size() };
}

inline std::string
String(leat_slice s)
{
	return s.len == 0 ? std::string()
			  : std::string(reinterpret_cast<const char *>(s.data), s.len);
}

/** Memory of a heap, and what the tables in it share. */
class TestEnv
{
      public:
	explicit TestEnv(size_t len = 8 << 20) : mem(len)
	{
		env.heap = leat_heap_init(mem.data(), mem.size());
		env.key = { 1, 2 };
		env.random = 3;
	}
	TestEnv(const TestEnv &) = delete;
	TestEnv &operator=(const TestEnv &) = delete;
	~TestEnv()
	{
		leat_heap_fini(env.heap);
	}

	/** Take all memory but for blocks as were freed before. */
	void Exhaust()
	{
		for (size_t len = mem.size(); len > 0; len /= 2) {
			while (void *ptr = leat_heap_alloc(env.heap, len))
				taken.push_back(ptr);
		}
	}

	void Relax()
	{
		for (void *ptr : taken)
			leat_heap_free(env.heap, ptr);
		taken.clear();
	}

	leat_dict_env env;

      private:
	std::vector<uint8_t> mem;
	std::vector<void *> taken;
};

#endif // STORE_SUPPORT_H
