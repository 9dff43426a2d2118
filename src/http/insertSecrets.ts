/**
 * A command with the secrets that stood beside it in its request.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isSecret, type Word } from "../command/Secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ExecRequestSecrets } from "../wire/Wire.ts"

/** A place that a secret is for, and that has no marker: a path into the secrets. */
export type MisplacedSecret =
  | readonly [field: keyof ExecRequestSecrets]
  | readonly [field: keyof ExecRequestSecrets, name: string]

type Values = Readonly<Record<string, Redacted.Redacted<string>>>

/** The secret in the place of its marker, with the marker's label. */
const filled = (marker: Redacted.Redacted<string>, secret: Redacted.Redacted<string>): Redacted.Redacted<string> =>
  marker.label === undefined ? secret : Redacted.make(Redacted.value(secret), { label: marker.label })

const fill = <A>(word: Word | A, secret: Redacted.Redacted<string> | undefined): Word | A =>
  secret !== undefined && isSecret(word) ? filled(word, secret) : word

/** The value of a name, if the client gave one: names that every object has are none. */
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

/** Puts secrets where their markers are; one that has no marker is the failure. */
export const insertSecrets = (
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
