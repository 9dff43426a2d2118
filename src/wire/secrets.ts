/**
 * The secrets of a command on their way to the server that runs it.
 *
 * A command that is encoded has markers where it has secrets. Their values stand in a field of their own beside it, only in
 * the request that runs it, and are secrets again as soon as they are read.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { isSecret, reveal } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"

const Value: Schema.RedactedFromValue<typeof Schema.String> = Schema.RedactedFromValue(Schema.String, {
  disallowEncode: true,
})
const Values: Schema.$Record<typeof Schema.String, typeof Value> = Schema.Record(Schema.String, Value)

/** The fields of {@link ExecRequestSecrets}, as Schemas. */
export type ExecRequestSecretsFields = {
  readonly arguments: Schema.optionalKey<typeof Values>
  readonly environment: Schema.optionalKey<typeof Values>
  readonly input: Schema.optionalKey<typeof Value>
}

/**
 * Schema of the secrets of a command, each for a marker that stands in it: `arguments` by their index, `environment` by
 * the name of the variable, `input`. What is decoded cannot be encoded again.
 */
export const ExecRequestSecrets: Schema.Struct<ExecRequestSecretsFields> = Schema.Struct({
  arguments: Schema.optionalKey(Values),
  environment: Schema.optionalKey(Values),
  input: Schema.optionalKey(Value),
})

/** The secrets of a command. */
export type ExecRequestSecrets = typeof ExecRequestSecrets.Type

const valuesOf = (
  words: Iterable<readonly [name: string | number, word: unknown]>,
): Record<string, string> | undefined => {
  const values: Array<readonly [string, string]> = []
  for (const [name, word] of words) {
    if (!isSecret(word)) continue
    const value = reveal(word)
    // Of one that was lost in an encoding only the marker is sent: whoever runs it says so.
    if (value !== undefined) values.push([String(name), value])
  }
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

/** The secrets of a command as they are sent; `undefined` when it has none. */
export const secretsIn = (exec: ShellExec): typeof ExecRequestSecrets.Encoded | undefined => {
  const words = valuesOf(exec.arguments.entries())
  const environment = valuesOf(Object.entries(exec.environment ?? {}))
  const input = valuesOf([["input", exec.input]])?.["input"]
  if (words === undefined && environment === undefined && input === undefined) return undefined
  return {
    ...(words === undefined ? undefined : { arguments: words }),
    ...(environment === undefined ? undefined : { environment }),
    ...(input === undefined ? undefined : { input }),
  }
}

const isLoopback = (hostname: string): boolean =>
  /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]" || /^(.+\.)?localhost\.?$/.test(hostname)

/** Whether what is sent to a URL can be read on the way: it is not encrypted, and leaves the machine. */
export const isPlain = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, protocol } = new URL(url)
  return protocol !== "https:" && !isLoopback(hostname)
}

/** The fault of a command whose secrets would be sent so that they could be read on the way. */
export const plainSecretsFault = (exec: ShellExec, url: string): ShellFault => {
  const why = `it has secrets, and http: to ${
    new URL(url).host
  } is not encrypted: use https:, or allow it with plainSecrets`
  return ShellFault.because(
    exec.commandId,
    { _tag: "NotAllowed", policy: "plainSecrets" },
    `exec: ${exec.command} was not sent as ${exec.commandId}: ${why} (NOT_ALLOWED)`,
  )
}
