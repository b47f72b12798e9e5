#include "civitas/base/shard_level.hpp"

#include "civitas/base/error.hpp"

namespace civitas {

ShardLevel parse_shard_level(std::string_view name) {
    for (const ShardLevel level : every_shard_level)
        if (name == to_string(level)) return level;
    throw UsageError(text("unknown shard level '", name, "'"),
                     Hint{"none, optimizer, gradients or parameters"});
}

std::string_view to_string(ShardLevel level) {
    switch (level) {
        case ShardLevel::none: return "none";
        case ShardLevel::optimizer: return "optimizer";
        case ShardLevel::gradients: return "gradients";
        case ShardLevel::parameters: return "parameters";
    }
    return "";
}

}  // namespace civitas
