/** Makes the service of a leaf from its driver: time limits, chunks of rows, and the faults of requests. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { monotonicMillis } from "../base/monotonicTime.ts"
import { isTooDeep, maxDepth } from "../base/isTooDeep.ts"
import type { DatabaseService } from "./Database.ts"
import { databaseFault } from "./DatabaseBranch.ts"
import type { DatabaseEvent, DatabaseExecute, DatabaseQuery, DatabaseTransaction } from "./DatabaseEntry.ts"
import { DriverError } from "./DriverError.ts"
import { type LeafSettings, limitsOf, type RequestLimits } from "./leafOptions.ts"
import { type Row, RowMeter } from "./RowMeter.ts"

export type Statement = Pick<typeof DatabaseQuery.Type, "sql" | "params">

export interface StatementResult {
  readonly affectedRows: number
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

export interface OpenRows {
  readonly columns: ReadonlyArray<string>
  /** The next rows; none at the end. */
  readonly pull: Effect.Effect<ReadonlyArray<Row>, DriverError>
}

/** Fails with `Timeout` when the request exceeds its time. */
export type Within = <A, R>(effect: Effect.Effect<A, DriverError, R>) => Effect.Effect<A, DriverError, R>

export interface DatabaseDriver {
  /** Begins a read-only query, which ends with the Scope. */
  readonly open: (query: Statement, limits: RequestLimits) => Effect.Effect<OpenRows, DriverError, Scope.Scope>
  /**
   * Runs statements as one transaction. `within` applies to everything except the commit, whose outcome has to be
   * known.
   */
  readonly transact: (
    statements: ReadonlyArray<Statement>,
    limits: RequestLimits,
    within: Within,
  ) => Effect.Effect<ReadonlyArray<StatementResult>, DriverError>
}

/** Bytes of a piece, without its last row. */
const pieceBytes = 262_144

export const attempt = <A>(evaluate: () => A): Effect.Effect<A, DriverError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(evaluate())
    } catch (error) {
      if (error instanceof DriverError) return Effect.fail(error)
      throw error
    }
  })

const maxSqlLength = 1_048_576

/**
 * Fails for SQL that is too long to be scanned or contains a NUL, at which a database would stop reading, and for JSON
 * that is nested too deeply.
 */
const checkStatements = (statements: ReadonlyArray<Statement>): Effect.Effect<void, DriverError> =>
  attempt(() => {
    for (const [index, { params, sql }] of statements.entries()) {
      if (sql.length > maxSqlLength) {
        throw new DriverError("TooLarge", `the SQL has more than ${maxSqlLength} characters`).of(index)
      }
      if (sql.includes("\0")) throw new DriverError("Syntax", "the SQL has a NUL").of(index)
      if (params.some(isTooDeep)) {
        throw new DriverError("InvalidRequest", `a parameter is JSON of more than ${maxDepth} levels`).of(index)
      }
    }
  })

const cut = (rows: ReadonlyArray<Row>, meter: RowMeter): ReadonlyArray<ReadonlyArray<Row>> => {
  const pieces: Array<Array<Row>> = []
  let bytes = Infinity
  for (const row of rows) {
    if (bytes > pieceBytes) {
      pieces.push([])
      bytes = 0
    }
    bytes += meter.add(row)
    pieces.at(-1)?.push(row)
  }
  return pieces
}

const makeWithin = (timeoutMillis: number): Effect.Effect<Within> =>
  Effect.map(monotonicMillis, (start) => {
    const orElse = () => Effect.fail(new DriverError("Timeout", `it took longer than ${timeoutMillis} ms`))
    return (effect) =>
      Effect.flatMap(monotonicMillis, (now) => {
        const duration = start + timeoutMillis - now
        return duration > 0 ? Effect.timeoutOrElse(effect, { duration, orElse }) : orElse()
      })
  })

type Change = typeof DatabaseExecute.Type | typeof DatabaseTransaction.Type

export const makeLeaf = (settings: LeafSettings, driver: DatabaseDriver): DatabaseService => {
  const query = (request: typeof DatabaseQuery.Type): Stream.Stream<DatabaseEvent, DriverError> =>
    Stream.unwrap(Effect.gen(function* () {
      yield* checkStatements([request])
      const limits = limitsOf(settings, request)
      const meter = new RowMeter(limits)
      const within = yield* makeWithin(limits.timeoutMillis)
      const { columns, pull } = yield* within(driver.open(request, limits))
      const piece = (rows: ReadonlyArray<Row>): DatabaseEvent => ({
        _tag: "DatabaseRows",
        correlationId: request.correlationId,
        columns,
        rows,
      })
      return Stream.paginate(true, (isFirst: boolean) =>
        Effect.flatMap(within(pull), (rows) =>
          attempt(() => {
            const pieces = isFirst && rows.length === 0 ? [[]] : cut(rows, meter)
            return [pieces.map(piece), rows.length === 0 ? Option.none() : Option.some(false)] as const
          })))
    }))

  const change = (request: Change): Stream.Stream<DatabaseEvent, DriverError> => {
    if (settings.readOnly) {
      return Stream.fail(new DriverError("ReadOnly", "this leaf is read-only: it only runs queries"))
    }
    const { _tag, correlationId } = request
    const limits = limitsOf(settings, request)
    const statements = _tag === "DatabaseExecute" ? [request] : request.statements
    return Stream.fromEffect(
      Effect.flatMap(
        Effect.andThen(checkStatements(statements), makeWithin(limits.timeoutMillis)),
        (within) =>
          Effect.map(
            driver.transact(statements, limits, within),
            (results): DatabaseEvent => {
              const [result = { affectedRows: 0, columns: [], rows: [] }] = results
              return _tag === "DatabaseExecute"
                ? { _tag: "DatabaseExecuted", correlationId, ...result }
                : { _tag: "DatabaseCommitted", correlationId, results }
            },
          ),
      ),
    )
  }

  return {
    request: (request) =>
      Stream.mapError(
        request._tag === "DatabaseQuery" ? query(request) : change(request),
        ({ code, faultKind, message, statement }) =>
          databaseFault(request, faultKind, message, {
            code,
            statement: request._tag === "DatabaseTransaction" ? statement : undefined,
          }),
      ),
  }
}
