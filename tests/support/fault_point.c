/* Loaded before a program's own libraries: a signal at a named point. The point is the call number FAULT_CALL (from 1)
   of those on rank FAULT_RANK whose words match the pattern FAULT_AT; FAULT_SIGNAL (9 unless told) comes to the process
   FAULT_US microseconds after its begin, or in the midst of what it writes if FAULT_MIDWAY is set. Words of a call:

     pread|pwrite|fdatasync|fsync FILE first|other     whether the process' first thread makes it, or another
     rename|renameat2|remove|unlink FILE first|other
     MPI_Isend tag=TAG first|other
     MPI_Iprobe tag=TAG first|other

   Says on standard error what was met; nothing says that there was no such call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fnmatch.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NEXT(type, name) \
    static type *next;   \
    if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, name)

typedef ssize_t Pread(int, void *, size_t, off_t);
typedef ssize_t Pwrite(int, const void *, size_t, off_t);
typedef int OfFile(int);
typedef int OfName(const char *);
typedef int Rename(const char *, const char *);
typedef int RenameAt2(int, const char *, int, const char *, unsigned);
typedef int Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int Iprobe(int, int, MPI_Comm, int *, MPI_Status *);

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

static void strike(const char *words) {
    const int what = (int)number("FAULT_SIGNAL", SIGKILL);
    const long us = number("FAULT_US", 0);
    fprintf(stderr, "fault point: %s\n", words);
    if (us == 0) {
        kill(getpid(), what);
        return;
    }
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = what};
    struct itimerspec once = {.it_value = {us / 1000000, us % 1000000 * 1000}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &once, NULL) != 0) abort();
}

/* Whether this call is the one; its words are CALL OBJECT THREAD. */
static int is_met(const char *call, const char *object, char *words, size_t size) {
    static atomic_long calls;
    const char *at = getenv("FAULT_AT"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *thread = syscall(SYS_gettid) == getpid() ? "first" : "other";
    if (at == NULL || rank == NULL || strtol(rank, NULL, 10) != number("FAULT_RANK", 0)) return 0;
    snprintf(words, size, "%s %s %s", call, object, thread);
    return fnmatch(at, words, 0) == 0 && atomic_fetch_add(&calls, 1) + 1 == number("FAULT_CALL", 1);
}

static void pass(const char *call, const char *object) {
    char words[PATH_MAX + 64];
    if (is_met(call, object, words, sizeof words)) strike(words);
}

static const char *name_of(int file, char *name, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, name, size - 1);
    name[length < 0 ? 0 : length] = 0;
    return name;
}

ssize_t pread(int file, void *to, size_t bytes, off_t at) {
    NEXT(Pread, "pread");
    char name[PATH_MAX];
    pass("pread", name_of(file, name, sizeof name));
    return next(file, to, bytes, at);
}

ssize_t pwrite(int file, const void *from, size_t bytes, off_t at) {
    NEXT(Pwrite, "pwrite");
    char name[PATH_MAX], words[PATH_MAX + 64];
    if (is_met("pwrite", name_of(file, name, sizeof name), words, sizeof words)) {
        if (getenv("FAULT_MIDWAY") != NULL) next(file, from, bytes / 2, at);
        strike(words);
    }
    return next(file, from, bytes, at);
}

int fdatasync(int file) {
    NEXT(OfFile, "fdatasync");
    char name[PATH_MAX];
    pass("fdatasync", name_of(file, name, sizeof name));
    return next(file);
}

int fsync(int file) {
    NEXT(OfFile, "fsync");
    char name[PATH_MAX];
    pass("fsync", name_of(file, name, sizeof name));
    return next(file);
}

int rename(const char *from, const char *to) {
    NEXT(Rename, "rename");
    pass("rename", from);
    return next(from, to);
}

int renameat2(int in, const char *from, int other, const char *to, unsigned flags) {
    NEXT(RenameAt2, "renameat2");
    pass("renameat2", from);
    return next(in, from, other, to, flags);
}

int remove(const char *file) {
    NEXT(OfName, "remove");
    pass("remove", file);
    return next(file);
}

int unlink(const char *file) {
    NEXT(OfName, "unlink");
    pass("unlink", file);
    return next(file);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm ranks, MPI_Request *request) {
    NEXT(Isend, "MPI_Isend");
    char words[32];
    snprintf(words, sizeof words, "tag=%d", tag);
    pass("MPI_Isend", words);
    return next(data, count, type, to, tag, ranks, request);
}

int MPI_Iprobe(int from, int tag, MPI_Comm ranks, int *come, MPI_Status *status) {
    NEXT(Iprobe, "MPI_Iprobe");
    char words[32];
    snprintf(words, sizeof words, "tag=%d", tag);
    pass("MPI_Iprobe", words);
    return next(from, tag, ranks, come, status);
}
