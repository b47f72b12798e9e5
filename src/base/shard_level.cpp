#include "civitas/base/shard_level.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<ShardLevel>, 4> shard_levels{
    {{"none", ShardLevel::none},
     {"optimizer", ShardLevel::optimizer},
     {"gradients", ShardLevel::gradients},
     {"parameters", ShardLevel::parameters}}};

}  // namespace

ShardLevel parse_shard_level(std::string_view name) {
    return value_named(name, "shard level", shard_levels);
}

std::string_view to_string(ShardLevel level) { return name_of(level, shard_levels); }

}  // namespace civitas
