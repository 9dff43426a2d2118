/** Replaces the advice of a `TemplateError` with what to write for the refused syntax in a template of `$`. */
import { TemplateError } from "../command/plain/TemplateError.ts"

/** Advice that differs from that for `cmd`, by the start of the message, which names the syntax. */
const advice: ReadonlyArray<readonly [syntax: RegExp, use: string]> = [
  [/^The operator "\|"/, "join commands with $`…`.pipe($`…`) or pipeline([…])"],
  [/^The operator ">"/, `write to a file with the option stdout, as in $({ stdout: { file: "out.txt" } })\`…\``],
  [/^The operator "<"/, `read a file with the option stdin, as in $({ stdin: { file: "in.txt" } })\`…\``],
  [/^The operator "&"/, "await one command after the other (a && b), or use .start() to continue meanwhile (a &)"],
  [/^The operator ";"/, "await one command after the other"],
  [/^Command substitution|^The expansion "\$\("/, "interpolate the output: ${await $`…`.text()}"],
  [/^A variable assignment/, "set variables with the option env, as in $({ env: { NAME: value } })`…`"],
]

/** Advice for all syntax that needs a shell. */
const literally = "in single quotes it means the characters themselves; for a script use shell`…`"

/** Replaces the advice of an error with that for `$`. */
export const templateAdvice = (error: TemplateError): TemplateError => {
  if (error.reason._tag !== "UnsupportedSyntax") return error
  const [, use] = advice.find(([syntax]) => syntax.test(error.message)) ?? []
  const [problem = error.message] = error.message.split(": ")
  return TemplateError.because(
    error.reason._tag,
    use === undefined
      ? error.message.replace("for a script use ShellExec.shell", "for a script use shell`…`")
      : `${problem}: ${use}; ${literally}`,
  )
}
