#pragma once
// What glibc's Swift module leaves out. _GNU_SOURCE must not be defined here: a debug build then
// sees two shapes of fd_set. What hides behind it is declared by hand or reached by syscall(2).
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

static inline int clinux_open_append(const char *path, mode_t mode) {
    return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_CREAT | O_APPEND | O_NOFOLLOW, mode);
}

static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline int clinux_pidfd_open(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

static inline char **clinux_environment(void) { return environ; }
