#include "civitas/inference/state_dict.hpp"

#include "shape_text.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/io/safetensors_file.hpp"
#include "civitas/net/classifiers.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/runs/class_names.hpp"
#include "civitas/runs/facts.hpp"
#include "civitas/runs/ground_notes.hpp"
#include "civitas/runs/problem_facts.hpp"
#include "civitas/schedule/classifier.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace civitas::inference {
namespace {

namespace fs = std::filesystem;

/// What is not trained, and no net here has: how many batches PyTorch's batch norms have seen.
bool is_counter(const std::string& name) { return name.ends_with(".num_batches_tracked"); }

/// With all that is not told, as far as it is known.
StateDict completed(StateDict from, const io::SafetensorsFile& file) {
    const auto said = [&](const char* word) {
        const auto found = file.about().find(word);
        return found == file.about().end() ? std::string() : found->second;
    };
    if (!from.pixels) {
        const std::string pixels = said("pixels");
        std::int64_t number = 0;
        const char* const end = pixels.data() + pixels.size();
        const bool is_number = std::from_chars(pixels.data(), end, number).ptr == end;
        from.pixels = is_number && number > 0 ? number : usual_pixels;
    }
    if (!from.coding)
        from.coding = said("coding").empty() ? Coding::rgb : parse_coding(said("coding"));
    if (from.names.empty()) from.names = runs::class_names(file.about());
    return from;
}

/// What PyTorch wraps a net in puts a word in front of all its names.
Hint hint_for(const io::SafetensorsFile& file, const char* otherwise) {
    constexpr std::string_view wrap = "module.";
    const auto& arrays = file.arrays();
    const bool wrapped =
        !arrays.empty() && std::all_of(arrays.begin(), arrays.end(), [&](const auto& array) {
            return array.first.starts_with(wrap);
        });
    if (!wrapped) return Hint{otherwise};
    return Hint{text("all its names begin with ", wrap,
                     ", as DataParallel and DistributedDataParallel have them: save "
                     "model.module.state_dict()")};
}

/// From the weights of the last layer.
std::int64_t classes_in(const io::SafetensorsFile& file, const StateDict& from) {
    constexpr std::int64_t any = 1000;
    const auto probe = net::classifier(from.net, channels_of(*from.coding), *from.pixels, any).net;
    const auto parameters = net::parameters_of(probe);
    const std::string last = parameters.at(parameters.size() - 2).name;
    const auto found = file.arrays().find(last);
    if (found == file.arrays().end() || found->second.shape.empty())
        throw UsageError(
            text(from.file, " has no ", last, ", whose rows are the classes of ", from.net),
            hint_for(file, "--net with the net that it is of"));
    return found->second.shape.front();
}

/// A few names, and how many there are.
class Names {
public:
    void add(const std::string& name) {
        constexpr int most = 3;
        if (++count_ <= most) first_ += (first_.empty() ? "" : ", ") + printable(name);
    }
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] std::string words(const std::string& what) const {
        if (count_ == 0) return {};
        return text("; ", count_, " ", what, " (", first_, count_ > 3 ? ", ..." : "", ")");
    }

private:
    int count_ = 0;
    std::string first_;
};

struct Wants {
    std::string name;
    std::vector<std::int64_t> shape;
    bool trained;
};

std::vector<Wants> wants_of(const net::NetDescription& net) {
    std::vector<Wants> wants;
    for (const auto& p : net::parameters_of(net)) wants.push_back({p.name, p.shape, true});
    for (const auto& b : net::buffers_of(net)) wants.push_back({b.name, {b.elements}, false});
    return wants;
}

void require_same_arrays(const io::SafetensorsFile& file, const StateDict& from,
                         const std::vector<Wants>& wants) {
    Names missing, other, extra;
    std::map<std::string, bool> known;
    for (const auto& [name, shape, trained] : wants) {
        known[name] = true;
        const auto found = file.arrays().find(name);
        if (found == file.arrays().end())
            missing.add(name);
        else if (found->second.shape != shape)
            other.add(text(name, ": ", shape_text(found->second.shape), " in the place of ",
                           shape_text(shape)));
    }
    for (const auto& [name, array] : file.arrays())
        if (!known.contains(name) && !is_counter(name)) extra.add(name);
    if (missing.count() + other.count() + extra.count() == 0) return;
    throw UsageError(text(from.file, " is no state dict of ", from.net, " for images of ",
                          *from.pixels, " pixels", missing.words("missing"),
                          other.words("of other shapes"), extra.words("that it has not")),
                     hint_for(file, "--net, --pixels and --coding as it was trained"));
}

