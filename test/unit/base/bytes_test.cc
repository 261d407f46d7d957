// SPDX-License-Identifier: BSD-3-Clause

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include <leat_bytes.h>
#include <leat_error.h>

namespace
{

TEST(SliceToInt64, TakesWhatRedisTakes)
{
	int64_t v = 0;

	EXPECT_TRUE(leat_slice_to_int64(LEAT_SLICE("0"), &v));
	EXPECT_EQ(0, v);
	EXPECT_TRUE(leat_slice_to_int64(LEAT_SLICE("-17"), &v));
	EXPECT_EQ(-17, v);
	EXPECT_TRUE(leat_slice_to_int64(LEAT_SLICE("9223372036854775807"), &v));
	EXPECT_EQ(INT64_MAX, v);
	EXPECT_TRUE(leat_slice_to_int64(LEAT_SLICE("-9223372036854775808"), &v));
	EXPECT_EQ(INT64_MIN, v);
}

TEST(SliceToInt64, RefusesAllElse)
{
	const char *bad[] = { "", "-", "-0", "01", "+1", " 1", "1 ", "1a", "9223372036854775808",
		"-9223372036854775809", "18446744073709551616", "99999999999999999999" };
	int64_t v;

	for (const char *text : bad)
		EXPECT_FALSE(leat_slice_to_int64(leat_slice_str(text), &v)) << text;
}

TEST(FormatInt64, RoundTripsTheExtremes)
{
	for (int64_t value :
		{ (int64_t)0, (int64_t)-1, (int64_t)1234567890, INT64_MAX, INT64_MIN }) {
		char text[LEAT_INT64_TEXT_MAX];
		size_t len = leat_format_int64(value, text);

		EXPECT_EQ(std::to_string(value), std::string(text, len));
	}
}

TEST(FormatUint64, RoundTripsTheExtremes)
{
	for (uint64_t value : { (uint64_t)0, (uint64_t)INT64_MAX + 1, UINT64_MAX }) {
		char text[LEAT_UINT64_TEXT_MAX];
		size_t len = leat_format_uint64(value, text);
		uint8_t buf[LEAT_UINT64_TEXT_MAX];
		leat_writer w;

		EXPECT_EQ(std::to_string(value), std::string(text, len));
		leat_writer_init(&w, buf, sizeof(buf));
		leat_writer_put_uint64(&w, value);
		EXPECT_EQ(std::to_string(value), std::string((char *)buf, (char *)w.pos));
	}
}

TEST(FormatUint64, WritesEachNumberOfDigits)
{
	uint64_t below = 0; // nines alone

	for (size_t nb = 1; nb < LEAT_UINT64_TEXT_MAX; nb++) {
		below = below * 10 + 9;
		for (uint64_t value : { below, below + 1, below - 5, below / 2 }) {
			char text[LEAT_UINT64_TEXT_MAX];
			size_t len = leat_format_uint64(value, text);

			EXPECT_EQ(std::to_string(value), std::string(text, len));
		}
	}
}

TEST(SliceIsEqualNocase, FoldsAsciiLettersOnly)
{
	EXPECT_TRUE(leat_slice_is_equal_nocase(LEAT_SLICE("PiNg"), LEAT_SLICE("pInG")));
	EXPECT_FALSE(leat_slice_is_equal_nocase(LEAT_SLICE("ping"), LEAT_SLICE("pin")));
	EXPECT_FALSE(leat_slice_is_equal_nocase(LEAT_SLICE("@"), LEAT_SLICE("`")));
}

TEST(Writer, FillsItsArrayToTheLastByteAndFailsOneOver)
{
	uint8_t buf[4];
	leat_writer w;

	leat_writer_init(&w, buf, sizeof(buf));
	leat_writer_put(&w, "abcd", 4);
	EXPECT_FALSE(w.failed);
	leat_writer_put_u8(&w, 'e');
	EXPECT_TRUE(w.failed);
}

// Windows of three bytes, one behind the other.
struct Windows {
	leat_writer w;
	uint8_t buf[12];
	unsigned int nb_opened;
};

int
NextWindow(leat_writer *w)
{
	Windows *windows = LEAT_CONTAINER_OF(w, Windows, w);

	if (windows->nb_opened == 4)
		return -ENOBUFS;
	w->pos = windows->buf + 3 * windows->nb_opened++;
	w->end = w->pos + 3;
	return 0;
}

TEST(Writer, CrossesWindows)
{
	Windows windows = {};

	windows.w.more = NextWindow;
	leat_writer_put(&windows.w, "hello, ", 7);
	leat_writer_put_int64(&windows.w, -2026);
	EXPECT_FALSE(windows.w.failed);
	EXPECT_EQ("hello, -2026", std::string((char *)windows.buf, 12));
}

TEST(Writer, DropsEverythingAfterAFailure)
{
	Windows windows = {};

	windows.w.more = NextWindow;
	leat_writer_put(&windows.w, "0123456789ABC", 13);
	EXPECT_TRUE(windows.w.failed);
	leat_writer_put(&windows.w, "x", 1);
	EXPECT_EQ("0123456789AB", std::string((char *)windows.buf, 12));
}

// A writer over one array that takes references, if its owner is in the mood.
struct Referring {
	leat_writer w;
	leat_slice bytes;
	leat_keeper *keeper;
	unsigned int nb_refs;
	int ret;
	uint8_t buf[LEAT_WRITER_REF_MIN * 2];
};

int
Refer(leat_writer *w, leat_slice bytes)
{
	Referring *referring = LEAT_CONTAINER_OF(w, Referring, w);

	referring->bytes = bytes;
	referring->keeper = w->loan->keeper;
	referring->nb_refs++;
	return referring->ret;
}

void
OpenWindow(Referring *referring, size_t room)
{
	referring->w.refer = Refer;
	referring->w.pos = referring->buf;
	referring->w.end = referring->buf + room;
}

TEST(WriterPutRef, LongBytesThatDoNotFitAreReferredTo)
{
	Referring referring = {};
	const std::string text(LEAT_WRITER_REF_MIN, 'x');
	leat_keeper keeper = {};

	OpenWindow(&referring, 100);
	leat_writer_put_ref(&referring.w, { (const uint8_t *)text.data(), text.size() }, &keeper);
	EXPECT_FALSE(referring.w.failed);
	EXPECT_EQ(1u, referring.nb_refs);
	EXPECT_EQ((const uint8_t *)text.data(), referring.bytes.data);
	EXPECT_EQ(text.size(), referring.bytes.len);
	EXPECT_EQ(&keeper, referring.keeper);
	EXPECT_EQ(referring.buf, referring.w.pos) << "nothing was copied";
	EXPECT_EQ(nullptr, referring.w.loan);
}

TEST(WriterPutRef, OneByteLessThanTheLeastIsCopied)
{
	Referring referring = {};
	const std::string text(LEAT_WRITER_REF_MIN - 1, 'x');

	OpenWindow(&referring, 100); // which is too small for it, and there is no other
	leat_writer_put_ref(&referring.w, { (const uint8_t *)text.data(), text.size() }, nullptr);
	EXPECT_EQ(0u, referring.nb_refs);
	EXPECT_TRUE(referring.w.failed);
}

TEST(WriterPutRef, WhoRefusesGetsACopy)
{
	Referring referring = {};
	const std::string text(LEAT_WRITER_REF_MIN, 'x');

	OpenWindow(&referring, 10);
	referring.ret = -ENOBUFS;
	referring.w.more = [](leat_writer *w) {
		w->end = LEAT_CONTAINER_OF(w, Referring, w)->buf + LEAT_WRITER_REF_MIN;
		return 0;
	};
	leat_writer_put_ref(&referring.w, { (const uint8_t *)text.data(), text.size() }, nullptr);
	EXPECT_EQ(1u, referring.nb_refs);
	EXPECT_FALSE(referring.w.failed);
	EXPECT_EQ(text, std::string((const char *)referring.buf, text.size()));
}

TEST(WriterPutRef, AWriterWithoutReferencesCopies)
{
	std::vector<uint8_t> buf(LEAT_WRITER_REF_MIN);
	const std::string text(LEAT_WRITER_REF_MIN, 'x');
	leat_writer w;

	leat_writer_init(&w, buf.data(), buf.size());
	leat_writer_put_ref(&w, { (const uint8_t *)text.data(), text.size() }, nullptr);
	EXPECT_FALSE(w.failed);
	EXPECT_EQ(text, std::string((const char *)buf.data(), buf.size()));
}

TEST(WriterPutRef, OfALoanAnyPartMayBeReferredToAndNothingElse)
{
	Referring referring = {};
	const std::string text(LEAT_WRITER_REF_MIN * 2 + 2, 'x');
	const uint8_t *data = (const uint8_t *)text.data();
	const leat_loan loan = { { data + 1, text.size() - 2 }, nullptr };

	OpenWindow(&referring, 0);
	referring.w.loan = &loan;
	leat_writer_put(&referring.w, data + 1, LEAT_WRITER_REF_MIN);
	leat_writer_put(&referring.w, data + 1 + LEAT_WRITER_REF_MIN, LEAT_WRITER_REF_MIN);
	EXPECT_EQ(2u, referring.nb_refs);
	EXPECT_EQ(data + 1 + LEAT_WRITER_REF_MIN, referring.bytes.data);
	for (size_t off : { (size_t)0, text.size() - LEAT_WRITER_REF_MIN }) {
		referring.w.failed = false;
		leat_writer_put(&referring.w, data + off, LEAT_WRITER_REF_MIN);
		EXPECT_EQ(2u, referring.nb_refs) << off;
		EXPECT_TRUE(referring.w.failed);
	}
}

TEST(WriterPutRef, NothingIsReferredToAfterAFailure)
{
	Referring referring = {};
	const std::string text(LEAT_WRITER_REF_MIN, 'x');

	OpenWindow(&referring, 0);
	leat_writer_put_u8(&referring.w, 'x');
	ASSERT_TRUE(referring.w.failed);
	leat_writer_put_ref(&referring.w, { (const uint8_t *)text.data(), text.size() }, nullptr);
	EXPECT_EQ(0u, referring.nb_refs);
}

TEST(Verify, SaysWhatFailedAndWhere)
{
	int nb_wheels = 1;

	LEAT_VERIFY(nb_wheels == 1);
	EXPECT_DEATH(LEAT_VERIFY(nb_wheels == 2), "bytes_test.cc:[0-9]+: .*nb_wheels == 2");
}

TEST(ErrorSet, KeepsTheDeepestCause)
{
	leat_error error = {};

	EXPECT_EQ(-ENOENT, leat_error_set(&error, -ENOENT, "no device %s", "x"));
	EXPECT_EQ(-EIO, leat_error_set(&error, -EIO, "start failed"));
	EXPECT_STREQ("no device x", error.text);
	EXPECT_EQ(-EIO, leat_error_set(nullptr, -EIO, "nobody listens"));
}

} // namespace
