/** Reads from the journal an output that the process table no longer has, for a resumed run. */
import * as Base64 from "effect/encoding/Base64"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { OutputStream } from "../command/ShellEvent.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { type ChunkRecord, ShellOutputChunks } from "../compute/ShellOutputChunks.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { OutputLog } from "./OutputLog.ts"
import { outputId, type OutputKind } from "./ProcessTableService.ts"
import { SpellcastingBranch } from "./SpellcastingBranch.ts"

/** Maximum number of invocations that are searched, newest first, and of entries of one read. */
const maxInvocations = 20_000
const invocationsAtOnce = 1_000
const entriesAtOnce = 16

/** UTF-16 units of each stream that are read. */
const maxLength = 1_048_576

const decodeChunks = Schema.decodeUnknownResult(ShellOutputChunks)

export interface RecalledOutput {
  readonly key: string
  readonly kind: OutputKind
  readonly text: string
}

/** The newest call whose output has an id. */
const findCall = (
  journal: JournalService,
  kind: OutputKind,
  id: string,
): Effect.Effect<string | undefined, JournalError> =>
  Effect.gen(function* () {
    const filter = { branch: SpellcastingBranch.name, tags: SpellcastingBranch.request.tags }
    let before = Infinity
    for (let seen = 0; seen < maxInvocations; seen += invocationsAtOnce) {
      const entries = yield* journal.readBackward({ filter, before, maxEntries: invocationsAtOnce })
      const found = entries.find(({ correlationId }) => outputId(kind, correlationId) === id)
      if (found !== undefined) return found.correlationId
      const last = entries.at(-1)
      if (last === undefined || entries.length < invocationsAtOnce) return undefined
      before = last.position
    }
    return undefined
  })

/** Decodes records of output to text: bytes as UTF-8, each stream by itself. */
const makeDecoder = () => {
  const decoders: Readonly<Record<OutputStream, TextDecoder>> = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  return ({ base64, content = "", stream }: ChunkRecord): string =>
    base64 === undefined
      ? content
      : decoders[stream].decode(Result.getOrElse(Base64.decode(base64), () => new Uint8Array()), { stream: true })
}

/** Reads the output of an id; `undefined` where the journal has none. */
export const recallOutput = (
  journal: JournalService,
  id: string,
): Effect.Effect<RecalledOutput | undefined, JournalError> =>
  Effect.gen(function* () {
    const kind: OutputKind = id.startsWith("process-") ? "process" : "output"
    const key = yield* findCall(journal, kind, id)
    if (key === undefined) return undefined
    // For a command, stdout comes first, because positions in its result count that way; for a process, output is in
    // the order of arrival.
    const stdout = new OutputLog(maxLength)
    const stderr = kind === "process" ? stdout : new OutputLog(maxLength)
    const textOf = makeDecoder()
    // The command is the first request of the call.
    const filter = { branch: ComputeBranch.name, correlationId: `${key}/1`, tags: ["ShellOutputChunks"] }
    let isFound = false
    for (let after = 0;;) {
      const entries = yield* journal.read({ after, filter, maxEntries: entriesAtOnce })
      for (const { body, position } of entries) {
        after = position
        const event = body === undefined ? undefined : decodeChunks(body)
        if (event === undefined || Result.isFailure(event)) continue
        isFound = true
        for (const record of event.success.chunks) {
          const log = record.stream === "stdout" ? stdout : stderr
          log.push(textOf(record))
        }
      }
      if (entries.length < entriesAtOnce) break
    }
    if (!isFound) return undefined
    const whole = (log: OutputLog): string => log.read(0, maxLength).text
    return { key, kind, text: stdout === stderr ? whole(stdout) : `${whole(stdout)}${whole(stderr)}` }
  })