planner::Problem problem_of(const StateDict& from, std::int64_t classes) {
    planner::Problem problem;
    planner::NetChoice choice;
    choice.task = TaskKind::classify;
    choice.net = from.net;
    choice.coding = *from.coding;
    choice.classes = classes;
    choice.pixels = *from.pixels;
    choice.kernels.choice = net::KernelChoice(net::usual_kernels);
    problem.nets = planner::checked_nets(std::move(choice));
    return problem;
}

/// How classifiers learn unless they are told otherwise.
planner::Hyperparameters usual_learning() {
    planner::Hyperparameters hyperparameters;
    hyperparameters.optimizer = OptimizerKind::sgd;
    return hyperparameters;
}

std::vector<float> finite_values(const io::SafetensorsFile& file, const fs::path& whose,
                                 const std::string& name) {
    auto values = file.floats(name);
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](float value) { return !std::isfinite(value); });
    if (bad != values.end())
        throw Error(text(whose, ": array '", printable(name), "' holds ",
                         std::isnan(*bad) ? "NaN" : "an infinite value", ", as element ",
                         bad - values.begin()),
                    Hint{"its training has diverged: take weights of an earlier epoch"});
    return values;
}

std::vector<checkpoint::Shard> shards_of(const io::SafetensorsFile& file, const StateDict& from,
                                         const std::vector<Wants>& wants) {
    const planner::Hyperparameters usual = usual_learning();
    std::vector<checkpoint::Shard> shards;
    for (const auto& [name, shape, trained] : wants) {
        const auto values = finite_values(file, from.file, name);
        at::Tensor array = at::empty(shape, at::kFloat);
        std::copy(values.begin(), values.end(), array.mutable_data_ptr<float>());
        shards.push_back(checkpoint::whole(
            text("/classifier/", trained ? "parameters/" : "buffers/", name), array, true));
        if (!trained) continue;
        for (const auto moment : moments_of(usual.optimizer, usual.momentum))
            shards.push_back(checkpoint::whole(text("/classifier/optimizer/", name, '/', moment),
                                               at::zeros(shape, at::kFloat), true));
    }
    return shards;
}

checkpoint::Header header_of(const planner::Problem& problem, const StateDict& from,
                             const std::map<std::string, std::string>& about) {
    checkpoint::Header header{.step = StepIndex{0},
                              .facts = runs::facts_of_problem(problem, usual_learning()),
                              .notes = runs::note_of_classes(from.names),
                              .configuration = ""};
    header.facts["tiles"] = "none: imported";
    runs::add_samples_seen(header.facts, 0);
    header.notes["imported-from"] = from.file.filename().string();
    if (const auto learnt = runs::licence_in(about); !learnt.empty())
        header.notes[runs::licence_note] = learnt;
    return header;
}

/// The folder that a checkpoint is written into before it gets its name.
class FolderBeside {
public:
    explicit FolderBeside(const fs::path& part) : folder_(part.string() + ".folder") {}
    FolderBeside(const FolderBeside&) = delete;
    FolderBeside& operator=(const FolderBeside&) = delete;
    ~FolderBeside() {
        std::error_code unknown;
        fs::remove_all(folder_, unknown);
    }
    [[nodiscard]] const fs::path& path() const { return folder_; }

private:
    fs::path folder_;
};

}  // namespace

ImportedNet import_state_dict(const StateDict& told, const fs::path& to, io::Replace replace) {
    const auto file = io::SafetensorsFile::open(told.file);
    const StateDict from = completed(told, file);
    const std::int64_t classes = classes_in(file, from);
    const planner::Problem problem = problem_of(from, classes);
    const auto wants = wants_of(problem.nets[schedule::classifier::net]);
    require_same_arrays(file, from, wants);
    if (!from.names.empty() && std::ssize(from.names) != classes)
        throw UsageError(text(told.names.empty() ? "its metadata" : "--names", " has ",
                              from.names.size(), " names, ", from.file, " ", classes, " classes"),
                         Hint{"a line for each class, in the order of the logits"});
    io::AtomicFile whole(to, replace);
    const FolderBeside folder(whole.part());
    const auto written =
        checkpoint::save(comm::Communicator::self(), folder.path(),
                         header_of(problem, from, file.about()), shards_of(file, from, wants));
    fs::rename(written.file, whole.part());
    whole.commit();
    return {classes, *from.pixels, *from.coding};
}

}  // namespace civitas::inference
