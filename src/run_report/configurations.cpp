#include "configurations.hpp"

#include "civitas/base/trim.hpp"

#include <set>
#include <sstream>

namespace civitas::run_report {
std::map<std::string, std::string> values_of(const std::string& ini) {
    std::map<std::string, std::string> values;
    std::istringstream lines(ini);
    for (std::string line; std::getline(lines, line);) {
        const auto equals = line.find('=');
        if (equals != std::string::npos && trimmed(line).front() != '#')
            values[std::string(trimmed(line.substr(0, equals)))] = trimmed(line.substr(equals + 1));
    }
    return values;
}

std::vector<std::string> differing(
    const std::vector<std::map<std::string, std::string>>& configurations) {
    std::set<std::string> names;
    for (const auto& values : configurations)
        for (const auto& entry : values) names.insert(entry.first);
    std::vector<std::string> different;
    for (const std::string& name : names) {
        std::set<std::string> said;
        for (const auto& values : configurations) {
            const auto found = values.find(name);
            said.insert(found == values.end() ? "\n" : found->second);
        }
        if (said.size() > 1) different.push_back(name);
    }
    return different;
}

}  // namespace civitas::run_report
