/* Loaded before a program's own libraries: on threads other than the first, fdatasync takes SLOW_DISK_MS longer, and on
   rank SLOW_DISK_FULL_RANK it ends as on a full disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int Sync(int);

static int is_full(void) {
    const char *full_rank = getenv("SLOW_DISK_FULL_RANK");
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return full_rank != NULL && rank != NULL && strcmp(rank, full_rank) == 0;
}

int fdatasync(int file) {
    const char *slow_ms = getenv("SLOW_DISK_MS");
    Sync *next;
    *(void **)&next = dlsym(RTLD_NEXT, "fdatasync");
    if (syscall(SYS_gettid) == getpid()) return next(file);
    if (slow_ms != NULL) usleep(1000 * (useconds_t)strtoul(slow_ms, NULL, 10));
    if (is_full()) {
        errno = ENOSPC;
        return -1;
    }
    return next(file);
}
