#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "comm/stop_flag.h"
#include "comm/world.h"
#include "train/cast.h"
#include "train/checkpoints.h"
#include "train/clock.h"
#include "train/journal.h"
#include "train/optimizer.h"
#include "train/parameters.h"

namespace compeer::train {

/// A task under way, as its steps see it.
struct Run {
  comm::World& world;
  comm::StopFlag& stop;
  const nlohmann::json& spec_file;
  std::filesystem::path folder;
  Settings spec;  ///< the resolved spec
  Start start;    ///< where it goes on
  std::unique_ptr<Cast> cast;

  uint64_t seed() const { return static_cast<uint64_t>(spec.integer("seed")); }
  std::unique_ptr<Journal> journal;
};

/// The weights under training, and all that moves with them.
class Training {
 public:
  /// `reference`: keep the weights that the run began with.
  Training(Run& run, double lr, uint64_t updates, bool reference = false);

  Parameters parameters;

  /// Clips the summed gradient and moves the weights: the same bits on every rank.
  Optimizer::Update update(std::span<const float> gradient);

  /// Runs `work` while the model has the weights that the run began with.
  void as_reference(const std::function<void()>& work);

  /// What a checkpoint holds beside the weights.
  void save(const std::filesystem::path& folder) const;

 private:
  void load(const std::filesystem::path& folder);
  void swap_reference();
  void changed();

  Run& run_;
  Optimizer optimizer_;
  std::vector<float> reference_;  // or nothing
};

/// Opens the journal of a task whose steps log these columns.
void open_journal(Run& run, const std::string& task, std::vector<std::string> columns, std::vector<std::string> values,
                  uint64_t steps);

/// Runs steps start + 1 ... steps: journal, checkpoints, polite stop. `step` fills the row, on rank 0 at least.
void train_loop(Run& run, Training& training, uint64_t steps, const std::function<void(uint64_t, Row&)>& step);

void run_sft(Run& run);
void run_grpo(Run& run);
void run_evaluate(Run& run);

}  // namespace compeer::train
