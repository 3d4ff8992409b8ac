// PostgreSQL's client library, opened when it is first needed.
//
// Most people never use PostgreSQL, and libpq drags Kerberos and LDAP along that
// exist only as shared libraries. So the program does not link to it: the
// functions are looked up once, at run time. Only the types come from
// <libpq-fe.h>. Pipelines need libpq 14 or newer.

#pragma once

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>  // Where Debian keeps it.
#endif

#include "base/error.h"

// Everything we call.
#define TYER_LIBPQ_FUNCTIONS(X) \
  X(PQbackendPID)               \
  X(PQclear)                    \
  X(PQcmdStatus)                \
  X(PQconnectdbParams)          \
  X(PQconninfoFree)             \
  X(PQconninfoParse)            \
  X(PQconsumeInput)             \
  X(PQenterPipelineMode)        \
  X(PQerrorMessage)             \
  X(PQexitPipelineMode)         \
  X(PQfinish)                   \
  X(PQflush)                    \
  X(PQfreemem)                  \
  X(PQgetResult)                \
  X(PQgetisnull)                \
  X(PQgetlength)                \
  X(PQgetvalue)                 \
  X(PQisBusy)                   \
  X(PQnotifies)                 \
  X(PQntuples)                  \
  X(PQparameterStatus)          \
  X(PQpipelineSync)             \
  X(PQresultErrorField)         \
  X(PQresultStatus)             \
  X(PQsendFlushRequest)         \
  X(PQsendPrepare)              \
  X(PQsendQuery)                \
  X(PQsendQueryPrepared)        \
  X(PQsetNoticeProcessor)       \
  X(PQsetnonblocking)           \
  X(PQsocket)                   \
  X(PQstatus)                   \
  X(PQtransactionStatus)

namespace tyer::store {

// The functions under their own names: `pq.PQfinish(connection)`.
struct Libpq {
#define TYER_LIBPQ_FIELD(name) decltype(&::name) name = nullptr;
  TYER_LIBPQ_FUNCTIONS(TYER_LIBPQ_FIELD)
#undef TYER_LIBPQ_FIELD
};

// Opens `library` and finds the functions; `unavailable` says what to install.
// The library stays open for the life of the process.
[[nodiscard]] Result<Libpq> load_libpq(const char* library);

// The one of this machine, loaded at the first call.
[[nodiscard]] Result<const Libpq*> libpq();

}  // namespace tyer::store
