#pragma once
/// How plain loops become vector code, since the program is built for any x86-64: a function that
/// is CIVITAS_VECTORISED is compiled once for each level of the architecture, and the loader takes
/// what the processor has. What it calls must be inlined into each of them: CIVITAS_VECTOR_BODY.
#define CIVITAS_VECTORISED [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#define CIVITAS_VECTOR_BODY [[gnu::always_inline]] inline
