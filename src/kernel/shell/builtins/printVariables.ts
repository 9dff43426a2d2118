/** Prints the variables of a shell, as `set` and `declare -p` do, and yields to other processes meanwhile. */
import { type Coroutine, runCoroutine, yieldNow } from "../../Coroutine.ts"
import type { Shell } from "../Shell.ts"
import type { Variable } from "../Variable.ts"

/** Prints the line that `show` makes for each variable; returns an exit code. */
export const printVariables = async (
  shell: Shell,
  show: (name: string, variable: Variable) => Coroutine<string> | undefined,
): Promise<number> => {
  let text = ""
  for (const name of shell.variables.names) {
    const variable = shell.variables.find(name, false)
    const line = variable === undefined ? undefined : show(name, variable)
    if (line !== undefined) text += `${await runCoroutine(shell.system, line)}\n`
    await yieldNow(shell.system)
  }
  return shell.writeOutput(text)
}
