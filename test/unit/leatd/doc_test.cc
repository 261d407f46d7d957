// SPDX-License-Identifier: BSD-3-Clause

// The reference page, the manual page and the example file against the table of keys.

#include <fstream>
#include <sstream>

#include "leatd_test.h"

namespace
{

std::string
ReadSource(const std::string &path)
{
	std::ifstream in(std::string(LEATD_SOURCE_ROOT) + "/" + path);
	std::ostringstream text;

	EXPECT_TRUE(in.good()) << path;
	text << in.rdbuf();
	return text.str();
}

std::vector<leatd_key>
AllKeys()
{
	uint32_t nb;
	const leatd_key *keys = leatd_key_table(&nb);

	return { keys, keys + nb };
}

TEST(Documentation, TheReferenceHasEveryKeyWithItsValuesAndDefault)
{
	std::string page = ReadSource("doc/guides/configuration.rst");
	size_t pos = page.find("\n[port NAME]\n");

	for (const leatd_key &key : AllKeys()) {
		char allowed[LEATD_VALUE_LEN];
		std::string entry = std::string("\n``") + key.name + "``\n   " + key.help +
				    ".\n   Allowed: " + leatd_key_allowed(&key, allowed);

		if (key.default_text == nullptr)
			entry += "; must be given";
		else if (key.default_text[0] != '\0')
			entry += std::string("; default ") + key.default_text;
		entry += ".\n";
		size_t found = page.find(entry, pos);
		ASSERT_NE(std::string::npos, found)
			<< "missing, or not in the table's order:" << entry;
		pos = found;
	}
}

TEST(Documentation, TheReferenceHasNoKeyThatDoesNotExist)
{
	std::istringstream page(ReadSource("doc/guides/configuration.rst"));
	std::string line, section;
	int nb = 0;

	while (std::getline(page, line)) {
		if (line.size() > 2 && line[0] == '[')
			section = line.substr(1, line.find_first_of(" ]") - 1);
		if (section.empty() || line.rfind("``", 0) != 0)
			continue;
		EXPECT_NE(nullptr,
			leatd_key_find(section.c_str(), line.substr(2, line.size() - 4).c_str()))
			<< section << " " << line;
		nb++;
	}
	EXPECT_EQ(AllKeys().size(), (size_t)nb);
}

TEST(Documentation, TheManualPageHasEveryOption)
{
	std::string page = ReadSource("doc/man/leatd.8");

	for (const leatd_key &key : AllKeys()) {
		std::string name = key.name;

		if (leatd_section_has_name(key.section)) {
			EXPECT_NE(std::string::npos, page.find(".Cm " + name)) << name;
			continue;
		}
		EXPECT_NE(std::string::npos,
			page.find(".It Fl -" + name + (key.type == LEATD_KEY_BOOL ? "\n" : " Ar ")))
			<< name;
	}
}

TEST(Documentation, TheExampleIsGoodAndNamesEveryKeyWithItsDefault)
{
	std::string text = ReadSource("app/leatd/leatd.conf.example");
	leat_error error = {};
	Parsed p = ParseFile(text);

	ASSERT_EQ(0, p.ret) << p.error;
	EXPECT_EQ(0, leatd_conf_check(p.conf.get(), TestParts(), &error)) << error.text;
	for (const leatd_key &key : AllKeys()) {
		std::string line = std::string(key.name) + " = ";

		if (!leatd_section_has_name(key.section) && key.type != LEATD_KEY_BOOL)
			line = "\n;" + line + key.default_text;
		EXPECT_NE(std::string::npos, text.find(line)) << line;
	}
}

TEST(Documentation, TheExampleIsStillGoodWithItsCommentsTakenAway)
{
	std::string text = ReadSource("app/leatd/leatd.conf.example");

	for (size_t pos; (pos = text.find("\n;")) != std::string::npos;)
		text.erase(pos + 1, 1);
	Parsed p = ParseFile(text);
	EXPECT_EQ(0, p.ret) << p.error;
}

} // namespace
