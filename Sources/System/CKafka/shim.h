#pragma once
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Variadic functions and cast macros have no Swift face: these are it. */

/* An eventfd wants exactly 8 bytes; librdkafka keeps a copy. A negative descriptor turns it off. */
static inline void ckafka_wake(rd_kafka_queue_t *queue, int descriptor) {
    unsigned long long one = 1;
    if (descriptor < 0) rd_kafka_queue_io_event_enable(queue, -1, NULL, 0);
    else rd_kafka_queue_io_event_enable(queue, descriptor, &one, sizeof one);
}

/* Copies key and value. Takes the headers only when it answers no error. */
static inline rd_kafka_resp_err_t ckafka_produce(
    rd_kafka_t *client, rd_kafka_topic_t *topic, int32_t partition,
    const void *key, size_t key_length, const void *value, size_t value_length,
    int tombstone, rd_kafka_headers_t *headers, void *opaque) {
    const void *bytes = tombstone ? NULL : (value ? value : "");
    return rd_kafka_producev(
        client, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition),
        RD_KAFKA_V_KEY(key, key_length), RD_KAFKA_V_VALUE((void *)bytes, value_length),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_HEADERS(headers),
        RD_KAFKA_V_OPAQUE(opaque), RD_KAFKA_V_END);
}

/* The port the mock cluster's next listener gets; 0 once taken. Inside a function because Swift
 * emits the functions of a header, not its variables. */
static inline unsigned short *ckafka_wanted_port(void) {
    static unsigned short port;
    return &port;
}

/* The `bind` of a program that calls ckafka_fix_port, and so librdkafka's: a symbol of the
 * executable goes before the C library's. The mock cluster asks for "127.0.0.1, any port" and has
 * no setting for a fixed one; that request is answered once with the wanted port, the rest is
 * passed on. Emitted only where it is called: in Swift, such a definition is nobody else's. */
__attribute__((weak, visibility("default")))
int ckafka_bind(int descriptor, const void *address, socklen_t length) __asm__("bind");

int ckafka_bind(int descriptor, const void *address, socklen_t length) {
    struct sockaddr_in in;
    if (*ckafka_wanted_port() && address && length >= sizeof in) {
        memcpy(&in, address, sizeof in);
        if (in.sin_family == AF_INET && in.sin_port == 0
            && in.sin_addr.s_addr == htonl(INADDR_LOOPBACK)) {
            in.sin_port = htons(*ckafka_wanted_port());
            *ckafka_wanted_port() = 0;
            return (int)syscall(SYS_bind, descriptor, &in, sizeof in);
        }
    }
    return (int)syscall(SYS_bind, descriptor, address, length);
}

/* Call before rd_kafka_mock_cluster_new, on the same thread. */
static inline void ckafka_fix_port(unsigned short port) {
    /* Volatile: the call must stay, or the definition above is not emitted. */
    int (*volatile hook)(int, const void *, socklen_t) = ckafka_bind;
    (void)hook;
    *ckafka_wanted_port() = port;
}
