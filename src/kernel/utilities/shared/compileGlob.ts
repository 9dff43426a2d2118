/** Compiles a shell pattern to a function that tests whole names, for `find -name` and `grep --include`. Source: fnmatch(3). */
import { runCoroutineSync } from "../../Coroutine.ts"
import { ShellPattern } from "../../shell/expand/ShellPattern.ts"
import { ShellError } from "../../shell/ShellError.ts"
import { UtilityExit } from "./UtilityExit.ts"

/** Compiles `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]` and `\*`. A pattern that takes too long ends the utility. */
export const compileGlob = (pattern: string, ignoreCase = false): (name: string) => boolean => {
  try {
    const compiled = new ShellPattern(pattern, { extended: false, ignoreCase })
    return (name) => runCoroutineSync(compiled.matches(name))
  } catch (cause) {
    throw cause instanceof ShellError ? new UtilityExit(undefined, cause.message) : cause
  }
}
