#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <time.h>

// Swift imports neither function-like and cast macros nor variadic functions.

// The digest context of the calling thread; it lives as long as the process, as our threads do.
static inline EVP_MD_CTX *copenssl_thread_digest_context(void) {
    static _Thread_local EVP_MD_CTX *context;
    if (!context) context = EVP_MD_CTX_new();
    return context;
}

// Builders keep the pointers they are given until OSSL_PARAM_BLD_to_param; Swift's temporary
// strings and arrays end sooner.
static inline EVP_PKEY *copenssl_public_key(const char *kind, OSSL_PARAM_BLD *build) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}

// `point` is 65 bytes: 4, x, y. NULL also for a point off the curve.
static inline EVP_PKEY *copenssl_p256_key(const unsigned char *point) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (build
        && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0)
        && OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, 65))
        key = copenssl_public_key("EC", build);
    OSSL_PARAM_BLD_free(build);
    return key;
}

// The same, as a copy of another key of that curve: making the curve costs four times as much.
static inline EVP_PKEY *copenssl_p256_key_like(EVP_PKEY *other, const unsigned char *point) {
    EVP_PKEY *key = other ? EVP_PKEY_dup(other) : NULL;
    if (!key) return copenssl_p256_key(point);
    if (EVP_PKEY_set1_encoded_public_key(key, point, 65) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    return key;
}

static inline EVP_PKEY *copenssl_rsa_key(const BIGNUM *modulus, const BIGNUM *exponent) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    if (build
        && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent))
        key = copenssl_public_key("RSA", build);
    OSSL_PARAM_BLD_free(build);
    return key;
}

// Seconds since 1970 from which on it is not valid any more; -1 when it does not say.
static inline int64_t copenssl_certificate_end(const X509 *certificate) {
    struct tm parts;
    const ASN1_TIME *end = certificate ? X509_get0_notAfter(certificate) : NULL;
    return end && ASN1_TIME_to_tm(end, &parts) == 1 ? timegm(&parts) : -1;
}

static inline void copenssl_clear_free(void *memory, size_t count) {
    OPENSSL_clear_free(memory, count);
}

// Whose key has a passphrase is told so: the default asks at the terminal of a process.
static int copenssl_no_passphrase(char *buffer, int size, int writing, void *unused) {
    (void)buffer;
    (void)size;
    (void)writing;
    (void)unused;
    return -1;
}

// As SSL_CTX_use_PrivateKey_file, of a PEM text.
static inline int copenssl_use_private_key(SSL_CTX *context, const void *text, int count) {
    BIO *source = BIO_new_mem_buf(text, count);
    EVP_PKEY *key = source ? PEM_read_bio_PrivateKey(source, NULL, copenssl_no_passphrase, NULL)
                           : NULL;
    int used = key && SSL_CTX_use_PrivateKey(context, key) == 1;
    EVP_PKEY_free(key);
    BIO_free(source);
    return used;
}

static inline int copenssl_set_min_tls_1_2(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

// No tickets, no session cache, no renegotiation, no compression; partial writes, because a
// non-blocking socket takes what it can, and buffers freed while a connection is idle. No retry by
// itself: renewed keys without end would keep one SSL_read from ever returning.
static inline void copenssl_server_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
                                     | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                  | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
}

// Says that the socket is empty once the call has read it as often as it may.
static long copenssl_count_read(BIO *socket, int operation, const char *data, size_t length,
                                int command, long argument, int result, size_t *processed) {
    (void)data;
    (void)length;
    (void)command;
    (void)argument;
    (void)processed;
    if (operation != BIO_CB_READ) return result;
    uintptr_t left = (uintptr_t)BIO_get_callback_arg(socket);
    if (left == 0) {
        BIO_clear_retry_flags(socket);
        BIO_set_retry_read(socket);
        return -1;
    }
    BIO_set_callback_arg(socket, (char *)(left - 1));
    return result;
}

// A handshake is read until the socket is empty, and its records may hold one byte each.
static inline void copenssl_bound_reads(SSL *connection) {
    BIO_set_callback_ex(SSL_get_rbio(connection), copenssl_count_read);
}

// Before each call that may read.
static inline void copenssl_allow_reads(SSL *connection, unsigned int count) {
    BIO_set_callback_arg(SSL_get_rbio(connection), (char *)(uintptr_t)count);
}

// RFC 7301: a client that offers protocols but not ours is refused with an alert.
static int copenssl_choose_http_1_1(SSL *connection, const unsigned char **chosen,
                                    unsigned char *length, const unsigned char *offered,
                                    unsigned int count, void *unused) {
    static const unsigned char ours[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    (void)connection;
    (void)unused;
    int found = SSL_select_next_proto((unsigned char **)chosen, length, ours, sizeof ours, offered,
                                      count);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void copenssl_select_http_1_1(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, copenssl_choose_http_1_1, NULL);
}
