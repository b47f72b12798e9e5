/* Loaded before a program's own libraries: asks for a stop while those are still being set up. */
#include <signal.h>
#include <unistd.h>

__attribute__((constructor)) static void ask_early(void) { kill(getpid(), SIGUSR1); }
