#include "spec/secrets.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "fake_catalog.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::spec {
namespace {

const std::string canary = "sk-canary-0123456789abcdef";

TEST(Secret, IsSeenInASetting) {
  EXPECT_EQ(secret_in("url", "https://user:" + canary + "@example.com/v1"), "a user or password in a URL");
  EXPECT_EQ(secret_in("url", "http://word@example.com"), "a user or password in a URL");
  EXPECT_EQ(secret_in("url", "https://example.com/v1?api_key=hush&x=1"), "a key in a URL");
  EXPECT_EQ(secret_in("note", "use " + canary + " here"), "text that looks like an API key");
  EXPECT_EQ(secret_in("header", "Bearer abcdefghijklmnop"), "text that looks like an API key");
  EXPECT_EQ(secret_in("Api_Key", "hush"), "a value named like an API key");
  EXPECT_EQ(secret_in("password", "hush"), "a value named like an API key");
}

TEST(Secret, IsNotSeenEverywhere) {
  for (const char* text : {"https://example.com/v1", "http://127.0.0.1:8000/v1?page=2", "me@example.com", "task-force",
                           "risk-management-of-many-years", "a://b c@d", "what? key=a", "", "disk-0123456789abcdef0"})
    EXPECT_EQ(secret_in("text", text), "") << text;
  EXPECT_EQ(secret_in("key", "mood"), "");
  EXPECT_EQ(secret_in("level", "token"), "");
  EXPECT_EQ(secret_in("max_tokens", 3), "");
  EXPECT_EQ(secret_in("key_env", "OPENAI_API_KEY"), "");
  EXPECT_EQ(secret_in("password", ""), "");
}

TEST(Secret, IsHiddenWhereverItStands) {
  EXPECT_EQ(without_secrets("a https://u:p@h/x and https://q@h?token=abc#f, " + canary + "."),
            "a https://[hidden]@h/x and https://[hidden]@h?token=[hidden]#f, [hidden]");
  EXPECT_EQ(without_secrets("nothing here: a@b, ask-me"), "nothing here: a@b, ask-me");
}

// The blank after "Bearer" ends the host of the URL. If "Bearer" were hidden together with the key, hiding secrets
// twice would give another text.
TEST(Secret, KeepsTheWordInFrontOfAKey) {
  const auto once = without_secrets(
      "https://q@h\xc8"
      "Bearer abcdefghijklmnop=rest@a");
  EXPECT_EQ(once,
            "https://[hidden]@h\xc8"
            "Bearer [hidden]=rest@a");
  EXPECT_EQ(without_secrets(once), once);
}

TEST(Secret, IsHiddenInAHostThatAnotherSecretCutShort) {
  EXPECT_EQ(without_secrets("s://h&key=v/w&x@y"), "s://[hidden]@y");
  EXPECT_EQ(without_secrets("s://u:p&key=v@h/x"), "s://[hidden]@h/x");
}

std::string repeated(const std::string& text, size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

// Messages of plugins and settings may be long. Searching for an end or a beginning again for each secret would take
// hours.
TEST(Secret, IsLookedForOnceInALongText) {
  for (const char* part : {"?", "&", "://", "://x ", "ask-", "sk-a ", "?key", "?key= ", "Bearer "}) {
    const auto text = repeated(part, 4'000'000);
    EXPECT_TRUE(without_secrets(text) == text) << part;
    EXPECT_EQ(secret_in("text", "https://h " + text), "") << part;
  }
  const auto hidden = without_secrets(repeated("https://u:p@h " + canary + " ", 4'000'000));
  EXPECT_EQ(hidden.find("canary"), std::string::npos);
}

TEST(Secret, IsRefusedBeforeASpecIsMade) {
  for (const std::string& line : {"path = \"https://u:" + canary + "@h\"", "path = \"" + canary + "\""}) {
    const auto draft = parse_toml("name = \"x\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_world\"\n[model]\n" + line +
                                      "\n[[rewards]]\nplugin = \"format\"\n",
                                  "x.toml");
    try {
      resolve(draft, FakeCatalog());
      FAIL() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "x.toml:6");
      EXPECT_TRUE(error.problem().starts_with("'model.path' contains ")) << error.problem();
      EXPECT_EQ(std::string(error.what()).find("canary"), std::string::npos) << error.what();
    }
  }
}

TEST(Secret, IsNotQuotedByOtherMistakes) {
  const auto draft = parse_toml("name = \"x\"\ntask = \"grpo\"\nseed = \"https://u:" + canary + "@h\"\n", "x.toml");
  try {
    resolve(draft, FakeCatalog());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("canary"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("https://[hidden]@h"), std::string::npos) << error.what();
  }
}

TEST(Secret, IsNotKeptWithTheTextsASpecWasMadeFrom) {
  auto draft =
      parse_toml("# my key: " + canary +
                     "\nname = \"x\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = "
                     "\"format\"\n",
                 "x.toml");
  draft.sources["x.toml"] = "# my key: " + canary;
  EXPECT_EQ(resolve(draft, FakeCatalog()).file_text().find("canary"), std::string::npos);
}

TEST(ErrorText, IsFitForATerminal) {
  EXPECT_EQ(error_text("a\x1b[2Jb\n  c\td\x07\xc2\x9b"
                       "31m\r"),
            "a\\x1b[2Jb\n  c\td\\x07\\x9b31m\\x0d");
  EXPECT_EQ(error_text("größer 中"), "größer 中");
}

}  // namespace
}  // namespace compeer::spec
