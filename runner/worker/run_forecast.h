#pragma once
#include <nlohmann/json.hpp>

namespace compeer::worker {

/// One run's forecast: worker/forecast.h says what is in it. `before`: the compeer::Forecast of records that another
/// run will make, or null. `models`: tables `model`, or null, by the folders that other runs will make.
nlohmann::json run_forecast(const nlohmann::json& spec_file, const nlohmann::json& before,
                            const nlohmann::json& models);

}  // namespace compeer::worker
