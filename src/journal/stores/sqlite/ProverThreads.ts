/**
 * Proves ranges of a SQLite journal in threads, each with its own connection, or on this thread where there are none.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { sha256 } from "../../../base/sha256.ts"
import type { ChainProof, ChainProver, ProofRange } from "../../ChainProof.ts"
import type { Position } from "../../Entry.ts"
import type { ConnectionSet } from "./ConnectionSet.ts"
import type { Builtins } from "./nodeSqlite.ts"
import { hashQuery, type ProofTools, provenRowsQuery, proveRows } from "./proveRows.ts"

/** Positions that are worth threads, which take some 50 ms to start. */
const minThreadedPositions = 20_000

const maxThreads = 4

/** Positions of one range: in a thread, and on this thread, which does nothing else meanwhile. */
const threadRangeSize = 8_192
const localRangeSize = 512

/** The program of a thread. It ends where it fails: Deno prints errors of threads. */
const program = `
const prove = ${proveRows}
const { parentPort, workerData: { path, rowsQuery, hashQuery } } = process.getBuiltinModule("node:worker_threads")
const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
const crypto = process.getBuiltinModule("node:crypto")
try {
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
      proof = prove({ all, sha256, rowsQuery, hashQuery }, range)
    } catch {}
    parentPort.postMessage(proof)
  })
} catch {
  process.exit()
}
`

type Worker = InstanceType<Builtins["threads"]["Worker"]>

const isProof = (u: unknown): u is ChainProof =>
  typeof u === "object" && u !== null && "previous" in u && "through" in u && "hash" in u && "gaps" in u

/** One thread. It proves one range at a time. */
class ProverThread {
  readonly #worker: Worker
  #answer: ((proof: ChainProof | undefined) => void) | undefined
  #isDead = false

  constructor({ threads }: Builtins, path: string) {
    this.#worker = new threads.Worker(program, {
      eval: true,
      workerData: { path, rowsQuery: provenRowsQuery, hashQuery },
    })
    this.#worker.on("message", (proof: unknown) => this.#answer?.(isProof(proof) ? proof : undefined))
    this.#worker.on("error", () => this.#end())
    this.#worker.on("exit", () => this.#end())
  }

  #end(): void {
    this.#isDead = true
    this.#answer?.(undefined)
  }

  prove(range: ProofRange): Effect.Effect<ChainProof | undefined> {
    return Effect.callback((resume) => {
      if (this.#isDead) return resume(Effect.undefined)
      this.#answer = (proof) => resume(Effect.succeed(proof))
      this.#worker.postMessage(range)
    })
  }

  readonly close: Effect.Effect<void> = Effect.promise(async () => void (await this.#worker.terminate()))
}

/** Starts threads; none where they cannot be had. */
const startThreads = (
  builtins: Builtins,
  path: string,
): Effect.Effect<ReadonlyArray<ProverThread>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const threads: Array<ProverThread> = []
    yield* Effect.addFinalizer(() =>
      Effect.forEach(threads, ({ close }) => close, { concurrency: "unbounded", discard: true })
    )
    // The checks of the file and of its marks run beside them.
    const count = Math.min(maxThreads, Math.max(2, builtins.os.availableParallelism() - 1))
    try {
      while (threads.length < count) {
        // On Deno the start of a thread blocks this one for 50 ms and more: other fibers run between two starts.
        yield* Effect.yieldNow
        threads.push(new ProverThread(builtins, path))
      }
    } catch {
      // Fewer do as well.
    }
    return threads
  })

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
            return proveRows({ all, sha256, rowsQuery: provenRowsQuery, hashQuery }, range)
          })
        } catch {
          // The walk reports why it cannot be read.
          return undefined
        }
      }),
    ),
})

/** Makes the prover of a number of positions. */
export const makeProver = (
  connections: ConnectionSet,
  positions: Position,
): Effect.Effect<ChainProver, never, Scope.Scope> => {
  if (positions < minThreadedPositions) return Effect.succeed(localProver(connections))
  return Effect.map(startThreads(connections.builtins, connections.path), (threads) => {
    if (threads.length < 2) return localProver(connections)
    const idle = [...threads]
    return {
      concurrency: threads.length,
      rangeSize: threadRangeSize,
      prove: (range) =>
        Effect.suspend(() => {
          const thread = idle.pop()
          if (thread === undefined) return Effect.undefined
          return Effect.ensuring(thread.prove(range), Effect.sync(() => idle.push(thread)))
        }),
    }
  })
}
