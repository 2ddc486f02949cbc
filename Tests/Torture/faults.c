// What a machine does to a process, on request: a full disk, a clock that is wrong.
// Loaded before the C library (LD_PRELOAD). FAULTS names a file of two 64-bit numbers that the
// test writes: nanoseconds to add to the wall clock, and whether the disk is full.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *orders;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAULTS");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *map = mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) orders = map;
    close(file);
}

static int64_t skew(void) { return orders ? orders[0] : 0; }

static int is_full(int file) {
    struct stat status;
    if (!orders || !orders[1] || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    errno = ENOSPC;
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec *now) {
    static __typeof__(&clock_gettime) next;
    if (!next) next = NEXT(clock_gettime);
    int result = next(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t all = now->tv_sec * INT64_C(1000000000) + now->tv_nsec + skew();
        now->tv_sec = all / 1000000000;
        now->tv_nsec = all % 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *now, void *zone) {
    (void)zone;
    struct timespec exact;
    int result = clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return result;
}

time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}

ssize_t write(int file, const void *bytes, size_t count) {
    static __typeof__(&write) next;
    if (!next) next = NEXT(write);
    return is_full(file) ? -1 : next(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    static __typeof__(&pwrite) next;
    if (!next) next = NEXT(pwrite);
    return is_full(file) ? -1 : next(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
    return pwrite(file, bytes, count, offset);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    static __typeof__(&pwritev) next;
    if (!next) next = NEXT(pwritev);
    return is_full(file) ? -1 : next(file, parts, count, offset);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off_t offset) {
    return pwritev(file, parts, count, offset);
}
