#include "civitas/base/require_range.hpp"

#include "civitas/base/error.hpp"

namespace civitas {

void require_range(const char* option, double value, double least, double most) {
    if (!(value >= least && value <= most))
        throw UsageError(text("--", option, ' ', value, " is out of range"),
                         Hint{text("a number from ", least, " to ", most)});
}

void require_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
        throw UsageError(text("--", option, ' ', value, " is out of range"),
                         Hint{text("a whole number from ", least, " to ", most)});
}

}  // namespace civitas
