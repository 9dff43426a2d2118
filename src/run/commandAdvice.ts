/** Suggests the right call if a program is not found because the command was written for a shell. */
import type { ShellExec } from "../command/ShellExec.ts"

const builtins: Readonly<Record<string, string>> = {
  cd: 'the directory of a command is the option cwd, as in $({ cwd: "…" })`…`; ' +
    'for several commands within({ cwd: "…" }, () => …)',
  export: "variables are the option env, as in $({ env: { NAME: value } })`…`",
}

const scriptBuiltins = ["source", ".", "alias", "eval", "set", "shopt", "trap", "type", "ulimit", "umask", "unset"]

/** The text between the quotes of a string literal. */
const quote = (text: string): string => JSON.stringify(text)

/** The advice about a program that is not found; `undefined` if the program is simply not installed. */
export const commandAdvice = ({ arguments: args, command, useShell }: ShellExec): string | undefined => {
  if (useShell) return undefined
  const builtin = Object.hasOwn(builtins, command) ? builtins[command] : undefined
  if (builtin !== undefined) return `${command} is a part of the shell: ${builtin}`
  if (scriptBuiltins.includes(command)) return `${command} is a part of the shell: write the script in shell\`…\``
  if (!/[\s|&;<>]/.test(command)) return undefined
  const [program = "", ...words] = command.trim().split(/\s+/)
  const script = `shell(${quote(command)})`
  const isPlain = args.length === 0 && /^[\w\s./:=@%+,-]+$/.test(command)
  const forms = isPlain
    ? `run(${quote(program)}, [${words.map(quote).join(", ")}]), $\`${command.trim()}\` or ${script}`
    : `run("program", ["argument"]) or ${script}`
  return `the first argument of run is a program: write ${forms}`
}
