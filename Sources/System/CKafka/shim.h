#pragma once
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
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

/* Tells a configuration our private key: PEM text of so many bytes, without a NUL in it. Its own
 * copy librdkafka wipes when it has made a key of it. */
static inline rd_kafka_conf_res_t ckafka_set_key(
    rd_kafka_conf_t *configuration, const void *key, size_t length, char *reason, size_t size) {
    rd_kafka_conf_res_t answer;
    char *text = (char *)malloc(length + 1);
    if (!text) abort();
    memcpy(text, key, length);
    text[length] = 0;
    answer = rd_kafka_conf_set(configuration, "ssl.key.pem", text, reason, size);
    explicit_bzero(text, length);
    free(text);
    return answer;
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

/* A client with a line makes no connection after it has lost one. A cluster that is replaced under
 * its address ends the connections to the one before, and the new one takes whatever an old
 * producer sends, out of turn (measured with 4.0.1: a producer id it does not know may begin with
 * any sequence number). These run on librdkafka's threads. */
struct ckafka_line { int is_lost; };

static inline int ckafka_line_is_lost(const struct ckafka_line *line) {
    return __atomic_load_n(&line->is_lost, __ATOMIC_SEQ_CST);
}

static int ckafka_line_connect(
    int descriptor, const struct sockaddr *address, int length, const char *name, void *opaque) {
    (void)name;
    if (ckafka_line_is_lost((const struct ckafka_line *)opaque)) return ECONNREFUSED;
    if (connect(descriptor, address, (socklen_t)length) == 0) return 0;
    return errno == EINPROGRESS ? 0 : errno;
}

/* An attempt that failed has no round-trip time: a broker that is away is no loss. */
static int ckafka_line_close(int descriptor, void *opaque) {
    struct ckafka_line *line = (struct ckafka_line *)opaque;
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || info.tcpi_rtt > 0)
        __atomic_store_n(&line->is_lost, 1, __ATOMIC_SEQ_CST);
    return close(descriptor);
}

/* To be freed after the client is destroyed. */
static inline struct ckafka_line *ckafka_line_new(rd_kafka_conf_t *configuration) {
    struct ckafka_line *line = (struct ckafka_line *)calloc(1, sizeof *line);
    if (!line) abort();
    rd_kafka_conf_set_opaque(configuration, line);
    rd_kafka_conf_set_connect_cb(configuration, ckafka_line_connect);
    rd_kafka_conf_set_closesocket_cb(configuration, ckafka_line_close);
    return line;
}

static inline void ckafka_line_free(struct ckafka_line *line) { free(line); }

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
