/** Lists the variables of the server that commands of callers inherit by default. */
import { makeNameMatcher } from "./makeNameMatcher.ts"

/**
 * Variables for the locations of programs, files and homes, and for text formats; `*` matches any characters. None of them
 * is a secret, and without them many programs do not work.
 *
 * @example
 * ```ts
 * import { servedVariables } from "@sluice/shell/access"
 *
 * const inheritedVariables = [...servedVariables, "CI"]
 * console.log(inheritedVariables.includes("PATH") && !servedVariables.includes("CI")) // true
 * ```
 */
export const servedVariables: ReadonlyArray<string> = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TERM", "PWD"],
  // Without these no program of Windows starts, or finds its files.
  ...["SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE"],
  ...["HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles*", "ProgramW6432"],
  ...["CommonProgramFiles*", "ALLUSERSPROFILE", "PUBLIC", "OS", "NUMBER_OF_PROCESSORS", "PROCESSOR_*"],
]

/** Variables of the server itself, its token and its policy: no command inherits them, whatever a list says. */
const serverVariable = /^(?:SLUICE_|ALLOWED_COMMANDS$|ALLOWED_CWD_ROOTS$)/i

export const isServerVariable = (name: string): boolean => serverVariable.test(name)

/** Whether a variable is inherited by a list; by default by {@link servedVariables}. */
export const inheritsFrom = (
  names: ReadonlyArray<string> | undefined,
  ignoreCase: boolean,
): (name: string) => boolean => {
  const isNamed = makeNameMatcher(names ?? servedVariables, ignoreCase)
  return (name) => !isServerVariable(name) && isNamed(name)
}
