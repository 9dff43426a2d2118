/**
 * Encodes a command's secrets for a separate field of its request, and makes the fault of a command that would be sent
 * unencrypted.
 */
import * as Schema from "effect/Schema"
import { isSecret, reveal } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"

const Value: Schema.RedactedFromValue<typeof Schema.String> = Schema.RedactedFromValue(Schema.String, {
  disallowEncode: true,
})
const Values: Schema.$Record<typeof Schema.String, Schema.RedactedFromValue<typeof Schema.String>> = Schema.Record(
  Schema.String,
  Value,
)

/**
 * Schema of the values of a command's markers: `arguments` by index, `environment` by the name of the variable, `input`.
 * Decoded values cannot be encoded again.
 */
export const ExecRequestSecrets: Schema.Struct<{
  readonly arguments: Schema.optionalKey<
    Schema.$Record<typeof Schema.String, Schema.RedactedFromValue<typeof Schema.String>>
  >
  readonly environment: Schema.optionalKey<
    Schema.$Record<typeof Schema.String, Schema.RedactedFromValue<typeof Schema.String>>
  >
  readonly input: Schema.optionalKey<Schema.RedactedFromValue<typeof Schema.String>>
}> = Schema.Struct({
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
    // A secret that was decoded from a marker has no value: only the marker is sent, and the server refuses it.
    if (value !== undefined) values.push([String(name), value])
  }
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

export const encodeSecrets = (exec: ShellExec): typeof ExecRequestSecrets.Encoded | undefined => {
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

/** Whether requests to a URL are unencrypted and leave the machine. */
export const isPlaintext = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, protocol } = new URL(url)
  return protocol !== "https:" && !isLoopback(hostname)
}

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
