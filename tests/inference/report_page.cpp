// The page of a report on plans.
#include "civitas/inference/report_output.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace civitas;
using Catch::Matchers::Contains;

TEST_CASE("means are drawn of figures that every set has, whichever lacks it") {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const auto row = [](double plans, double test, double train) {
        return quality::ReportRow{"key", "width", "m", {plans, train, 1}, test, {}};
    };
    const auto page = [&](const quality::ReportRow& of) {
        quality::Report report{.count = 1, .pixels = 64};
        report.groups = {{"Roads", {of}}};
        return inference::to_page(report, {"town", "tiles.h5"});
    };
    const auto drawn = Contains("<p class=\"legend\">width</p>");
    CHECK_THAT(page(row(1, 2, 3)), drawn);
    for (const auto& lacking : {row(none, 2, 3), row(1, none, 3), row(1, 2, none), row(-1, 2, 3)})
        CHECK_THAT(page(lacking), !drawn);
}
