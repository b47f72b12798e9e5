// Files that are damaged or made to harm, given to the programs' own readers, each in a process of
// its own. What crashes, hangs, takes all memory or ends without a message of ours is a find.
#include "civitas/base/error.hpp"
#include "civitas/comm/session.hpp"

#include "child.hpp"
#include "kinds.hpp"
#include "mutation.hpp"

#include <unistd.h>
#include <array>
#include <cctype>
#include <charconv>
#include <iostream>
#include <set>

namespace civitas::fuzz {
namespace {

namespace fs = std::filesystem;

const Hint usage{
    "fuzz_files seeds FOLDER | fuzz_files try KIND FILE... | fuzz_files run KIND SEED_FILE FIRST "
    "COUNT FINDS"};

/// A file in the folder for temporary ones, which goes with its owner.
class CaseFile {
public:
    CaseFile() = default;
    CaseFile(const CaseFile&) = delete;
    CaseFile& operator=(const CaseFile&) = delete;
    ~CaseFile() {
        std::error_code unimportant;
        fs::remove_all(folder_, unimportant);
    }
    /// As programs name it.
    [[nodiscard]] fs::path path() const { return folder_ / "step-00000001.h5"; }

private:
    static fs::path made() {
        const auto name = fs::temp_directory_path() / text("civitas-fuzz-", getpid());
        fs::create_directories(name);
        return name;
    }
    fs::path folder_ = made();
};

Verdict verdict_of(const Kind& kind, const fs::path& file) {
    return attempt([&] { kind.read(file); }, kind.names_file ? file.string() : "");
}

/// Forged checkpoints are sealed copies; all others, links and FIFOs among them, are read in place.
Exit try_files(const Kind& kind, const std::vector<std::string>& files) {
    const CaseFile copy;
    bool found = false;
    for (const fs::path file : files) {
        if (kind.name == "forged") kind.write(copy.path(), bytes_of(file));
        const Verdict v = verdict_of(kind, kind.name == "forged" ? copy.path() : file);
        found = found || v.end == End::found;
        std::cout << (v.end == End::found   ? "FOUND"
                      : v.end == End::whole ? "ok"
                                            : "refused")
                  << ": " << kind.name << ' ' << file.string() << (v.words.empty() ? "" : ": ")
                  << v.words << std::endl;
    }
    return found ? Exit::error : Exit::done;
}

/// One find of each sort is kept: the same but for numbers and names of files.
std::string sort_of(const std::string& words) {
    std::string letters;
    for (const char c : words.substr(0, 60))
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters += c;
    return letters;
}

struct Cases {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
};

Exit run(const Kind& kind, const fs::path& seed, Cases cases, const fs::path& finds) {
    const Bytes whole = bytes_of(seed);
    if (whole.empty()) throw UsageError(text(seed, " holds nothing"), usage);
    const CaseFile one;
    std::set<std::string> sorts;
    std::array<std::uint64_t, 3> ends{};
    for (std::uint64_t i = cases.first; i < cases.first + cases.count; ++i) {
        const Bytes bytes = mutated(whole, kind.text, {.number = i});
        kind.write(one.path(), bytes);
        const Verdict v = verdict_of(kind, one.path());
        ++ends.at(static_cast<std::size_t>(v.end));
        if (v.end != End::found || !sorts.insert(sort_of(v.words)).second) continue;
        const fs::path kept = finds / text(kind.name, '-', seed.filename().string(), '-', i);
        fs::create_directories(finds);
        kind_of("store").write(kept, bytes);
        std::cout << "FOUND: case " << i << ": " << v.words << "\n  again: fuzz_files try "
                  << kind.name << ' ' << kept.string() << std::endl;
    }
    std::cout << kind.name << ' ' << seed.filename().string() << ", cases " << cases.first << " to "
              << cases.first + cases.count - 1 << ": " << ends[0] << " read, " << ends[1]
              << " refused, " << ends[2] << " found of " << sorts.size() << " sorts" << std::endl;
    return sorts.empty() ? Exit::done : Exit::error;
}

std::uint64_t number(const std::string& word) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size())
        throw UsageError(text("'", word, "' is no number"), usage);
    return value;
}

Exit program(const std::vector<std::string>& words) {
    const std::string what = words.empty() ? "" : words[0];
    if (what == "seeds" && words.size() == 2) {
        write_seeds(words[1]);
        return Exit::done;
    }
    if (what == "try" && words.size() > 2)
        return try_files(kind_of(words[1]), {words.begin() + 2, words.end()});
    if (what == "run" && words.size() == 6)
        return run(kind_of(words[1]), words[2], {number(words[3]), number(words[4])}, words[5]);
    throw UsageError("what is to be done?", usage);
}

}  // namespace
}  // namespace civitas::fuzz

int main(int argc, char** argv) {
    return civitas::comm::run_session(argc, argv, [=] {
        return civitas::fuzz::program({argv + 1, argv + argc});
    });
}
