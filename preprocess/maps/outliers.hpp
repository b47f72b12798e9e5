#pragma once
/// Shapes that no map means: far from all others, or absurdly larger.
#include "features.hpp"

namespace civitas::maps {

/// Take out shapes far from all others: groups of at most ten, with 10 to 20 km around them where
/// there are no others, of inputs of which one shape in a hundred at most is in such groups.
/// Counted, and named in the warnings. Collective.
void leave_out_strays(const comm::Communicator& ranks, const Plan& plan, MapContent& content);

/// Take out shapes absurdly larger than the rest: buildings of more than 10 km, and what is longer
/// than 50 km and than five times the extent of all shapes of less than 10 km; outlines stay, and
/// roads without an edge of half their length. Counted, and named in the warnings. Collective.
void leave_out_giants(const comm::Communicator& ranks, const Plan& plan, MapContent& content);

}  // namespace civitas::maps
