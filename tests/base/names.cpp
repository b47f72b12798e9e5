#include "civitas/base/names.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

namespace {

enum class Metal { iron, gold, lead };
constexpr std::array<NamedValue<Metal>, 3> metals{
    {{"iron", Metal::iron}, {"gold", Metal::gold}, {"lead", Metal::lead}}};
constexpr std::array<NamedValue<Metal>, 1> only_gold{{{"gold", Metal::gold}}};

}  // namespace

TEST_CASE("values of an enum are found by their names, and the other way round") {
    for (const auto& [name, value] : metals) {
        CHECK(value_named(name, "metal", metals) == value);
        CHECK(name_of(value, metals) == name);
    }
}

TEST_CASE("a name that no value has is refused with those that there are") {
    CHECK_THROWS_WITH(value_named("tin", "metal", metals),
                      "unknown metal 'tin'. Hint: iron, gold or lead.");
    CHECK_THROWS_WITH(value_named("", "metal", only_gold), "unknown metal ''. Hint: gold.");
}

TEST_CASE("a value without a name is a broken promise") {
    CHECK_THROWS_AS(name_of(Metal::lead, only_gold), Error);
}
