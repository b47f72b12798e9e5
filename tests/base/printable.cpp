#include "civitas/base/printable.hpp"

#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("what could steer a terminal is shown as question marks") {
    CHECK(printable("\x1b[2Jred\x07\x7f") == "?[2Jred??");
    CHECK(printable("one\ntwo\tthree\r") == "one?two?three?");
    CHECK(printable(std::string_view("a\0b", 3)) == "a?b");
    CHECK(printable("\xc2\x9b"
                    "31m") == "?31m");  // a control character of two bytes
    CHECK(printable("\x9b"
                    "31m\xff\xc3") == "?31m??");  // no UTF-8
}

TEST_CASE("letters of any language stay") {
    CHECK(printable("© Zürich 東京 🙂") == "© Zürich 東京 🙂");
    CHECK(printable("").empty());
}

TEST_CASE("a text of many lines keeps them") {
    CHECK(printable_lines("steps = 20\n\tnet = a\x1b[0m\r\n") == "steps = 20\n\tnet = a?[0m?\n");
}
