/**
 * What a journal must not hold of a command: its secrets, wherever they appear, and what a redactor finds.
 *
 * @module
 */
import * as Redacted from "effect/Redacted"
import type { Word } from "../../command/Secret.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import * as Redactor from "../../journal/Redactor.ts"
import type { RunRedaction } from "./RunRecorder.ts"

interface NamedSecret {
  readonly value: string
  readonly label?: string
}

/** The secrets that a command was given: arguments, values of its environment, its input. */
const secretsOf = (exec: ShellExec): ReadonlyArray<NamedSecret> => {
  const words: ReadonlyArray<unknown> = [...exec.arguments, ...Object.values(exec.environment ?? {}), exec.input]
  return words.flatMap((word) => {
    if (!Redacted.isRedacted(word)) return []
    const value = valueOf(word)
    return typeof value !== "string" || value === ""
      ? []
      : [word.label === undefined ? { value } : { value, label: word.label }]
  })
}

/** The value of a secret, `""` when it was lost in an encoding. */
const valueOf = (secret: Redacted.Redacted<unknown>): unknown => {
  try {
    return Redacted.value(secret)
  } catch {
    return ""
  }
}

/** A text of UTF-8 bytes, one character for each: how a secret looks among bytes that were not decoded. */
const binaryOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

/** What to leave out of the records of one command; `undefined` when that is nothing. */
export const redactionFor = (exec: ShellExec, redactor: Redactor.Redactor | undefined): RunRedaction | undefined => {
  const secrets = secretsOf(exec)
  if (secrets.length === 0 && redactor === undefined) return undefined
  const more = redactor ?? Redactor.none
  const text = Redactor.combine(Redactor.secrets(secrets), more)
  const binary = (): Redactor.Redactor =>
    Redactor.combine(Redactor.secrets(secrets.map((secret) => ({ ...secret, value: binaryOf(secret.value) }))), more)
  return { begin: (what) => (what === "text" ? text : binary()).begin(), text: (whole) => text.text(whole) }
}

/** The command as it is stored. Its secrets become markers anyway; this is for what a redactor finds in plain words. */
export const redactExec = (exec: ShellExec, redactor: Redactor.Redactor | undefined): ShellExec => {
  if (redactor === undefined) return exec
  const word = (plain: Word): Word => typeof plain === "string" ? redactor.text(plain) : plain
  const { environment, input } = exec
  return new ShellExec({
    ...exec,
    command: redactor.text(exec.command) || exec.command,
    arguments: exec.arguments.map(word),
    ...(environment === undefined ? undefined : {
      environment: Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, value === null ? null : word(value)]),
      ),
    }),
    ...(typeof input === "string" ? { input: redactor.text(input) } : undefined),
  })
}
