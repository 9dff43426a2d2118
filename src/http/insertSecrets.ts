/** Inserts secrets from a request in place of their markers in a command, and refuses a secret without a marker. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isSecret, type Word } from "../command/Secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ExecRequestSecrets } from "../wire/mod.ts"

/** The path of a secret whose place in the command has no marker. */
export type MisplacedSecret =
  | readonly [field: keyof ExecRequestSecrets]
  | readonly [field: keyof ExecRequestSecrets, name: string]

type Values = Readonly<Record<string, Redacted.Redacted<string>>>

/** The secret with the label of its marker. */
const filled = (marker: Redacted.Redacted<string>, secret: Redacted.Redacted<string>): Redacted.Redacted<string> =>
  marker.label === undefined ? secret : Redacted.make(Redacted.value(secret), { label: marker.label })

const fill = <A>(word: Word | A, secret: Redacted.Redacted<string> | undefined): Word | A =>
  secret !== undefined && isSecret(word) ? filled(word, secret) : word

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

/** Inserts secrets in place of their markers. Fails with a secret that has no marker. */
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
