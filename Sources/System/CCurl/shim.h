#pragma once
#include <curl/curl.h>

// Swift imports neither variadic functions nor their type-checking macros: one setter per type.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_recipients(CURL *easy, struct curl_slist *list) {
    return curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, list);
}

static inline CURLcode ccurl_set_upload_size(CURL *easy, curl_off_t size) {
    return curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, size);
}

static inline CURLcode ccurl_set_read(
    CURL *easy, size_t (*read)(char *, size_t, size_t, void *), void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_READDATA, context) : code;
}

static inline CURLcode ccurl_set_write(
    CURL *easy, size_t (*write)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
}

static inline long ccurl_response_code(CURL *easy) {
    long code = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

static inline long ccurl_sent_bytes(CURL *easy) {
    curl_off_t count = 0;
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &count);
    return (long)count;
}

static inline CURLMcode ccurl_watch_sockets(
    CURLM *multi, int (*changed)(CURL *, curl_socket_t, int, void *, void *), void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, changed);
    return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : code;
}

static inline CURLMcode ccurl_watch_timer(
    CURLM *multi, int (*changed)(CURLM *, long, void *), void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, changed);
    return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context) : code;
}

static inline CURLMcode ccurl_set_connections(CURLM *multi, long kept, long total) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kept);
    return code == CURLM_OK
        ? curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total)
        : code;
}

// The next finished transfer, NULL when there is none; its result goes to `code`.
static inline CURL *ccurl_next_finished(CURLM *multi, CURLcode *code) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
