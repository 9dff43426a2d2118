/**
 * The command in the body of a request.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { HonoRequest } from "hono"
import { ShellExec } from "../command/ShellExec.ts"
import { ByteBuffer } from "../wire/ByteBuffer.ts"
import { RunSettings } from "../wire/protocol.ts"
import { type ProblemField, type Refusal, refuse } from "./problem.ts"
import { withSecrets } from "./withSecrets.ts"

/** A command with its secrets, and what else stood beside its fields. */
export interface ExecRequest {
  readonly exec: ShellExec
  readonly settings: Omit<RunSettings, "secrets">
  /** Whether the client gave the command its id. */
  readonly named: boolean
}

const tooLarge = (max: number): Refusal => refuse(413, "too-large", `at most ${max} bytes are read`)

const invalid = (detail: string, errors?: ReadonlyArray<ProblemField>): Refusal =>
  refuse(400, "invalid", detail, errors === undefined ? {} : { errors })

const checkType = (request: HonoRequest): Effect.Effect<void, Refusal> => {
  const [type = "", ...parameters] = (request.header("content-type") ?? "").split(";").map((s) =>
    s.trim().toLowerCase()
  )
  // Only this type: a page of another site cannot send it without the browser asking first.
  if (type !== "application/json") {
    return Effect.fail(refuse(415, "unsupported-media-type", "send content-type: application/json"))
  }
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    return Effect.fail(refuse(415, "unsupported-media-type", "JSON is UTF-8"))
  }
  const encoding = request.header("content-encoding")?.trim().toLowerCase() ?? "identity"
  return encoding === "identity" ? Effect.void : Effect.fail(
    refuse(415, "unsupported-media-type", "send the body without content-encoding", {
      headers: { "accept-encoding": "identity" },
    }),
  )
}

/** All bytes of a body, or nothing as soon as they are more than `max`. */
const readAll = async (body: ReadableStream<Uint8Array>, max: number): Promise<Uint8Array | undefined> => {
  const reader = body.getReader()
  const buffer = new ByteBuffer(max)
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (buffer.push(next.value)) continue
    // Not awaited: what the client still sends is of no interest, and it may take its time.
    reader.cancel().catch(() => {})
    return undefined
  }
  return buffer.bytes
}

const readBody = (request: HonoRequest, max: number): Effect.Effect<Uint8Array, Refusal> => {
  const declared = Number(request.header("content-length") ?? 0)
  if (declared > max) return Effect.fail(tooLarge(max))
  const { body, bodyUsed } = request.raw
  return Effect.flatMap(
    Effect.tryPromise({
      // A body that a middleware has read already is in Hono's cache.
      try: async () =>
        bodyUsed
          ? new Uint8Array(await request.arrayBuffer())
          : body === null
          ? new Uint8Array()
          : await readAll(body, max),
      catch: () => invalid("the body could not be read to its end"),
    }),
    (bytes) => bytes === undefined || bytes.length > max ? Effect.fail(tooLarge(max)) : Effect.succeed(bytes),
  )
}

const parseJson = (bytes: Uint8Array): Effect.Effect<unknown, Refusal> =>
  Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => invalid("the body is not JSON in UTF-8"),
  })

// A field that is not known is refused: a misspelt `timeout` must not be no timeout.
const decodeExec = Schema.decodeUnknownResult(ShellExec, { onExcessProperty: "error", errors: "all" })
const decodeSettings = Schema.decodeUnknownResult(RunSettings, { errors: "all" })

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A JSON Pointer as a URI fragment (RFC 6901, section 6). Names are the client's: they are cut at 100 characters. */
const pointer = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((at, key) => {
    const name = String(key).slice(0, 100).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")
    return `${at}/${encodeURIComponent(name)}`
  }, "#")

const decoded = <A>(result: Result.Result<A, Schema.SchemaError>): Result.Result<A, Refusal> =>
  Result.mapError(result, ({ issue }) => {
    const errors = toIssues(issue).issues.slice(0, 20).map((one): ProblemField => ({
      pointer: pointer((one.path ?? []).map((part) => typeof part === "object" ? part.key : part)),
      detail: one.message,
    }))
    return invalid(errors.map((one) => `${one.pointer}: ${one.detail}`).join("; "), errors)
  })

const noMarker = "no marker of a secret stands there"

const filled = (exec: ShellExec, secrets: RunSettings["secrets"]): Result.Result<ShellExec, Refusal> =>
  secrets === undefined ? Result.succeed(exec) : Result.mapError(withSecrets(exec, secrets), (path) => {
    const field: ProblemField = { pointer: pointer(["secrets", ...path]), detail: noMarker }
    return invalid(`${field.pointer}: ${noMarker}`, [field])
  })

const isSetting = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(RunSettings.fields, name)

/**
 * Reads a command: JSON of at most `maxBodyBytes`, with the fields of `ShellExec` (`_tag` may be missing, like all
 * that has a default) and, if wanted, those of `RunSettings`.
 */
export const readExec: (request: HonoRequest, maxBodyBytes: number) => Effect.Effect<ExecRequest, Refusal> = Effect
  .fnUntraced(function* (request, maxBodyBytes) {
    yield* checkType(request)
    const json = yield* Effect.flatMap(readBody(request, maxBodyBytes), parseJson)
    if (!Predicate.isObject(json)) return yield* Effect.fail(invalid("the body must be a JSON object"))
    const all = Object.entries(json)
    const { secrets, ...settings } = yield* Effect.fromResult(
      decoded(decodeSettings(Object.fromEntries(all.filter(isSetting)))),
    )
    const fields = Object.fromEntries(all.filter((field) => !isSetting(field)))
    const told = yield* Effect.fromResult(decoded(decodeExec({ _tag: "ShellExec", ...fields })))
    const exec = yield* Effect.fromResult(filled(told, secrets))
    return { exec, settings, named: "commandId" in fields }
  })
