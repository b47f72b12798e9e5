#pragma once
/// A visitor made of lambdas, for std::visit.

namespace civitas {

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace civitas
