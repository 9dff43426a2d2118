/** Computes the variables of a script's commands, and finds texts that contain a secret. */
import * as Redacted from "effect/Redacted"
import { isSecret, reveal } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"

const ofTheShell: ReadonlySet<string> = new Set([
  "PWD",
  "OLDPWD",
  "SHLVL",
  "_",
  "BASHOPTS",
  "SHELLOPTS",
  "POSIXLY_CORRECT",
])

export const addVariables = (variables: Map<string, string>, given: ShellExec["environment"]): Map<string, string> => {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null) variables.delete(name)
    else variables.set(name, reveal(value) ?? "")
  }
  return variables
}

export const hideSecrets = ({ arguments: words, environment }: ShellExec): (text: string) => Word => {
  const secrets = new Map(
    [...words, ...Object.values(environment ?? {})].flatMap((value) =>
      value !== null && isSecret(value) ? [[reveal(value) ?? "", value] as const] : []
    ),
  )
  secrets.delete("")
  // A text that is a whole secret stays the same word, because it may be a reference.
  return (text) =>
    secrets.get(text) ?? (secrets.keys().some((secret) => text.includes(secret)) ? Redacted.make(text) : text)
}

export const changedVariables = (
  env: ReadonlyMap<string, string>,
  inherited: ReadonlyMap<string, string>,
  given: ShellExec["environment"],
  hide: (text: string) => Word,
): Record<string, Word | null> => {
  const changes: Record<string, Word | null> = {}
  for (const [name, value] of env) {
    if (!ofTheShell.has(name) && inherited.get(name) !== value) changes[name] = hide(value)
  }
  for (const name of inherited.keys()) {
    // The shell passes on no variables whose names are invalid in its language.
    if (!env.has(name) && !ofTheShell.has(name) && /^[A-Za-z_]\w*$/.test(name)) changes[name] = null
  }
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!(name in changes) && (value === null || env.get(name) === reveal(value))) changes[name] = value
  }
  return changes
}
