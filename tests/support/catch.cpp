// Exists to build the precompiled header once.
