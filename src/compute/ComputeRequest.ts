/** Encodes a command and the delivery of its output (text or bytes, chunking) as a journal request, and decodes it. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { MessageCodec } from "../branch/BranchDefinition.ts"
import { makeSchemaCodec } from "../branch/makeSchemaCodec.ts"
import { ChunkingRecord } from "../command/ChunkingRecord.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { encodePlainBody } from "./encodePlainBody.ts"
import type { Chunking } from "../shell/Chunking.ts"
import { Terminal } from "../command/Terminal.ts"

export { ChunkingRecord } from "../command/ChunkingRecord.ts"

/**
 * Schema of how a request's output is delivered. `bytes`: as bytes, not decoded. `chunking`: cut by this policy.
 * `admission: false`: the command does not count toward the leaf's concurrency limit. `terminal`: the command had a
 * terminal of this size. `requestedBy`: name of the token of the HTTP request for the command.
 */
export const Delivery: Schema.Struct<{
  readonly admission: Schema.optionalKey<typeof Schema.Boolean>
  readonly bytes: Schema.optionalKey<typeof Schema.Boolean>
  readonly chunking: Schema.optionalKey<typeof ChunkingRecord>
  readonly requestedBy: Schema.optionalKey<typeof Schema.String>
  readonly terminal: Schema.optionalKey<typeof Terminal>
}> = Schema.Struct({
  admission: Schema.optionalKey(Schema.Boolean),
  bytes: Schema.optionalKey(Schema.Boolean),
  chunking: Schema.optionalKey(ChunkingRecord),
  requestedBy: Schema.optionalKey(Schema.String),
  terminal: Schema.optionalKey(Terminal),
})

/** The way a request's output is delivered. */
export type Delivery = typeof Delivery.Type

/** A command, and how its output is delivered. In the journal it is a `ShellExec` with one more field. */
export type ComputeRequest = ShellExec & { readonly delivery?: Delivery }

export const encodeChunking = ({ _tag, atNewline, flushAfterMillis, maxLength }: Chunking): ChunkingRecord => ({
  atNewline,
  ...(Number.isFinite(flushAfterMillis) ? { flushAfterMillis: Math.max(0, flushAfterMillis) } : undefined),
  kind: _tag,
  ...(Number.isFinite(maxLength) ? { maxLength: Math.max(1, Math.floor(maxLength)) } : undefined),
})

export const decodeChunking = (record: ChunkingRecord): Chunking => ({
  _tag: record.kind,
  atNewline: record.atNewline,
  flushAfterMillis: record.flushAfterMillis ?? Infinity,
  maxLength: record.maxLength ?? Infinity,
})

export const withDelivery = (exec: ShellExec, delivery: Delivery): ComputeRequest =>
  Object.assign(new ShellExec({ ...exec }), { delivery })

const exec = makeSchemaCodec({ tags: ["ShellExec"], schema: ShellExec })
const encodeDelivery = Schema.encodeSync(Delivery)
const decodeDelivery = Schema.decodeUnknownResult(Delivery)

/** Codec of commands as journal requests. A reader that knows only `ShellExec` can read them, too. */
export const computeRequestCodec: MessageCodec<ComputeRequest> = {
  tags: exec.tags,
  encode: (request) => {
    const { delivery, ...fields } = request
    const body = encodePlainBody(fields) ?? exec.encode(request)
    return delivery === undefined ? body : { ...body, delivery: encodeDelivery(delivery) }
  },
  decode: (body, version) => {
    const command = exec.decode(body, version)
    const how = body["delivery"]
    if (how === undefined || Result.isFailure(command)) return command
    return Result.map(decodeDelivery(how), (delivery) => withDelivery(command.success, delivery))
  },
}
