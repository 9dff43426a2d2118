/** Makes the service of a leaf from its store: checks names and values, bounds answers in size and time. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { isJsonObject } from "../base/jsonSchema.ts"
import { utf8Length } from "../base/utf8.ts"
import type { SecretEvent, SecretFault, SecretFaultKind, SecretGet, SecretRequest } from "./SecretEntry.ts"
import type { SecretsService } from "./Secrets.ts"
import { secretFault } from "./SecretsBranch.ts"

/** The reason why a store has no answer, without the store's own text, which may hold a value. */
export type StoreProblem = readonly [kind: SecretFaultKind, what: string]

export interface SecretStore {
  readonly get: (request: SecretGet) => Effect.Effect<string, StoreProblem>
  readonly list: Effect.Effect<ReadonlyArray<string>, StoreProblem>
  /** Whether the store has versions. Default: `false`; a request for a version is refused. */
  readonly hasVersions?: boolean
}

/** Maximum UTF-8 bytes of a value, the limit of AWS. */
export const maxValueBytes = 65_536

export const maxNames = 1_000

export const notFound: StoreProblem = ["NotFound", "the store has none"]

/** Valid names: none looks like an option, leads out of a folder, or contains the separator of a reference's field. */
const nameProblem = ({ field, name, version }: SecretGet): string | undefined => {
  if (!/^[\w/][\w./@:+=-]{0,255}$/.test(name) || name.split("/").some((part) => /^\.\.?$/.test(part))) {
    return "a name has 1 to 256 letters, digits and ./@:+=_-"
  }
  return [field, version].every((one) => one === undefined || /^\w[\w.-]{0,127}$/.test(one))
    ? undefined
    : "a field or a version has letters, digits and ._-"
}

const valueProblem = (value: string): StoreProblem | undefined =>
  value === ""
    ? ["Invalid", "its value is empty"]
    : utf8Length(value) > maxValueBytes
    ? ["TooLarge", `its value is longer than ${maxValueBytes} bytes`]
    : value.includes("\0") || !value.isWellFormed() || value.includes("\ufffd")
    ? ["Invalid", "its value is not text"]
    : undefined

/** A text of a JSON object. A parser's message would quote the text. */
export const parseFields = (text: string): Effect.Effect<Readonly<Record<string, unknown>>, StoreProblem> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (): StoreProblem => ["Invalid", "it is not JSON"],
  }).pipe(
    Effect.filterOrFail(isJsonObject, (): StoreProblem => ["Invalid", "it is not a JSON object"]),
  )

export const fieldOf = (
  fields: Readonly<Record<string, unknown>>,
  field: string,
): Effect.Effect<string, StoreProblem> => {
  const value = Object.hasOwn(fields, field) ? fields[field] : undefined
  return typeof value === "string" || typeof value === "number"
    ? Effect.succeed(String(value))
    : Effect.fail(value === undefined ? notFound : ["Invalid", `its field ${field} is not text`])
}

export const fieldIn = (text: string, field: string | undefined): Effect.Effect<string, StoreProblem> =>
  field === undefined ? Effect.succeed(text) : Effect.flatMap(parseFields(text), (fields) => fieldOf(fields, field))

export const makeSecrets = (
  { get, hasVersions = false, list }: SecretStore,
  timeoutMillis = 30_000,
): SecretsService => {
  const answer = (request: SecretRequest): Effect.Effect<SecretEvent, StoreProblem> =>
    Effect.gen(function* () {
      const { correlationId } = request
      if (request._tag === "SecretList") {
        const names = [...new Set(yield* list)].toSorted()
        return names.length > maxNames
          ? yield* Effect.fail<StoreProblem>(["TooLarge", `there are more than ${maxNames} names`])
          : { _tag: "SecretNames", correlationId, names }
      }
      const { name } = request
      const isVersioned = request.version !== undefined && !hasVersions
      const invalid = isVersioned ? "this store has no versions" : nameProblem(request)
      if (invalid !== undefined) return yield* Effect.fail<StoreProblem>(["InvalidRequest", invalid])
      const value = yield* get(request)
      const problem = valueProblem(value)
      if (problem !== undefined) return yield* Effect.fail(problem)
      return { _tag: "SecretGiven", correlationId, name, value: Redacted.make(value, { label: name }) }
    })
  return {
    request: (request): Stream.Stream<SecretEvent, SecretFault> =>
      Stream.fromEffect(
        Effect.mapError(
          Effect.timeoutOrElse(answer(request), {
            duration: timeoutMillis,
            orElse: () => Effect.fail<StoreProblem>(["Timeout", `there was no answer within ${timeoutMillis} ms`]),
          }),
          (problem) => secretFault(request, ...problem),
        ),
      ),
  }
}
