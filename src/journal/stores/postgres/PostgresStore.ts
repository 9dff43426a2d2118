/**
 * Rows in a PostgreSQL database.
 *
 * @module
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore, Scan } from "../../JournalStore.ts"
import { namingDamage } from "./damage.ts"
import { closedError, journalErrorOf, type Tried } from "./errors.ts"
import { holderOf, holderQuery } from "./holder.ts"
import { opening, prepare } from "./migrate.ts"
import { type PostgresOptions, settingsOf } from "./options.ts"
import { answered, patiently } from "./patience.ts"
import { readHead, readRows, readSize } from "./read.ts"
import { makeReaders } from "./readers.ts"
import type { Query } from "./scan.ts"
import { Session } from "./Session.ts"
import { watchHead } from "./watch.ts"
import { Writer } from "./Writer.ts"

/** What is done beside the work, such as naming who is in the way, must not take longer. */
const asideTimeout = 1_000

/** Opens the store of a journal in PostgreSQL; its connections are closed with the Scope. */
export const openStore = (
  options: PostgresOptions,
): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(options)
    const { location, names, reconnectTimeout } = settings
    const reading: Tried = { what: "nothing was read", location, writes: false }
    const writer = crypto.randomUUID()

    const { ask } = yield* Effect.acquireRelease(
      Effect.mapError(makeReaders(settings), (error) => journalErrorOf(error, opening(settings))),
      ({ close }) => close,
    )
    const aside = (query: Query) => Effect.exit(answered(ask(query), asideTimeout))

    const session = new Session(
      settings,
      (processId) => aside({ sql: "SELECT pg_cancel_backend($1)", params: [PgTypes.int4(processId)] }),
    )
    let closed = false
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closed = true
        return session.close
      })
    )
    const patience = { reconnectTimeout, isClosed: () => closed }

    const { durabilities } = yield* patiently(
      patience,
      opening(settings),
      Effect.andThen(
        session.open,
        Effect.onError(prepare((query) => session.ask(query), settings), () => session.abandon),
      ),
    )

    const read = <A>(effect: Effect.Effect<A, SqlError | JournalError>) =>
      // A pool that closes interrupts those who wait for a connection.
      Effect.catchCause(
        patiently(patience, reading, effect),
        (cause) =>
          closed && Cause.hasInterruptsOnly(cause) ? Effect.fail(closedError(reading)) : Effect.failCause(cause),
      )
    const readScan = (scan: Scan) => readRows(ask, names, reading, scan)
    const head = readHead(ask, names, reading)
    const journal = new Writer({
      settings,
      patience,
      session,
      writer,
      holder: (processId) => Effect.map(aside(holderQuery(names, processId)), holderOf),
    })
    return {
      name: "postgres",
      location,
      durabilities,
      synchronous: false,
      head: read(head),
      size: read(readSize(ask, names, reading)),
      scan: (scan) => read(namingDamage(readScan, reading, scan)),
      transact: (durability, work) => journal.transact(durability, work),
      watch: (wake) => watchHead({ settings, writer, position: Effect.map(head, ({ position }) => position) }, wake),
    }
  })
