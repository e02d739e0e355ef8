#include <algorithm>

#include "built.h"

namespace compeer {

namespace {

// A policy that thinks of each text what it is told here; of others nothing.
struct Policy {
  std::map<std::string, std::vector<float>> thoughts = {};
  std::vector<std::string> asked = {};
  plugin::Services services = built::services();

  plugin::Plugin<Similarity> open() {
    services.embed = [this](const std::vector<std::string>& texts) {
      std::vector<std::vector<float>> all;
      for (const auto& text : texts) all.push_back(thoughts.contains(text) ? thoughts.at(text) : std::vector(2, 0.0f));
      asked = texts;
      return all;
    };
    const auto found = built::finder().get("similarity", "policy_embedding");
    const plugin::Chosen chosen{found.kind, found.name, found.path, found.sha256};
    return built::open<Similarity>("policy_embedding", {}, std::make_unique<plugin::RunHost>(chosen, services));
  }
};

TEST(PolicyEmbedding, IsTheCosineOfWhatThePolicyMakesOfTexts) {
  Policy policy{.thoughts = {{"a", {3, 4}}, {"b", {-4, 3}}, {"c", {1, 0}}}};
  auto plugin = policy.open();
  // (3, 4) and (1, 0): 3 / 5; and (-4, 3): 0; with itself, and with nothing at all.
  EXPECT_EQ(built::values(plugin::compare(plugin, {"a"}, {"c", "b", "a", "unknown"})),
            (std::vector<double>{0.6, 0.0, 1.0, 0.0}));
  EXPECT_EQ(built::values(plugin::compare(plugin, {"b"}, {"c"})), std::vector<double>{-0.8});
}

TEST(PolicyEmbedding, GivesExactlyOneForEqualTexts) {
  Policy policy;
  for (int i = 0; i < 50; ++i) {
    const auto x = static_cast<float>(i);
    policy.thoughts["a"] = {0.1f + x / 7, 1e-3f * x * x, -1.0f / (x + 3)};
    auto plugin = policy.open();
    EXPECT_EQ(built::values(plugin::compare(plugin, {"a"}, {"a"})), std::vector<double>{1.0}) << i;
  }
}

TEST(PolicyEmbedding, AsksForEachTextOnce) {
  Policy policy{.thoughts = {{"a", {1, 0}}}};
  auto plugin = policy.open();
  plugin::compare(plugin, {"a", "b", "a"}, {"b", "c", "a"});
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(PolicyEmbedding, NeedsAPolicy) {
  auto plugin = built::open<Similarity>("policy_embedding");
  try {
    plugin::compare(plugin, {"a"}, {"b"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "similarity/policy_embedding: asks for embeddings by the policy, but there is none");
    EXPECT_EQ(error.exit(), Exit::plugin);
  }
}

TEST(PolicyEmbedding, KeepsTheContractOfItsKind) {
  Policy policy;
  for (const auto& text : built::odd_texts())
    policy.thoughts[text] = {static_cast<float>(text.size()), text.empty() ? 0.0f : 1.0f};
  auto plugin = policy.open();
  built::keeps_contract(plugin);
}

}  // namespace

}  // namespace compeer
