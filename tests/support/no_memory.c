/* Loaded before a program's own libraries: rank NO_MEMORY_RANK gets no NO_MEMORY_BYTES from posix_memalign, which
   tensors lie in; all other amounts are given. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef int Allocate(void **, size_t, size_t);

static int is_refused(size_t bytes) {
    const char *refused = getenv("NO_MEMORY_BYTES");
    const char *refused_rank = getenv("NO_MEMORY_RANK");
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (refused == NULL || refused_rank == NULL || rank == NULL) return 0;
    return bytes == strtoull(refused, NULL, 10) && strcmp(rank, refused_rank) == 0;
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    Allocate *next;
    if (is_refused(bytes)) return ENOMEM;
    *(void **)&next = dlsym(RTLD_NEXT, "posix_memalign");
    return next(memory, alignment, bytes);
}
