#include "civitas/base/task_kind.hpp"

#include "civitas/base/names.hpp"

namespace civitas {
namespace {

constexpr std::array<NamedValue<TaskKind>, 2> tasks{
    {{"gan", TaskKind::gan}, {"classify", TaskKind::classify}}};

}  // namespace

TaskKind parse_task(std::string_view name) { return value_named(name, "task", tasks); }

std::string_view to_string(TaskKind kind) { return name_of(kind, tasks); }

}  // namespace civitas
