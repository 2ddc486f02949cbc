#pragma once
#include <libpq-fe.h>

// What Swift cannot see: character macros as field codes, and a callback that says nothing.

// One of the five-character SQLSTATE, or NULL.
static inline const char *cpostgres_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

// ERROR, FATAL or PANIC, not translated; or NULL.
static inline const char *cpostgres_severity(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}

static inline const char *cpostgres_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

// 1-based character position in the statement, as text; or NULL.
static inline const char *cpostgres_position(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_STATEMENT_POSITION);
}

static void cpostgres_drop_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}

// By default libpq prints notices to standard error, past the log.
static inline void cpostgres_silence(PGconn *connection) {
    PQsetNoticeReceiver(connection, cpostgres_drop_notice, NULL);
}
