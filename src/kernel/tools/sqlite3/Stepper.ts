/**
 * Compiles and steps statements of a database so that other processes run meanwhile: SQLite's progress handler suspends the
 * engine's stack (JSPI). Where the runtime has no JSPI a call blocks, and is interrupted after a second.
 */
import { yieldNow } from "../../Coroutine.ts"
import { findJspi } from "../../process/jspi.ts"
import type { Later, System } from "../../System.ts"
import { maxBlockedMillis } from "../maxBlockedMillis.ts"
import type { Engine, Pointer } from "./Engine.ts"

/** Instructions of SQLite's virtual machine between two calls of the progress handler, well under a millisecond. */
const instructionsPerCall = 2_000

type AsyncCall = (...args: ReadonlyArray<number>) => Promise<number>

const isAsyncCall = (value: unknown): value is AsyncCall => typeof value === "function"
const isExport = (value: unknown): value is () => unknown => typeof value === "function"

export interface Stepper {
  readonly prepare: (sql: Pointer, out: Pointer, tail: Pointer) => Later<number>
  readonly step: (statement: Pointer) => Later<number>
  /** Removes the progress handler, which may suspend only within `prepare` and `step`. */
  readonly stop: () => void
}

/** Blocks the event loop; a call that takes too long is interrupted. */
export const makeBlockingStepper = ({ capi }: Engine, system: Pick<System, "monotonic">, db: Pointer): Stepper => {
  let deadline = 0n
  const limited = <A>(call: () => A): A => {
    deadline = system.monotonic() + BigInt(maxBlockedMillis) * 1_000_000n
    return call()
  }
  capi.sqlite3_progress_handler(db, instructionsPerCall, () => system.monotonic() > deadline ? 1 : 0, 0)
  return {
    prepare: (sql, out, tail) => limited(() => capi.sqlite3_prepare_v2(db, sql, -1, out, tail)),
    step: (statement) => limited(() => capi.sqlite3_step(statement)),
    stop: () => capi.sqlite3_progress_handler(db, 0, 0, 0),
  }
}

/** The clock of a sandbox with a seed stands still during a step. */
const hostClock: Pick<System, "monotonic"> = { monotonic: () => BigInt(Math.round(performance.now() * 1e6)) }

export const makeStepper = async (engine: Engine, system: System, db: Pointer): Promise<Stepper> => {
  const { capi, wasm } = engine
  const jspi = await findJspi()
  const { sqlite3_prepare_v2: prepareExport, sqlite3_step: stepExport } = wasm.exports
  if (jspi === undefined || !isExport(prepareExport) || !isExport(stepExport)) {
    return makeBlockingStepper(engine, hostClock, db)
  }
  const [prepare, step]: ReadonlyArray<unknown> = [jspi.promising(prepareExport), jspi.promising(stepExport)]
  if (!isAsyncCall(prepare) || !isAsyncCall(step)) return makeBlockingStepper(engine, hostClock, db)

  let end: { readonly cause: unknown } | undefined
  const handler = (): Later<number> => {
    const turn = yieldNow(system)
    if (turn === undefined) return 0
    // The process was ended; SQLite first has to leave its own state consistent.
    return turn.then(() => 0, (cause: unknown) => {
      end = { cause }
      return 1
    })
  }
  const pointer = wasm.installFunction(wasm.jsFuncToWasm(jspi.suspending(handler), "ii"), "ii")
  capi.sqlite3_progress_handler(db, instructionsPerCall, pointer, 0)
  const finished = async (call: Promise<number>): Promise<number> => {
    const code = await call
    if (end !== undefined) throw end.cause
    return code
  }
  return {
    prepare: (sql, out, tail) => finished(prepare(db, sql, -1, out, tail)),
    step: (statement) => finished(step(statement)),
    stop: () => capi.sqlite3_progress_handler(db, 0, 0, 0),
  }
}
