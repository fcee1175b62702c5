/* Loaded into the service with LD_PRELOAD: calls for files below a folder fail while the file DISK_FAULT exists.
 *
 * Its content is "ERRNO PERCENT FOLDER". With ENOSPC, whatever would use more space fails, and a write may be short as
 * on a disk that becomes full; with any other number, a share of all calls that read, write or sync. The rest of the
 * calls is passed on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(type, name) (__extension__(type) dlsym(RTLD_NEXT, name))

typedef struct {
    int number, percent;
    char folder[4096];
} fault_t;

static int load(fault_t *fault) {
    const char *path = getenv("DISK_FAULT");
    char text[4200];
    static int (*next_open)(const char *, int, ...);
    static ssize_t (*next_read)(int, void *, size_t);
    if (!path)
        return 0;
    if (!next_open)
        next_open = NEXT(int (*)(const char *, int, ...), "open");
    if (!next_read)
        next_read = NEXT(ssize_t(*)(int, void *, size_t), "read");
    int saved = errno, file = next_open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : next_read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    errno = saved;
    if (length <= 0)
        return 0;
    text[length] = 0;
    return sscanf(text, "%d %d %4095[^\n]", &fault->number, &fault->percent, fault->folder) == 3;
}

static int hits_path(const fault_t *fault, const char *path) {
    char absolute[8192];
    if (path[0] != '/') {
        if (!getcwd(absolute, 4096))
            return 0;
        strcat(absolute, "/");
        strncat(absolute, path, 4000);
        path = absolute;
    }
    return !strncmp(path, fault->folder, strlen(fault->folder)) && rand() % 100 < fault->percent;
}

static int hits(const fault_t *fault, int file) {
    char link[64], path[4096];
    int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length <= 0)
        return 0;
    path[length] = 0;
    return hits_path(fault, path);
}

/* Return whether a call that reads or syncs fails. */
static int fails(int file) {
    fault_t fault;
    if (!load(&fault) || fault.number == ENOSPC || !hits(&fault, file))
        return 0;
    errno = fault.number;
    return 1;
}

/* Return how many bytes at an offset may be written, -1 if the call fails. */
static ssize_t writable(int file, size_t size, off_t offset) {
    fault_t fault;
    struct stat status;
    if (!load(&fault) || !hits(&fault, file))
        return (ssize_t)size;
    if (fault.number == ENOSPC) {
        if (fstat(file, &status) || !S_ISREG(status.st_mode) || offset + (off_t)size <= status.st_size)
            return (ssize_t)size;
        if (size > 1 && rand() % 4 == 0)
            return (ssize_t)(size / 2);
    }
    errno = fault.number;
    return -1;
}

/* Return whether a new file or folder cannot be made. */
static int unmakeable(const char *path) {
    fault_t fault;
    struct stat status;
    int saved = errno;
    if (!load(&fault) || !hits_path(&fault, path))
        return 0;
    if (!stat(path, &status)) {
        errno = saved;
        return 0;
    }
    errno = fault.number;
    return 1;
}

#define READS(type, name, parameters, arguments)                                                                       \
    type name parameters {                                                                                             \
        static type(*next) parameters;                                                                                 \
        if (!next)                                                                                                     \
            next = NEXT(type(*) parameters, #name);                                                                    \
        return fails(file) ? -1 : next arguments;                                                                      \
    }

READS(ssize_t, read, (int file, void *data, size_t size), (file, data, size))
READS(ssize_t, pread, (int file, void *data, size_t size, off_t at), (file, data, size, at))
READS(ssize_t, pread64, (int file, void *data, size_t size, off64_t at), (file, data, size, at))
READS(ssize_t, preadv, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at))
READS(ssize_t, preadv2, (int file, const struct iovec *parts, int count, off_t at, int flags),
      (file, parts, count, at, flags))
READS(int, fsync, (int file), (file))
READS(int, fdatasync, (int file), (file))

ssize_t sendfile(int out, int file, off_t *at, size_t size) {
    static ssize_t (*next)(int, int, off_t *, size_t);
    if (!next)
        next = NEXT(ssize_t(*)(int, int, off_t *, size_t), "sendfile");
    return fails(file) ? -1 : next(out, file, at, size);
}

ssize_t sendfile64(int out, int file, off64_t *at, size_t size) {
    static ssize_t (*next)(int, int, off64_t *, size_t);
    if (!next)
        next = NEXT(ssize_t(*)(int, int, off64_t *, size_t), "sendfile64");
    return fails(file) ? -1 : next(out, file, at, size);
}

ssize_t write(int file, const void *data, size_t size) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next)
        next = NEXT(ssize_t(*)(int, const void *, size_t), "write");
    ssize_t rest = writable(file, size, lseek(file, 0, SEEK_CUR));
    return rest < 0 ? -1 : next(file, data, (size_t)rest);
}

#define WRITES_AT(name, offset)                                                                                        \
    ssize_t name(int file, const void *data, size_t size, offset at) {                                                 \
        static ssize_t (*next)(int, const void *, size_t, offset);                                                     \
        if (!next)                                                                                                     \
            next = NEXT(ssize_t(*)(int, const void *, size_t, offset), #name);                                         \
        ssize_t rest = writable(file, size, at);                                                                       \
        return rest < 0 ? -1 : next(file, data, (size_t)rest, at);                                                     \
    }

WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

#define TRUNCATES(name, offset)                                                                                        \
    int name(int file, offset size) {                                                                                  \
        static int (*next)(int, offset);                                                                               \
        if (!next)                                                                                                     \
            next = NEXT(int (*)(int, offset), #name);                                                                  \
        return writable(file, 1, size - 1) < 0 ? -1 : next(file, size);                                                \
    }

TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                       \
        static int (*next)(const char *, int, ...);                                                                    \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = va_arg(rest, mode_t);                                                                            \
        va_end(rest);                                                                                                  \
        if (!next)                                                                                                     \
            next = NEXT(int (*)(const char *, int, ...), #name);                                                       \
        if ((flags & O_CREAT) && unmakeable(path))                                                                     \
            return -1;                                                                                                 \
        return next(path, flags, mode);                                                                                \
    }

OPENS(open)
OPENS(open64)

int mkdir(const char *path, mode_t mode) {
    static int (*next)(const char *, mode_t);
    if (!next)
        next = NEXT(int (*)(const char *, mode_t), "mkdir");
    return unmakeable(path) ? -1 : next(path, mode);
}
