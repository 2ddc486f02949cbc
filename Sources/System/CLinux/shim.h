#pragma once
// What glibc's Swift module leaves out. _GNU_SOURCE must not be defined here: a debug build then
// sees two shapes of fd_set. What hides behind it is declared by hand or reached by syscall(2).
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static inline int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events,
                                       uint64_t tag) {
    struct epoll_event event;
    event.events = events;
    event.data.u64 = tag;
    return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline uint64_t clinux_epoll_tag(const struct epoll_event *event) {
    return event->data.u64;
}

// accept4, with the flags every descriptor of ours has.
static inline int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return (int)syscall(SYS_accept4, listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// open(2) and prctl(2) are variadic, so Swift cannot call them.
static inline int clinux_open_read(const char *path, int follow) {
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
}

// In a directory that is open, below 0 in the working directory; never through a link.
static inline int clinux_open_read_at(int directory, const char *name) {
    return openat(directory < 0 ? AT_FDCWD : directory, name,
                  O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
}

static inline int clinux_open_append(const char *path, mode_t mode) {
    return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_CREAT | O_APPEND | O_NOFOLLOW, mode);
}

static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// What one turn frees the next one needs: by default glibc hands the end of its heap back at
// 128 KiB, and each page of it comes again through a fault, cleared.
static inline void clinux_keep_heap(void) {
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
    // Setting one ends what glibc learns by itself, so this is set to the most it learns: else
    // each block of 128 KiB, as what Kafka answers, would be a mapping of its own.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// pipe2, so that no program that another thread starts meanwhile keeps an end.
static inline int clinux_pipe(int ends[2]) {
    return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

// dup2 that also where there is nothing to do lets the descriptor through exec.
static inline int clinux_place(int descriptor, int place) {
    return descriptor == place ? fcntl(place, F_SETFD, 0) : dup2(descriptor, place);
}

static inline int clinux_pidfd_open(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

// A segment of notes of the program's own file, as the kernel has mapped it; NULL after the last.
static inline const uint8_t *clinux_notes(int number, size_t *size, size_t *alignment) {
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
    size_t count = headers ? getauxval(AT_PHNUM) : 0;
    // Where the file says that it is, and where it is, differ by this.
    uintptr_t shift = 0;
    for (size_t i = 0; i < count; i++)
        if (headers[i].p_type == PT_PHDR) shift = (uintptr_t)headers - headers[i].p_vaddr;
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_NOTE || number-- > 0) continue;
        *size = headers[i].p_memsz;
        *alignment = headers[i].p_align;
        return (const uint8_t *)(shift + headers[i].p_vaddr);
    }
    return NULL;
}

static inline char **clinux_environment(void) { return environ; }

// fork(2) is not for Swift: between fork and exec only async-signal-safe calls may run, so the
// whole stretch is here. An exec that fails tells its errno through a pipe that closes on success.
// uid or gid of (uid_t)-1 stay, a NULL directory too; input, output or error below 0 are inherited.
static inline int clinux_spawn(const char *path, char *const arguments[], char *const environment[],
                               const char *directory, uid_t uid, gid_t gid, int input, int output,
                               int error, int dies_with_parent, int leads_group) {
    int report[2], number = 0;
    if (clinux_pipe(report) != 0) return -errno;
    pid_t child = fork();
    if (child < 0) {
        number = errno;
        close(report[0]);
        close(report[1]);
        return -number;
    }
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        signal(SIGPIPE, SIG_DFL);
        if (leads_group) setpgid(0, 0);
        if ((input < 0 || clinux_place(input, 0) >= 0) &&
            (output < 0 || clinux_place(output, 1) >= 0) &&
            (error < 0 || clinux_place(error, 2) >= 0) &&
            (gid == (gid_t)-1 || (setgroups(1, &gid) == 0 && setgid(gid) == 0)) &&
            (uid == (uid_t)-1 || setuid(uid) == 0) && (!directory || chdir(directory) == 0)) {
            // After setgid and setuid, which clear it.
            if (dies_with_parent) prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
            syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
            execve(path, arguments, environment);
        }
        number = errno;
        (void)!write(report[1], &number, sizeof number);
        _exit(127);
    }
    close(report[1]);
    ssize_t told;
    do { told = read(report[0], &number, sizeof number); } while (told < 0 && errno == EINTR);
    close(report[0]);
    if (told == (ssize_t)sizeof number) {
        waitpid(child, NULL, 0);
        return -number;
    }
    return child;
}

// The wait status macros are not imported: 0-255 is an exit code, 256 + n a signal.
static inline int clinux_wait(pid_t process, int options, int *ended) {
    int status = 0;
    pid_t found = waitpid(process, &status, options);
    if (found == process) *ended = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
    return (int)found;
}
