/**
 * Adds advice to a `TemplateError`: the function of `./run` that replaces the refused syntax.
 *
 * @module
 */
import { TemplateError } from "../command/template.ts"

/** Advice by the start of the message, which names the syntax. */
const advice: ReadonlyArray<readonly [syntax: RegExp, use: string]> = [
  [/^The operator "\|"/, "join commands with $`…`.pipe($`…`) or pipeline([…])"],
  [/^The operator ">"/, `write to a file with the option stdout, as in $({ stdout: { file: "out.txt" } })\`…\``],
  [/^The operator "<"/, `read a file with the option stdin, as in $({ stdin: { file: "in.txt" } })\`…\``],
  [/^The operator "&"/, "await one command after the other (a && b), or use .start() to go on meanwhile (a &)"],
  [/^The operator ";"/, "await one command after the other"],
  [/^Command substitution|^The expansion "\$\("/, "interpolate the output: ${await $`…`.text()}"],
  [/^The expansion/, "interpolate the value: ${process.env.NAME}"],
  [/^A variable assignment/, "set variables with the option env, as in $({ env: { NAME: value } })`…`"],
  [/^The glob character|^Brace expansion/, "interpolate a list of names, one argument each"],
]

/** Replaces the advice of an error by that of `./run`. */
export const templateAdvice = (error: TemplateError): TemplateError => {
  const [, use] = advice.find(([syntax]) => syntax.test(error.message)) ?? []
  if (error.reason._tag !== "UnsupportedSyntax") return error
  const [what = error.message] = error.message.split(": ")
  const script = "quote it to mean the characters themselves, or use shell`…` for a script"
  return TemplateError.because(error.reason._tag, `${what}: ${use === undefined ? script : `${use}; ${script}`}`)
}
