/**
 * Proves ranges of a SQLite journal in threads, each with its own connection, or on this thread where there are none.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { callbackLater } from "../../../base/waits.ts"
import { sha256 } from "../../../base/sha256.ts"
import type { ChainProof, ChainProver, ProofRange } from "../../ChainProof.ts"
import type { Position } from "../../Entry.ts"
import type { ConnectionSet } from "./ConnectionSet.ts"
import type { Builtins } from "./loadBuiltins.ts"
import { hashQuery, type ProofTools, provenRowsQuery, proveRows } from "./proveRows.ts"
import { blockSize, findLostMark } from "./sparseIndex.ts"

/** Positions that are worth threads, which take some 50 ms to start. */
const minThreadedPositions = 20_000

const maxThreads = 4

/** Positions of one range: in a thread, and on this thread, which does nothing else meanwhile. Multiples of a block. */
const threadRangeSize = 4_096
const localRangeSize = 512

/** Ranges that wait in a thread, so that it need not wait for this one: on Deno the start of another thread blocks it. */
const rangesPerThread = 3

/** The program of a thread. It ends where it fails: Deno prints errors of threads. */
const program = `
const prove = ${proveRows}
const findLostMark = ${findLostMark}
const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
const crypto = process.getBuiltinModule("node:crypto")
try {
  const { path, ...queries } = workerData
  const { hashQuery, rowsQuery } = queries
  const database = new DatabaseSync(path, { readOnly: true })
  const statements = new Map([rowsQuery, hashQuery].map((sql) => [sql, database.prepare(sql)]))
  for (const statement of statements.values()) statement.setReturnArrays(true)
  const all = (sql, ...values) => statements.get(sql).all(...values)
  const sha256 = crypto.hash === undefined
    ? (text) => crypto.createHash("sha256").update(text).digest("hex")
    : (text) => crypto.hash("sha256", text, "hex")
  parentPort.on("message", (range) => {
    let proof
    try {
      proof = prove({ ...queries, all, sha256, findLostMark }, range)
    } catch {}
    parentPort.postMessage(proof)
  })
} catch {
  process.exit()
}
`

type Worker = InstanceType<Builtins["threads"]["Worker"]>

type Answer = (proof: ChainProof | undefined) => void

const constants = { blockSize, hashQuery, rowsQuery: provenRowsQuery }

const isProof = (u: unknown): u is ChainProof =>
  typeof u === "object" && u !== null && "previous" in u && "through" in u && "hash" in u && "gaps" in u &&
  "checkedFrom" in u

/** One thread. It proves ranges in the order in which they come. */
class ProverThread {
  readonly #worker: Worker
  readonly #answers: Array<Answer> = []
  #isDead = false

  constructor({ threads }: Builtins, path: string) {
    this.#worker = new threads.Worker(program, { eval: true, workerData: { path, ...constants } })
    this.#worker.on("message", (proof: unknown) => this.#answers.shift()?.(isProof(proof) ? proof : undefined))
    this.#worker.on("error", () => this.#end())
    this.#worker.on("exit", () => this.#end())
  }

  #end(): void {
    this.#isDead = true
    for (const answer of this.#answers.splice(0)) answer(undefined)
  }

  prove(range: ProofRange): Effect.Effect<ChainProof | undefined> {
    return callbackLater((resume) => {
      if (this.#isDead) return resume(Effect.undefined)
      this.#answers.push((proof) => resume(Effect.succeed(proof)))
      this.#worker.postMessage(range)
    })
  }

  readonly close: Effect.Effect<void> = Effect.promise(async () => void (await this.#worker.terminate()))
}

/** Proves ranges on this thread. */
const localProver = (connections: ConnectionSet): ChainProver => ({
  concurrency: 1,
  rangeSize: localRangeSize,
  prove: (range) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => {
        try {
          return connections.read((connection) => {
            const all: ProofTools["all"] = (sql, ...values) => connection.rows(sql, ...values)
            return proveRows({ ...constants, all, sha256, findLostMark }, range)
          })
        } catch {
          // The walk reports why it cannot be read.
          return undefined
        }
      }),
    ),
})

/** Proves ranges in threads, each as soon as it runs; on this thread where none can be had. */
const threadedProver = (connections: ConnectionSet): Effect.Effect<ChainProver, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { builtins, path } = connections
    const threads: Array<ProverThread> = []
    const free = yield* Queue.unbounded<Pick<ChainProver, "prove">>()
    yield* Effect.addFinalizer(() =>
      Effect.forEach(threads, ({ close }) => close, { concurrency: "unbounded", discard: true })
    )
    // The check of the file runs beside them.
    const count = Math.min(maxThreads, Math.max(2, builtins.os.availableParallelism() - 1))
    const start = Effect.gen(function* () {
      // On Deno the start of a thread blocks this one for 50 ms and more: other fibers run between two starts.
      yield* Effect.yieldNow
      const thread = new ProverThread(builtins, path)
      threads.push(thread)
      yield* Queue.offerAll(free, Array.from({ length: rangesPerThread }, () => thread))
    })
    yield* Effect.forkScoped(
      Effect.catchDefect(Effect.repeat(start, { times: count - 1 }), () =>
        // Fewer do as well.
        threads.length > 0 ? Effect.void : Queue.offer(free, localProver(connections))),
    )
    return {
      concurrency: count * rangesPerThread,
      rangeSize: threadRangeSize,
      prove: (range) =>
        Effect.flatMap(
          Queue.take(free),
          (prover) => Effect.ensuring(prover.prove(range), Queue.offer(free, prover)),
        ),
    }
  })

/** Makes the prover of a number of positions. */
export const makeProver = (
  connections: ConnectionSet,
  positions: Position,
): Effect.Effect<ChainProver, never, Scope.Scope> =>
  positions < minThreadedPositions ? Effect.succeed(localProver(connections)) : threadedProver(connections)
