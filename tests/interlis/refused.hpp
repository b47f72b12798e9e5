#pragma once
/// The refusal of a made transfer.
#include "made_itf.hpp"
#include "maps/made_map.hpp"
#include "support/temporary.hpp"

namespace civitas::interlis::test {

/// Of a file with this name, whose extension tells the format, and this text.
inline std::string refused(const std::string& name, const std::string& words) {
    const civitas::test::TemporaryFolder folder("refused");
    return maps::test::refusal_of(maps::test::keep_all({write(folder.path() / name, words)}));
}

}  // namespace civitas::interlis::test
