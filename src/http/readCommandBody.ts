/** Reads the body of `POST /exec` and decodes it into a command, its secrets and its run options. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { HonoRequest } from "hono"
import * as Redacted from "effect/Redacted"
import { ShellExec } from "../command/ShellExec.ts"
import { ExecRequestOptions } from "../wire/ExecRequestOptions.ts"
import { type HttpRefusal, type ProblemField, refuse } from "./problem.ts"
import { decodePlainExec } from "./decodePlainExec.ts"
import { type BodyBounds, readJson } from "./readJson.ts"
import { isSecret, type Word } from "../command/Secret.ts"
import type { ExecRequestSecrets } from "../wire/mod.ts"

/** The path of a secret whose place in the command has no marker. */
type MisplacedSecret =
  | readonly [field: keyof ExecRequestSecrets]
  | readonly [field: keyof ExecRequestSecrets, name: string]

type Values = Readonly<Record<string, Redacted.Redacted<string>>>

const withLabel = (marker: Redacted.Redacted<string>, secret: Redacted.Redacted<string>): Redacted.Redacted<string> =>
  marker.label === undefined ? secret : Redacted.make(Redacted.value(secret), { label: marker.label })

const fill = <A>(word: Word | A, secret: Redacted.Redacted<string> | undefined): Word | A =>
  secret !== undefined && isSecret(word) ? withLabel(word, secret) : word

/** Own properties only: `toString` is not a secret. */
const own = (values: Values, name: string): Redacted.Redacted<string> | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

const misplacedIn = (
  field: "arguments" | "environment",
  values: Values,
  wordAt: (name: string) => unknown,
): MisplacedSecret | undefined => {
  const name = Object.keys(values).find((one) => !isSecret(wordAt(one)))
  return name === undefined ? undefined : [field, name]
}

/** Inserts secrets in place of their markers. Fails for a secret that has no marker. */
const insertSecrets = (
  exec: ShellExec,
  secrets: ExecRequestSecrets,
): Result.Result<ShellExec, MisplacedSecret> => {
  const { arguments: words = {}, environment: variables = {}, input } = secrets
  const { environment = {} } = exec
  const at = new Map(exec.arguments.map((word, index) => [String(index), word]))
  const wrong = misplacedIn("arguments", words, (index) => at.get(index)) ??
    misplacedIn("environment", variables, (name) => Object.hasOwn(environment, name) ? environment[name] : undefined)
  if (wrong !== undefined) return Result.fail(wrong)
  if (input !== undefined && !isSecret(exec.input)) return Result.fail(["input"])
  return Result.succeed(
    new ShellExec({
      ...exec,
      arguments: exec.arguments.map((word, index) => fill(word, own(words, String(index)))),
      ...(exec.environment === undefined ? undefined : {
        environment: Object.fromEntries(
          Object.entries(environment).map(([name, word]) => [name, fill(word, own(variables, name))]),
        ),
      }),
      ...(exec.input === undefined ? undefined : { input: fill(exec.input, input) }),
    }),
  )
}

export interface CommandBody {
  readonly fields: Readonly<Record<string, unknown>>
  readonly secrets: ExecRequestOptions["secrets"]
  readonly settings: Omit<ExecRequestOptions, "secrets">
  readonly hasCommandId: boolean
}

const invalid = (detail: string, errors?: ReadonlyArray<ProblemField>): HttpRefusal =>
  refuse(400, "invalid", detail, errors === undefined ? {} : { errors })

// Unknown fields are refused: a misspelt `timeout` must not mean no timeout.
const decodeExec = Schema.decodeUnknownResult(ShellExec, { onExcessProperty: "error", errors: "all" })
const decodeSettings = Schema.decodeUnknownResult(ExecRequestOptions, { onExcessProperty: "error", errors: "all" })

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A JSON Pointer as a URI fragment (RFC 6901, section 6). Names come from the client and are cut at 100 characters. */
const pointer = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((at, key) => {
    const name = String(key).slice(0, 100).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")
    return `${at}/${encodeURIComponent(name)}`
  }, "#")

const decoded = <A>(result: Result.Result<A, Schema.SchemaError>): Result.Result<A, HttpRefusal> =>
  Result.mapError(result, ({ issue }) => {
    const errors = toIssues(issue).issues.slice(0, 20).map((one): ProblemField => ({
      pointer: pointer((one.path ?? []).map((part) => typeof part === "object" ? part.key : part)),
      detail: one.message,
    }))
    return invalid(errors.map((one) => `${one.pointer}: ${one.detail}`).join("; "), errors)
  })

const noMarker = "there is no secret marker"

const filled = (exec: ShellExec, secrets: ExecRequestOptions["secrets"]): Result.Result<ShellExec, HttpRefusal> =>
  secrets === undefined ? Result.succeed(exec) : Result.mapError(insertSecrets(exec, secrets), (path) => {
    const field: ProblemField = { pointer: pointer(["secrets", ...path]), detail: noMarker }
    return invalid(`${field.pointer}: ${noMarker}`, [field])
  })

const isSetting = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(ExecRequestOptions.fields, name)

const noSettings: ExecRequestOptions = {}

/** Reads the fields of `ShellExec` and of `ExecRequestOptions`. The command itself is not decoded yet. */
export const readCommandBody = async (
  request: HonoRequest,
  bounds: BodyBounds,
): Promise<Result.Result<CommandBody, HttpRefusal>> => {
  const json = await readJson(request, bounds)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  if (!Predicate.isObject(json.success)) return Result.fail(invalid("the body must be a JSON object"))
  const members = Object.entries(json.success)
  const given = members.filter(isSetting)
  const all = given.length === 0 ? Result.succeed(noSettings) : decoded(decodeSettings(Object.fromEntries(given)))
  if (Result.isFailure(all)) return Result.fail(all.failure)
  const fields = Object.fromEntries(given.length === 0 ? members : members.filter((member) => !isSetting(member)))
  const { secrets, ...settings } = all.success
  return Result.succeed({ fields, secrets, settings, hasCommandId: "commandId" in fields })
}

/** Decodes the command of a body and inserts its secrets. A `collected` command returns its output whole. */
export const decodeCommand = (
  { fields, secrets }: CommandBody,
  collected: boolean,
): Result.Result<ShellExec, HttpRefusal> => {
  const all = collected && (fields["streamOutput"] ?? true) === true ? { ...fields, streamOutput: false } : fields
  const plain = decodePlainExec(all)
  if (plain !== undefined && secrets === undefined) return Result.succeed(plain)
  return Result.flatMap(decoded(decodeExec({ _tag: "ShellExec", ...all })), (told) => filled(told, secrets))
}
