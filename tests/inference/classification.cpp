#include "support/tensor.hpp"

#include "civitas/base/error.hpp"
#include "civitas/inference/classification_text.hpp"

using namespace civitas;
using namespace civitas::inference;
using Catch::Matchers::Contains;

namespace {

using Names = std::vector<std::string>;

Prediction told(std::int64_t label, std::int64_t told) {
    return {.tile = {}, .label = label, .told = told};
}

/// The example of scikit-learn's confusion_matrix, whose result is given there: cat, ant, cat, cat,
/// ant, bird told to be ant, ant, cat, cat, ant, cat.
const Names animals{"ant", "bird", "cat"};
const std::vector<Prediction> example{told(2, 0), told(0, 0), told(2, 2),
                                      told(2, 2), told(0, 0), told(1, 2)};

/// So many classes, of each of which a tile is told rightly, but of the last; and two of class 1
/// are not.
std::string report_of_many(std::int64_t classes) {
    Names names;
    std::vector<Prediction> tiles;
    for (std::int64_t c = 0; c < classes; ++c) {
        names.push_back("class " + std::to_string(c));
        tiles.push_back(told(c, c + 1 < classes ? c : 0));
    }
    tiles.push_back(told(1, 2));
    tiles.push_back(told(1, 2));
    return report_of(tiles, names);
}

}  // namespace

TEST_CASE("a confusion table counts tiles by their class and the one told") {
    const Confusion counts(3, example);
    const std::array<std::array<std::int64_t, 3>, 3> expected{{{2, 0, 0}, {0, 0, 1}, {1, 0, 2}}};
    for (std::int64_t real = 0; real < 3; ++real)
        for (std::int64_t c = 0; c < 3; ++c)
            CHECK(counts.at(real, c) ==
                  expected.at(static_cast<std::size_t>(real)).at(static_cast<std::size_t>(c)));
    CHECK(counts.of_class(2) == 3);
    CHECK(counts.told(2) == 3);
    CHECK(counts.told(0) == 3);
    CHECK(*counts.precision(0) == Approx(2.0 / 3));
    CHECK(*counts.recall(0) == 1);
    CHECK(!counts.precision(1));  // nothing is told to be a bird
    CHECK(*counts.recall(1) == 0);
    CHECK(*counts.recall(2) == Approx(2.0 / 3));
    CHECK(!Confusion(4, example).recall(3));
    CHECK_THROWS(Confusion(2, example));
}

TEST_CASE("the score of a tile is its loss, and whether its class is among the first ones") {
    const auto logits = at::arange(7, at::kDouble).neg().reshape({1, 7, 1, 1});
    const double loss = at::log_softmax(logits, 1).neg()[0][4].item<double>();
    const steps::Score fifth = steps::score_of(logits, 4), sixth = steps::score_of(logits, 5);
    CHECK(fifth.loss == Approx(loss).epsilon(1e-12));
    CHECK((fifth.first == 0 && fifth.top_five == 1));
    CHECK((sixth.first == 0 && sixth.top_five == 0));
    CHECK(steps::score_of(logits, 0).first == 1);
    const std::array scores{fifth, sixth, steps::score_of(logits, 0)};
    const report::TestScores means = steps::means_of(scores);
    CHECK(means.tiles == 3);
    CHECK(means.first == Approx(1.0 / 3));
    CHECK(means.top_five == Approx(2.0 / 3));
    CHECK(means.loss == Approx((fifth.loss + sixth.loss + scores[2].loss) / 3));
}

TEST_CASE("people read scores, the table, and precision and recall of each class") {
    auto tiles = example;
    tiles[0].score = {.loss = 3, .first = 0, .top_five = 1};
    tiles[1].score = {.loss = 0, .first = 1, .top_five = 1};
    CHECK(report_of(tiles, animals) ==
          "6 tiles: loss 0.500, top-1 16.7 %, top-5 33.3 %\n"
          "real \\ told              ant          bird           cat\n"
          "ant                        2             0             0\n"
          "bird                       0             0             1\n"
          "cat                        1             0             2\n"
          "class            tiles  precision  recall\n"
          "ant                  2      0.667   1.000\n"
          "bird                 1          -   0.000\n"
          "cat                  3      0.667   0.667");
    CHECK_THAT(report_of({told(0, 0)}, {"a name", "\x1b[2J"}), !Contains("\x1b"));
}

TEST_CASE("columns are as wide as names of classes, while a line has room") {
    CHECK_THAT(
        report_of({told(0, 0)}, {"a name of many letters", "Zürich"}),
        Contains("real \\ told               a name of many letters                  Zürich\n"
                 "a name of many letters                         1                       0\n"
                 "Zürich                                         0                       0\n"
                 "class                      tiles  precision  recall\n"
                 "a name of many letters         1      1.000   1.000\n"
                 "Zürich                         0          -       -"));
    const std::string most(71, 'a');
    CHECK_THAT(
        report_of({told(0, 0)}, {most, "b"}),
        Contains('\n' + most.substr(0, 30) + "~     ") && Contains('\n' + most + "         1"));
    CHECK_THAT(report_of({told(0, 0)}, {"b", std::string(30, 'x') + "üüü"}),
               Contains("xü~  ") || Contains("x~  "));
    const std::string few = report_of({told(0, 0)}, Names(12, "a name of many letters"));
    CHECK_THAT(few,
               Contains("  a name of m~  a name of m~") && Contains("\na name of many letters "));
    CHECK_THAT(report_of({told(0, 1)}, Names(13, "a name of many letters")),
               Contains("\n  a name of many letters told to be a name of many letters: 1 of 1\n"));
}

TEST_CASE("of many classes people read those that are told worst") {
    CHECK_THAT(report_of_many(12), Contains("real \\ told") && !Contains("confused most"));
    const std::string some = report_of_many(13);
    CHECK_THAT(some, Contains("confused most:\n  class 1 told to be class 2: 2 of 3\n"
                              "  class 12 told to be class 0: 1 of 1\nclass ") &&
                         !Contains("real \\ told") && !Contains("least recall"));
    const std::string many = report_of_many(41);
    CHECK_THAT(many, Contains("the 40 classes with the least recall of 41:\n") &&
                         Contains("\nclass 40             1          -   0.000\n"
                                  "class 1              3      1.000   0.333\nclass 0 ") &&
                         Contains("\nclass 38 ") && !Contains("\nclass 39 "));
}

TEST_CASE("a confusion table as CSV quotes what RFC 4180 asks for") {
    const Names names{"plain", "a \"b\", c"};
    CHECK(csv_of(Confusion(2, {told(0, 1), told(1, 1), told(1, 1)}), names) ==
          "real,plain,\"a \"\"b\"\", c\"\n"
          "plain,0,1\n"
          "\"a \"\"b\"\", c\",0,2\n");
}
